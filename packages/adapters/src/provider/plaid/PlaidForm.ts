/** Answers of Plaid (API version 2020-09-14): what we read of them. Keys and words that are new do no harm. */
import { CalendarDate } from "@millrace/core"
import * as Schema from "effect/Schema"
import { Amount, loose, looseText, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"

const Day = CalendarDate.CalendarDate
const text = Schema.String

export const PlaidProblem = Schema.Struct({
  error_type: maybe(text),
  error_code: text,
  error_code_reason: maybe(text),
  error_message: maybe(text),
  request_id: maybe(text)
})
export type PlaidProblem = typeof PlaidProblem.Type

const Balances = Schema.Struct({
  available: maybe(Amount),
  current: maybe(Amount),
  limit: maybe(Amount),
  iso_currency_code: maybe(text),
  unofficial_currency_code: maybe(text),
  last_updated_datetime: maybe(text)
})

export const PlaidAccount = Schema.Struct({
  account_id: UpstreamId,
  balances: Balances,
  mask: maybe(text),
  name: text,
  official_name: maybe(text),
  type: text,
  subtype: maybe(text),
  persistent_account_id: maybe(text)
})
export type PlaidAccount = typeof PlaidAccount.Type

const Products = Schema.optionalKey(Schema.NullOr(Schema.Array(text)))

const PlaidItem = Schema.Struct({
  item_id: UpstreamId,
  institution_id: maybe(text),
  institution_name: maybe(text),
  error: maybe(PlaidProblem),
  available_products: Products,
  billed_products: Products,
  products: Products,
  consented_products: Products,
  consent_expiration_time: maybe(text)
})
export type PlaidItem = typeof PlaidItem.Type

const Update = maybe(Schema.Struct({ last_successful_update: maybe(text), last_failed_update: maybe(text) }))

export const ItemAnswer = Schema.Struct({
  item: PlaidItem,
  status: maybe(Schema.Struct({ transactions: Update, investments: Update }))
})
export type ItemAnswer = typeof ItemAnswer.Type

// Accounts are read one by one: one that cannot be read keeps no other from being read.
export const AccountsAnswer = Schema.Struct({ accounts: Schema.Array(Schema.Unknown), item: PlaidItem })

export const SyncAnswer = Schema.Struct({
  // Rows are read one by one: one that cannot be read keeps no other from being read.
  added: Schema.Array(Schema.Unknown),
  modified: Schema.Array(Schema.Unknown),
  removed: Schema.Array(Schema.Struct({ transaction_id: UpstreamId, account_id: UpstreamId })),
  next_cursor: text,
  has_more: Schema.Boolean,
  transactions_update_status: Schema.optionalKey(text)
})

export const PlaidTransaction = Schema.Struct({
  transaction_id: UpstreamId,
  account_id: UpstreamId,
  pending: Schema.Boolean,
  pending_transaction_id: maybe(UpstreamId),
  amount: Amount,
  iso_currency_code: maybe(text),
  unofficial_currency_code: maybe(text),
  date: Day,
  authorized_date: maybe(Day),
  name: looseText,
  merchant_name: looseText,
  original_description: looseText,
  check_number: looseText,
  payment_channel: looseText,
  transaction_code: looseText,
  payment_meta: loose(Schema.Struct({ reference_number: looseText })),
  personal_finance_category: loose(Schema.Struct({ primary: looseText, detailed: looseText }))
})
export type PlaidTransaction = typeof PlaidTransaction.Type

export const PlaidSecurity = Schema.Struct({
  security_id: UpstreamId,
  name: maybe(text),
  ticker_symbol: maybe(text),
  type: maybe(text),
  is_cash_equivalent: maybe(Schema.Boolean)
})
export type PlaidSecurity = typeof PlaidSecurity.Type

export const PlaidHolding = Schema.Struct({
  account_id: UpstreamId,
  security_id: UpstreamId,
  quantity: Amount,
  institution_price: maybe(Amount),
  institution_price_datetime: maybe(text),
  institution_value: maybe(Amount),
  cost_basis: maybe(Amount),
  iso_currency_code: maybe(text),
  unofficial_currency_code: maybe(text)
})

export const HoldingsAnswer = Schema.Struct({
  accounts: Schema.Array(Schema.Unknown),
  holdings: Schema.Array(Schema.Unknown),
  securities: Schema.Array(Schema.Unknown)
})

export const PlaidTrade = Schema.Struct({
  investment_transaction_id: UpstreamId,
  account_id: UpstreamId,
  security_id: maybe(UpstreamId),
  date: Day,
  name: maybe(text),
  quantity: maybe(Amount),
  amount: Amount,
  price: maybe(Amount),
  fees: maybe(Amount),
  type: text,
  subtype: maybe(text),
  iso_currency_code: maybe(text),
  unofficial_currency_code: maybe(text)
})
export type PlaidTrade = typeof PlaidTrade.Type

export const TradesAnswer = Schema.Struct({
  investment_transactions: Schema.Array(Schema.Unknown),
  securities: Schema.Array(Schema.Unknown),
  total_investment_transactions: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000_000 }))
})

