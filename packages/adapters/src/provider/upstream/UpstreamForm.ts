/** Forms that answers of upstreams have in common. What does not fit is refused where it stands, never bent into shape. */
import {
  Currency,
  type CurrencyCode,
  Decimal,
  type DecimalText,
  limits,
  Timestamp,
  type TimestampText
} from "@millrace/core"
import * as Schema from "effect/Schema"
import * as Result from "effect/Result"
import * as SchemaGetter from "effect/SchemaGetter"
import * as SchemaParser from "effect/SchemaParser"

const control = /\p{Cc}/u
const everyControl = /\p{Cc}+/gu

/** An id of the upstream: text without white space around it, blank ones and control characters are none. */
export const UpstreamId = Schema.String.check(
  Schema.isBetweenLength(1, 256),
  Schema.makeFilter((text: string) => text.trim() === text && text.isWellFormed() && !control.test(text), {
    expected: "an id"
  })
)

/** Digits after the point beyond which a number is no amount, price or quantity. */
const finest = 40

/** A number of JSON, or decimal text, with all its digits; of no more digits than the ledger keeps. */
export const Amount: Schema.Codec<DecimalText, number | string> = Schema.Union([Schema.Finite, Schema.String]).pipe(
  Schema.decodeTo(Decimal.DecimalNumber),
  Schema.check(
    Schema.makeFilter(
      (value: DecimalText) => Decimal.wholeDigits(value) <= limits.amountWholeDigits && Decimal.scale(value) <= finest,
      { expected: "an amount that the ledger can keep" }
    )
  )
)

/** A key that may be missing or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Text that nothing hangs on: of another form it counts as not there. A number is its digits. */
export const looseText = Schema.optionalKey(
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.UndefinedOr(Schema.String), {
      decode: SchemaGetter.transform((value: unknown) =>
        typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined
      ),
      encode: SchemaGetter.transform((value: string | undefined): unknown => value)
    })
  )
)

/** A member that nothing hangs on: of another form it counts as not there. */
export const loose = <A>(schema: Schema.Codec<A, unknown>) => {
  const read = SchemaParser.decodeUnknownResult(schema)
  return Schema.optionalKey(
    Schema.Unknown.pipe(
      Schema.decodeTo(Schema.Unknown as Schema.Codec<A | undefined, unknown>, {
        decode: SchemaGetter.transform((value: unknown) =>
          Result.match(read(value), { onFailure: () => undefined, onSuccess: (found) => found })
        ),
        encode: SchemaGetter.transform((value: unknown) => value)
      })
    )
  )
}

/** Text to show: one line, of bounded length; `undefined` where nothing is left. */
export const shownText = (text: string | null | undefined, most: number = limits.nameLength): string | undefined => {
  const line = (text ?? "").toWellFormed().replace(everyControl, " ").trim()
  const short = line.length > most ? line.slice(0, most).toWellFormed().trim() : line
  return short === "" ? undefined : short
}

/** A code of the upstream that may be shown and logged; `undefined` for what does not look like one. */
export const shownCode = (text: string | null | undefined): string | undefined =>
  typeof text === "string" && /^[\w.:-]{1,80}$/.test(text) ? text : undefined

/** An official currency, else an unofficial one as `x:<code>`; `undefined` where neither can be read. */
export const currencyOf = (
  official: string | null | undefined,
  unofficial: string | null | undefined
): CurrencyCode | undefined =>
  typeof official === "string" && /^[A-Za-z]{3}$/.test(official)
    ? Currency.parse(official)
    : typeof unofficial === "string"
      ? Currency.parse(`x:${unofficial}`)
      : undefined

/** An instant with its zone, also one with a blank between day and time; `undefined` for what is missing or is none. */
export const instantOf = (text: string | null | undefined): TimestampText | undefined =>
  typeof text === "string" ? Timestamp.parse(text.trim().replace(" ", "T")) : undefined
