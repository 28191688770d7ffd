/** Kinds of provider and ids of their configured instances. */
import * as Schema from "effect/Schema"

/** The kinds that the specification names, whether or not their drivers are here. */
const specifiedKinds = ["plaid", "snaptrade", "saltedge", "fiskil", "quiltt", "simplefin", "demo", "file"] as const

/** Sources that have no accounts at a bank: these names are the kernel's own. */
export const madeKinds = ["file", "mail", "extractor", "automation"] as const
export type MadeKind = (typeof madeKinds)[number]

/**
 * A kind of provider: 2 to 40 small letters. It is an identifier without digits and underscores, because ids of
 * instances begin with it (specification 4.4).
 */
export const ProviderKind = Schema.String.check(
  Schema.isPattern(/^[a-z]{2,40}$/, { message: "must be 2 to 40 small letters" })
).annotate({
  description: `${specifiedKinds.slice(0, -1).join(", ")} or ${specifiedKinds.at(-1)!}; an installation may have more.`
})
export type ProviderKind = typeof ProviderKind.Type

/** Whether it is the kernel's own: nothing of it was ever connected. */
export const isMadeKind = (kind: ProviderKind): kind is MadeKind => (madeKinds as ReadonlyArray<string>).includes(kind)

/** Why a driver may not be of this kind; `undefined` where it may. */
export const kindFault = (kind: string): string | undefined =>
  !Schema.is(ProviderKind)(kind)
    ? `"${kind}" cannot be a kind of provider: it must be 2 to 40 small letters`
    : isMadeKind(kind)
      ? `"${kind}" cannot be a kind of provider: accounts without a provider are called so`
      : undefined

/** `<provider>:<instance>`, such as `plaid:us-prod` (specification 4.4). */
export const ProviderInstanceId = Schema.String.check(
  Schema.isMinLength(3),
  Schema.isMaxLength(64),
  Schema.isPattern(/^[a-z]+:[a-z0-9_-]+$/, {
    message: "must be the kind of the provider, a colon, and small letters, digits, _ or -, such as demo:default"
  })
)

/** The kind in the id of an instance. */
export const kindOf = (instanceId: string): string => instanceId.slice(0, instanceId.indexOf(":"))
