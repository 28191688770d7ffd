/** One account's bookings, written as files of several formats: other words, other days, other layouts. */
import type { Seeded } from "@millrace/testing/model"

export interface Booking {
  readonly day: number
  readonly cents: number
  readonly merchant: number
}

const words = ["BRAHAVEN", "CLODORF", "DREFIELD", "FLIGATE", "GRULUND", "KLAMONT", "MENSEN", "PLOBANK"]
const others = ["NORTHERN", "AMBERLEY", "CEDARUM", "HARBOURIA", "COPPERTO", "WILLOWAY", "STONEVIL", "RIVERUS"]

/** Unique amounts among a few that come again, and now and then the same twice on a day. */
export const bookingsOf = (random: Seeded, days: number): ReadonlyArray<Booking> => {
  const bookings: Array<Booking> = []
  for (let day = 0; day < days; day++) {
    for (let n = random.below(4); n > 0; n--) {
      const merchant = random.below(words.length)
      const cents =
        random.below(4) === 0 ? -(merchant + 2) * 500 : (random.once(6) ? 1 : -1) * (1_000 + random.below(90_000))
      for (let times = random.once(15) ? 2 : 1; times > 0; times--) bookings.push({ day, cents, merchant })
    }
  }
  return bookings
}

const dateOf = (day: number, mark: string): string => {
  const date = new Date(Date.UTC(2026, 1, 1 + day)).toISOString().slice(0, 10)
  return date.replaceAll("-", mark)
}

const amountText = (cents: number): string => (cents / 100).toFixed(2)

export interface Form {
  readonly format: "ofx" | "csv" | "camt" | "mt940" | "qif"
  /** How the account is written. */
  readonly account: string
  readonly bankId?: string
  readonly accountType?: boolean
  /** Prefix of ids; without it the rows have none. */
  readonly ids?: string
  /** Days by which each row is dated later. */
  readonly later?: number
  /** CSV: columns for what comes in and what goes out, instead of a sign. */
  readonly columns?: boolean
}

const inPeriod = (bookings: ReadonlyArray<Booking>, from: number, to: number) =>
  bookings.map((booking, n) => ({ ...booking, n })).filter(({ day }) => day >= from && day <= to)

const ofxOf = (bookings: ReadonlyArray<Booking>, form: Form, from: number, to: number): string => {
  const { account, accountType = true, bankId, ids, later = 0 } = form
  const rows = inPeriod(bookings, from, to).map(
    ({ cents, day, merchant, n }) =>
      `<STMTTRN><TRNTYPE>${cents < 0 ? "DEBIT" : "CREDIT"}<DTPOSTED>${dateOf(day + later, "")}<TRNAMT>${amountText(cents)}` +
      `${ids === undefined ? "" : `<FITID>${ids}${n}`}<NAME>${words[merchant]!} ${n % 7}</STMTTRN>`
  )
  return [
    "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n",
    "<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260401<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>",
    "<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>EUR",
    `<BANKACCTFROM>${bankId === undefined ? "" : `<BANKID>${bankId}`}<ACCTID>${account}${accountType ? "<ACCTTYPE>CHECKING" : ""}</BANKACCTFROM>`,
    `<BANKTRANLIST><DTSTART>${dateOf(from, "")}<DTEND>${dateOf(to + later, "")}`,
    ...rows,
    "</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>"
  ].join("\n")
}

const csvOf = (bookings: ReadonlyArray<Booking>, form: Form, from: number, to: number): string => {
  const { account, columns = false, ids, later = 0 } = form
  const head = [
    "Date",
    "Description",
    ...(columns ? ["Debit", "Credit"] : ["Amount"]),
    "Currency",
    "Account number",
    ...(ids === undefined ? [] : ["Transaction ID"])
  ]
  const rows = inPeriod(bookings, from, to).map(({ cents, day, merchant, n }) => [
    dateOf(day + later, "-"),
    others[merchant]!,
    ...(columns ? (cents < 0 ? [amountText(-cents), ""] : ["", amountText(cents)]) : [amountText(cents)]),
    "EUR",
    account,
    ...(ids === undefined ? [] : [`${ids}${n}`])
  ])
  return [head, ...rows].map((cells) => cells.join(";")).join("\n")
}

const camtOf = (bookings: ReadonlyArray<Booking>, form: Form, from: number, to: number): string => {
  const { account, ids, later = 0 } = form
  const entries = inPeriod(bookings, from, to).map(({ cents, day, merchant, n }) => {
    const side = cents < 0 ? "DBIT" : "CRDT"
    const party = cents < 0 ? "Cdtr" : "Dbtr"
    return (
      `<Ntry><Amt Ccy="EUR">${amountText(Math.abs(cents))}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>` +
      `<BookgDt><Dt>${dateOf(day + later, "-")}</Dt></BookgDt>` +
      `${ids === undefined ? "" : `<AcctSvcrRef>${ids}${n}</AcctSvcrRef>`}<NtryDtls><TxDtls><RltdPties>` +
      `<${party}><Pty><Nm>${words[merchant]!}</Nm></Pty></${party}></RltdPties></TxDtls></NtryDtls></Ntry>`
    )
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    `<GrpHdr><MsgId>1</MsgId></GrpHdr><Stmt><Id>1</Id><Acct><Id><IBAN>${account}</IBAN></Id><Ccy>EUR</Ccy></Acct>`,
    ...entries,
    "</Stmt></BkToCstmrStmt></Document>"
  ].join("\n")
}

const mt940Of = (bookings: ReadonlyArray<Booking>, form: Form, from: number, to: number): string => {
  const { account, bankId, ids, later = 0 } = form
  const entries = inPeriod(bookings, from, to).flatMap(({ cents, day, merchant, n }) => {
    const date = dateOf(day + later, "").slice(2)
    const amount = amountText(Math.abs(cents)).replace(".", ",")
    const own = ids === undefined ? "" : `//${ids}${n}`
    return [
      `:61:${date}${date.slice(2)}${cents < 0 ? "D" : "C"}R${amount}NTRFNONREF${own}`,
      `:86:166?00UMSATZ?20SVWZ+${others[merchant]!}`
    ]
  })
  const number = bankId === undefined ? account : `${bankId}/${account}`
  return [":20:STARTUMS", `:25:${number}`, ":28C:1", ":60F:C260131EUR0,00", ...entries, "-"].join("\r\n")
}

/** Without a number: the rows tell whose account it is. */
const qifOf = (bookings: ReadonlyArray<Booking>, { later = 0 }: Form, from: number, to: number): string =>
  [
    "!Type:Bank",
    ...inPeriod(bookings, from, to).flatMap(({ cents, day, merchant }) => [
      `D${dateOf(day + later, "-")}`,
      `T${amountText(cents)}`,
      `P${others[merchant]!}`,
      "^"
    ])
  ].join("\n")

const writers = { ofx: ofxOf, csv: csvOf, camt: camtOf, mt940: mt940Of, qif: qifOf }

/** The bookings of some days as a file. */
export const fileOf = (bookings: ReadonlyArray<Booking>, form: Form, from: number, to: number): string =>
  writers[form.format](bookings, form, from, to)
