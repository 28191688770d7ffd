/** Source fields of the data types that are read from banks (decisions 4.2). */
import { always, maybe, money, type FieldSpecs } from "./SourceField.ts"

const ownerFields = {
  accountId: always("str", "Account ID", "Id of the account", "acct_01k6p3r5vq8x2m9d4f7h1j0n6s"),
  accountName: maybe("str", "Account Name", "Name of the account", "Everyday"),
  accountNumber: maybe("str", "Account Number", "Number of the account, masked", "****4411"),
  accountType: maybe("str", "Account Type", "Kind of the account", "checking"),
  account: maybe("str", "Account", "Last four digits and kind of the account", "4411 (checking)"),
  bankId: always("str", "Bank ID", "Id of the bank", "bank_01k6p3r5vq8x2m9d4f7h1j0n6s"),
  bank: maybe("str", "Bank", "Name of the bank", "Northern Bank")
} as const

const currency = maybe("str", "Currency", "ISO 4217 code, or x: and an unofficial one", "EUR")
const knownCurrency = { ...currency, required: true }
const ticker = maybe("str", "Ticker", "Symbol of the security", "ACME")
const securityName = maybe("str", "Security Name", "Name of the security", "Acme Corp.")
const securityId = maybe("str", "Security ID", "Id of the security at the provider, such as its ISIN", "US0000000001")

