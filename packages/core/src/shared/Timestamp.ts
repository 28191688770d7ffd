/** Instants as 24 characters of ISO 8601 in UTC, so that comparing strings compares time (decisions 1.2). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as CalendarDate from "./CalendarDate.ts"

declare const TimestampBrand: unique symbol

/** `YYYY-MM-DDTHH:mm:ss.SSSZ`. */
export type Timestamp = string & { readonly [TimestampBrand]: true }

const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/

let lastMillis = Number.NaN
let lastText = "" as Timestamp

/** What happens in one millisecond is asked for many times. */
export const fromMillis = (millis: number): Timestamp => {
  if (millis === lastMillis) return lastText
  const text = new Date(millis).toISOString() as Timestamp
  lastMillis = millis
  lastText = text
  return text
}

export const toMillis = (at: Timestamp): number => Date.parse(at)

/** Any RFC 3339 offset, kept as UTC; without an offset: `undefined`. */
export const parse = (text: string): Timestamp | undefined => {
  // A day that does not exist would be taken for one of the next month.
  if (!form.test(text) || CalendarDate.parse(text.slice(0, 10)) === undefined) return undefined
  // Small letters are RFC 3339 as well, but not the form of this platform.
  const millis = Date.parse(text.toUpperCase())
  if (Number.isNaN(millis)) return undefined
  const year = new Date(millis).getUTCFullYear()
  return year < 1900 || year > 2199 ? undefined : fromMillis(millis)
}

/** For literals in code; dies on anything else. */
export const make = (text: string): Timestamp => {
  const value = parse(text)
  if (value === undefined) throw new RangeError(`not a timestamp: ${text}`)
  return value
}

/** The present instant of the injected clock. */
export const now: Effect.Effect<Timestamp> = Effect.map(Clock.currentTimeMillis, fromMillis)

/** What tests make timestamps from: every month has these days. */
const sampleForm =
  "^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z$"

export const Timestamp: Schema.Codec<Timestamp, string> = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.refine((text): text is Timestamp => parse(text) === text, {
    expected: "a UTC timestamp of the form YYYY-MM-DDTHH:mm:ss.SSSZ",
    arbitraryConstraint: { patterns: [{ source: sampleForm, flags: "" }] }
  })
)
