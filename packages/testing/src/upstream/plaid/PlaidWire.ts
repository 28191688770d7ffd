/** The ledger in the words of Plaid: debts are positive balances, and money that leaves is a positive amount. */
import { Decimal, type DecimalText, Timestamp } from "@millrace/core"
import type { AccountType } from "@millrace/core/provider"
import { exactNumber } from "../JsonMutator.ts"
import type { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueHolding, TrueInstitution, TrueRow, TrueSecurity, TrueTrade } from "../TrueRecord.ts"

const kinds: Readonly<Partial<Record<AccountType, readonly [type: string, subtype: string]>>> = {
  checking: ["depository", "checking"],
  savings: ["depository", "savings"],
  money_market: ["depository", "money market"],
  cd: ["depository", "cd"],
  cash_management: ["depository", "cash management"],
  prepaid: ["depository", "prepaid"],
  credit_card: ["credit", "credit card"],
  loan: ["loan", "student"],
  mortgage: ["loan", "mortgage"],
  line_of_credit: ["loan", "line of credit"],
  investment: ["investment", "brokerage"],
  brokerage: ["investment", "brokerage"],
  retirement: ["investment", "ira"],
  crypto: ["investment", "crypto exchange"]
}

const kindOf = ({ type }: TrueAccount): readonly [type: string, subtype: string] => kinds[type] ?? ["other", "other"]

const number = (amount: DecimalText | undefined): unknown => (amount === undefined ? null : exactNumber(amount))

const currencyOf = (currency: string) =>
  currency.startsWith("x:")
    ? { iso_currency_code: null, unofficial_currency_code: currency.slice(2) }
    : { iso_currency_code: currency, unofficial_currency_code: null }

/** How an item calls what the ledger calls `id`. */
export type IdOf = (id: string) => string

export const accountWire = (ledger: TrueLedger, account: TrueAccount, idOf: IdOf) => {
  const [type, subtype] = kindOf(account)
  const isDebt = type === "credit" || type === "loan"
  const balance = ledger.balance(account.key)
  return {
    account_id: idOf(account.id),
    balances: {
      available: isDebt && account.creditLimit === undefined ? null : number(ledger.available(account.key)),
      current: number(isDebt ? Decimal.negate(balance) : balance),
      limit: number(account.creditLimit),
      ...currencyOf(account.currency)
    },
    mask: account.number.slice(-4),
    name: account.name,
    official_name: `Plaid ${account.name}`,
    type,
    subtype,
    ...(type === "depository" ? { persistent_account_id: `persistent-${account.number}` } : {})
  }
}

const primaryOf = (category: string | undefined): string =>
  category === "SERVICES" ? "GENERAL_SERVICES" : (category ?? "OTHER")

export const transactionWire = (ledger: TrueLedger, row: TrueRow, idOf: IdOf) => {
  const account = ledger.account(row.account)
  return {
    account_id: idOf(account.id),
    account_owner: null,
    amount: exactNumber(Decimal.negate(row.amount)),
    ...currencyOf(account.currency),
    check_number: null,
    counterparties: [],
    date: row.date,
    datetime: null,
    authorized_date: row.authorizedDate ?? null,
    authorized_datetime: null,
    location: { address: null, city: null, region: null, postal_code: null, country: null, lat: null, lon: null },
    name: row.description,
    merchant_name: row.merchant ?? null,
    original_description: row.description,
    payment_meta: { reference_number: null, payee: null, payer: null },
    payment_channel: row.merchant === undefined ? "other" : "in store",
    pending: row.pending,
    pending_transaction_id: row.pendingId !== undefined && row.isLinked ? idOf(row.pendingId) : null,
    personal_finance_category: {
      primary: primaryOf(row.category),
      detailed: `${primaryOf(row.category)}_OTHER`,
      confidence_level: "HIGH"
    },
    transaction_id: idOf(row.id),
    transaction_code: null,
    transaction_type: "place"
  }
}

const securityTypes: Readonly<Record<TrueSecurity["kind"], string>> = {
  equity: "equity",
  etf: "etf",
  fund: "mutual fund",
  bond: "fixed income",
  crypto: "cryptocurrency",
  option: "derivative",
  cash: "cash"
}

export const securityWire = (security: TrueSecurity) => ({
  security_id: security.id,
  isin: security.isin ?? null,
  cusip: null,
  sedol: null,
  name: security.name,
  ticker_symbol: security.ticker ?? null,
  is_cash_equivalent: security.kind === "cash",
  type: securityTypes[security.kind],
  close_price: null,
  close_price_as_of: null,
  ...currencyOf(security.currency),
  option_contract: null
})

