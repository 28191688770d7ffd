/** The forms of SnapTrade's answers, as far as they are read. Members that are not named here are left out. */
import * as Schema from "effect/Schema"
import { Amount, looseText, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"

const text = maybe(Schema.String)
const flag = maybe(Schema.Boolean)

/** Brokerages put blanks around ids of theirs. */
const Id = Schema.Trim.pipe(Schema.decodeTo(UpstreamId))

export const Registered = Schema.Struct({ userId: Schema.String, userSecret: Schema.NonEmptyString })

/** The ids of all users. */
export const Users = Schema.Array(Schema.String)

export const Login = Schema.Struct({ redirectURI: Schema.NonEmptyString })

export const Brokerage = Schema.Struct({
  slug: Schema.NonEmptyString,
  name: text,
  display_name: text,
  enabled: flag,
  maintenance_mode: flag,
  is_degraded: flag,
  url: text,
  aws_s3_square_logo_url: text,
  aws_s3_logo_url: text,
  brokerage_type: maybe(Schema.Struct({ name: text }))
})
export type Brokerage = typeof Brokerage.Type

/** A list whose entries are decoded one by one. */
export const List = Schema.Array(Schema.Unknown)

export const Authorization = Schema.Struct({
  id: Id,
  brokerage: maybe(Brokerage),
  disabled: flag,
  data_freshness_mode: text
})
export type Authorization = typeof Authorization.Type

const SyncStatus = Schema.Struct({
  transactions: maybe(
    Schema.Struct({ initial_sync_completed: flag, last_successful_sync: text, first_transaction_date: text })
  ),
  holdings: maybe(
    Schema.Struct({ initial_sync_completed: flag, last_successful_sync: text, holdings_unavailable: flag })
  )
})

export const Account = Schema.Struct({
  id: Id,
  name: text,
  number: text,
  institution_account_id: text,
  account_category: text,
  raw_type: text,
  is_paper: flag,
  balance: maybe(Schema.Struct({ total: maybe(Schema.Struct({ amount: maybe(Amount), currency: text })) })),
  sync_status: maybe(SyncStatus)
})
export type Account = typeof Account.Type

const Currency = Schema.Struct({ code: Schema.String })

export const CashBalance = Schema.Struct({
  currency: maybe(Currency),
  cash: maybe(Amount),
  buying_power: maybe(Amount)
})
export type CashBalance = typeof CashBalance.Type

export const Positions = Schema.Struct({
  results: Schema.Array(Schema.Unknown),
  data_freshness: maybe(Schema.Struct({ as_of: text }))
})

export const Position = Schema.Struct({
  instrument: Schema.Struct({
    kind: text,
    id: text,
    symbol: text,
    description: text,
    currency: text,
    multiplier: maybe(Amount)
  }),
  units: maybe(Amount),
  price: maybe(Amount),
  cost_basis: maybe(Amount),
  currency: text,
  cash_equivalent: flag
})
export type Position = typeof Position.Type

export const Activities = Schema.Struct({
  data: Schema.Array(Schema.Unknown),
  pagination: Schema.Struct({ total: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)) })
})

const Symbol = Schema.Struct({ id: text, symbol: text, description: text })

export const Activity = Schema.Struct({
  id: Id,
  symbol: maybe(Symbol),
  option_symbol: maybe(Schema.Struct({ id: text, ticker: text })),
  currency: maybe(Currency),
  currency_universal_symbol: maybe(Symbol),
  type: text,
  option_type: text,
  amount: maybe(Amount),
  units: maybe(Amount),
  price: maybe(Amount),
  fee: maybe(Amount),
  description: looseText,
  trade_date: text,
  settlement_date: text,
  external_reference_id: text
})
export type Activity = typeof Activity.Type

export const Orders = Schema.Struct({ orders: Schema.Array(Schema.Unknown) })

export const Order = Schema.Struct({
  brokerage_order_id: Id,
  status: text,
  order_type: text,
  time_in_force: text,
  time_placed: text,
  time_executed: text,
  price_currency: text,
  execution_price: maybe(Amount),
  limit_price: maybe(Amount),
  stop_price: maybe(Amount),
  trailing_stop: maybe(Schema.Struct({ amount: maybe(Amount), type: text })),
  legs: Schema.Array(
    Schema.Struct({
      leg_id: text,
      instrument: maybe(Schema.Struct({ symbol: text, description: text })),
      action: text,
      execution_price: maybe(Amount),
      total_quantity: maybe(Amount),
      canceled_quantity: maybe(Amount),
      filled_quantity: maybe(Amount),
      status: text
    })
  )
})
export type Order = typeof Order.Type

/** An answer that counts only because it came. */
export const Anything = Schema.Unknown

/** The events that SnapTrade tells of, whichever schema version they have. */
export const Event = Schema.Struct({
  webhookId: text,
  eventType: Schema.String,
  eventTimestamp: text,
  clientId: text,
  userId: text,
  accountId: text,
  /** `brokerageAuthorizationId` of API keys is `connectionId` of OAuth applications. */
  brokerageAuthorizationId: text,
  connectionId: text,
  connectionAttemptedResult: text
})
export type Event = typeof Event.Type
