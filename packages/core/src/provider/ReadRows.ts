/** Rows of a list, one by one: a row that cannot be read is reported, and keeps no other from being read. */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaIssue from "effect/SchemaIssue"
import * as StrictDecoding from "../shared/StrictDecoding.ts"
import type { ObservedRecord, SyncPage } from "./Provider.ts"

/** Why a row cannot be taken, as a sentence; else what it says. */
export type Translated<A> = Result.Result<A, string>

export interface RowsRead<A> {
  readonly rows: ReadonlyArray<A>
  readonly quarantined: SyncPage["quarantined"]
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a value does not have its form, such as `balances.current`; nothing of the value itself. */
export const placeOf = (issue: SchemaIssue.Issue): string => {
  const path = formatted(issue).issues[0]?.path ?? []
  const text = StrictDecoding.pathText(path.map((part) => (typeof part === "object" ? part.key : part)))
  return text === "" ? "the row" : text
}

/** The id in a row that cannot be read, where it can be seen. */
const idIn = (row: unknown, key: string): string => {
  const id = typeof row === "object" && row !== null ? (row as Readonly<Record<string, unknown>>)[key] : undefined
  const text = typeof id === "number" ? String(id) : id
  return typeof text === "string" && /^[!-~]{1,256}$/.test(text) ? text : ""
}

/** Decodes rows, and translates each where that is asked for; `idKey` names the member that has the id. */
export const readRows = <A, B = A>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  idKey: string,
  translate: (row: A) => Translated<B> = (row) => Result.succeed(row as unknown as B)
): RowsRead<B> => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  const read: Array<B> = []
  const quarantined: Array<SyncPage["quarantined"][number]> = []
  for (const row of rows) {
    const translated = Result.flatMap(
      Result.mapError(decode(row), (issue) => `${placeOf(issue)} does not have the agreed form`),
      translate
    )
    if (Result.isSuccess(translated)) read.push(translated.success)
    else quarantined.push({ providerId: idIn(row, idKey), reason: translated.failure })
  }
  return { rows: read, quarantined }
}

/** The rows as records; `translate` returns a sentence where one cannot be, and nothing where there is none. */
export const readRecords = <A>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  idKey: string,
  translate: (row: A) => ObservedRecord | string | undefined
): { readonly upserted: ReadonlyArray<ObservedRecord>; readonly quarantined: SyncPage["quarantined"] } => {
  const read = readRows(rows, schema, idKey, (row) => {
    const record = translate(row)
    return typeof record === "string" ? Result.fail(record) : Result.succeed(record)
  })
  return { upserted: read.rows.filter((record) => record !== undefined), quarantined: read.quarantined }
}
