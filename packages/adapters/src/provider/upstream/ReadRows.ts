/** Rows of a list, one by one: a row that cannot be read is told, and keeps no other from being read. */
import type { ObservedRecord, SyncPage } from "@millrace/core/provider"
import { StrictDecoding } from "@millrace/core"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import * as SchemaIssue from "effect/SchemaIssue"

export interface RowsRead {
  readonly upserted: ReadonlyArray<ObservedRecord>
  readonly quarantined: SyncPage["quarantined"]
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

/** Where a value does not have its form, such as `balances.current`; nothing of the value itself. */
const placeOf = (issue: SchemaIssue.Issue): string =>
  StrictDecoding.pathText(
    (formatted(issue).issues[0]?.path ?? []).map((part) => (typeof part === "object" ? part.key : part))
  )

/** The id in a row that cannot be read, where it can be seen. */
const idIn = (row: unknown, key: string): string => {
  const id = typeof row === "object" && row !== null ? (row as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof id === "string" && /^[!-~]{1,256}$/.test(id) ? id : ""
}

/** The rows, decoded; `faults` names those that are not of the form. */
export const readRows = <A>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  idKey: string
): { readonly rows: ReadonlyArray<A>; readonly quarantined: SyncPage["quarantined"] } => {
  const decode = SchemaParser.decodeUnknownResult(schema)
  const read: Array<A> = []
  const quarantined: Array<SyncPage["quarantined"][number]> = []
  for (const row of rows) {
    const decoded = decode(row)
    if (Result.isSuccess(decoded)) read.push(decoded.success)
    else {
      const place = placeOf(decoded.failure)
      quarantined.push({ providerId: idIn(row, idKey), reason: `${place === "" ? "row" : place}: cannot be read` })
    }
  }
  return { rows: read, quarantined }
}

/** The rows as records; `translate` returns a sentence where one cannot be. */
export const readRecords = <A>(
  rows: ReadonlyArray<unknown>,
  schema: Schema.Codec<A, unknown>,
  idKey: string,
  translate: (row: A) => ObservedRecord | string | undefined
): RowsRead => {
  const read = readRows(rows, schema, idKey)
  const upserted: Array<ObservedRecord> = []
  const quarantined = [...read.quarantined]
  for (const row of read.rows) {
    const record = translate(row)
    if (typeof record === "string") quarantined.push({ providerId: idIn(row, idKey), reason: record })
    else if (record !== undefined) upserted.push(record)
  }
  return { upserted, quarantined }
}
