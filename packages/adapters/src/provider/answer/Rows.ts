/** Rows of an answer, decoded one by one: what cannot be read is put aside with its reason, and the others go on. */
import { Decimal, limits, StrictDecoding } from "@millrace/core"
import type { ObservedRecord, SyncPage } from "@millrace/core/provider"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import * as SchemaParser from "effect/SchemaParser"

/** Digits after the point beyond which a number is no amount, price or quantity. */
const finest = 40

/** A number of an answer with all its digits, of a size that an account can have. */
export const Amount = Decimal.DecimalNumber.check(
  Schema.makeFilter((value: string) =>
    Decimal.is(value) && Decimal.wholeDigits(value) <= limits.amountWholeDigits && Decimal.scale(value) <= finest
      ? undefined
      : "must be a number that an account can have"
  )
)

/** Left out, `null` or a value: upstreams write all three for "there is none". */
export const maybe = <A, I>(schema: Schema.Codec<A, I>) => Schema.optionalKey(Schema.NullOr(schema))

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a value does not fit; nothing of the value. */
const placeOf = (issue: SchemaIssue.Issue): string => {
  const path = formatted(issue).issues[0]?.path ?? []
  const text = StrictDecoding.pathText(path.map((part) => (typeof part === "object" ? part.key : part)))
  return text === "" ? "it" : text
}

/** Why a row cannot be taken, as a sentence; else what it says. */
export type Translated<A> = Result.Result<A, string>

export interface ReadRows<A> {
  readonly rows: ReadonlyArray<A>
  readonly quarantined: SyncPage["quarantined"]
}

/** The id of a row of which nothing else is known yet. */
const idOf = (row: unknown, key: string): string => {
  const id = typeof row === "object" && row !== null ? (row as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof id === "string" || typeof id === "number" ? String(id).trim().slice(0, 200) : ""
}

/** Decodes and translates rows; `idKey` names the member that has the id. */
export const readRows = <A, B = ObservedRecord>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  idKey: string,
  translate: (row: A) => Translated<B>
): ReadRows<B> => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  const read: Array<B> = []
  const quarantined: Array<SyncPage["quarantined"][number]> = []
  for (const row of rows) {
    const translated = Result.flatMap(
      Result.mapError(decode(row), (issue) => `${placeOf(issue)} does not have the agreed form`),
      translate
    )
    if (Result.isSuccess(translated)) read.push(translated.success)
    else quarantined.push({ providerId: idOf(row, idKey), reason: translated.failure })
  }
  return { rows: read, quarantined }
}
