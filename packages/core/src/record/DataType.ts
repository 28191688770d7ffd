/** The data types of feeds and the fields of their records (decisions 4.2 and 7.1). */
import * as Schema from "effect/Schema"
import type { IdKind } from "../shared/Ids.ts"

/** Data types that sync feeds read from a bank connection. */
export const syncDataTypes = ["transactions", "balances", "trades", "holdings", "orders", "loans"] as const
export const SyncDataType = Schema.Literals(syncDataTypes)
export type SyncDataType = typeof SyncDataType.Type

/** Data types read out of documents. */
const documentDataTypes = ["receipts", "invoices", "documents"] as const

export const dataTypes = [...syncDataTypes, ...documentDataTypes] as const
export const DataType = Schema.Literals(dataTypes)
export type DataType = typeof DataType.Type

/** How a value is written and compared. `num` values are exact decimals as text inside the kernel. */
export type FieldType = "str" | "num" | "date" | "ts" | "bool"

export interface FieldSpec {
  readonly type: FieldType
  readonly label: string
  readonly required: boolean
}

const field = (type: FieldType, label: string, required = false): FieldSpec => ({ type, label, required })

const ownerFields = {
  accountId: field("str", "Account ID", true),
  accountName: field("str", "Account Name"),
  accountNumber: field("str", "Account Number"),
  accountType: field("str", "Account Type"),
  account: field("str", "Account"),
  bankId: field("str", "Bank ID", true),
  bank: field("str", "Bank")
} as const

/** Source field keys by data type, in the order they are shown. */
export const fieldsOf: Readonly<Record<SyncDataType, Readonly<Record<string, FieldSpec>>>> = {
  transactions: {
    id: field("str", "ID", true),
    date: field("date", "Date", true),
    authorizedDate: field("date", "Authorized Date"),
    description: field("str", "Description", true),
    originalDescription: field("str", "Original Description", true),
    merchantName: field("str", "Merchant Name"),
    amount: field("num", "Amount", true),
    creditAmount: field("num", "Credit Amount", true),
    debitAmount: field("num", "Debit Amount", true),
    currency: field("str", "Currency", true),
    category: field("str", "Category", true),
    type: field("str", "Type", true),
    reference: field("str", "Reference", true),
    pending: field("bool", "Pending", true),
    pendingTransactionId: field("str", "Pending Transaction ID"),
    ...ownerFields
  },
  balances: {
    date: field("ts", "Date", true),
    bank: ownerFields.bank,
    account: field("str", "Account", true),
    accountName: field("str", "Account Name", true),
    accountNumber: field("str", "Account Number", true),
    accountType: field("str", "Account Type", true),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    amount: field("num", "Amount", true),
    availableBalance: field("num", "Available Balance"),
    pendingBalance: field("num", "Pending Balance"),
    limit: field("num", "Limit"),
    currency: field("str", "Currency", true)
  },
  trades: {
    id: field("str", "ID", true),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    date: field("date", "Date", true),
    settlementDate: field("date", "Settlement Date"),
    type: field("str", "Type", true),
    description: field("str", "Description"),
    securityName: field("str", "Security Name"),
    securityId: field("str", "Security ID"),
    ticker: field("str", "Ticker"),
    quantity: field("num", "Quantity"),
    price: field("num", "Price"),
    amount: field("num", "Amount", true),
    fees: field("num", "Fees"),
    currency: field("str", "Currency", true)
  },
  holdings: {
    id: field("str", "ID", true),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    securityName: field("str", "Security Name"),
    securityId: field("str", "Security ID"),
    ticker: field("str", "Ticker"),
    quantity: field("num", "Quantity", true),
    costBasis: field("num", "Cost Basis"),
    currentValue: field("num", "Current Value"),
    currentPrice: field("num", "Current Price"),
    currency: field("str", "Currency", true),
    isCashEquivalent: field("bool", "Cash Equivalent"),
    asOf: field("ts", "As Of")
  },
  orders: {
    id: field("str", "ID", true),
    brokerageOrderId: field("str", "Brokerage Order ID", true),
    date: field("ts", "Date", true),
    status: field("str", "Status", true),
    action: field("str", "Action", true),
    orderType: field("str", "Order Type", true),
    timeInForce: field("str", "Time In Force", true),
    totalQuantity: field("num", "Total Quantity", true),
    filledQuantity: field("num", "Filled Quantity", true),
    openQuantity: field("num", "Open Quantity", true),
    canceledQuantity: field("num", "Canceled Quantity", true),
    limitPrice: field("num", "Limit Price"),
    stopPrice: field("num", "Stop Price"),
    trailingStop: field("num", "Trailing Stop"),
    executionPrice: field("num", "Execution Price"),
    currency: field("str", "Currency", true),
    security: field("str", "Security", true),
    ticker: field("str", "Ticker"),
    bank: field("str", "Bank", true),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    executedAt: field("ts", "Executed At"),
    expiresAt: field("ts", "Expires At")
  },
  loans: {
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    loanType: field("str", "Loan Type"),
    principalBalance: field("num", "Principal Balance"),
    originationPrincipalAmount: field("num", "Origination Principal Amount"),
    interestRatePercentage: field("num", "Interest Rate Percentage"),
    nextPaymentAmount: field("num", "Next Payment Amount"),
    nextPaymentDueDate: field("date", "Next Payment Due Date"),
    maturityDate: field("date", "Maturity Date"),
    isOverdue: field("bool", "Overdue"),
    lastPaymentAmount: field("num", "Last Payment Amount"),
    lastPaymentDate: field("date", "Last Payment Date"),
    currency: field("str", "Currency")
  }
}

/** Fields that tell whose record it is; the kernel fills them in from the account and its bank. */
export const ownerFieldKeys: ReadonlySet<string> = new Set(["id", ...Object.keys(ownerFields)])

/** Kind of the lineage id that the records of a type carry (decisions 1.1). */
export const idKindOf: Readonly<Record<SyncDataType, IdKind>> = {
  transactions: "transaction",
  balances: "balance",
  trades: "trade",
  holdings: "holding",
  orders: "order",
  loans: "loan"
}

/** A type whose records are of a day and stay: an upstream shows the latest of them, and some day no longer the oldest. */
export const isDatedType = (dataType: SyncDataType): boolean =>
  dataType === "transactions" || dataType === "trades" || dataType === "orders"

/** A type whose every read is the whole truth about the account: rows that are not in it are gone. */
export const isSnapshotType = (dataType: SyncDataType): boolean =>
  dataType === "balances" || dataType === "holdings" || dataType === "orders" || dataType === "loans"
