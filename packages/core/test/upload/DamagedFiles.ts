/** Statements as banks write them, and what happens to files on their way. Everything follows from the random source. */
import { Buffer } from "node:buffer"
import { Seeded } from "@millrace/testing/model"

const texts = ["COFFEE & CO", "Salary March", "Card payment 1234", "RENT", "Müller AG", "Refund, partly", "ATM 00:12"]

interface Booking {
  readonly day: string
  readonly cents: number
  readonly text: string
}

const bookingsOf = (random: Seeded): ReadonlyArray<Booking> =>
  Array.from({ length: 3 + random.below(12) }, (_, n) => ({
    day: `2026-03-${String(1 + n).padStart(2, "0")}`,
    cents: (random.below(2) === 0 ? -1 : 1) * (1 + random.below(400_000)),
    text: random.pick(texts)
  }))

const amountOf = (cents: number, point = "."): string =>
  `${cents < 0 ? "-" : ""}${Math.trunc(Math.abs(cents) / 100)}${point}${String(Math.abs(cents) % 100).padStart(2, "0")}`

const escaped = (text: string): string => text.replaceAll("&", "&amp;")

/** OFX 1: leaves are left open. */
const sgml = (bookings: ReadonlyArray<Booking>): string =>
  [
    "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\nCHARSET:1252\r\n\r\n<OFX>",
    "<SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260331</SONRS></SIGNONMSGSRSV1>",
    "<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>011000015<ACCTID>5551234<ACCTTYPE>CHECKING",
    "</BANKACCTFROM><BANKTRANLIST><DTSTART>20260301<DTEND>20260331",
    ...bookings.map(
      ({ cents, day, text }, n) =>
        `<STMTTRN><TRNTYPE>OTHER<DTPOSTED>${day.replaceAll("-", "")}120000[-5:EST]<TRNAMT>${amountOf(cents)}<FITID>F${n}<NAME>${escaped(text)}</STMTTRN>`
    ),
    "</BANKTRANLIST><LEDGERBAL><BALAMT>100.00<DTASOF>20260331</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
  ].join("\r\n")

/** OFX 2: a card, as XML. */
const xml = (bookings: ReadonlyArray<Booking>): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>\n<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE"?>\n<OFX>',
    "<CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>EUR</CURDEF><CCACCTFROM><ACCTID>4111</ACCTID></CCACCTFROM>",
    "<BANKTRANLIST>",
    ...bookings.map(
      ({ cents, day, text }, n) =>
        `  <STMTTRN>\n    <TRNTYPE>DEBIT</TRNTYPE>\n    <DTPOSTED>${day.replaceAll("-", "")}</DTPOSTED>\n    <TRNAMT>${amountOf(cents)}</TRNAMT>\n    <FITID>X${n}</FITID>\n    <NAME>${escaped(text)}</NAME>\n    <MEMO><![CDATA[${text}]]></MEMO>\n  </STMTTRN>`
    ),
    "</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>\n"
  ].join("\n")

/** A table with lines above it, a balance, and a comma in its amounts. */
const german = (bookings: ReadonlyArray<Booking>): string => {
  let balance = 100_000
  return [
    "Kontonummer;DE89370400440532013000",
    "Zeitraum;01.03.2026 - 31.03.2026",
    "",
    "Buchungstag;Verwendungszweck;Betrag;Währung;Saldo",
    ...bookings.map(({ cents, day, text }) => {
      balance += cents
      const [year, month, date] = day.split("-")
      return `${date}.${month}.${year};"${text}";${amountOf(cents, ",")};EUR;${amountOf(balance, ",")}`
    })
  ].join("\n")
}

/** One column for money that leaves and one for money that comes in. */
const sided = (bookings: ReadonlyArray<Booking>): string =>
  [
    "Date,Description,Debit,Credit,Account Number",
    ...bookings.map(({ cents, day, text }) => {
      const amount = amountOf(Math.abs(cents))
      return `${day},"${text}",${cents < 0 ? `${amount},` : `,${amount}`},5551234`
    })
  ].join("\r\n")

/** Amounts without a sign beside a word, for several accounts. */
const worded = (bookings: ReadonlyArray<Booking>): string =>
  [
    "Date,Description,Amount,Transaction Type,Account Name",
    ...bookings.map(({ cents, day, text }, n) => {
      const [year, month, date] = day.split("-")
      const name = n % 3 === 0 ? "Savings" : "Checking"
      return `${month}/${date}/${year},"${text}",${amountOf(Math.abs(cents))},${cents < 0 ? "debit" : "credit"},${name}`
    })
  ].join("\n")

const forms = [sgml, xml, german, sided, worded]

const intact = (random: Seeded): Buffer => {
  const text = random.pick(forms)(bookingsOf(random))
  return Buffer.from(text, random.once(4) ? "latin1" : "utf8")
}

/** Bytes that mean something to a reader. */
const telling = Buffer.from("<>/&;,.\"'\n\r\t -+0159Ee%()[]\u0000\u0080\u00ff", "latin1")

/** One thing that happens to a file. */
const damage = (random: Seeded, file: Buffer): Buffer => {
  const at = random.below(file.length + 1)
  const size = random.below(random.once(3) ? file.length + 1 : 40)
  const before = file.subarray(0, at)
  const within = file.subarray(at, at + size)
  const after = file.subarray(at + size)
  switch (random.below(6)) {
    case 0: {
      const flipped = Buffer.from(file)
      if (at < flipped.length) flipped[at]! ^= 1 << random.below(8)
      return flipped
    }
    case 1: {
      const changed = Buffer.from(file)
      if (at < changed.length) changed[at] = random.pick([...telling])
      return changed
    }
    case 2:
      return Buffer.concat([before, after])
    case 3:
      return before
    case 4:
      return Buffer.concat([before, within, within, after])
    default: {
      const other = intact(random)
      const from = random.below(other.length)
      return Buffer.concat([before, other.subarray(from, from + size), after])
    }
  }
}

/** A file of a bank that suffered one to four times: flipped, overwritten, cut, doubled, spliced with another. */
export const damagedFile = (seed: number): Uint8Array => {
  const random = new Seeded(seed)
  let file = intact(random)
  for (let left = 1 + random.below(4); left > 0; left--) file = damage(random, file)
  return file
}
