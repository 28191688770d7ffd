/** The forms of Salt Edge's answers, as far as they are read. Members that are not named here are left out. */
import * as Schema from "effect/Schema"
import { Amount, looseText, maybe } from "../upstream/UpstreamForm.ts"

const text = maybe(Schema.String)
const flag = maybe(Schema.Boolean)
/** What banks add as they like: of another form it counts as not there. */
const extras = maybe(Schema.Record(Schema.String, Schema.Unknown))

/** A list whose entries are decoded one by one. */
export const List = Schema.Array(Schema.Unknown)
/** An answer that counts only because it came. */
export const Anything = Schema.Unknown

/** Version 6 has `customer_id` where version 5 had `id`. */
export const Customer = Schema.Struct({ customer_id: text, id: text, identifier: text })
export type Customer = typeof Customer.Type

export const Session = Schema.Struct({ connect_url: text, expires_at: text })

export const Provider = Schema.Struct({
  code: Schema.NonEmptyString,
  name: text,
  country_code: text,
  status: text,
  mode: text,
  home_url: text,
  logo_url: text
})
export type Provider = typeof Provider.Type

export const Connection = Schema.Struct({
  id: text,
  connection_id: text,
  customer_id: text,
  provider_code: text,
  provider_name: text,
  country_code: text,
  status: text,
  last_success_at: text,
  next_refresh_possible_at: text,
  last_attempt: maybe(
    Schema.Struct({ id: text, success_at: text, fail_at: text, fail_error_class: text, finished: flag })
  )
})
export type Connection = typeof Connection.Type

export const Consent = Schema.Struct({
  id: text,
  status: text,
  expires_at: text,
  scopes: maybe(Schema.Array(Schema.String)),
  created_at: text
})
export type Consent = typeof Consent.Type

export const Account = Schema.Struct({
  id: text,
  account_id: text,
  name: text,
  nature: text,
  balance: Amount,
  currency_code: Schema.String,
  updated_at: text,
  extra: extras
})
export type Account = typeof Account.Type

export const Transaction = Schema.Struct({
  id: text,
  transaction_id: text,
  duplicated: flag,
  mode: looseText,
  status: text,
  made_on: text,
  amount: Amount,
  currency_code: Schema.String,
  description: looseText,
  category: looseText,
  account_id: text,
  extra: extras
})
export type Transaction = typeof Transaction.Type

/** Callbacks of every sort. */
export const Callback = Schema.Struct({
  data: Schema.Struct({
    connection_id: text,
    customer_id: text,
    stage: text,
    error_class: text,
    custom_fields: Schema.optionalKey(Schema.Unknown)
  }),
  meta: maybe(Schema.Struct({ time: text }))
})
export type Callback = typeof Callback.Type
