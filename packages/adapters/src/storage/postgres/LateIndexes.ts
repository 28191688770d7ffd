/**
 * Indexes that are made while the server works: on a large table that takes minutes, during which nobody could write.
 * A migration makes them itself where the table is small. Until they are there, statements come to the same and take longer.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  entryAccounts,
  type LateIndex,
  openDeliveries,
  publicChangeIndexes,
  recordDates,
  recordDays
} from "./migrations/lateIndex.ts"
import { listIndexes } from "./migrations/listIndex.ts"
import { areScoped, scopedIndexes } from "./migrations/recordScope.ts"
import { schemaName } from "./Schema.ts"
import { stored } from "./SqlFailure.ts"

/** Those of records that are looked up by a number, in the place of earlier ones. */
export const recordIndexes: ReadonlyArray<LateIndex> = [
  ...scopedIndexes.filter(({ name }) => !listIndexes.some(({ replaces }) => replaces?.includes(name))),
  ...publicChangeIndexes,
  ...listIndexes
]

/** All there are to be. Migrations name their own, since a released one does not change. */
const lateIndexes = Effect.map(areScoped, (scoped): ReadonlyArray<LateIndex> => [
  ...(scoped ? recordIndexes : recordDates),
  ...(scoped ? [] : recordDays.filter(({ name }) => !recordDates.some(({ replaces }) => replaces?.includes(name)))),
  ...entryAccounts,
  ...openDeliveries
])

/** `busy`: somebody makes indexes of the table just now. `broken`: whoever made it did not come to the end. */
const stateOf = Effect.fnUntraced(function* ({ name, table }: LateIndex) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ readonly busy: boolean; readonly valid: boolean | null }>`select
    exists (select from pg_stat_progress_create_index where relid = ${`${schemaName}.${table}`}::regclass) as busy,
    (select indisvalid from pg_index where indexrelid = to_regclass(${`${schemaName}.${name}`})) as valid`
  if (found?.valid === true) return "there"
  if (found?.busy === true) return "busy"
  return found?.valid === false ? "broken" : "missing"
})

/**
 * Makes the indexes that are missing, without keeping anybody from reading or writing; returns their names. It is called by
 * the owner of the tables, outside of a transaction, and may be called by several processes and be cut off anywhere.
 */
export const makeLate = (indexes?: ReadonlyArray<LateIndex>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const made: Array<string> = []
    for (const index of indexes ?? (yield* lateIndexes)) {
      const unique = index.unique === true ? "unique " : ""
      const state = yield* stateOf(index)
      if (state === "busy") continue
      if (state === "broken") yield* sql.unsafe(`drop index concurrently if exists ${index.name}`).unprepared
      if (state !== "there") {
        yield* sql.unsafe(
          `create ${unique}index concurrently if not exists ${index.name} on ${index.table} ${index.definition}`
        ).unprepared
        made.push(index.name)
      }
      if (index.replaces === undefined || (yield* stateOf(index)) !== "there") continue
      for (const other of index.replaces) yield* sql.unsafe(`drop index concurrently if exists ${other}`).unprepared
    }
    return made
  }).pipe(stored, Effect.withSpan("PostgresStorage.makeLateIndexes"))
