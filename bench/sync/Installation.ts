/** Millrace as it is installed: the kernel on a PostgreSQL with fsync on, one upstream, one feed with rules. */
import { Adapters } from "@millrace/adapters"
import { AesSecrets } from "@millrace/adapters/secrets"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { asOwner } from "@millrace/core/access"
import { Banks, Enrichments, Feeds, Jobs, Kernel, SyncRun, Tables, Workspaces } from "@millrace/core/kernel"
import { JobEngine, type JobId } from "@millrace/core/job"
import { JobLease, JobStore } from "@millrace/core/storage"
import type { ProviderDriver } from "@millrace/core/provider"
import { Currency } from "@millrace/core"
import { acrossTenants } from "@millrace/core/workspace"
import type { PostgresAddress } from "@millrace/verification/postgres/PostgresServer"
import { serverClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { rules } from "./rules.ts"
import { instanceId } from "./Statements.ts"

const { layer: noSecrets } = AesSecrets

const ruleCount = 500
export const leaseSeconds = 3_600

/** Benchmarks run jobs themselves, so that nothing but their work is timed. */
const noEngine = Layer.succeed(JobEngine, JobEngine.of({ poke: () => Effect.void, interrupt: () => Effect.void }))

/** The kernel on a database of the server, with its newest schema, until the scope ends. */
export const runtimeOf = (address: PostgresAddress, driver: ProviderDriver) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      ManagedRuntime.make(
        Kernel.layerUseCases(Redacted.make("bench")).pipe(
          Layer.provideMerge(noEngine),
          Layer.provideMerge(Kernel.layerRun),
          Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
          Layer.provideMerge(
            PostgresStorage.layer.pipe(
              Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
              Layer.provideMerge(serverClient(address, "postgres"))
            )
          ),
          // Nobody beats for the jobs: they are run here and not by an engine.
          Layer.provideMerge(Layer.succeed(JobLease, leaseSeconds)),
          // As a server runs, which collects no spans.
          Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
        )
      )
    ),
    (made) => made.disposeEffect
  )

export type Services = ManagedRuntime.ManagedRuntime.Services<Effect.Success<ReturnType<typeof runtimeOf>>>

/** An enrichment of all feeds of transactions. */
export type Configured = readonly [type: string, config: Schema.Json]

/** A workspace whose one bank is connected, and a feed of all its accounts into a table, with these enrichments. */
export const connectWith = Effect.fnUntraced(function* (enrichments: ReadonlyArray<Configured>) {
  const { owner, workspace } = yield* (yield* Workspaces).create({
    name: "Bench",
    plan: "enterprise",
    timezone: "UTC",
    baseCurrency: Currency.make("USD"),
    ownerEmail: "owner@example.com"
  })
  const caller = asOwner(workspace, owner)
  const { accounts, bank } = yield* (yield* Banks).connect(caller, {
    instanceId,
    attemptId: "bench",
    payload: { kind: "provider_connection_id", connectionId: "bench" }
  })
  const table = yield* (yield* Tables).create(caller, { name: "Transactions", fields: [] })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name: "Transactions",
    source: "sync",
    dataType: "transactions",
    sourceConfig: { type: "sync", accounts: accounts.map((account) => ({ bankId: bank.id, accountId: account.id })) },
    destinationConfig: { type: "table", tableId: table.id }
  })
  for (const [type, config] of enrichments) {
    yield* (yield* Enrichments).create(caller, { name: type, type, dataType: "transactions", allFeeds: true, config })
  }
  return { caller, bank, accounts, feed }
})

/** With many rules alone. */
export const connect = connectWith([["rule", { rules: rules(ruleCount) }]])

export type Connected = Effect.Success<typeof connect>

export const newJob = ({ feed, caller }: Connected) =>
  Effect.map(
    Effect.flatMap(Jobs, (jobs) => jobs.trigger(caller, feed.id, {})),
    (job) => job.id
  )

/** One job from claim to completed; fails loudly when it did not complete. */
export const runJob = ({ feed, caller }: Connected, jobId: JobId) =>
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const run = yield* SyncRun
    const claimed = yield* jobs.claim(jobId, yield* run.banksOf(feed.id))
    yield* run.run(Option.getOrThrow(claimed))
    const job = Option.getOrThrow(yield* jobs.get(caller.principal.workspace.id, feed.id, jobId))
    if (job.status !== "completed" || job.errors.length > 0) return yield* Effect.die(JSON.stringify(job))
    return job
  }).pipe(acrossTenants("job engine"))