export const CreditLiability = Schema.Struct({
  account_id: UpstreamId,
  aprs: maybe(Schema.Array(Schema.Struct({ apr_percentage: maybe(Amount), apr_type: maybe(text) }))),
  is_overdue: maybe(Schema.Boolean),
  last_payment_amount: maybe(Amount),
  last_payment_date: maybe(Day),
  minimum_payment_amount: maybe(Amount),
  next_payment_due_date: maybe(Day)
})

export const MortgageLiability = Schema.Struct({
  account_id: UpstreamId,
  interest_rate: maybe(Schema.Struct({ percentage: maybe(Amount) })),
  last_payment_amount: maybe(Amount),
  last_payment_date: maybe(Day),
  maturity_date: maybe(Day),
  next_monthly_payment: maybe(Amount),
  next_payment_due_date: maybe(Day),
  origination_principal_amount: maybe(Amount),
  past_due_amount: maybe(Amount)
})

export const StudentLiability = Schema.Struct({
  account_id: UpstreamId,
  expected_payoff_date: maybe(Day),
  interest_rate_percentage: maybe(Amount),
  is_overdue: maybe(Schema.Boolean),
  last_payment_amount: maybe(Amount),
  last_payment_date: maybe(Day),
  minimum_payment_amount: maybe(Amount),
  next_payment_due_date: maybe(Day),
  origination_principal_amount: maybe(Amount)
})

export const LiabilitiesAnswer = Schema.Struct({
  accounts: Schema.Array(Schema.Unknown),
  liabilities: Schema.Struct({
    credit: maybe(Schema.Array(Schema.Unknown)),
    mortgage: maybe(Schema.Array(Schema.Unknown)),
    student: maybe(Schema.Array(Schema.Unknown))
  })
})

export const PlaidInstitution = Schema.Struct({
  institution_id: UpstreamId,
  name: text,
  country_codes: Schema.Array(text),
  url: maybe(text),
  status: maybe(
    Schema.Struct({
      item_logins: maybe(Schema.Struct({ status: maybe(text) })),
      transactions_updates: maybe(Schema.Struct({ status: maybe(text) }))
    })
  )
})
export type PlaidInstitution = typeof PlaidInstitution.Type

export const InstitutionsAnswer = Schema.Struct({ institutions: Schema.Array(PlaidInstitution) })
export const InstitutionAnswer = Schema.Struct({ institution: PlaidInstitution })

export const LinkTokenAnswer = Schema.Struct({
  link_token: UpstreamId,
  expiration: text,
  hosted_link_url: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/\S{1,2000}$/)))
})

const Success = maybe(Schema.Struct({ public_token: UpstreamId }))

export const LinkSessionsAnswer = Schema.Struct({
  link_sessions: maybe(
    Schema.Array(
      Schema.Struct({
        finished_at: maybe(text),
        on_success: Success,
        results: maybe(
          Schema.Struct({ item_add_results: maybe(Schema.Array(Schema.Struct({ public_token: UpstreamId }))) })
        ),
        exit: maybe(Schema.Struct({ error: maybe(PlaidProblem) }))
      })
    )
  )
})
export type LinkSessionsAnswer = typeof LinkSessionsAnswer.Type

export const ExchangeAnswer = Schema.Struct({ access_token: UpstreamId, item_id: UpstreamId })

export const KeyAnswer = Schema.Struct({
  key: Schema.Struct({
    alg: text,
    crv: text,
    kid: text,
    kty: text,
    use: text,
    x: text,
    y: text,
    expired_at: maybe(Schema.Finite)
  })
})
export type PlaidKey = (typeof KeyAnswer.Type)["key"]

/** Answers whose success alone matters. */
export const DoneAnswer = Schema.Struct({})
