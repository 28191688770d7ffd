/** Kinds of provider and ids of their configured instances. */
import * as Schema from "effect/Schema"

export const providerKinds = [
  "plaid",
  "snaptrade",
  "saltedge",
  "fiskil",
  "quiltt",
  "simplefin",
  "demo",
  "file"
] as const
export const ProviderKind = Schema.Literals(providerKinds)
export type ProviderKind = typeof ProviderKind.Type

/** `<provider>:<instance>`, such as `plaid:us-prod` (specification 4.4). */
export const ProviderInstanceId = Schema.String.check(
  Schema.isMinLength(3),
  Schema.isMaxLength(64),
  Schema.isPattern(/^[a-z]+:[a-z0-9_-]+$/)
)
