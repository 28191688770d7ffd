/**
 * The form of Fiskil's answers, as far as they are read. Words of lists that are not known stay text, and full account
 * numbers are never read.
 */
import * as Schema from "effect/Schema"
import { Amount, loose, looseText, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"

const { String: Text } = Schema

/** What a refusal says: a name that stays the same for the same fault, and the id of this one for their support. */
export const FiskilFault = Schema.Struct({
  id: maybe(Text),
  name: maybe(Text),
  temporary: maybe(Schema.Boolean),
  timeout: maybe(Schema.Boolean)
})
export type FiskilFault = typeof FiskilFault.Type

/** The token is called so in the documents, and otherwise in some answers. */
export const TokenAnswer = Schema.Struct({
  token: maybe(Text),
  access_token: maybe(Text),
  expires_in: maybe(Schema.Finite)
})

export const NewEndUser = Schema.Struct({ end_user_id: maybe(UpstreamId), id: maybe(UpstreamId) })

export const FiskilEndUser = Schema.Struct({ id: UpstreamId, name: maybe(Text), email: maybe(Text) })

export const AuthSession = Schema.Struct({
  session_id: UpstreamId,
  auth_url: maybe(Text),
  /** Seconds since 1970. */
  expires_at: maybe(Schema.Union([Schema.Finite, Text]))
})

export const FiskilConsent = Schema.Struct({
  arrangement_id: UpstreamId,
  consent_id: maybe(Text),
  end_user_id: maybe(Text),
  institution_id: Schema.Union([Text, Schema.Finite]),
  institution_name: maybe(Text),
  institution_type: maybe(Text),
  active: Schema.Boolean,
  created_at: maybe(Text),
  expires_at: maybe(Text),
  account_ids: maybe(Schema.Array(Text)),
  permissions: maybe(Schema.Array(Text)),
  termination_reason: maybe(Text),
  last_accessed: maybe(Text)
})
export type FiskilConsent = typeof FiskilConsent.Type

export const FiskilInstitution = Schema.Struct({
  id: Schema.Union([UpstreamId, Schema.Finite]),
  name: Text,
  logo: maybe(Text),
  icon: maybe(Text),
  industry: maybe(Text),
  is_accessible: maybe(Schema.Boolean),
  priority: maybe(Schema.Finite),
  status: maybe(Schema.Struct({ connections: maybe(Schema.Struct({ status: maybe(Text) })) }))
})
export type FiskilInstitution = typeof FiskilInstitution.Type

export const FiskilAccount = Schema.Struct({
  account_id: UpstreamId,
  arrangement_id: maybe(Text),
  institution_id: maybe(Schema.Union([Text, Schema.Finite])),
  display_name: maybe(Text),
  nickname: maybe(Text),
  product_name: maybe(Text),
  masked_number: maybe(Text),
  product_category: maybe(Text),
  open_status: maybe(Text)
})
export type FiskilAccount = typeof FiskilAccount.Type

export const FiskilBalance = Schema.Struct({
  account_id: UpstreamId,
  current_balance: maybe(Amount),
  available_balance: maybe(Amount),
  credit_limit: maybe(Amount),
  currency: maybe(Text)
})
export type FiskilBalance = typeof FiskilBalance.Type

export const FiskilTransaction = Schema.Struct({
  fiskil_id: UpstreamId,
  account_id: UpstreamId,
  amount: Amount,
  currency: maybe(Text),
  description: looseText,
  reference: looseText,
  merchant_name: looseText,
  status: Schema.Literals(["POSTED", "PENDING"]),
  posting_date_time: maybe(Text),
  execution_date_time: looseText,
  value_date_time: looseText,
  type: looseText,
  category: loose(Schema.Struct({ primary_category: looseText }))
})
export type FiskilTransaction = typeof FiskilTransaction.Type
