/**
 * Syncing again what exists already, on PostgreSQL with fsync on.
 *
 * A row is a transaction that the upstream shows; speeds count all of them, also where only a hundredth has changed
 * and the others are passed over. Twice:
 *
 * - the ledger alone, as a pull hands it the pages that it has read and digested on the way: rows are matched with what
 *   is held, hashed and written, beside COPY and upserts of the same rows into the same table
 * - the whole job, from claim to completed: statements are read, the ledger is brought up to date, 500 rules run and
 *   the rows are delivered to a table, beside COPY and upserts of the rows of all three tables
 *
 * By hand there is nothing to decode, hash or match: COPY and the upserts begin with the rows as they will be stored.
 */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { generate } from "./generate.ts"
import type { Bench, Comparison, Contender } from "./harness/Bench.ts"
import * as Contenders from "./sync/Contenders.ts"
import * as Copy from "./sync/Copy.ts"
import { connect, runtimeOf, type Services } from "./sync/Installation.ts"
import { correctingBank } from "./sync/CorrectingBank.ts"
import * as RowLog from "./sync/RowLog.ts"
import { statementFiles } from "./sync/StatementFile.ts"
import { ofFiles } from "./sync/Statements.ts"
import * as StripeSyncEngine from "./sync/stripeSyncEngine.ts"
import * as Upsert from "./sync/Upsert.ts"

const ratiosOf = (prefix: string): Comparison["ratios"] => {
  const copy = "COPY of the same rows"
  const upsert = "unconditional unnest upsert"
  return [
    { name: `${prefix}: first sync to COPY`, of: "first sync", by: copy },
    { name: `${prefix}: unchanged re-sync to COPY`, of: "unchanged re-sync", by: copy },
    { name: `${prefix}: unchanged re-sync to unconditional upsert`, of: "unchanged re-sync", by: upsert },
    { name: `${prefix}: 1 % changed re-sync to unconditional upsert`, of: "1 % changed re-sync", by: upsert }
  ]
}

export const bench: Bench = {
  name: "resync",
  title: "First sync, unchanged re-sync and one with 1 % changed, beside COPY, upserts and a peer",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const transactions = quick ? 20_000 : 100_000
      const slice = quick ? 500 : 2_000
      const bank = { seed: 11, transactions, accounts: 20 }
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const connection = yield* Copy.client(server)
      yield* RowLog.prepare(connection)

      const upstream = ofFiles(statementFiles(generate(bank)))
      const correct = yield* correctingBank(bank)
      const runtime = yield* runtimeOf(server, upstream.driver)
      const on = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.promise(() => runtime.runPromise(effect))
      const connected = yield* on(connect)
      const ledger = Contenders.ledgerOnly(on, connected, upstream)
      const whole = Contenders.wholeJob(on, connected, upstream)

      const ofLedger = yield* Contenders.taken(connection, ledger)
      const ofWhole = yield* Contenders.taken(connection, whole)
      const peer = yield* StripeSyncEngine.make(server, connection)
      const rows = Upsert.rowsOf(ofLedger.upserts[0]!, slice)
      const peerName = "@supabase/stripe-sync-engine"
      const peerRun = Effect.map(peer.put(rows), (put) => () => put.length)

      const contenders = (sync: Contenders.Sync, taken: typeof ofLedger): ReadonlyArray<Contender> => [
        Contenders.copy(connection, taken.copies),
        Contenders.firstSync(connection, sync),
        Contenders.unchangedSync(sync),
        Contenders.correctedSync(sync, correct),
        Contenders.upsert(connection, taken.copies, taken.upserts)
      ]
      const size = `${transactions.toLocaleString("en-US")} transactions of 20 accounts`

      const afterFirstSync = ({ prepare, run }: Contenders.Sync) =>
        Effect.gen(function* () {
          yield* Copy.forget(connection)
          yield* prepare
          yield* run
        })
      const written = Effect.gen(function* () {
        yield* afterFirstSync(whole)
        const again = Effect.andThen(whole.prepare, whole.run)
        return (yield* RowLog.during(connection, whole.tables, again)).rows
      })
      /** Beside the log of the same rows, written by hand as they are now. */
      const logOfCorrections = Effect.gen(function* () {
        yield* afterFirstSync(ledger)
        const { before = Effect.void, run } = Contenders.correctedSync(ledger, correct)
        yield* before
        const ours = yield* RowLog.during(connection, ledger.tables, run)
        const changed = yield* Upsert.take(connection, "record", "version > 1")
        const own = yield* RowLog.during(connection, ledger.tables, Upsert.put(connection, Upsert.unpacked([changed])))
        return ours.rows === own.rows ? ours.bytes / own.bytes : Number.NaN
      })

      return {
        comparisons: [
          {
            name: `ledger alone, ${size}`,
            amount: transactions,
            unit: "rows",
            rounds: quick ? 2 : 5,
            contenders: [
              ...contenders(ledger, ofLedger),
              {
                name: `${peerName}, first sync of ${slice}`,
                amount: slice,
                before: peer.forget,
                run: peerRun
              },
              { name: `${peerName}, ${slice} again`, amount: slice, run: peerRun }
            ],
            ratios: [
              ...ratiosOf("ledger"),
              {
                name: `ledger: first sync to ${peerName}`,
                of: "first sync",
                by: `${peerName}, first sync of ${slice}`
              },
              // The limit of the ratio above: nothing writes the rows faster.
              {
                name: `ledger: COPY to ${peerName}`,
                of: "COPY of the same rows",
                by: `${peerName}, first sync of ${slice}`
              },
              {
                name: `ledger: unchanged re-sync to ${peerName}`,
                of: "unchanged re-sync",
                by: `${peerName}, ${slice} again`
              }
            ]
          },
          {
            name: `whole job, ${size}`,
            amount: transactions,
            unit: "rows",
            rounds: quick ? 2 : 3,
            contenders: contenders(whole, ofWhole),
            ratios: ratiosOf("whole job")
          }
        ],
        figures: [
          { name: "whole job: rows written by an unchanged re-sync", value: written },
          { name: "ledger: log of 1 % changed rows to what they take by themselves", value: logOfCorrections }
        ]
      }
    })
}
