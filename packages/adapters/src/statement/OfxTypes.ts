/** OFX codes -> the words of decisions 4.1 and 4.2. */
import type { AccountType } from "@millrace/core/provider"
import type { TransactionType } from "@millrace/core/record"

/** What a TRNTYPE means when money comes in, and when it leaves. */
const byCode: ReadonlyMap<string, readonly [incoming: TransactionType, outgoing: TransactionType]> = new Map([
  ["CREDIT", ["OTHER", "OTHER"]],
  ["DEBIT", ["OTHER", "OTHER"]],
  ["INT", ["INTEREST", "INTEREST"]],
  ["DIV", ["INTEREST", "INTEREST"]],
  ["FEE", ["REFUND", "FEE"]],
  ["SRVCHG", ["REFUND", "FEE"]],
  ["DEP", ["OTHER", "OTHER"]],
  ["ATM", ["ATM", "ATM"]],
  ["POS", ["REFUND", "CARD"]],
  ["XFER", ["TRANSFER_INCOMING", "TRANSFER_OUTGOING"]],
  ["CHECK", ["CHECK", "CHECK"]],
  ["PAYMENT", ["PAYMENT", "PAYMENT"]],
  ["CASH", ["OTHER", "ATM"]],
  ["DIRECTDEP", ["DIRECT_CREDIT", "OTHER"]],
  ["DIRECTDEBIT", ["REFUND", "DIRECT_DEBIT"]],
  ["REPEATPMT", ["PAYMENT", "PAYMENT"]],
  ["HOLD", ["OTHER", "OTHER"]],
  ["OTHER", ["OTHER", "OTHER"]]
])

/** Transaction type of a TRNTYPE; a code that OFX does not know is `OTHER`. */
export const transactionType = (code: string, negative: boolean): TransactionType => {
  const pair = byCode.get(code) ?? byCode.get(code.toUpperCase())
  return pair === undefined ? "OTHER" : negative ? pair[1] : pair[0]
}

const bankAccounts: ReadonlyMap<string, AccountType> = new Map([
  ["CHECKING", "checking"],
  ["SAVINGS", "savings"],
  ["MONEYMRKT", "money_market"],
  ["CREDITLINE", "line_of_credit"],
  ["CD", "cd"]
])

/** Account type of an ACCTTYPE. */
export const bankAccountType = (code: string): AccountType => bankAccounts.get(code.toUpperCase()) ?? "unknown"
