/** Connections that nobody reads: they are looked at, and people hear of a consent before it ends. */
import { makeBank, storeWorkspace } from "@millrace/testing/fixture"
import { connect } from "@millrace/verification/simulation/Simulation"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { expect } from "vitest"
import { connectionRequiresAttention } from "../../src/bank/BankEvents.ts"
import { AccountLists } from "../../src/bank/AccountList.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { ConnectionChecks } from "../../src/bank/ConnectionChecks.ts"
import { Sessions } from "../../src/bank/Sessions.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import type { RunningTask } from "../../src/task/TaskHandler.ts"
import { TaskStore } from "../../src/task/TaskStore.ts"
import { connectionCheckTask } from "../../src/usecase/BankRemovalTaskKind.ts"
import { recheckConfigured } from "../../src/usecase/ConfiguredAgain.ts"
import { connectionHandlers } from "../../src/usecase/ConnectionTasks.ts"
import { memoryScene } from "../sync/MemoryScene.ts"

const hour = 3_600_000
const day = 24 * hour

memoryScene("a bank whose accounts nobody could read is read within the hour", { model: "upsertByKey" }, (on) =>
  Effect.gen(function* () {
    const [banks, tasks] = [yield* BankStore, yield* TaskStore]
    const [{ bank: upstreamOf, driver } = expect.fail("no provider")] = on.providers
    const workspace = yield* storeWorkspace({ plan: "enterprise" })
    upstreamOf("unread", ["a", "b"])
    const bank = yield* makeBank(workspace, {
      providerInstanceId: driver.instanceId,
      // As an attempt that was completed without its accounts leaves it: nobody has looked at it.
      connectionStatus: { connected: true, status: "pending", errorCode: "ACCOUNTS_NOT_READ" }
    })
    yield* banks.insert(bank, { instanceId: driver.instanceId, connection: { ref: "unread", secrets: {} } })
    const handlers = yield* Effect.all(connectionHandlers).pipe(Effect.provide(Providers.layer([driver])))
    const plain = { payload: {}, workspaceId: undefined, attempt: 1, guard: Effect.void }
    const { name } = connectionCheckTask
    const run = (kind: string, task: object) =>
      handlers.find((one) => one.kind.name === kind)!.run({ ...plain, ...task } as unknown as RunningTask<unknown>)
    yield* run("connection_checks", {})
    for (const { task } of (yield* tasks.claim("runner", [{ kind: name, limit: 10 }], 60)).tasks) yield* run(name, task)
    const read = Option.getOrThrow(yield* banks.get(workspace.id, bank.id)).connectionStatus
    expect([read?.status, read?.errorCode]).toEqual(["connected", undefined])
    expect((yield* banks.accounts(bank.id)).map(({ providerAccountId }) => providerAccountId).toSorted()).toEqual([
      "a",
      "b"
    ])
  })
)

memoryScene("a consent is told 14, 7 and 1 days before it ends, and when it has", { model: "upsertByKey" }, (on) =>
  Effect.gen(function* () {
    const { bank, upstream, workspace } = yield* connect(on, on.providers[0]!, ["a"])
    const banks = yield* BankStore
    const events = yield* EventStore
    const tasks = yield* TaskStore
    const handlers = yield* Effect.all(connectionHandlers).pipe(
      Effect.provide(Providers.layer(on.providers.map(({ driver }) => driver)))
    )
    const handlerOf = (name: string) => handlers.find(({ kind }) => kind.name === name)!
    /** What processes do in an hour: the banks that are due are found, then looked at. */
    const anHour = Effect.gen(function* () {
      const plain = { payload: {}, workspaceId: undefined, attempt: 1, guard: Effect.void }
      yield* handlerOf("connection_checks").run(plain as unknown as RunningTask<unknown>)
      const { name } = connectionCheckTask
      for (const { fence, task } of (yield* tasks.claim("runner", [{ kind: name, limit: 10 }], 60)).tasks) {
        yield* handlerOf(name).run({ ...plain, ...task } as unknown as RunningTask<unknown>)
        yield* tasks.complete(fence)
      }
      yield* on.pass(3_600)
    })
    const told = Effect.map(events.read(workspace.id, 0, 1_000), (all) =>
      all.flatMap((event) =>
        Option.toArray(connectionRequiresAttention.dataOf(event)).map(({ expiresAt, reason }) => {
          const left = (Timestamp.toMillis(expiresAt!) - Timestamp.toMillis(event.at)) / day
          return `${reason} ${Math.round(left)}`
        })
      )
    )
    const end = Timestamp.fromMillis((yield* Clock.currentTimeMillis) + 20 * day)
    upstream.health = { status: "connected", consentExpiresAt: end }
    for (let hours = 0; hours < 21 * 24; hours++) yield* anHour
    expect(yield* told).toEqual([
      "consent_expiring 14",
      "consent_expiring 7",
      "consent_expiring 1",
      "consent_expired 0"
    ])
    expect(Option.getOrThrow(yield* banks.get(workspace.id, bank.id)).connectionStatus).toMatchObject({
      connected: false,
      status: "consent_expired",
      consentExpiresAt: end,
      source: "reconciler"
    })
  })
)

