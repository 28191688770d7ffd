/** Query parameters: text that stands for something else. */
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import { limits } from "../shared/Limits.ts"

/** A date, or a date-time, whose first ten characters count (decisions 1.2). */
const dayOf = (description: string): Schema.Codec<CalendarDate.CalendarDate, string> =>
  Schema.String.annotate({ format: "date", description }).pipe(
    Schema.refine((text): text is string => CalendarDate.ofText(text) !== undefined, {
      expected: "a date of the form YYYY-MM-DD or a date-time"
    }),
    Schema.decodeTo(CalendarDate.CalendarDate, {
      decode: SchemaGetter.transform((text: string) => text.slice(0, 10)),
      encode: SchemaGetter.transform((text: string) => text)
    })
  )

export const Day = dayOf("A date; of a date-time the first ten characters count.")

/** The first and the last day of a window, each with what it means. */
export const daysFrom = (first = "First day, inclusive", last = "Last day, inclusive") => ({
  from: Schema.optionalKey(dayOf(`${first}. A date-time counts by its first ten characters.`)),
  to: Schema.optionalKey(dayOf(`${last}. A date-time counts by its first ten characters.`))
})

/** Sizes above every maximum are all the same: the operation clamps them. */
const sizeCeiling = 1_000_000

/** Rows per page. */
const PageSize: Schema.Codec<number, string> = Schema.String.check(
  Schema.isPattern(/^0*[1-9]\d*$/, { expected: "an integer of at least 1" })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => Math.min(sizeCeiling, Number(text))),
    encode: SchemaGetter.transform((size: number) => String(size))
  })
)

/** `true` or `false`. */
export const Flag: Schema.Codec<boolean, "true" | "false"> = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((text: "true" | "false") => text === "true"),
    encode: SchemaGetter.transform((flag: boolean) => (flag ? ("true" as const) : ("false" as const)))
  })
)

/** An exact decimal of at most 30 characters. */
export const AmountParameter: Schema.Codec<Decimal.Decimal, string> = Schema.String.check(Schema.isMaxLength(30)).pipe(
  Schema.refine((text): text is string => Decimal.parse(text) !== undefined, { expected: "a decimal number" }),
  Schema.decodeTo(Decimal.DecimalText, {
    decode: SchemaGetter.transform((text: string) => Decimal.parse(text) ?? text),
    encode: SchemaGetter.transform((text: string) => text)
  })
)

export const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.textLength))

export const SearchText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))

/** Where a page begins; judged when it is used, so that each unusable one answers alike. */
export const Cursor = Schema.String.annotate({
  description: "`meta.cursor` of an earlier answer. It carries the query: beside it only `limit` and `cached` count."
})

export const paging = { cursor: Schema.optionalKey(Cursor), limit: Schema.optionalKey(PageSize) }
