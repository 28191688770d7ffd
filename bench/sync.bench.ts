/**
 * The main job whole: statements are parsed, identified, run through 500 rules, written to the ledger and
 * delivered to a table, on PostgreSQL with fsync on. Beside it COPY of the very same rows into the very same
 * tables, without any of that work.
 */
import * as Adapters from "@millrace/adapters/Adapters"
import { layer as noSecrets } from "@millrace/adapters/secrets/AesSecrets"
import * as PostgresStorage from "@millrace/adapters/storage/postgres/PostgresStorage"
import type { Principal } from "@millrace/core/access/Principal"
import { Banks } from "@millrace/core/bank/Banks"
import { Enrichments } from "@millrace/core/enrichment/Enrichments"
import { Feeds } from "@millrace/core/feed/Feeds"
import type { JobId } from "@millrace/core/job/Job"
import { JobEngine } from "@millrace/core/job/JobEngine"
import { JobLease } from "@millrace/core/job/JobLease"
import { Jobs } from "@millrace/core/job/Jobs"
import { JobStore } from "@millrace/core/job/JobStore"
import * as Kernel from "@millrace/core/Kernel"
import * as Currency from "@millrace/core/shared/Currency"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import { Tables } from "@millrace/core/table/Tables"
import { Workspaces } from "@millrace/core/workspace/Workspaces"
import { startPostgres } from "@millrace/testing/postgres/PostgresServer"
import { client as sqlClient } from "@millrace/testing/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { generate } from "./generate.ts"
import type { Bench } from "./harness/Bench.ts"
import * as Copy from "./sync/Copy.ts"
import { rules } from "./sync/rules.ts"
import * as StatementProvider from "./sync/StatementProvider.ts"

const ruleCount = 500
const leaseSeconds = 3_600

/** The benchmark runs jobs itself, so that nothing but their work is timed. */
const noEngine = Layer.succeed(JobEngine, JobEngine.of({ poke: () => Effect.void, interrupt: () => Effect.void }))

const connectedFeed = Effect.gen(function* () {
  const { owner, workspace } = yield* (yield* Workspaces).found({
    name: "Bench",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  const principal: Principal = { kind: "user", workspace, userId: owner.id, email: owner.email, role: "owner" }
  const { accounts, bank } = yield* (yield* Banks).connect(workspace, {
    instanceId: "demo:statements",
    attemptId: "bench",
    payload: { kind: "provider_connection_id", connectionId: "bench" }
  })
  const table = yield* (yield* Tables).create(principal, { name: "Transactions", fields: [] })
  const { feed } = yield* (yield* Feeds).create(principal, {
    name: "Transactions",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: accounts.map((account) => ({ bankId: bank.id, accountId: account.id })) },
    destinationConfig: { type: "table", tableId: table.id }
  })
  yield* (yield* Enrichments).create(principal, {
    name: "Rules",
    type: "rule",
    dataType: "transactions",
    allFeeds: true,
    config: { rules: rules(ruleCount) }
  })
  return { principal, feed }
})

type Connected = Effect.Success<typeof connectedFeed>

const newJob = ({ feed, principal }: Connected) =>
  Effect.map(
    Effect.flatMap(Jobs, (jobs) => jobs.trigger(principal, feed.id, {})),
    (job) => job.id
  )

/** One job from claim to completed; fails loudly when it did not complete. */
const runJob = ({ feed, principal }: Connected, jobId: JobId) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const run = yield* SyncRun
    const claimed = yield* jobs.claim(jobId, yield* run.banksOf(feed.id))
    yield* run.run(Option.getOrThrow(claimed))
    const job = Option.getOrThrow(yield* jobs.get(principal.workspace.id, feed.id, jobId))
    if (job.status !== "completed" || job.errors.length > 0) return yield* Effect.die(JSON.stringify(job))
    return job
  })

export const bench: Bench = {
  name: "sync",
  title: "First sync and unchanged re-sync: parse, identity, 500 rules, ledger and delivery",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const transactions = quick ? 20_000 : 200_000
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const connection = yield* Copy.client(server)
      const driver = StatementProvider.make(generate({ seed: 11, transactions, accounts: 20 }))
      const storage = PostgresStorage.layer.pipe(
        Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
        Layer.provideMerge(Layer.effectDiscard(PostgresStorage.migrate)),
        Layer.provideMerge(sqlClient(server, "postgres"))
      )
      const runtime = yield* Effect.acquireRelease(
        Effect.sync(() =>
          ManagedRuntime.make(
            Kernel.layerUseCases(Redacted.make("bench")).pipe(
              Layer.provideMerge(noEngine),
              Layer.provideMerge(Kernel.layerRun),
              Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
              Layer.provideMerge(storage),
              // Nobody beats for the jobs: they are run here and not by an engine.
              Layer.provideMerge(Layer.succeed(JobLease, leaseSeconds))
            )
          )
        ),
        (made) => made.disposeEffect
      )
      const on = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
        Effect.promise(() => runtime.runPromise(effect))

      const connected = yield* on(connectedFeed)
      yield* on(Effect.flatMap(newJob(connected), (id) => runJob(connected, id)))
      const taken = yield* Copy.take(connection)
      let next: JobId
      const prepare = (before: Effect.Effect<void>) =>
        Effect.gen(function* () {
          yield* before
          next = yield* on(newJob(connected))
        })
      const sync = Effect.map(
        Effect.suspend(() => on(runJob(connected, next))),
        (job) => job
      )
      const rows = (): Effect.Effect<string> => Copy.countRows(connection)
      const written = Effect.gen(function* () {
        const before = yield* Copy.walBytes(connection)
        yield* prepare(Effect.void)
        const job = yield* sync
        const bytes = (yield* Copy.walBytes(connection)) - before
        return job.counts.created + job.counts.updated + job.counts.removed === 0 ? bytes / transactions : Number.NaN
      })
      const counted = yield* rows()
      const sameRows = Effect.map(rows(), (now) => (now === counted ? undefined : Number.NaN))

      return {
        comparisons: [
          {
            name: `${transactions.toLocaleString("en-US")} transactions of 20 accounts`,
            amount: transactions,
            unit: "transactions",
            rounds: quick ? 2 : 3,
            contenders: [
              {
                name: "COPY of the same rows",
                before: Copy.forget(connection),
                run: Effect.as(Copy.put(connection, taken), () => undefined)
              },
              {
                name: "first sync",
                before: prepare(Copy.forget(connection)),
                run: Effect.as(Effect.andThen(sync, sameRows), () => undefined)
              },
              {
                name: "unchanged re-sync",
                before: prepare(Effect.void),
                run: Effect.as(sync, () => undefined)
              }
            ],
            ratios: [
              { name: "first sync to COPY", of: "first sync", by: "COPY of the same rows" },
              { name: "unchanged re-sync to COPY", of: "unchanged re-sync", by: "COPY of the same rows" }
            ]
          }
        ],
        figures: [{ name: "bytes of log a row of an unchanged re-sync", value: written }]
      }
    })
}
