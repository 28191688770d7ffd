/** Banks that are removed, beside a provider that is asked to give them back, by a runner of tasks that can die anywhere. */

import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { storeFeed, ownerOf, storeWorkspace, makeWrite, scopeOf } from "@millrace/testing/fixture"
import { FaultPoints } from "@millrace/testing/fault"
import { pointedProvider, pointedStores } from "@millrace/verification/simulation/PointedPorts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import type { Bank } from "../../src/bank/Bank.ts"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { ConnectionSubjectStore } from "../../src/bank/ConnectionSubject.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import * as Kernel from "../../src/Kernel.ts"
import { type ProviderError } from "../../src/provider/ProviderError.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { RecordStore } from "../../src/record/RecordStore.ts"
import { backoffSeconds } from "../../src/task/TaskKind.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import type { RunAgain, RunningTask } from "../../src/task/TaskHandler.ts"
import { Transactor } from "../../src/storage/Transactor.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { AccountData } from "../../src/usecase/AccountData.ts"
import { connectionHandlers } from "../../src/usecase/ConnectionTasks.ts"
import { BankRemovals } from "../../src/usecase/BankRemovals.ts"
import { bankRemovals } from "../../src/usecase/BankRemovalTask.ts"
import { bankRemovalTask } from "../../src/usecase/BankRemovalTaskKind.ts"
import { makeOneUseProvider } from "../bank/OneUseProvider.ts"
import * as Redacted from "effect/Redacted"

