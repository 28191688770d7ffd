/** Codes that banks give to kinds of movements -> transaction types (decisions 4.2). */
import type { TransactionType } from "@millrace/core/record"

/** When money comes in, and when it leaves. */
type Kind = readonly [incoming: TransactionType, outgoing: TransactionType]

const transfer: Kind = ["TRANSFER_INCOMING", "TRANSFER_OUTGOING"]
const debit: Kind = ["REFUND", "DIRECT_DEBIT"]
const collected: Kind = ["DIRECT_CREDIT", "OTHER"]
const returned: Kind = ["REFUND", "OTHER"]
const card: Kind = ["REFUND", "CARD"]
const cash: Kind = ["OTHER", "ATM"]
const check: Kind = ["CHECK", "CHECK"]
const fee: Kind = ["REFUND", "FEE"]
const interest: Kind = ["INTEREST", "INTEREST"]
const payment: Kind = ["PAYMENT", "PAYMENT"]

const table = (...lines: ReadonlyArray<readonly [Kind, string]>): ReadonlyMap<string, Kind> =>
  new Map(lines.flatMap(([kind, codes]) => codes.split(" ").map((code) => [code, kind] as const)))

/** Business transaction codes of German banks (Geschäftsvorfallcodes of the DFÜ agreement, annex 3). */
const german = table(
  [check, "001 002 003 011 012 013 101 102 103"],
  [debit, "004 005 015 104 105 107"],
  [returned, "009 059 108 109 159 181 182 183 184 185"],
  [card, "106"],
  [transfer, "008 020 051 052 116 117 118 119 152 155 156 166 167 168 169 177 191"],
  [collected, "053 054 056 153 154 171 174 192 194"],
  [cash, "083"],
  [fee, "805 808 809 810 811"],
  [interest, "814"]
)

/** Transaction type identification codes of field 61 (SWIFT), and what Dutch banks write in their place. */
const swift = table(
  [check, "CHK TCK ECK CLR"],
  [debit, "DDT IDD"],
  [fee, "CHG COM BRF"],
  [interest, "INT DIV"],
  [returned, "RTI RET STR"],
  [card, "POS BA0 BEA VPOS CCD"],
  [cash, "GEA GEB ATM CSH"],
  [transfer, "TRF STO OV0 OVB IOB OVS"],
  [payment, "IDB ID0"],
  [collected, "SAL"]
)

const german3 = /^\d{3}$/

/** The type that a code of three digits or letters names, `undefined` for one that says nothing. */
export const typeOfCode = (code: string, negative: boolean): TransactionType | undefined => {
  const kind = german3.test(code) ? german.get(code) : swift.get(code)
  return kind === undefined ? undefined : kind[negative ? 1 : 0]
}

/** Families and sub-families of the domain PMNT and what they mean (ISO 20022, external code set BankTransactionCode). */
const families = table(
  [transfer, "ICDT RCDT IRCT RRCT"],
  [debit, "RDDT"],
  [collected, "IDDT"],
  [card, "CCRD MCRD"],
  [check, "ICHQ RCHQ"],
  [cash, "CNTR"]
)

const subFamilies = table(
  [cash, "CWDL CDPT"],
  [fee, "CHRG COMM FEES COME COMI COMT CHAR"],
  [interest, "INTR INTE DVID"],
  [collected, "SALA"],
  [returned, "RPCR RRTN RIMB UPDD PRDD ARET"],
  [debit, "PMDD BBDD ESDD OODD FIDD"],
  [card, "POSD POSC POSP SMRT"]
)

/** Of the codes of a bank transaction (`BkTxCd`); `""` where one is missing. */
export const typeOfDomain = (
  domain: string,
  family: string,
  subFamily: string,
  negative: boolean
): TransactionType | undefined => {
  const collects = family === "IDDT" && subFamily !== "UPDD" && subFamily !== "PRDD"
  const bySub = collects ? undefined : subFamilies.get(subFamily)
  const kind = bySub ?? (domain === "PMNT" ? families.get(family) : undefined)
  return kind === undefined ? undefined : kind[negative ? 1 : 0]
}

const proprietary = /^(?:N?([A-Z]{3})\+)?(\d{3})(?:\+|$)/

/** Of the bank's own code, where it is of the German list: `166`, `NTRF+166+9310`. */
export const typeOfProprietary = (code: string, negative: boolean): TransactionType | undefined => {
  const found = proprietary.exec(code)
  return found === null ? undefined : typeOfCode(found[2]!, negative)
}
