/** Changes JSON at random, by a seed: what a reader of an upstream must survive with an error that has a name. */
import { isRawNumber, numberOf } from "@millrace/core"
import type { Seeded } from "../model/Seeded.ts"

/** A number of JSON with exactly these digits, for `JSON.stringify`. */
export const exactNumber = (digits: string): unknown => numberOf(digits)

type Json = null | boolean | number | string | Array<Json> | { [key: string]: Json }

/** Where a value stands: it is replaced there, or taken away. */
interface Place {
  readonly set: (value: Json) => void
  readonly drop: () => void
  readonly value: Json
}

const placesOf = (value: Json, into: Array<Place>): void => {
  if (Array.isArray(value)) {
    for (const [at, inner] of value.entries()) {
      into.push({ value: inner, set: (next) => (value[at] = next), drop: () => value.splice(at, 1) })
      placesOf(inner, into)
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      into.push({
        value: inner,
        set: (next) =>
          Object.defineProperty(value, key, { value: next, enumerable: true, configurable: true, writable: true }),
        drop: () => delete value[key]
      })
      placesOf(inner, into)
    }
  }
}

const strange: ReadonlyArray<Json> = [
  null,
  true,
  0,
  -1,
  1e308,
  123_456_789_012_345_680_000,
  0.1 + 0.2,
  "",
  " ",
  "NaN",
  "1e999",
  "2026-02-30",
  "0000-00-00T99:99:99Z",
  "-",
  "\u0000",
  "\uD800",
  "𝟙𝟚",
  "x".repeat(5_000),
  "__proto__",
  "https://169.254.169.254/latest/",
  [],
  {},
  [[[[[]]]]],
  { __proto__: null, constructor: "x" } as unknown as Json
]

const changed = (place: Place, seeded: Seeded): void => {
  const { value } = place
  switch (seeded.below(5)) {
    case 0:
      return place.drop()
    case 1:
      return place.set([value])
    case 2:
      if (typeof value === "number") return place.set(seeded.once(2) ? -value : String(value))
      if (typeof value === "string") return place.set(seeded.once(2) ? value.toUpperCase() + value : value.slice(1))
      // Items come twice.
      if (Array.isArray(value)) return place.set([...value, ...structuredClone(value)])
      return place.set(seeded.pick(strange))
    default:
      return place.set(structuredClone(seeded.pick(strange)))
  }
}

/** The JSON with one to three places changed; it is JSON still, at times of another form altogether. */
export const mutatedJson = (text: string, seeded: Seeded): string => {
  const root: { value: Json } = { value: JSON.parse(text) as Json }
  if (seeded.once(20)) return JSON.stringify(seeded.pick(strange))
  for (let left = 1 + seeded.below(3); left > 0; left--) {
    const places: Array<Place> = []
    placesOf(root.value, places)
    if (places.length === 0) return JSON.stringify(seeded.pick(strange))
    changed(seeded.pick(places), seeded)
  }
  return JSON.stringify(root.value)
}

type ObjectChange = (value: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

const mapped = (value: unknown, object: ObjectChange): unknown => {
  if (Array.isArray(value)) return value.map((inner) => mapped(inner, object))
  if (typeof value !== "object" || value === null || isRawNumber(value)) return value
  return object(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapped(one, object)])))
}

// The types of this version of TypeScript do not know the third argument of a reviver yet.
const { parse } = JSON as unknown as {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
}

/** The JSON, with all digits of its numbers. */
const exactly = (text: string): unknown =>
  parse(text, (_, value, { source }) => (typeof value === "number" ? numberOf(source ?? String(value)) : value))

/** Changes every object. */
const changedObjects = (text: string, object: ObjectChange): string => JSON.stringify(mapped(exactly(text), object))

/** Every object has a field more, which the upstream did not have yesterday. */
export const withUnknownFields = (text: string): string =>
  changedObjects(text, (value) => ({ ...value, millrace_new_field: { since: "2030-01-01", list: [1, "two"] } }))

/** Words under these keys are words that nobody has heard of yet. */
export const withUnknownEnums = (text: string, keys: ReadonlySet<string>): string =>
  changedObjects(text, (value) =>
    Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, keys.has(key) && typeof one === "string" ? "SOMETHING_NEW" : one])
    )
  )

const isAccount = (value: unknown, id: string): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" &&
  value !== null &&
  ["id", "account_id"].some((key) => (value as Readonly<Record<string, unknown>>)[key] === id)

/**
 * The account of that id is replaced wherever accounts, or balances of accounts, are listed: under these keys, and in the list
 * that an answer about accounts alone is (`isList`).
 */
export const withAccounts = (
  text: string,
  isList: boolean,
  id: string,
  change: (account: Readonly<Record<string, unknown>>) => ReadonlyArray<unknown>
): string => {
  const listed = (value: unknown, isOfAccounts: boolean): unknown => {
    if (Array.isArray(value)) {
      return value.flatMap((inner: unknown) =>
        isOfAccounts && isAccount(inner, id) ? change(inner) : [listed(inner, false)]
      )
    }
    if (typeof value !== "object" || value === null || isRawNumber(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        listed(inner, key === "accounts" || key === "balances" || (isList && key === "data"))
      ])
    )
  }
  return JSON.stringify(listed(exactly(text), isList))
}

const scalarText = (value: unknown): string | undefined =>
  typeof value === "string"
    ? value
    : typeof value === "number" || isRawNumber(value)
      ? JSON.stringify(value)
      : undefined

/** What has that id is replaced. */
export const withRow = (text: string, id: string, change: ObjectChange): string =>
  changedObjects(text, (value) => (Object.values(value).some((one) => scalarText(one) === id) ? change(value) : value))

/** Of what has that id, nothing can be read but the id and the values that are `kept`, such as whose it is. */
export const withUnreadableRow = (text: string, id: string, kept: ReadonlyArray<string>): string => {
  const readable = new Set([id, ...kept])
  return changedObjects(text, (value) => {
    const members = Object.entries(value)
    if (!members.some(([, one]) => scalarText(one) === id)) return value
    return Object.fromEntries(
      members.map(([key, one]) => [key, readable.has(scalarText(one) ?? "") ? one : { unreadable: [true] }])
    )
  })
}
