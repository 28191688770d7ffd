/**
 * An installation that connects banks of a fake upstream, and whose processes die: a dead one does nothing more, and the next
 * one finds what was stored.
 */
import { CurrentConnectAddresses } from "@millrace/core/bank"
import { Banks, connectionHandlers, ConnectReturns, type Kernel, pokes, ProviderCallbacks } from "@millrace/core/kernel"
import { Outbound } from "@millrace/core/outbound"
import { Providers } from "@millrace/core/provider"
import {
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  EventStore,
  Leases,
  ReceivedWebhooks,
  TaskStore,
  Transactor
} from "@millrace/core/storage"
import { type RunningTask, type TaskHandler, TaskKinds, Tasks } from "@millrace/core/task"
import { type Digest, Ids } from "@millrace/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { type Edge, FaultPoints } from "../fault/FaultPoints.ts"
import { ownerOf } from "../fixture/Caller.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { arrange, inSimulatedTime, type UpstreamSuiteOptions } from "./UpstreamUnderTest.ts"

const stores = {
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  EventStore,
  Leases,
  ReceivedWebhooks,
  TaskStore,
  Transactor
} as const

/** Calls that leave nothing behind: what only looks, holds or sweeps up, and how runners take tasks. */
const traceless: ReadonlySet<string> = new Set(
  `account accounts anyConnected anyRunning byConnection byRef byState claim complete connection ended exchange extend fail
   fence free get hold list made named newest ofConnection part purge purgeable read sweep unchecked waiting`.split(
    /\s+/
  )
)

/**
 * Everywhere, instead of once between two things that last: to die after a change is to die before the next one, and to die
 * inside of a transaction is to die before it.
 */
export const isLong = globalThis.process.env["MILLRACE_LONG"] === "1"

/** A process, which dies where its `left` points run out. A dead one neither stores nor asks anything. */
class Life {
  left = Infinity
  diedAt: string | undefined
  private depth = 0

  passes(call: string, edge: Edge): boolean {
    if (this.diedAt !== undefined) return edge === "ends"
    const isOutside = this.depth === 0
    if (call === "Transactor.atomically") this.depth += edge === "begins" ? 1 : -1
    const isCounted = isLong || (edge === "begins" && isOutside && !traceless.has(call.slice(call.indexOf(".") + 1)))
    if (!isCounted || --this.left > 0) return true
    this.diedAt = `${call} ${edge}`
    return false
  }
}

/** What a process has. */
type Services = Banks | ConnectReturns | ProviderCallbacks | TaskKinds | Tasks | Ids | Digest | Kernel.Stores

const pointedStores = (points: FaultPoints, storage: Context.Context<Kernel.Stores | Digest>) =>
  Context.makeUnsafe<Kernel.Stores | Digest>(
    new Map([
      ...storage.mapUnsafe,
      ...Object.entries(stores).map(
        ([name, { key }]) => [key, points.wrap(name, storage.mapUnsafe.get(key) as object)] as const
      )
    ])
  )

const pages = Layer.succeed(CurrentConnectAddresses, { base: "https://app.example.com", isPublic: true })

/** Seconds for which a task is its runner's. */
const taskSeconds = 60

/** Runs what is due once: attempts that were left, and whatever is ready then. */
const tasks = Effect.gen(function* () {
  const store = yield* TaskStore
  const { all } = yield* TaskKinds
  const plain = { payload: {}, workspaceId: undefined, attempt: 1, guard: Effect.void }
  const run = (handler: TaskHandler, task: object) =>
    handler.run({ ...plain, ...task } as unknown as RunningTask<unknown>)
  yield* run(all.get("connection_attempts")!, {})
  for (const handler of all.values()) {
    const { name } = handler.kind
    if (handler.everySeconds !== undefined) continue
    const { tasks: claimed } = yield* store.claim("runner", [{ kind: name, limit: 10 }], taskSeconds)
    for (const { fence, task } of claimed) {
      const exit = yield* Effect.exit(run(handler, task))
      yield* Exit.isSuccess(exit) ? store.complete(fence) : store.fail(fence, "it failed")
    }
  }
})

/** A fresh upstream, and an installation without a bank. */
export const crashWorld = Effect.fnUntraced(function* (options: UpstreamSuiteOptions) {
  const world = yield* arrange(options)
  const storage = yield* Layer.build(options.storage)
  const { instanceId } = world.driver
  const workspace = yield* storeWorkspace({ plan: "enterprise", timezone: "UTC" }).pipe(
    Effect.provide(Layer.merge(Layer.succeedContext(storage), Ids.layer))
  )

  const boot = Effect.gen(function* () {
    const points = new FaultPoints()
    const life = new Life()
    points.strike = (call, edge) => (life.passes(call, edge) ? undefined : Effect.interrupt)
    const outbound = points.wrap("Upstream", world.outbound)
    const driver = yield* Effect.orDie(Effect.provideService(world.making, Outbound, outbound))
    const services: Context.Context<Services> = yield* Layer.build(
      TaskKinds.layer(...connectionHandlers, pokes).pipe(
        Layer.provideMerge([ConnectReturns.layer, ProviderCallbacks.layer]),
        Layer.provideMerge([Banks.layer, Tasks.layer]),
        Layer.provideMerge([Ids.layer, Providers.layer([driver])]),
        Layer.provideMerge(Layer.succeedContext(pointedStores(points, storage))),
        Layer.provide(pages)
      )
    )
    return { life, services }
  })
  let process = yield* boot
  let died: string | undefined

  /** Runs in the process that is there. Where that dies nobody hears of it, and the next process is there afterwards. */
  const run = Effect.fnUntraced(function* <A, E>(use: Effect.Effect<A, E, Services>) {
    const { life, services } = process
    const exit = yield* inSimulatedTime(world, Effect.exit(Effect.provideContext(use, services)))
    if (life.diedAt === undefined) return Exit.isSuccess(exit) ? exit.value : undefined
    died = life.diedAt
    process = yield* boot
    return undefined
  })

  /** Time passes, and tasks run that are due then. */
  const pass = (minutes: number) => Effect.andThen(TestClock.adjust(`${minutes} minutes`), run(tasks))

  return {
    ...world,
    instanceId,
    workspace,
    caller: ownerOf(workspace),
    storage,
    run,
    pass,
    /** The process that is there dies at the nth change from now on, or request to the upstream; never with `Infinity`. */
    arm: (n: number) => {
      process.life.left = n
    },
    /** Where it died. */
    died: () => died
  }
})
