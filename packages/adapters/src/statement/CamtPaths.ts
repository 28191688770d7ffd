/**
 * The elements of camt.052, camt.053 and camt.054 (ISO 20022, Bank-to-Customer Cash Management) that are read, in every
 * version: names that changed are next to each other.
 */
import { compilePaths } from "./XmlPaths.ts"

/** What is wanted of an element. A literal with plain numbers, so that a comparison with one costs no lookup. */
export const Want = {
  statement: 1,
  statementMade: 2,
  from: 3,
  to: 4,
  accountNumber: 5,
  accountCurrency: 6,
  accountName: 7,
  accountType: 8,
  bank: 9,
  entryCount: 10,
  balance: 11,
  balanceType: 12,
  balanceAmount: 13,
  balanceSide: 14,
  balanceDate: 15,
  entry: 16,
  entryReference: 17,
  amount: 18,
  side: 19,
  isReversal: 20,
  status: 21,
  booked: 22,
  valued: 23,
  bankReference: 24,
  domain: 25,
  family: 26,
  subFamily: 27,
  ownCode: 28,
  information: 29,
  details: 30,
  detailReference: 31,
  endToEnd: 32,
  cheque: 33,
  detailBankReference: 34,
  debtor: 35,
  creditor: 36,
  purpose: 37,
  creditorReference: 38,
  detailInformation: 39,
  happened: 40,
  detailDomain: 41,
  detailFamily: 42,
  detailSubFamily: 43,
  detailOwnCode: 44,
  returnInformation: 45,
  message: 46
} as const

/** A statement, a report of a day that is not over, a notification. */
const statement = "Stmt|Rpt|Ntfctn"
const entry = `${statement}/Ntry`
const date = "Dt|DtTm"

/** Versions differ in whether an entry wraps its details. */
const details = [`${entry}/NtryDtls/TxDtls`, `${entry}/TxDtls`]

const inStatement: ReadonlyArray<readonly [string, number]> = [
  ["", Want.statement],
  ["/CreDtTm", Want.statementMade],
  ["/FrToDt/FrDtTm", Want.from],
  ["/FrToDt/ToDtTm", Want.to],
  ["/Acct/Id/IBAN|BBAN|UPIC", Want.accountNumber],
  ["/Acct/Id/Othr|PrtryAcct/Id", Want.accountNumber],
  ["/Acct/Ccy", Want.accountCurrency],
  ["/Acct/Nm", Want.accountName],
  ["/Acct/Tp/Cd", Want.accountType],
  ["/Acct/Svcr/FinInstnId/BIC|BICFI", Want.bank],
  ["/Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId", Want.bank],
  ["/TxsSummry/TtlNtries/NbOfNtries", Want.entryCount],
  ["/Bal", Want.balance],
  ["/Bal/Tp/Cd", Want.balanceType],
  ["/Bal/Tp/CdOrPrtry/Cd|Prtry", Want.balanceType],
  ["/Bal/Amt", Want.balanceAmount],
  ["/Bal/CdtDbtInd", Want.balanceSide],
  [`/Bal/Dt/${date}`, Want.balanceDate]
]

const inEntry: ReadonlyArray<readonly [string, number]> = [
  ["", Want.entry],
  ["/NtryRef", Want.entryReference],
  ["/Amt", Want.amount],
  ["/CdtDbtInd", Want.side],
  ["/RvslInd", Want.isReversal],
  ["/Sts", Want.status],
  ["/Sts/Cd|Prtry", Want.status],
  [`/BookgDt/${date}`, Want.booked],
  [`/ValDt/${date}`, Want.valued],
  ["/AcctSvcrRef", Want.bankReference],
  ["/BkTxCd/Domn/Cd", Want.domain],
  ["/BkTxCd/Domn/Fmly/Cd", Want.family],
  ["/BkTxCd/Domn/Fmly/SubFmlyCd", Want.subFamily],
  ["/BkTxCd/Prtry/Cd", Want.ownCode],
  ["/AddtlNtryInf", Want.information]
]

const inDetails: ReadonlyArray<readonly [string, number]> = [
  ["", Want.details],
  ["/Refs/InstrId|TxId|PmtInfId", Want.detailReference],
  ["/Refs/EndToEndId", Want.endToEnd],
  ["/Refs/ChqNb", Want.cheque],
  ["/Refs/AcctSvcrRef", Want.detailBankReference],
  ["/RltdPties/Dbtr/Nm", Want.debtor],
  ["/RltdPties/Dbtr/Pty/Nm", Want.debtor],
  ["/RltdPties/Dbtr/Agt/FinInstnId/Nm", Want.debtor],
  ["/RltdPties/Cdtr/Nm", Want.creditor],
  ["/RltdPties/Cdtr/Pty/Nm", Want.creditor],
  ["/RltdPties/Cdtr/Agt/FinInstnId/Nm", Want.creditor],
  ["/RmtInf/Ustrd", Want.purpose],
  ["/RmtInf/Strd/AddtlRmtInf", Want.purpose],
  ["/RmtInf/Strd/CdtrRefInf/Ref|CdtrRef", Want.creditorReference],
  ["/AddtlTxInf", Want.detailInformation],
  ["/RltdDts/TxDtTm|AccptncDtTm", Want.happened],
  ["/BkTxCd/Domn/Cd", Want.detailDomain],
  ["/BkTxCd/Domn/Fmly/Cd", Want.detailFamily],
  ["/BkTxCd/Domn/Fmly/SubFmlyCd", Want.detailSubFamily],
  ["/BkTxCd/Prtry/Cd", Want.detailOwnCode],
  ["/RtrInf/AddtlInf", Want.returnInformation]
]

/** The elements that a message is known by, in version 1 with the version in the name. */
const messages = "BkToCstmrStmt|BkToCstmrAcctRpt|BkToCstmrDbtCdtNtfctn"
const first = "BkToCstmrStmtV01|BkToCstmrAcctRptV01|BkToCstmrDbtCdtNtfctnV01"

const under = (
  parent: string,
  wanted: ReadonlyArray<readonly [string, number]>
): ReadonlyArray<readonly [string, number]> => wanted.map(([path, number]) => [parent + path, number])

/** Below the element of a message, what is next to the statements does not count. */
const inMessage = [
  ...under(statement, inStatement),
  ...under(entry, inEntry),
  ...details.flatMap((parent) => under(parent, inDetails))
]

export const camtPaths = compilePaths([
  [`${messages}|${first}`, Want.message],
  ...under(`${messages}|${first}/`, inMessage)
])