/** Source field keys by data type, in the order they are shown. */
export const bankFields = {
  transactions: {
    id: always("str", "ID", "Stays the same when the provider changes its own id and when a pending row is booked"),
    date: always("date", "Date", "Booking day; of a pending row the day that the provider gives", "2026-03-14"),
    authorizedDate: maybe("date", "Authorized Date", "Day of the purchase", "2026-03-12"),
    description: always("str", "Description", "Cleaned text, else the text as the bank sent it", "Blue Heron Cafe"),
    originalDescription: always(
      "str",
      "Original Description",
      "Text as the bank sent it",
      "SQ *BLUE HERON CAFE 4471 PORTLAND OR"
    ),
    merchantName: maybe("str", "Merchant Name", "Name of the merchant, where it is known", "Blue Heron Cafe"),
    amount: money(always("num", "Amount", "Negative when money leaves the account", "-12.5")),
    creditAmount: always("num", "Credit Amount", "What came in; 0 when money left", "0"),
    debitAmount: always("num", "Debit Amount", "What left; 0 when money came in", "12.5"),
    currency: knownCurrency,
    category: always("str", "Category", "Primary category; enrichments may write any other text", "FOOD_AND_DRINK"),
    type: always("str", "Type", "How the money moved; the list is open", "CARD"),
    reference: always("str", "Reference", "Reference of the bank or the payer; may be empty", "RF18539007547034"),
    pending: always("bool", "Pending", "Whether the bank has not booked it yet", false),
    pendingTransactionId: maybe(
      "str",
      "Pending Transaction ID",
      "Id of a pending row that was published apart before it was linked to this one"
    ),
    ...ownerFields
  },
  balances: {
    date: always("ts", "Date", "When the balance was true", "2026-03-14T06:00:00.000Z"),
    bank: ownerFields.bank,
    account: { ...ownerFields.account, required: true },
    accountName: { ...ownerFields.accountName, required: true },
    accountNumber: { ...ownerFields.accountNumber, required: true },
    accountType: { ...ownerFields.accountType, required: true },
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    amount: money(always("num", "Amount", "Current balance; negative for a debt", "1204.31")),
    availableBalance: money(maybe("num", "Available Balance", "What can be spent", "1104.31")),
    pendingBalance: money(maybe("num", "Pending Balance", "Sum of what is not booked yet", "-100")),
    limit: money(maybe("num", "Limit", "Credit limit of the account", "2000")),
    currency: knownCurrency
  },
  trades: {
    id: always("str", "ID", "Stays the same when the provider changes its own id"),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    date: always("date", "Date", "Day of the trade", "2026-03-14"),
    settlementDate: maybe("date", "Settlement Date", "Day on which it is settled", "2026-03-16"),
    type: always("str", "Type", "What it was, such as buy, sell, dividend or fee", "buy"),
    description: maybe("str", "Description", "Text of the provider", "Bought 10 ACME"),
    securityName,
    securityId,
    ticker,
    quantity: maybe("num", "Quantity", "Units; negative when they leave the account", "10"),
    price: maybe("num", "Price", "Price of one unit", "101.25"),
    amount: money(always("num", "Amount", "Effect on the cash of the account, signed", "-1012.5")),
    fees: money(maybe("num", "Fees", "Fees that the amount contains", "1")),
    currency: knownCurrency
  },
  holdings: {
    id: always("str", "ID", "Stays the same as long as the account holds the security"),
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    securityName,
    securityId,
    ticker,
    quantity: always("num", "Quantity", "Units held", "10"),
    costBasis: money(maybe("num", "Cost Basis", "What all units together have cost", "1012.5")),
    currentValue: money(maybe("num", "Current Value", "What all units together are worth", "1101")),
    currentPrice: maybe("num", "Current Price", "Price of one unit", "110.1"),
    currency: knownCurrency,
    isCashEquivalent: maybe("bool", "Cash Equivalent", "Whether it is as good as cash", false),
    asOf: maybe("ts", "As Of", "When price and value were true", "2026-03-14T06:00:00.000Z")
  },
  orders: {
    id: always("str", "ID", "Stays the same when the provider changes its own id"),
    brokerageOrderId: always("str", "Brokerage Order ID", "Id of the order at the broker", "A-4711"),
    date: always("ts", "Date", "When the order was given", "2026-03-14T06:00:00.000Z"),
    status: always("str", "Status", "How far the order has come; only open ones are shown", "PENDING"),
    action: always("str", "Action", "BUY, SELL, BUY_TO_COVER or SELL_SHORT", "BUY"),
    orderType: always("str", "Order Type", "MARKET, LIMIT, STOP, STOP_LIMIT or TRAILING_STOP", "LIMIT"),
    timeInForce: always("str", "Time In Force", "DAY, GTC, GTD, IOC or FOK", "GTC"),
    totalQuantity: always("num", "Total Quantity", "Units ordered", "10"),
    filledQuantity: always("num", "Filled Quantity", "Units traded already", "4"),
    openQuantity: always("num", "Open Quantity", "Units still to be traded", "6"),
    canceledQuantity: always("num", "Canceled Quantity", "Units that were taken back", "0"),
    limitPrice: maybe("num", "Limit Price", "Price that is not to be passed", "101.25"),
    stopPrice: maybe("num", "Stop Price", "Price from which on the order counts", "99"),
    trailingStop: maybe("num", "Trailing Stop", "Distance of the stop from the price", "2.5"),
    executionPrice: maybe("num", "Execution Price", "Average price of the units traded", "101.2"),
    currency: knownCurrency,
    security: always("str", "Security", "Name of the security", "Acme Corp."),
    ticker,
    bank: { ...ownerFields.bank, required: true },
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    executedAt: maybe("ts", "Executed At", "When units were traded last", "2026-03-14T14:30:00.000Z"),
    expiresAt: maybe("ts", "Expires At", "When the order ends by itself", "2026-04-14T20:00:00.000Z")
  },
  loans: {
    accountId: ownerFields.accountId,
    bankId: ownerFields.bankId,
    loanType: maybe("str", "Loan Type", "Kind of the loan", "mortgage"),
    principalBalance: money(maybe("num", "Principal Balance", "What is still owed without interest", "182400")),
    originationPrincipalAmount: money(maybe("num", "Origination Principal Amount", "What was lent at first", "240000")),
    interestRatePercentage: maybe("num", "Interest Rate Percentage", "5.25 stands for 5.25 %", "5.25"),
    nextPaymentAmount: money(maybe("num", "Next Payment Amount", "What is due next", "1210.4")),
    nextPaymentDueDate: maybe("date", "Next Payment Due Date", "Day on which it is due", "2026-04-01"),
    maturityDate: maybe("date", "Maturity Date", "Day on which the loan ends", "2046-03-01"),
    isOverdue: maybe("bool", "Overdue", "Whether a payment is late", false),
    lastPaymentAmount: money(maybe("num", "Last Payment Amount", "What was paid last", "1210.4")),
    lastPaymentDate: maybe("date", "Last Payment Date", "Day of the last payment", "2026-03-01"),
    currency
  }
} satisfies Readonly<Record<string, FieldSpecs>>

/** Fields that tell whose record it is; the kernel fills them in from the account and its bank. */
export const ownerFieldKeys: ReadonlySet<string> = new Set(["id", ...Object.keys(ownerFields)])
