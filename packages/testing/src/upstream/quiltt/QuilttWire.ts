/** How the fake Quiltt writes what is true: GraphQL answers, amounts as numbers with all their digits. */
import { Decimal, type DecimalText, Timestamp } from "@millrace/core"
import { isLiability } from "@millrace/core/provider"
import { exactNumber } from "../JsonMutator.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueHolding, TrueLoan, TrueRow, TrueSecurity, TrueTrade } from "../TrueRecord.ts"
import { globalId, providerOf } from "./QuilttWorld.ts"

const number = (value: DecimalText | undefined): unknown => (value === undefined ? null : exactNumber(value))

const kinds = {
  checking: ["ASSET", "DEPOSITORY", "SPENDING"],
  credit_card: ["LIABILITY", "CREDIT", "CARD"],
  mortgage: ["LIABILITY", "LOAN", "MORTGAGE"],
  investment: ["ASSET", "INVESTMENT"]
} as const

const taxonomyOf = ({ type }: TrueAccount): ReadonlyArray<string> => kinds[type as keyof typeof kinds]

/** Balances have the sign of the position; the limit of a debt is negative as well. */
const balanceOf = (account: TrueAccount, ledger: TrueLedger, now: number) => ({
  at: Timestamp.fromMillis(now),
  available: number(ledger.available(account.key)),
  current: number(ledger.balance(account.key)),
  limit:
    account.creditLimit === undefined
      ? null
      : number(isLiability(account.type) ? Decimal.negate(account.creditLimit) : account.creditLimit)
})

export const accountOf = (account: TrueAccount, ledger: TrueLedger, now: number) => ({
  __typename: "Account",
  id: account.id,
  name: account.name,
  mask: account.number.slice(-4),
  kind: taxonomyOf(account)[1],
  taxonomy: taxonomyOf(account),
  currencyCode: account.currency,
  provider: providerOf(ledger.institution),
  state: "OPEN",
  balance: balanceOf(account, ledger, now)
})

const securityOf = (security: TrueSecurity | undefined) =>
  security === undefined
    ? null
    : {
        id: security.id,
        name: security.name,
        ticker: security.ticker ?? null,
        type: security.kind.toUpperCase(),
        cusip: null,
        isin: security.isin ?? null
      }

/** The sign of an amount says nothing: some come with one and some without. */
const amountOf = (amount: DecimalText, line: number): unknown =>
  number(line % 3 === 0 ? amount : line % 3 === 1 ? Decimal.abs(amount) : Decimal.negate(Decimal.abs(amount)))

const entryType = (amount: DecimalText): string => (Decimal.isNegative(amount) ? "DEBIT" : "CREDIT")

/** Ids that Plaid gave, under which it links rows. */
const plaidId = (id: string): string => `plaid-${id}`

export interface WireRow {
  readonly id: string
  readonly date: string
  readonly status: string
}

export const transactionOf = (row: TrueRow, account: TrueAccount, isPlaid: boolean) => ({
  __typename: "Transaction",
  id: row.id,
  account: { id: account.id },
  amount: amountOf(row.amount, row.line),
  currencyCode: account.currency,
  date: row.date,
  description: row.description,
  entryType: entryType(row.amount),
  status: row.pending ? "PENDING" : "POSTED",
  fees: null,
  price: null,
  quantity: null,
  security: null,
  remoteData: isPlaid
    ? {
        plaid: {
          transaction: {
            response: {
              transactionId: plaidId(row.id),
              pendingTransactionId: row.isLinked && row.pendingId !== undefined ? plaidId(row.pendingId) : null,
              authorizedDate: row.authorizedDate ?? null,
              merchantName: row.merchant ?? null,
              originalDescription: row.description,
              personalFinanceCategory: { primary: row.category ?? null }
            }
          },
          investmentTransaction: null
        }
      }
    : { plaid: null }
})

/** What Plaid calls a trade. */
const plaidType = ({ type }: TrueTrade) =>
  type === "buy" || type === "sell" || type === "fee" ? { type, subtype: type } : { type: "cash", subtype: type }

export const tradeOf = (trade: TrueTrade, account: TrueAccount) => ({
  __typename: "Transaction",
  id: trade.id,
  account: { id: account.id },
  amount: amountOf(trade.amount, trade.line),
  currencyCode: account.currency,
  date: trade.date,
  description: trade.description,
  entryType: entryType(trade.amount),
  status: "POSTED",
  fees: number(trade.fees),
  price: number(trade.price),
  quantity: number(trade.quantity),
  security: securityOf(trade.security),
  remoteData: { plaid: { transaction: null, investmentTransaction: { response: plaidType(trade) } } }
})

/** What is only forecast: it is listed whatever is asked for. */
export const forecastOf = (account: TrueAccount, date: string) => ({
  __typename: "Transaction",
  id: globalId("txn", `forecast ${account.id}`),
  account: { id: account.id },
  amount: 12.5,
  currencyCode: account.currency,
  date,
  description: "Rent, as every month",
  entryType: "DEBIT",
  status: "PROJECTED",
  fees: null,
  price: null,
  quantity: null,
  security: null,
  remoteData: { plaid: null }
})

export const holdingOf = (holding: TrueHolding) => ({
  __typename: "AccountHolding",
  id: globalId("achld", `${holding.account} ${holding.security.id}`),
  quantity: number(holding.quantity),
  price: number(holding.price),
  value: number(holding.value),
  costBasis: number(holding.cost),
  at: Timestamp.fromMillis(holding.asOf),
  security: securityOf(holding.security)
})

export const mortgageOf = (loan: TrueLoan, account: TrueAccount) => ({
  accountId: plaidId(account.id),
  interestRate: { percentage: number(loan.ratePercent) },
  lastPaymentAmount: number(loan.lastPayment),
  lastPaymentDate: loan.lastPaymentDate ?? null,
  loanTypeDescription: "fixed",
  maturityDate: loan.maturityDate ?? null,
  nextMonthlyPayment: number(loan.nextPayment),
  nextPaymentDueDate: loan.nextPaymentDate ?? null,
  originationPrincipalAmount: number(loan.origination),
  pastDueAmount: number(loan.isOverdue ? loan.nextPayment : Decimal.zero)
})

export const plaidAccountOf = (account: TrueAccount) => ({
  id: account.id,
  remoteData: { plaid: { account: { response: { accountId: plaidId(account.id) } } } }
})
