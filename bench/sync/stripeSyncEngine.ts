/** The peer: `PostgresClient` of @supabase/stripe-sync-engine, which upserts row by row, five in flight. */
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { PostgresClient } from "@supabase/stripe-sync-engine"
import * as Effect from "effect/Effect"
import type { Client } from "pg"
import type { Row } from "./Upsert.ts"

const schema = "peer"

/**
 * The ledger's columns and its other indexes, with the key that the peer conflicts on and the column it guards its
 * updates by.
 */
const layout = `
  create schema ${schema};
  create table ${schema}.record (like millrace.record including defaults including constraints);
  alter table ${schema}.record add primary key (id), add column last_synced_at timestamptz;
  create index on ${schema}.record (account_id, data_type, (coalesce(date, '-infinity'::date)) desc, id desc);
  create index on ${schema}.record (account_id, data_type, change_no);
  create index on ${schema}.record (account_id, data_type, provider_id) where provider_id <> ''`

export const make = Effect.fnUntraced(function* (address: PostgresAddress, connection: Client) {
  yield* Effect.promise(() => connection.query(layout))
  const peer = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new PostgresClient({
          schema,
          poolConfig: {
            host: "127.0.0.1",
            port: address.port,
            user: address.username,
            password: address.password,
            database: "postgres"
          }
        })
    ),
    (made) => Effect.promise(() => made.close())
  )
  return {
    forget: Effect.promise(() => connection.query(`truncate ${schema}.record`)).pipe(Effect.asVoid),
    /** Its own call for what an API has listed; each row is written where it was not synced since `at`. */
    put: (rows: ReadonlyArray<Row>) =>
      Effect.promise(() =>
        peer.upsertManyWithTimestampProtection([...rows], "record", { properties: Object.keys(rows[0]!) })
      ),
    count: Effect.promise(async () => {
      const { rows } = await connection.query(`select count(*)::int as n from ${schema}.record`)
      return (rows[0] as { readonly n: number }).n
    })
  }
})
