import { expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { openFor, plainCapabilities } from "@millrace/testing/fake"
import { makeBank, storeWorkspace } from "@millrace/testing/fixture"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { Sessions } from "../../src/bank/Sessions.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { ReauthRequired } from "../../src/provider/ProviderError.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { remembered } from "../../src/provider/Remembered.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"

/** An upstream whose tokens work once: each request gives another one. */
const oneUse = () => {
  let good = 0
  const asked: Array<string> = []
  const driver: ProviderDriver = {
    kind: "demo",
    instanceId: "demo:rotating",
    name: "Rotating",
    countryCodes: [],
    capabilities: { ...plainCapabilities, dataTypes: {} },
    listInstitutions: () => Effect.succeed([]),
    beginConnect: () => Effect.die("not used"),
    completeConnect: () => Effect.die("not used"),
    open: ({ connection, keep }) =>
      Effect.sync(() => {
        let { token } = connection.secrets
        const ask = <A>(what: string, answer: A) =>
          Effect.gen(function* () {
            asked.push(`${what} ${token}`)
            if (token !== `t${good}`) return yield* new ReauthRequired({ message: "This token was used" })
            const next = `t${++good}`
            yield* keep({ token: next })
            token = next
            return answer
          })
        return {
          inspect: ask("inspect", { status: "connected" } as const),
          listAccounts: ask("accounts", []),
          pull: () =>
            ask("pull", {
              upserted: [],
              removed: [],
              quarantined: [],
              coverage: { kind: "delta" },
              end: { kind: "done" }
            } as const),
          revoke: ask("revoke", "done" as const)
        }
      })
  }
  return { driver, asked }
}

const arrange = Effect.gen(function* () {
  const { asked, driver } = oneUse()
  const services = yield* Layer.build(
    Banks.layer.pipe(
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(Layer.mergeAll(Providers.layer([driver]), NodeDigest.layer, MemoryStorage.layer))
    )
  )
  return yield* Effect.gen(function* () {
    const [sessions, store] = [yield* Sessions, yield* BankStore]
    const workspace = yield* storeWorkspace()
    const bank = yield* makeBank(workspace, { providerInstanceId: driver.instanceId })
    const connection = { ref: "r", secrets: { token: "t0", other: "stays" } }
    yield* store.insert(bank, { instanceId: driver.instanceId, connection })
    const held = Effect.map(store.connection(bank.id), (found) => Option.getOrThrow(found).connection.secrets)
    return { asked, bank, driver, held, sessions, store }
  }).pipe(Effect.provide(services))
})

const request = { dataType: "transactions", providerAccountIds: [], from: "2026-01-01", to: "2026-01-02" } as never

it.effect("a session asks for health and accounts once, and keeps each new secret beside those that stay", () =>
  Effect.gen(function* () {
    const { asked, bank, held, sessions } = yield* arrange
    const session = yield* sessions.open(bank)
    for (let n = 0; n < 3; n++) yield* Effect.all([session.inspect, session.listAccounts])
    yield* session.pull(request)
    expect(asked).toEqual(["inspect t0", "accounts t1", "pull t2"])
    expect(yield* held).toEqual({ token: "t3", other: "stays" })
    // The next run begins with what this one has left.
    yield* (yield* sessions.open(bank)).inspect
    expect(asked.at(-1)).toBe("inspect t3")
  })
)

it.effect("a run whose secrets another one has replaced goes on with the newest", () =>
  Effect.gen(function* () {
    const { asked, bank, held, sessions } = yield* arrange
    const [one, other] = [yield* sessions.open(bank), yield* sessions.open(bank)]
    yield* one.inspect
    yield* other.pull(request)
    yield* one.pull(request)
    yield* other.listAccounts
    expect(asked).toEqual(["inspect t0", "pull t0", "pull t1", "pull t1", "pull t2", "accounts t2", "accounts t3"])
    expect(yield* held).toEqual({ token: "t4", other: "stays" })
  })
)

it.effect("what is refused with the newest secrets is refused", () =>
  Effect.gen(function* () {
    const { asked, bank, driver, sessions } = yield* arrange
    const session = yield* sessions.open(bank)
    // Somebody uses the token without telling us.
    yield* (yield* openFor(driver, { ref: "r", secrets: { token: "t0" } })).inspect
    expect((yield* Effect.flip(session.pull(request)))._tag).toBe("ReauthRequired")
    expect(asked).toHaveLength(2)
  })
)

it.effect("a bank that was connected anew meanwhile keeps its new secrets, and the run goes on with them", () =>
  Effect.gen(function* () {
    const { bank, driver, held, sessions, store } = yield* arrange
    const session = yield* sessions.open(bank)
    const anew = { ref: "r", secrets: { token: "anew" } }
    const status = { connected: true, status: "connected" } as const
    yield* store.replaceConnection(bank.id, { instanceId: driver.instanceId, connection: anew }, status, bank.updatedAt)
    yield* session.inspect
    expect(yield* held).toEqual({ token: "anew" })
  })
)

it.effect("an answer is remembered from the first that succeeds on, for all who wait for it", () =>
  Effect.gen(function* () {
    let asked = 0
    const ask = remembered(
      Effect.suspend(() => {
        asked++
        return asked < 3 ? Effect.fail(new StorageUnavailable({ message: "away" })) : Effect.as(Effect.sleep(10), asked)
      })
    )
    yield* Effect.flip(ask)
    yield* Effect.flip(ask)
    const all = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
    yield* TestClock.adjust(10)
    expect(yield* Fiber.join(all)).toEqual([3, 3, 3])
    expect(asked).toBe(3)
  })
)
