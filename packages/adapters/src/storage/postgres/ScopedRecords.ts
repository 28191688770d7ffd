/**
 * Gives the records of earlier versions the number by which they are looked up (`migrations/recordScope.ts`), in chunks and
 * while the server works. As long as not all have it, records are looked up as they were. Then their key begins with the id.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeLate, recordIndexes } from "./LateIndexes.ts"
import type { LateIndex } from "./migrations/lateIndex.ts"
import { areKeyedById, areScoped, recordIdKey, recordKey, useIdKey, useScopes } from "./migrations/recordScope.ts"
import { inTransaction, stored } from "./SqlFailure.ts"
import { sayEveryWorkspace } from "./WorkspaceWall.ts"

const chunk = 2_000

/** Finds those that lack it. */
const unscoped: LateIndex = {
  name: "record_unscoped",
  table: "record",
  definition: "(account_id) where scope_no is null"
}

/** Seconds that a step waits for whoever is at the table: others queue up behind it. */
const patience = 5

/** Up to so many; those that somebody writes at the moment are passed over. Returns how many got it. */
const numberSome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sayEveryWorkspace
  const rows = yield* sql`with lacking as (
      select ctid from record where scope_no is null order by account_id limit ${chunk} for update skip locked
    )
    update record set scope_no = record_scope(account_id, data_type)
    where ctid = any(array(select ctid from lacking)) returning 1`.unprepared
  return rows.length
}).pipe((some) => Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(some)))

const areLeft = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sayEveryWorkspace
  return (yield* sql`select from record where scope_no is null limit 1`).length > 0
}).pipe((left) => Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(left)))

/** Holds everybody off for a moment, or fails where somebody is at the table for long. */
const alone = <A, E>(step: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select set_config('lock_timeout', ${`${patience}s`}, true)`
    yield* sql`lock table record in access exclusive mode`
    return yield* step
  }).pipe((whole) => Effect.flatMap(SqlClient.SqlClient, (sql) => inTransaction(sql)(whole)))

/** From now on nobody adds one without it. */
const demand = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const there = yield* sql`select from pg_constraint where conrelid = 'record'::regclass and conname = 'record_scoped'`
  if (there.length > 0) return
  yield* sql`alter table record add constraint record_scoped check (scope_no is not null) not valid`
})

/** The rest of them, and proof that there is none: read while others write, so that it need not be read again. */
const finish = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (;;) {
    while ((yield* numberSome) > 0);
    if (!(yield* areLeft)) break
    yield* Effect.sleep("1 second")
  }
  yield* sql`alter table record validate constraint record_scoped`
})

const change = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (yield* areScoped) return
  yield* useScopes
  yield* sql`alter table record drop constraint record_scoped`
  yield* sql`drop index ${sql(unscoped.name)}`
})

const changeKey = Effect.gen(function* () {
  if (!(yield* areKeyedById)) yield* useIdKey
})

/**
 * Returns whether there was anything to do. It is called by the owner of the tables, outside of a transaction, and may be
 * called by several processes and be cut off anywhere: the next start goes on.
 */
export const scopeRecords = Effect.gen(function* () {
  const wasDone = yield* areScoped
  if (!wasDone) {
    yield* makeLate([unscoped])
    while ((yield* numberSome) > 0);
    yield* alone(demand)
    yield* finish
    yield* makeLate([recordKey, ...recordIndexes.map((index) => ({ ...index, replaces: [] }))])
    yield* alone(change)
  }
  // Where this was cut off after the change.
  yield* makeLate(recordIndexes)
  const wasKeyed = yield* areKeyedById
  if (!wasKeyed) {
    yield* makeLate([recordIdKey])
    yield* alone(changeKey)
  }
  return !wasDone || !wasKeyed
}).pipe(stored, Effect.withSpan("PostgresStorage.scopeRecords"))
