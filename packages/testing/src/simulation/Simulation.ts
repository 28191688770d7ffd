/**
 * The sync engine on a storage of choice, with a scripted upstream, scripted destinations, a clock of its own,
 * and a point to die at around every call of a port.
 */
import * as NodeDigest from "@millrace/adapters/digest/NodeDigest"
import * as TableDestination from "@millrace/adapters/destination/table/TableDestination"
import type { Account } from "@millrace/core/account/Account"
import type { BankId } from "@millrace/core/bank/Bank"
import { BankStore } from "@millrace/core/bank/BankStore"
import { Banks } from "@millrace/core/bank/Banks"
import type { DestinationSession, WriteModel } from "@millrace/core/destination/Destination"
import { Destinations } from "@millrace/core/destination/Destinations"
import { DeliveryStore } from "@millrace/core/destination/DeliveryStore"
import { EnrichmentStore } from "@millrace/core/enrichment/EnrichmentStore"
import type { Feed } from "@millrace/core/feed/Feed"
import { FeedStore } from "@millrace/core/feed/FeedStore"
import { isActive, type Job } from "@millrace/core/job/Job"
import { JobLease } from "@millrace/core/job/JobLease"
import { JobStore } from "@millrace/core/job/JobStore"
import * as Kernel from "@millrace/core/Kernel"
import { Providers } from "@millrace/core/provider/Providers"
import { RecordStore } from "@millrace/core/record/RecordStore"
import { Patterns } from "@millrace/core/rule/Pattern"
import { Ids } from "@millrace/core/shared/Ids"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import { Transactor } from "@millrace/core/storage/Transactor"
import { SyncRun } from "@millrace/core/sync/SyncRun"
import { TableStore } from "@millrace/core/table/TableStore"
import { StatementFault, StatementReader } from "@millrace/core/upload/Statement"
import { UploadStore } from "@millrace/core/upload/UploadStore"
import { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import { makeScriptedDestination } from "@millrace/testing/destination/ScriptedDestination"
import { FaultPoints } from "@millrace/testing/fault/FaultPoints"
import { makeBank } from "@millrace/testing/fixture/Bank"
import { makeJob } from "@millrace/testing/fixture/Job"
import { storeWorkspace } from "@millrace/testing/fixture/Workspace"
import { makeScriptedProvider, type ScriptedProvider } from "@millrace/testing/provider/ScriptedProvider"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

const leaseSeconds = 3_600

/** Time that passes when somebody sleeps, and at no cost. */
export class VirtualClock implements Clock.Clock {
  now = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
  currentTimeMillisUnsafe = () => this.now
  currentTimeMillis = Effect.sync(() => this.now)
  monotonicTimeNanosUnsafe = () => BigInt(this.now) * 1_000_000n
  monotonicTimeNanos = Effect.sync(() => BigInt(this.now) * 1_000_000n)
  currentTimeNanosUnsafe = this.monotonicTimeNanosUnsafe
  currentTimeNanos = this.monotonicTimeNanos
  sleep = (duration: Duration.Duration) => Effect.sync(() => this.pass(Duration.toMillis(duration) / 1000))

  pass(seconds: number): void {
    this.now += Math.round(seconds * 1000)
  }
}

const trusts = ["stable", "perStatus", "none", "positional"] as const
const models = ["delta", "snapshotWindow", "snapshotFull", "appendOnly"] as const

/** Every combination of change model, scope and trust that makes sense, with pages of a few rows. */
const makeProviders = (): ReadonlyArray<ScriptedProvider> =>
  models.flatMap((changeModel) =>
    (["connection", "account"] as const).flatMap((scope) =>
      trusts
        .filter((idTrust) => !(changeModel === "delta" || changeModel === "appendOnly") || idTrust !== "none")
        .filter((idTrust) => !(changeModel === "delta" || changeModel === "appendOnly") || idTrust !== "positional")
        .map((idTrust, i) =>
          makeScriptedProvider({
            instance: `${changeModel.toLowerCase()}-${scope}-${idTrust.toLowerCase()}`,
            changeModel,
            scope,
            idTrust,
            pageSize: 3 + (i % 3) * 2,
            overlapDays: 10,
            historyDays: 400
          })
        )
    )
  )

const noReader = Layer.succeed(
  StatementReader,
  StatementReader.of({ read: () => new StatementFault({ message: "No files here" }) })
)

type Stores = Layer.Layer<Kernel.Stores>

export interface SimulationOptions {
  readonly storage: Stores
  readonly clock: VirtualClock
  readonly model: Exclude<WriteModel, "transactional">
  /** Lets time pass for storage as well, where it has a clock of its own. */
  readonly pass?: (seconds: number) => Effect.Effect<void>
}

/** The services of a run, with the raw stores beside it: what the tests do themselves cannot crash. */
export const makeSimulation = ({ clock, model, pass, storage }: SimulationOptions) => {
  const passed = (seconds: number) =>
    Effect.andThen(
      Effect.sync(() => clock.pass(seconds)),
      pass === undefined ? Effect.void : pass(seconds)
    )
  const points = new FaultPoints()
  const providers = makeProviders()
  const destination = makeScriptedDestination(model, 4)
  const raw = storage.pipe(Layer.provide(Layer.succeed(JobLease, leaseSeconds)))
  const pointed = <I, S extends object>(name: string, key: Context.Key<I, S>): Layer.Layer<I, never, I> =>
    Layer.effect(
      key,
      Effect.map(key, (service) => points.wrap(name, service))
    )
  const wrapped = Layer.mergeAll(
    pointed("RecordStore", RecordStore),
    pointed("FeedStore", FeedStore),
    pointed("JobStore", JobStore),
    pointed("DeliveryStore", DeliveryStore),
    pointed("BankStore", BankStore),
    pointed("Transactor", Transactor),
    Layer.effect(UploadStore, UploadStore),
    Layer.effect(WorkspaceStore, WorkspaceStore),
    Layer.effect(EnrichmentStore, EnrichmentStore),
    Layer.effect(TableStore, TableStore)
  )
  const session = <E, R>(open: Effect.Effect<DestinationSession, E, R>) =>
    Effect.map(open, (opened) => points.wrap("Destination", opened))
  const adapters = Layer.mergeAll(
    Providers.layer(providers.map(({ driver }) => points.wrap("Provider", driver))),
    Layer.unwrap(
      Effect.map(TableDestination.make, (table) =>
        Destinations.layer({
          table: { ...table, open: (...args) => session(table.open(...(args as Parameters<typeof table.open>))) },
          file: {
            ...destination.driver,
            open: (...args) => session(destination.driver.open(...(args as Parameters<typeof destination.driver.open>)))
          }
        })
      )
    ).pipe(Layer.provide([Ids.layer, NodeDigest.layer])),
    noReader,
    Patterns.layerProven,
    NodeDigest.layer
  )
  const layer = Kernel.layerRun.pipe(Layer.provide(adapters), Layer.provide(wrapped), Layer.provideMerge(raw))
  return { points, providers, destination, layer, clock, pass: passed, model }
}

export type Simulation = ReturnType<typeof makeSimulation>

let refs = 0

/** A workspace with one connected bank. */
export const connect = Effect.fnUntraced(function* (provider: ScriptedProvider, accountIds: ReadonlyArray<string>) {
  const workspace = yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" })
  const ref = `ref-${++refs}`
  const upstream = provider.bank(ref, accountIds)
  const bank = yield* makeBank(workspace, { providerInstanceId: provider.driver.instanceId })
  yield* (yield* BankStore).insert(bank, {
    instanceId: provider.driver.instanceId,
    connection: { ref, secrets: {} }
  })
  const accounts = yield* (yield* Banks).refreshAccounts(bank)
  return { workspace, upstream, bank, accounts }
})

export const mappings = ["id", "date", "amount", "description", "pending", "category", "removed"].map((field) => ({
  sourceField: field,
  destinationField: field
}))

/** Takes up a job as a worker does; `false` when it cannot be had. */
export const work = Effect.fnUntraced(function* (simulation: Simulation, job: Job, banks: ReadonlyArray<BankId>) {
  const claimed = yield* (yield* JobStore).claim(job.id, banks)
  if (Option.isNone(claimed)) return { exit: undefined, fence: undefined }
  const exit = yield* Effect.exit((yield* SyncRun).run(claimed.value))
  simulation.points.arm(Infinity)
  return { exit, fence: claimed.value.fence }
})

export interface Drive {
  readonly change?: Partial<Job>
  /** Armed before each attempt, by its number from 0. */
  readonly arm?: (attempt: number, job: Job) => void
  /** Whether a worker that died is noticed by its lease, or was stopped in good order. */
  readonly released?: boolean
}

/** Runs a job of the feed until it is finished, however often it has to be taken up. */
export const drive = Effect.fnUntraced(function* (simulation: Simulation, feed: Feed, options: Drive = {}) {
  const jobs = yield* JobStore
  const job = yield* makeJob(feed, options.change ?? {})
  yield* jobs.create(job, { replacing: false })
  const banks = yield* (yield* SyncRun).banksOf(feed.id)
  const get = Effect.map(jobs.get(feed.workspaceId, feed.id, job.id), Option.getOrThrow)
  const exits: Array<Exit.Exit<void, unknown>> = []
  let now = job
  for (let attempt = 0; isActive(now.status) && attempt < 12; attempt++) {
    options.arm?.(attempt, now)
    const { exit, fence } = yield* work(simulation, job, banks)
    if (exit !== undefined) exits.push(exit)
    now = yield* get
    if (!isActive(now.status)) break
    if (now.status === "in_progress" && options.released === true && fence !== undefined) yield* jobs.release(fence)
    else yield* simulation.pass(leaseSeconds + 1)
    yield* jobs.sweep
    now = yield* get
  }
  return { job: now, exits }
})

/** Every record of an account, tombstones too, in change order. */
export const ledgerOf = Effect.fnUntraced(function* (account: Account) {
  const records = yield* RecordStore
  const scope = { workspaceId: account.workspaceId, accountId: account.id, dataType: "transactions" as const }
  return yield* records.changes(scope, { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000 })
})
