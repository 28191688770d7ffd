/** Transaction types and primary categories (decisions 4.2). Both lists are open on the wire. */
const transactionTypes = [
  "TRANSFER_OUTGOING",
  "TRANSFER_INCOMING",
  "DIRECT_DEBIT",
  "DIRECT_CREDIT",
  "PAYMENT",
  "CARD",
  "ATM",
  "CHECK",
  "FEE",
  "INTEREST",
  "REFUND",
  "OTHER"
] as const
export type TransactionType = (typeof transactionTypes)[number]

export const categories = [
  "INCOME",
  "TRANSFER_IN",
  "TRANSFER_OUT",
  "LOAN_PAYMENTS",
  "BANK_FEES",
  "ENTERTAINMENT",
  "FOOD_AND_DRINK",
  "GENERAL_MERCHANDISE",
  "HOME_IMPROVEMENT",
  "MEDICAL",
  "PERSONAL_CARE",
  "SERVICES",
  "GOVERNMENT_AND_NON_PROFIT",
  "TRANSPORTATION",
  "TRAVEL",
  "RENT_AND_UTILITIES",
  "UNCATEGORIZED"
] as const
export type Category = (typeof categories)[number]
