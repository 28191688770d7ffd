/**
 * Bank data that looks real, for benchmarks: the same seed gives the same bytes.
 *
 * Amounts are exact integers of minor units; the closing balance of every account is the sum of its rows, so
 * that a reader which loses or changes one does not tie out.
 */
import { CalendarDate } from "@millrace/core"

interface GeneratedRow {
  readonly id: string
  readonly date: CalendarDate.CalendarDate
  /** Minor units, negative when money leaves. */
  readonly cents: number
  /** OFX transaction type. */
  readonly type: string
  readonly name: string
  readonly memo: string
}

export interface GeneratedAccount {
  readonly bankId: string
  readonly number: string
  readonly currency: string
  /** Oldest first. */
  readonly rows: ReadonlyArray<GeneratedRow>
}

export interface GenerateOptions {
  readonly seed: number
  /** Over all accounts. */
  readonly transactions: number
  readonly accounts: number
}

/** Mulberry32: 32 bits of state are plenty for test data. Answers integers from 0 to below `n`. */
export const randomOf = (seed: number): ((n: number) => number) => {
  let state = seed >>> 0
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * n)
  }
}

interface Habit {
  readonly type: string
  readonly name: string
  readonly memo: string
  readonly from: number
  readonly to: number
  readonly weight: number
}

const habit = (type: string, name: string, memo: string, from: number, to: number, weight: number): Habit => ({
  type,
  name,
  memo,
  from,
  to,
  weight
})

/** What people spend and earn; `#` is a digit of a store, card or order number. */
const habits: ReadonlyArray<Habit> = [
  habit("POS", "MIGROS M-#### ZURICH", "CARD 4821## PURCHASE", -24_000, -350, 22),
  habit("POS", "COOP-#### BERN", "", -18_000, -290, 18),
  habit("POS", "SQ *BLUE BOTTLE #### OAKLAND CA", "Contactless", -1_900, -380, 14),
  habit("POS", "SHELL OIL ########## & SHOP", "PUMP ##", -12_500, -2_000, 7),
  habit("DEBIT", "AMZN Mktp DE*##A##B##", "Order ###-#######-#######", -35_000, -499, 10),
  habit("DEBIT", "NETFLIX.COM ###-###-####", "", -1_999, -1_299, 3),
  habit("DIRECTDEBIT", "Stadtwerke München GmbH", "Abschlag Strom VK ########", -14_500, -6_500, 3),
  habit("ATM", "ATM WITHDRAWAL #####", "Bahnhofstrasse", -50_000, -2_000, 4),
  habit("XFER", "Transfer to savings", "Standing order", -150_000, -5_000, 3),
  habit("CHECK", "Check ####", "", -220_000, -2_500, 2),
  habit("FEE", "Account maintenance fee", "", -1_200, -300, 1),
  habit("INT", "Interest credit", "", 1, 4_200, 1),
  habit("DIRECTDEP", "ACME AG SALARY", "PAYROLL ######", 380_000, 910_000, 2),
  habit("CREDIT", "REFUND ZALANDO SE", "Return ##########", 990, 25_900, 3),
  habit("PAYMENT", "PAYPAL *CAFÉ LÜTZOW", "Ünïcode & <friends>", -6_000, -700, 4)
]

const totalWeight = habits.reduce((sum, each) => sum + each.weight, 0)

const pick = (random: (n: number) => number): Habit => {
  let rest = random(totalWeight)
  return habits.find((each) => (rest -= each.weight) < 0)!
}

const firstDay = CalendarDate.toEpochDay(CalendarDate.make("2022-01-01"))
const days = 1_500

export const generate = ({ seed, transactions, accounts }: GenerateOptions): ReadonlyArray<GeneratedAccount> => {
  const random = randomOf(seed)
  const fill = (text: string): string => text.replaceAll("#", () => String(random(10)))
  return Array.from({ length: accounts }, (_, n): GeneratedAccount => {
    const count = Math.floor(transactions / accounts) + (n < transactions % accounts ? 1 : 0)
    const rows = Array.from({ length: count }, (__, i): GeneratedRow => {
      const { type, name, memo, from, to } = pick(random)
      const date = CalendarDate.fromEpochDay(firstDay + Math.floor((i / count) * days))
      const id = `${date.replaceAll("-", "")}${String(n).padStart(4, "0")}${String(i).padStart(8, "0")}`
      return { id, date, cents: from + random(to - from + 1), type, name: fill(name), memo: fill(memo) }
    })
    return { bankId: "121000358", number: fill(`00##-######-${n}`), currency: "CHF", rows }
  })
}

