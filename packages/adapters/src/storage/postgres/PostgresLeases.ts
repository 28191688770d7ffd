/** Leases in PostgreSQL: rows that say who has a resource, until when by the clock of the database. */
import { type Lease, LeaseLost, Leases } from "@millrace/core/storage"
import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { instant } from "./Column.ts"
import { inTransaction, stored } from "./SqlFailure.ts"

/** Rolls back what was taken when one of the resources is busy. */
export class ResourceBusy extends Data.TaggedError("ResourceBusy") {}

/**
 * Takes or extends all these leases for `holder`; fails when one is busy. Then some are taken: run it in a transaction
 * that is rolled back.
 */
export const takeLeases = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  resources: ReadonlyArray<string>,
  holder: string,
  seconds: number
): Effect.fn.Return<ReadonlyArray<Lease>, SqlError | ResourceBusy> {
  // In one order everywhere, so that two who want the same never wait for each other.
  const wanted = [...new Set(resources)].toSorted()
  if (wanted.length === 0) return []
  const taken = yield* sql<Lease>`insert into lease as l (resource, holder, epoch, expires_at)
    select resource, ${holder}, nextval('lease_epoch'), store_now() + make_interval(secs => ${seconds}::float8)
    from unnest(${wanted}::text[]) as resource
    on conflict (resource) do update
      set holder = excluded.holder,
        epoch = case when l.holder = excluded.holder then l.epoch else excluded.epoch end,
        expires_at = case when l.holder = excluded.holder then greatest(l.expires_at, excluded.expires_at)
          else excluded.expires_at end
      where l.holder = excluded.holder or l.expires_at <= store_now()
    returning resource, holder, epoch::float8 as epoch`
  return taken.length === wanted.length ? taken : yield* new ResourceBusy()
})

export const layer: Layer.Layer<Leases, never, SqlClient.SqlClient> = Layer.effect(
  Leases,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Leases.of({
      take: Effect.fn("Leases.take")(function* (resources, holder, seconds) {
        return yield* takeLeases(sql, resources, holder, seconds).pipe(
          Effect.map(Option.some),
          inTransaction(sql),
          Effect.catchTag("ResourceBusy", () => Effect.succeedNone)
        )
      }),
      extend: Effect.fn("Leases.extend")(function* (leases, seconds) {
        if (leases.length === 0) return []
        const rows = yield* stored(sql<{ readonly resource: string }>`update lease as l
          set expires_at = greatest(l.expires_at, store_now() + make_interval(secs => ${seconds}::float8))
          from json_to_recordset(${JSON.stringify(leases)}::json) as given(resource text, holder text, epoch bigint)
          where l.resource = given.resource and l.holder = given.holder and l.epoch = given.epoch
          returning l.resource`)
        const held = new Set(rows.map(({ resource }) => resource))
        return leases.filter(({ resource }) => held.has(resource))
      }),
      fence: Effect.fn("Leases.fence")(function* ({ epoch, holder, resource }) {
        const rows = yield* stored(sql`select resource from lease
          where resource = ${resource} and holder = ${holder} and epoch = ${epoch} for share`)
        if (rows.length === 0) return yield* new LeaseLost({ resource })
      }),
      free: Effect.fn("Leases.free")(function* (holder) {
        yield* stored(sql`delete from lease where holder = ${holder}`)
      }),
      current: Effect.fn("Leases.current")(function* (resource) {
        const rows = yield* stored(sql<Lease & { readonly expires_at: Date }>`
          select resource, holder, epoch::float8 as epoch, expires_at from lease
          where resource = ${resource} and expires_at > store_now()`)
        return Option.map(Arr.head(rows), ({ expires_at: expiresAt, ...lease }) => ({
          ...lease,
          expiresAt: instant(expiresAt)
        }))
      }),
      purge: Effect.fn("Leases.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from lease where resource in (
          select resource from lease where expires_at < store_now() - interval '1 day' limit ${limit}
          for update skip locked) returning resource`)
        return rows.length
      })
    })
  )
)
