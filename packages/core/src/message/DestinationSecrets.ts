/**
 * What is secret about the places that messages go to: addresses of Slack and of webhooks, since anyone who has one can write
 * there, and what webhooks are signed with.
 *
 * Answers show a mask in the place of each. A mask that is sent back means "as it was", so that what was read can be changed
 * and sent again. Kinds have their destinations in a list called `destinations` at the top of their block.
 */
import type * as Schema from "effect/Schema"

const stars = "****"

/** Whether a text is what an answer shows in the place of a secret. No address and no secret that is taken holds it. */
export const isMasked = (text: string): boolean => text.includes(stars)

const shownEnd = 4
/** Shorter ones are masked whole: their end would say too much of them. */
const leastForEnd = 16

const endOf = (text: string): string => (text.length < leastForEnd ? "" : text.slice(-shownEnd))

/** Says where an address leads to, and of what is behind that the last four characters at most. */
export const maskedAddress = (address: string): string => {
  const url = URL.parse(address)
  if (url === null) return stars
  const behind = address.slice(address.indexOf("/", "https://".length)).slice(1)
  return url.pathname === "/" && url.search === "" && url.hash === ""
    ? address
    : `${url.origin}/${stars}${endOf(behind)}`
}

const maskedSecret = (secret: string): string =>
  `whsec_${stars}${endOf(secret.replace(/^whsec_/, "").replace(/=+$/, ""))}`

type JsonObject = Readonly<Record<string, Schema.Json>>

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Fields with secrets, by the type of the destination. */
const secretFields: Readonly<Record<string, Readonly<Record<string, (value: string) => string>>>> = {
  slack: { webhookUrl: maskedAddress },
  webhook: { url: maskedAddress, secret: maskedSecret }
}

/** Its fields that hold something secret, each with its mask. */
const secretsOf = (destination: Schema.Json): ReadonlyArray<readonly [field: string, value: string, mask: string]> => {
  if (!isObject(destination)) return []
  const { type } = destination
  const fields = typeof type === "string" && Object.hasOwn(secretFields, type) ? secretFields[type]! : {}
  return Object.entries(fields).flatMap(([field, mask]) => {
    const value = destination[field]
    return typeof value === "string" && mask(value) !== value ? [[field, value, mask(value)] as const] : []
  })
}

const destinationsOf = (config: Schema.Json): ReadonlyArray<Schema.Json> => {
  const list = isObject(config) ? config["destinations"] : undefined
  return Array.isArray(list) ? (list as ReadonlyArray<Schema.Json>) : []
}

const withDestinations = (config: Schema.Json, change: (one: Schema.Json, at: number) => Schema.Json): Schema.Json => {
  const list = destinationsOf(config)
  return list.length === 0 ? config : { ...(config as JsonObject), destinations: list.map(change) }
}

/** Place -> secret: what stands in a block that is no mask. A place is `destinations[0].url`. */
export const secretsIn = (config: Schema.Json): Readonly<Record<string, string>> =>
  Object.fromEntries(
    destinationsOf(config).flatMap((one, at) =>
      secretsOf(one)
        .filter(([, value]) => !isMasked(value))
        .map(([field, value]) => [`destinations[${at}].${field}`, value])
    )
  )

/** The block with a mask in the place of each secret. */
export const maskedConfig = (config: Schema.Json): Schema.Json =>
  withDestinations(config, (one) => {
    const masks = secretsOf(one).filter(([, value]) => !isMasked(value))
    return masks.length === 0
      ? one
      : { ...(one as JsonObject), ...Object.fromEntries(masks.map(([field, , mask]) => [field, mask])) }
  })

/** The block with each secret back in its place. */
export const unmaskedConfig = (config: Schema.Json, secrets: Readonly<Record<string, string>>): Schema.Json =>
  withDestinations(config, (one, at) => {
    if (!isObject(one)) return one
    const own = Object.keys(one).flatMap((field) => {
      const secret = secrets[`destinations[${at}].${field}`]
      return secret === undefined ? [] : [[field, secret] as const]
    })
    return own.length === 0 ? one : { ...one, ...Object.fromEntries(own) }
  })

/**
 * A block that was sent, with what its masks stand for in `before`. The destination of the same type at the same place counts
 * first, then the others of its type; a mask that stands for nothing, or for one of several, stays: it is refused where the
 * block is judged.
 */
export const restoredConfig = (sent: Schema.Json, before: Schema.Json): Schema.Json => {
  const former = destinationsOf(before)
  return withDestinations(sent, (one, at) => {
    if (!isObject(one)) return one
    const alike = (other: Schema.Json | undefined): other is JsonObject =>
      isObject(other) && other["type"] === one["type"]
    const meant = (field: string, value: string): string | undefined => {
      const standing = (other: Schema.Json | undefined): ReadonlyArray<string> =>
        alike(other)
          ? secretsOf(other).flatMap(([name, kept, mask]) => (name === field && mask === value ? [kept] : []))
          : []
      const [here] = standing(former[at])
      if (here !== undefined) return here
      const all = new Set(former.flatMap(standing))
      return all.size === 1 ? [...all][0] : undefined
    }
    const restored = Object.entries(one).flatMap(([field, value]) => {
      const kept = typeof value === "string" && isMasked(value) ? meant(field, value) : undefined
      return kept === undefined ? [] : [[field, kept] as const]
    })
    return restored.length === 0 ? one : { ...one, ...Object.fromEntries(restored) }
  })
}