/** Plain decimal text of minor units of two digits. */
export const decimalText = (cents: number): string => {
  const digits = String(Math.abs(cents)).padStart(3, "0")
  return `${cents < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const ofxDate = (date: string): string => `${date.replaceAll("-", "")}120000[0:GMT]`

const ofxRow = ({ id, date, cents, type, name, memo }: GeneratedRow): string =>
  `<STMTTRN>\n<TRNTYPE>${type}\n<DTPOSTED>${ofxDate(date)}\n<TRNAMT>${decimalText(cents)}\n<FITID>${id}\n` +
  `<NAME>${escaped(name)}\n${memo === "" ? "" : `<MEMO>${escaped(memo)}\n`}</STMTTRN>\n`

const status = "<STATUS>\n<CODE>0\n<SEVERITY>INFO\n</STATUS>\n"

/** One OFX 1.02 file (SGML, leaves without closing tags, UTF-8) of all accounts, in pieces. */
export function* ofxPieces(accounts: ReadonlyArray<GeneratedAccount>): Generator<string> {
  yield (
    "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:UTF-8\nCHARSET:NONE\n" +
      "COMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n<OFX>\n<SIGNONMSGSRSV1>\n<SONRS>\n" +
      `${status}<DTSERVER>20260314120000\n<LANGUAGE>ENG\n</SONRS>\n</SIGNONMSGSRSV1>\n<BANKMSGSRSV1>\n`
  )
  for (const [n, { bankId, currency, number, rows }] of accounts.entries()) {
    const last = rows.at(-1)?.date ?? CalendarDate.fromEpochDay(firstDay)
    const closing = decimalText(rows.reduce((sum, row) => sum + row.cents, 0))
    yield (
      `<STMTTRNRS>\n<TRNUID>${n + 1}\n${status}<STMTRS>\n<CURDEF>${currency}\n` +
        `<BANKACCTFROM>\n<BANKID>${bankId}\n<ACCTID>${number}\n<ACCTTYPE>CHECKING\n</BANKACCTFROM>\n` +
        `<BANKTRANLIST>\n<DTSTART>${ofxDate(rows[0]?.date ?? last)}\n<DTEND>${ofxDate(last)}\n`
    )
    for (const row of rows) yield ofxRow(row)
    yield `</BANKTRANLIST>\n<LEDGERBAL>\n<BALAMT>${closing}\n<DTASOF>${ofxDate(last)}\n</LEDGERBAL>\n</STMTRS>\n</STMTTRNRS>\n`
  }
  yield "</BANKMSGSRSV1>\n</OFX>\n"
}

export const toOfx = (accounts: ReadonlyArray<GeneratedAccount>): string => [...ofxPieces(accounts)].join("")

const camtEntry = ({ id, date, cents, name, memo }: GeneratedRow, currency: string): string => {
  const [side, party] = cents < 0 ? ["DBIT", "Cdtr"] : ["CRDT", "Dbtr"]
  return (
    `      <Ntry>\n        <NtryRef>${id}</NtryRef>\n        <Amt Ccy="${currency}">${decimalText(Math.abs(cents))}</Amt>\n` +
    `        <CdtDbtInd>${side}</CdtDbtInd>\n        <RvslInd>false</RvslInd>\n        <Sts>\n          <Cd>BOOK</Cd>\n        </Sts>\n` +
    `        <BookgDt>\n          <Dt>${date}</Dt>\n        </BookgDt>\n        <ValDt>\n          <Dt>${date}</Dt>\n        </ValDt>\n` +
    `        <AcctSvcrRef>${id}</AcctSvcrRef>\n        <BkTxCd>\n          <Domn>\n            <Cd>PMNT</Cd>\n            <Fmly>\n` +
    `              <Cd>ICDT</Cd>\n              <SubFmlyCd>ESCT</SubFmlyCd>\n            </Fmly>\n          </Domn>\n        </BkTxCd>\n` +
    `        <NtryDtls>\n          <TxDtls>\n            <Refs>\n              <EndToEndId>E2E${id}</EndToEndId>\n            </Refs>\n` +
    `            <RltdPties>\n              <${party}>\n                <Pty>\n                  <Nm>${escaped(name)}</Nm>\n                </Pty>\n              </${party}>\n            </RltdPties>\n` +
    `            <RmtInf>\n              <Ustrd>${escaped(memo)}</Ustrd>\n            </RmtInf>\n          </TxDtls>\n        </NtryDtls>\n      </Ntry>\n`
  )
}

const camtBalance = (type: string, cents: number, currency: string, date: string): string =>
  `      <Bal>\n        <Tp>\n          <CdOrPrtry>\n            <Cd>${type}</Cd>\n          </CdOrPrtry>\n        </Tp>\n` +
  `        <Amt Ccy="${currency}">${decimalText(Math.abs(cents))}</Amt>\n        <CdtDbtInd>${cents < 0 ? "DBIT" : "CRDT"}</CdtDbtInd>\n` +
  `        <Dt>\n          <Dt>${date}</Dt>\n        </Dt>\n      </Bal>\n`

/** One CAMT.053 message in pieces: a statement of each account, and how banks lay it out. */
export function* camtPieces(accounts: ReadonlyArray<GeneratedAccount>): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">\n  <BkToCstmrStmt>\n    <GrpHdr>\n      <MsgId>1</MsgId>\n    </GrpHdr>\n'
  for (const { currency, number, rows } of accounts) {
    const closing = rows.reduce((sum, row) => sum + row.cents, 0)
    const last = rows.at(-1)?.date ?? "2022-01-01"
    yield `    <Stmt>\n      <Id>${number}</Id>\n      <CreDtTm>${last}T23:00:00</CreDtTm>\n      <Acct>\n        <Id>\n          <Othr>\n            <Id>${number}</Id>\n          </Othr>\n        </Id>\n        <Ccy>${currency}</Ccy>\n      </Acct>\n`
    yield camtBalance("OPBD", 0, currency, rows[0]?.date ?? last) + camtBalance("CLBD", closing, currency, last)
    for (const row of rows) yield camtEntry(row, currency)
    yield "    </Stmt>\n"
  }
  yield "  </BkToCstmrStmt>\n</Document>\n"
}

export const toCamt = (accounts: ReadonlyArray<GeneratedAccount>): string => [...camtPieces(accounts)].join("")

const csvCell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** One account as the CSV export of a bank; memos are quoted, as banks do. */
export const csvHead = "Date,Description,Memo,Amount,Currency,Reference\n"

export const csvRows = ({ currency, rows }: GeneratedAccount): string =>
  rows
    .map(
      ({ id, date, cents, name, memo }) =>
        `${date},${csvCell(name)},"${memo}",${decimalText(cents)},${currency},${id}\n`
    )
    .join("")

export const toCsv = (account: GeneratedAccount): string => csvHead + csvRows(account)

const mtDay = (date: string): string => date.replaceAll("-", "").slice(2)

const mtBalance = (cents: number, currency: string, date: string): string =>
  `${cents < 0 ? "D" : "C"}${mtDay(date)}${currency}${decimalText(Math.abs(cents)).replace(".", ",")}`

const mtParts = (text: string, first: number): string =>
  (text.match(/.{1,27}/gu) ?? []).map((part, n) => `?${first + n}${part}`).join("")

/** One account as an MT940 message: structured details in lines of 65 characters, as German banks write them. */
export const toMt940 = ({ bankId, currency, number, rows }: GeneratedAccount): string => {
  const closing = rows.reduce((sum, row) => sum + row.cents, 0)
  const last = rows.at(-1)?.date ?? "2022-01-01"
  const entries = rows.map(({ id, date, cents, name, memo }) => {
    const details = `166?00UMSATZ?10${id.slice(-4)}${mtParts(`SVWZ+${memo}`, 20)}?30${bankId}${mtParts(name, 32)}`
    return (
      `:61:${mtDay(date)}${mtDay(date).slice(2)}${cents < 0 ? "D" : "C"}${decimalText(Math.abs(cents)).replace(".", ",")}` +
      `NTRFNONREF//${id.slice(4)}\r\n:86:${(details.match(/.{1,65}/gu) ?? []).join("\r\n")}\r\n`
    )
  })
  return (
    `:20:STARTUMS\r\n:25:${bankId}/${number}\r\n:28C:1/1\r\n:60F:${mtBalance(0, currency, rows[0]?.date ?? last)}\r\n` +
    `${entries.join("")}:62F:${mtBalance(closing, currency, last)}\r\n-\r\n`
  )
}

/** What stands before the rows of an account in QIF. */
export const qifHead = ({ number }: GeneratedAccount): string => `!Account\nN${number}\nTBank\n^\n!Type:Bank\n`

export const qifRows = ({ rows }: GeneratedAccount): string =>
  rows
    .map(({ date, cents, name, memo }) => {
      const [year, month, day] = date.split("-")
      return `D${month}/${day}/${year}\nT${decimalText(cents)}\nP${name}\n${memo === "" ? "" : `M${memo}\n`}^\n`
    })
    .join("")

/** One account as QIF, days month first. */
export const toQif = (account: GeneratedAccount): string => qifHead(account) + qifRows(account)