export const holdingWire = (ledger: TrueLedger, holding: TrueHolding, idOf: IdOf) => ({
  account_id: idOf(ledger.account(holding.account).id),
  security_id: holding.security.id,
  institution_price: exactNumber(holding.price),
  institution_price_as_of: Timestamp.fromMillis(holding.asOf).slice(0, 10),
  institution_price_datetime: Timestamp.fromMillis(holding.asOf),
  institution_value: exactNumber(holding.value),
  cost_basis: number(holding.cost),
  quantity: exactNumber(holding.quantity),
  ...currencyOf(holding.security.currency)
})

const tradeKinds: Readonly<Record<TrueTrade["type"], readonly [type: string, subtype: string]>> = {
  buy: ["buy", "buy"],
  sell: ["sell", "sell"],
  dividend: ["cash", "dividend"],
  interest: ["cash", "interest"],
  fee: ["fee", "account fee"],
  contribution: ["cash", "contribution"],
  withdrawal: ["cash", "withdrawal"]
}

export const tradeWire = (ledger: TrueLedger, trade: TrueTrade, idOf: IdOf) => {
  const [type, subtype] = tradeKinds[trade.type]
  return {
    investment_transaction_id: idOf(trade.id),
    account_id: idOf(ledger.account(trade.account).id),
    security_id: trade.security?.id ?? null,
    date: trade.date,
    name: trade.description,
    quantity: number(trade.quantity ?? Decimal.zero),
    amount: exactNumber(Decimal.negate(trade.amount)),
    price: number(trade.price ?? Decimal.zero),
    fees: exactNumber(trade.fees),
    type,
    subtype,
    ...currencyOf(ledger.account(trade.account).currency)
  }
}

export const liabilitiesWire = (ledger: TrueLedger, accounts: ReadonlyArray<TrueAccount>, idOf: IdOf) => {
  const loans = accounts.flatMap((account) => {
    const loan = ledger.loans.get(account.key)
    return loan === undefined ? [] : [{ account, loan }]
  })
  return {
    credit: loans
      .filter(({ loan }) => loan.kind === "credit_card")
      .map(({ account, loan }) => ({
        account_id: idOf(account.id),
        aprs: [{ apr_percentage: exactNumber(loan.ratePercent), apr_type: "purchase_apr" }],
        is_overdue: loan.isOverdue,
        last_payment_amount: number(loan.lastPayment),
        last_payment_date: loan.lastPaymentDate ?? null,
        minimum_payment_amount: number(loan.nextPayment),
        next_payment_due_date: loan.nextPaymentDate ?? null
      })),
    mortgage: loans
      .filter(({ loan }) => loan.kind === "mortgage")
      .map(({ account, loan }) => ({
        account_id: idOf(account.id),
        interest_rate: { percentage: exactNumber(loan.ratePercent), type: "fixed" },
        last_payment_amount: number(loan.lastPayment),
        last_payment_date: loan.lastPaymentDate ?? null,
        maturity_date: loan.maturityDate ?? null,
        next_monthly_payment: number(loan.nextPayment),
        next_payment_due_date: loan.nextPaymentDate ?? null,
        origination_principal_amount: number(loan.origination),
        past_due_amount: exactNumber(loan.isOverdue ? (loan.nextPayment ?? "1") : "0")
      })),
    student: loans
      .filter(({ loan }) => loan.kind === "student")
      .map(({ account, loan }) => ({
        account_id: idOf(account.id),
        expected_payoff_date: loan.maturityDate ?? null,
        interest_rate_percentage: exactNumber(loan.ratePercent),
        is_overdue: loan.isOverdue,
        last_payment_amount: number(loan.lastPayment),
        last_payment_date: loan.lastPaymentDate ?? null,
        minimum_payment_amount: number(loan.nextPayment),
        next_payment_due_date: loan.nextPaymentDate ?? null,
        origination_principal_amount: number(loan.origination)
      }))
  }
}

export const institutionWire = (institution: TrueInstitution, hasStatus: boolean) => {
  const status = { status: institution.status === "ok" ? "HEALTHY" : institution.status.toUpperCase() }
  return {
    institution_id: institution.id,
    name: institution.name,
    products: ["transactions", "investments", "liabilities"],
    country_codes: [institution.countryCode],
    url: institution.url ?? null,
    logo: null,
    oauth: false,
    routing_numbers: [],
    ...(hasStatus ? { status: { item_logins: status, transactions_updates: status } } : {})
  }
}
