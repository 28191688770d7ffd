/**
 * The sync engine on a storage of choice, with a scripted upstream, scripted destinations, a clock of its own,
 * and a point to die at around every call of a port.
 */
import type { BankId } from "@millrace/core/bank"
import { BankStore, JobLease, JobStore } from "@millrace/core/storage"
import { Banks, Kernel, SyncRun } from "@millrace/core/kernel"
import type { WriteModel } from "@millrace/core/destination"
import type { AnyKind } from "@millrace/core/enrichment"
import type { Feed } from "@millrace/core/feed"
import { isActive, type Job } from "@millrace/core/job"
import type { ProviderDriver } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { makeScriptedDestination, type ScriptedProvider } from "@millrace/testing/fake"
import { FaultPoints } from "@millrace/testing/fault"
import { makeBank, makeJob, somebody, storeWorkspace } from "@millrace/testing/fixture"
import { makeUpstreams } from "./Upstreams.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import { fewHeld, pointedAdapters, pointedStores, watchedRun } from "./PointedPorts.ts"
import { Watch } from "./Watch.ts"

const leaseSeconds = 3_600

export interface SimulationOptions {
  readonly storage: Layer.Layer<Kernel.Stores>
  readonly clock: VirtualClock
  readonly model: Exclude<WriteModel, "transactional">
  /** Providers beside the scripted ones. */
  readonly drivers?: ReadonlyArray<ProviderDriver>
  /** Kinds of enrichment beside the bundled ones. */
  readonly kinds?: ReadonlyArray<AnyKind>
  /** `idempotencyKey`: for how long the destination remembers keys. */
  readonly keySeconds?: number
  /** By how much look-ups of the destination lag behind its writes. */
  readonly lagSeconds?: number
  /** Lets time pass for storage as well, where it has a clock of its own. */
  readonly pass?: (seconds: number) => Effect.Effect<void>
}

/** The services of a run, with the watched stores beside it: what the tests do themselves cannot crash. */
export const makeSimulation = ({
  clock,
  drivers = [],
  keySeconds,
  kinds = [],
  lagSeconds,
  model,
  pass,
  storage
}: SimulationOptions) => {
  const passed = (seconds: number) =>
    Effect.andThen(
      Effect.sync(() => clock.pass(seconds)),
      pass === undefined ? Effect.void : pass(seconds)
    )
  const points = new FaultPoints()
  const providers = makeUpstreams()
  const destination = makeScriptedDestination(model, 4, {
    ...(keySeconds === undefined ? {} : { keySeconds }),
    ...(lagSeconds === undefined ? {} : { lagSeconds })
  })
  const watch = new Watch()
  const stores = watch.layer.pipe(
    Layer.provideMerge(storage.pipe(Layer.provide(Layer.succeed(JobLease, leaseSeconds))))
  )
  const layer = watchedRun(watch).pipe(
    Layer.provideMerge(Kernel.layerRun.pipe(Layer.provide(fewHeld))),
    Layer.provide(pointedAdapters(points, { upstreams: providers, drivers, destination, watch, kinds })),
    Layer.provide(pointedStores(points)),
    Layer.provideMerge(stores)
  )
  let refs = 0
  const nextRef = () => `ref-${++refs}`
  return { points, providers, destination, watch, layer, clock, pass: passed, model, nextRef }
}

export type Simulation = ReturnType<typeof makeSimulation>

/** A workspace with one connected bank. */
export const connect = Effect.fnUntraced(function* (
  simulation: Pick<Simulation, "nextRef">,
  provider: ScriptedProvider,
  accountIds: ReadonlyArray<string>,
  timezone = "UTC"
) {
  const workspace = yield* storeWorkspace({ plan: "enterprise", timezone })
  const ref = simulation.nextRef()
  const upstream = provider.bank(ref, accountIds)
  const bank = yield* makeBank(workspace, { providerInstanceId: provider.driver.instanceId })
  yield* (yield* BankStore).insert(bank, {
    instanceId: provider.driver.instanceId,
    connection: { ref, secrets: {} }
  })
  const { listed } = yield* (yield* Banks).refresh(bank, Effect.void, somebody)
  return { workspace, upstream, bank, accounts: listed!.accounts }
})

/** Takes up a job as a worker does; `false` when it cannot be had. */
export const work = Effect.fnUntraced(function* (simulation: Simulation, job: Job, banks: ReadonlyArray<BankId>) {
  const claimed = yield* (yield* JobStore).claim(job.id, banks)
  if (Option.isNone(claimed)) return { exit: undefined, fence: undefined, fired: undefined }
  const exit = yield* Effect.exit((yield* SyncRun).run(claimed.value))
  const { fired } = simulation.points
  simulation.points.arm(Infinity)
  return { exit, fence: claimed.value.fence, fired }
})

export interface Drive {
  readonly change?: Partial<Job>
  /** Armed before each attempt, by its number from 0. */
  readonly arm?: (attempt: number, job: Job) => void
  /** Told where what was armed struck. */
  readonly fired?: (point: string) => void
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
    const { exit, fence, fired } = yield* work(simulation, job, banks)
    if (exit !== undefined) exits.push(exit)
    if (fired !== undefined) options.fired?.(fired)
    now = yield* get
    if (!isActive(now.status)) break
    if (now.status === "in_progress" && options.released === true && fence !== undefined) yield* jobs.release(fence)
    else yield* simulation.pass(leaseSeconds + 1)
    yield* jobs.sweep
    now = yield* get
  }
  return { job: now, exits }
})