const openRemovalsOf = Effect.fnUntraced(function* (keepsSubjects: boolean) {
  yield* TestClock.setTime(Date.parse("2026-11-20T10:00:00Z"))
  const { driver } = makeOneUseProvider()
  const points = new FaultPoints()
  /** Connections that the provider was asked to give back, and how it answers. */
  const revoked: Array<string> = []
  const upstream: Record<"answer" | "subjectAnswer", Effect.Effect<"done" | "pending", ProviderError>> = {
    answer: Effect.succeed("done"),
    subjectAnswer: Effect.succeed("done")
  }
  /** Subjects that the provider was asked to take back. */
  const subjectsAsked: Array<string> = []
  const provider: ProviderDriver = {
    ...driver,
    beginConnect: () =>
      Effect.map(Clock.currentTimeMillis, (now) => ({
        kind: "popup",
        url: "https://portal.example/",
        expiresAt: Timestamp.fromMillis(now + 600_000)
      })),
    ...(keepsSubjects
      ? {
          removeSubject: ({ ref }) =>
            Effect.suspend(() => {
              subjectsAsked.push(ref)
              return upstream.subjectAnswer
            })
        }
      : {}),
    open: (request) =>
      Effect.map(driver.open(request), (session) => ({
        ...session,
        revoke: Effect.suspend(() => {
          revoked.push(request.connection.ref)
          return upstream.answer
        })
      }))
  }
  let dies = false
  points.strike = (call, edge) =>
    dies && points.fired !== undefined && call === "Leases.free" && edge === "begins" ? Effect.interrupt : undefined
  const services = yield* Layer.build(
    Kernel.layerUseCases(Redacted.make("a secret of these tests alone")).pipe(
      Layer.provide(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
      Layer.provideMerge(Kernel.layerRun),
      Layer.provideMerge(Adapters.layer({ providers: [pointedProvider(points, provider)], folder: undefined })),
      Layer.provideMerge(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer)))
    )
  )
  return yield* Effect.gen(function* () {
    const store = yield* BankStore
    const subjects = yield* ConnectionSubjectStore
    const tasks = yield* TaskStore
    const records = yield* RecordStore
    const log = yield* EventStore
    const ids = yield* Ids
    const { atomically } = yield* Transactor
    const removals = yield* BankRemovals
    const banks = yield* Banks
    const data = yield* AccountData
    const handlers = [yield* bankRemovals, ...(yield* Effect.all(connectionHandlers))]
    const handlerOf = (name: string) => handlers.find(({ kind }) => kind.name === name)!
    const rooms = [bankRemovalTask.name, "connection_subject"].map((kind) => ({ kind, limit: 1 }))
    const workspace = yield* storeWorkspace()
    const caller = ownerOf(workspace)
    const start = banks.start(caller, { providerInstanceId: driver.instanceId, forceNewConnection: true })
    const connect = Effect.fnUntraced(function* (token: string, attemptId = token) {
      const { accounts, bank } = yield* banks.connect(caller, {
        instanceId: driver.instanceId,
        attemptId,
        payload: { kind: "plaid_public_token", publicToken: token }
      })
      const rows = yield* Effect.forEach([1, 2, 3], () => Effect.provideService(makeWrite(), Ids, ids))
      for (const account of accounts) yield* records.write(scopeOf(account), rows)
      return { bank, accounts }
    })
    /** One try of a task that is ready, as the runner makes it; `false` where none is. */
    const tryOnce = Effect.gen(function* () {
      const [claimed] = (yield* tasks.claim("runner", rooms, 10)).tasks
      if (claimed === undefined) return false
      const { fence, task } = claimed
      const complete = (again: RunAgain | void) =>
        Effect.gen(function* () {
          const id = yield* ids.next("task")
          yield* again === undefined
            ? tasks.complete(fence)
            : tasks.complete(fence, { id, afterSeconds: again.againSeconds })
        })
      let ended = false
      const running: RunningTask<unknown> = {
        ...task,
        workspaceId: task.workspaceId,
        attempt: task.attempts,
        guard: tasks.fence(fence),
        finish: (writes, again) =>
          Effect.tap(atomically(Effect.tap(Effect.andThen(tasks.fence(fence), writes), () => complete(again))), () =>
            Effect.sync(() => void (ended = true))
          )
      }
      const exit = yield* Effect.exit(handlerOf(task.kind).run(running))
      if (Exit.isFailure(exit)) {
        // A process that died writes nothing; otherwise the runner puts the task off.
        if (dies) return true
        yield* tasks.retry(fence, "failed", backoffSeconds(handlerOf(task.kind).kind.backoff, task.attempts))
        return true
      }
      if (!ended) yield* complete(exit.value)
      return true
    })
    /** Works off what becomes ready within so many seconds. */
    const work = Effect.fnUntraced(function* (seconds: number) {
      for (let passed = 0; ; passed += 30) {
        while (yield* tryOnce);
        if (passed >= seconds) return
        yield* TestClock.adjust("30 seconds")
      }
    })
    /** The same, dying at the nth point of the ports whose names begin so. */
    const workBadly = Effect.fnUntraced(function* (n: number, only = "") {
      dies = true
      points.arm(n, Effect.interrupt, only)
      yield* Effect.exit(Effect.yieldNow.pipe(Effect.andThen(tryOnce)))
      const { fired } = points
      points.arm(Infinity)
      dies = false
      return fired
    })
    /** What is done once an hour for subjects that nothing may need. */
    const lookAtSubjects = handlerOf("connection_subjects").run({
      payload: {},
      workspaceId: undefined,
      attempt: 1,
      guard: Effect.void
    } as unknown as RunningTask<unknown>)
    const life = (bank: Bank) =>
      Effect.map(store.get(workspace.id, bank.id), (found) =>
        Option.match(found, {
          onNone: () => "gone",
          onSome: ({ deletedAt, removal }) =>
            removal === undefined ? (deletedAt === undefined ? "live" : "deleted") : `${removal.state} ${removal.stage}`
        })
      )
    const told = Effect.map(log.read(workspace.id, 0, 1000), (events) =>
      events.flatMap(({ data: body, type }) => (type.startsWith("bank.re") ? [[type, body]] : []))
    )
    /** The live subject of the workspace, and those that have ended. */
    const subjectRefs = Effect.gen(function* () {
      const [live, ended] = [
        yield* subjects.get(workspace.id, driver.instanceId),
        yield* subjects.ended(workspace.id, driver.instanceId)
      ]
      return [Option.getOrUndefined(live)?.ref, ...ended.map(({ ref }) => ref)]
    })
    const held = (accounts: ReadonlyArray<Parameters<typeof scopeOf>[0]>) =>
      Effect.map(
        Effect.forEach(accounts, (account) => records.index(scopeOf(account), {})),
        (all) => all.flat().length
      )
    return {
      banks,
      caller,
      connect,
      data,
      held,
      life,
      lookAtSubjects,
      points,
      removals,
      revoked,
      start,
      store,
      subjectRefs,
      subjectsAsked,
      told,
      tryOnce,
      upstream,
      work,
      workBadly,
      workspace
    }
  }).pipe(
    Effect.provide(services),
    Effect.map((all) => ({
      ...all,
      /** A feed that names an account of the bank. */
      use: (bank: Bank, accountId: string) =>
        storeFeed(all.workspace, {
          sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: accountId as never }] }
        }).pipe(Effect.provide(services))
    }))
  )
})

export const minutes = (count: number) => count * 60

/** An upstream that keeps whoever connections belong to. */
export const openRemovals = Effect.suspend(() => openRemovalsOf(true))

/** One that keeps nothing but connections. */
export const openRemovalsWithoutSubjects = Effect.suspend(() => openRemovalsOf(false))