memoryScene("a bank whose provider is no longer configured says so until it is", { model: "upsertByKey" }, (on) =>
  Effect.gen(function* () {
    const { bank, workspace } = yield* connect(on, on.providers[0]!, ["a"])
    const [banks, tasks, events] = [yield* BankStore, yield* TaskStore, yield* EventStore]
    const { instanceId } = on.providers[0]!.driver
    const configured = on.providers.map(({ driver }) => driver)
    /** Banks that starts have found. */
    const found: Array<number> = []
    /** What a server that has these providers finds when the bank is due. */
    const checkedWith = (drivers: typeof configured, isStart = false) =>
      Effect.gen(function* () {
        yield* on.pass(isStart ? 1 : 7 * 3_600)
        const services = ConnectionChecks.layer.pipe(
          Layer.provide(AccountLists.layer),
          Layer.provide(Sessions.layer),
          Layer.provideMerge(Providers.layer(drivers))
        )
        // Local: what the scene has built knows its providers.
        const handlers = yield* Effect.all(connectionHandlers).pipe(Effect.provide(services, { local: true }))
        const plain = { payload: {}, workspaceId: undefined, attempt: 1, guard: Effect.void }
        const run = (kind: string, task: object) =>
          handlers.find((one) => one.kind.name === kind)!.run({ ...plain, ...task } as unknown as RunningTask<unknown>)
        if (isStart) found.push(yield* Effect.provide(recheckConfigured, services, { local: true }))
        else yield* run("connection_checks", {})
        const { name } = connectionCheckTask
        for (const { fence, task } of (yield* tasks.claim("runner", [{ kind: name, limit: 10 }], 60)).tasks) {
          yield* run(name, task)
          yield* tasks.complete(fence)
        }
        return Option.getOrThrow(yield* banks.get(workspace.id, bank.id)).connectionStatus
      })
    const attention = Effect.map(events.read(workspace.id, 0, 1_000), (all) =>
      all.flatMap((event) => Option.toArray(connectionRequiresAttention.dataOf(event)).map(({ reason }) => reason))
    )
    expect(yield* checkedWith(configured)).toMatchObject({ connected: true, status: "connected" })
    const before = yield* attention
    // Looked at twice, it says the same and tells nobody once more.
    for (let n = 0; n < 2; n++) {
      const status = yield* checkedWith([])
      expect(status).toMatchObject({ connected: false, status: "error", errorCode: "PROVIDER_MISCONFIGURED" })
      for (const named of [instanceId, "MILLRACE_PROVIDERS", "configuration file"]) {
        expect(status?.errorMessage).toContain(named)
      }
    }
    expect((yield* attention).length - before.length).toBeLessThanOrEqual(1)
    const after = yield* checkedWith(configured)
    expect([after?.connected, after?.status, after?.errorCode]).toEqual([true, "connected", undefined])
    // A server that starts with the provider does not wait until the bank is due.
    expect(yield* checkedWith([])).toMatchObject({ status: "error" })
    expect(yield* checkedWith([], true)).toMatchObject({ status: "error" })
    expect(yield* checkedWith(configured, true)).toMatchObject({ connected: true, status: "connected" })
    expect(yield* checkedWith(configured, true)).toMatchObject({ connected: true, status: "connected" })
    expect(found).toEqual([0, 1, 0])
  })
)
