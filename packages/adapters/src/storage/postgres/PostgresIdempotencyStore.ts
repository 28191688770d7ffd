/** Requests with an idempotency key in PostgreSQL. */
import { IdempotencyStore, type KeyState } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { stored } from "./SqlFailure.ts"

export const layer: Layer.Layer<IdempotencyStore, never, SqlClient.SqlClient> = Layer.effect(
  IdempotencyStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const oldest = sql`store_now() - make_interval(hours => ${limits.idempotencyHours}::int)`
    return IdempotencyStore.of({
      begin: Effect.fn("IdempotencyStore.begin")(function* ({ key, request, workspaceId }) {
        // Inserting waits for a request that has inserted the key and not ended; this lock says so at once. It is held until
        // the transaction ends, and what comes after it sees what its holder before did.
        const [lock] = yield* stored(sql<{ readonly taken: boolean }>`
          select pg_try_advisory_xact_lock(hashtextextended(${`idempotency ${workspaceId} ${key}`}, 0)) as taken`)
        if (lock?.taken !== true) return { state: "running" } satisfies KeyState
        const [begun] = yield* stored(sql`
          insert into idempotency_key (workspace_id, key, request) values (${workspaceId}, ${key}, ${request})
          on conflict (workspace_id, key) do update
            set request = excluded.request, answer = null, begun_at = store_now()
            where idempotency_key.begun_at < ${oldest}
          returning key`)
        if (begun !== undefined) return { state: "begun" } satisfies KeyState
        const [held] = yield* stored(sql<{ readonly request: string; readonly answer: string | null }>`
          select request, answer from idempotency_key where workspace_id = ${workspaceId} and key = ${key}`)
        // Released or forgotten in between: anyone who asks again finds it free.
        if (held === undefined || held.answer === null) return { state: "running" } satisfies KeyState
        return { state: "answered", request: held.request, answer: held.answer } satisfies KeyState
      }),
      end: Effect.fn("IdempotencyStore.end")(function* ({ key, request, workspaceId }, answer) {
        yield* stored(sql`update idempotency_key set answer = ${answer}
          where workspace_id = ${workspaceId} and key = ${key} and request = ${request} and answer is null`)
      }),
      release: Effect.fn("IdempotencyStore.release")(function* ({ key, request, workspaceId }) {
        yield* stored(sql`delete from idempotency_key
          where workspace_id = ${workspaceId} and key = ${key} and request = ${request} and answer is null`)
      }),
      purge: Effect.fn("IdempotencyStore.purge")(function* (limit) {
        const rows = yield* stored(sql`delete from idempotency_key where (workspace_id, key) in (
          select workspace_id, key from idempotency_key where begun_at < ${oldest} limit ${limit}
          for update skip locked) returning key`)
        return rows.length
      })
    })
  })
)
