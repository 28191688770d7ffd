/** Where a sign-in ends that is about a bank which is there: at that bank, at another one, or at the same login once more. */
import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { ConnectReturns } from "../../src/bank/ConnectReturns.ts"
import { ConnectionAttemptStore } from "../../src/bank/ConnectionAttemptStore.ts"
import { ConnectionSubjectStore } from "../../src/bank/ConnectionSubject.ts"
import { accountJoinSuggested } from "../../src/bank/BankEvents.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { joinSuggestions } from "../../src/bank/JoinSuggestions.ts"
import * as Kernel from "../../src/Kernel.ts"
import type { Institution } from "../../src/provider/Connect.ts"
import { ConnectionGone } from "../../src/provider/ProviderError.ts"
import type { ProviderDriver } from "../../src/provider/Provider.ts"
import { makeConnectionUpstream } from "./ConnectionUpstream.ts"

const institutionOf = (id: string): Institution => ({ id, name: `Bank ${id}`, countryCodes: [], status: "ok" })

const open = Effect.fnUntraced(function* (flow: "portal" | "token" = "portal") {
  const upstream = makeConnectionUpstream()
  /** The institution of each connection; that of the upstream unless it is here. */
  const institutions = new Map<string, string>()
  /** Whether the upstream has lost connections that are to be mended, or everything. */
  const lost = { connections: false, subjects: false }
  const asked: Array<string | undefined> = []
  const driver: ProviderDriver = {
    ...upstream.driver,
    capabilities: { ...upstream.driver.capabilities, connectFlow: flow },
    beginConnect: (request) =>
      lost.subjects || (lost.connections && request.reconnect !== undefined)
        ? Effect.fail(new ConnectionGone({ message: "Nobody here knows it" }))
        : Effect.tap(upstream.driver.beginConnect(request), () => Effect.sync(() => asked.push(request.institutionId))),
    completeConnect: (request) =>
      Effect.map(upstream.driver.completeConnect(request), (completed) => {
        const id = institutions.get(completed.connection.ref)
        const given = id ?? request.payload.institutionId
        return given === undefined ? completed : { ...completed, institution: institutionOf(given) }
      })
  }
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [driver], folder: undefined })),
      Layer.provideMerge(MemoryStorage.layer)
    )
  )
  return yield* Effect.gen(function* () {
    const [banks, store, attempts] = [yield* Banks, yield* BankStore, yield* ConnectionAttemptStore]
    const subjects = yield* ConnectionSubjectStore
    const workspace = yield* storeWorkspace({ plan: "enterprise" })
    const caller = ownerOf(workspace)
    const start = (more: object = {}) =>
      banks.start(caller, { providerInstanceId: driver.instanceId, email: "person@example.com", ...more })
    const complete = (attemptId: string, connectionId: string, institutionId?: string) =>
      banks.connect(caller, {
        instanceId: driver.instanceId,
        started: true,
        attemptId,
        payload: {
          kind: "provider_connection_id",
          connectionId,
          ...(institutionId === undefined ? {} : { institutionId })
        }
      })
    /** The person signs in: the connection is there upstream, with these accounts. */
    const signIn = Effect.fnUntraced(function* (ref: string, institution: string, accounts?: ReadonlyArray<string>) {
      const subject = Option.getOrThrow(yield* subjects.get(workspace.id, driver.instanceId))
      if (accounts !== undefined) upstream.bank(ref, accounts)
      upstream.connectAs(subject.ref, ref)
      institutions.set(ref, institution)
    })
    const connect = Effect.fnUntraced(function* (ref: string, institution: string, accounts?: ReadonlyArray<string>) {
      const { attempt } = yield* start()
      yield* signIn(ref, institution, accounts)
      return yield* complete(attempt.attemptId, ref)
    })
    const all = store.list([workspace.id])
    const [returns, log] = [yield* ConnectReturns, yield* EventStore]
    return {
      all,
      asked,
      attempts,
      banks,
      caller,
      complete,
      connect,
      log,
      lost,
      returns,
      signIn,
      start,
      store,
      upstream,
      workspace
    }
  }).pipe(Effect.provide(services))
})

describe("a bank that is connected again", () => {
  it.effect("gets another connection at its institution where the upstream has lost the one it had", () =>
    Effect.gen(function* () {
      const { all, asked, banks, caller, complete, connect, lost, signIn } = yield* open()
      const { bank } = yield* connect("one", "a")
      lost.connections = true
      const { attempt, step } = yield* banks.reauth(caller, bank.id, {})
      expect([step.kind, asked.at(-1)]).toEqual(["popup", "a"])
      yield* signIn("one again", "a")
      expect(yield* complete(attempt.attemptId, "one again")).toMatchObject({ created: false, bank: { id: bank.id } })
      expect(yield* all).toHaveLength(1)
    })
  )

  it.effect("never says that it must be connected again, whatever the upstream has lost", () =>
    Effect.gen(function* () {
      const { banks, caller, connect, lost, start } = yield* open()
      const { bank } = yield* connect("one", "a")
      lost.subjects = true
      for (const begin of [start(), start({ forceNewConnection: true }), banks.reauth(caller, bank.id, {})]) {
        expect(yield* Effect.flip(begin)).toMatchObject({ _tag: "ProviderUnavailable" })
      }
    })
  )

  it.effect("refuses a sign-in at another institution, names both, and changes nothing", () =>
    Effect.gen(function* () {
      const { all, banks, caller, complete, connect, signIn, store, upstream } = yield* open()
      const { bank } = yield* connect("one", "a")
      yield* store.setStatus(bank.id, { connected: false, status: "disconnected" }, bank.createdAt)
      const before = [yield* all, yield* store.accounts(bank.id), yield* store.connection(bank.id)]
      const { attempt } = yield* banks.reauth(caller, bank.id, {})
      yield* signIn("two", "b")
      for (let n = 0; n < 2; n++) {
        const refused = yield* Effect.flip(complete(attempt.attemptId, "two"))
        expect(refused).toMatchObject({ _tag: "Conflict", code: "INSTITUTION_MISMATCH" })
        expect([refused.message.includes("Bank a"), refused.message.includes("Bank b")]).toEqual([true, true])
      }
      expect([yield* all, yield* store.accounts(bank.id), yield* store.connection(bank.id)]).toEqual(before)
      expect(yield* banks.attempt(caller, attempt.id)).toMatchObject({
        state: "failed",
        error: { code: "INSTITUTION_MISMATCH" }
      })
      // What nobody uses costs money and opens data.
      expect(upstream.connections.get("two")!.revoked).toBe(true)
    })
  )

  it.effect("leaves a connection alone that is another bank of ours, when a sign-in ends there by mistake", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, connect, store, upstream } = yield* open()
      const { bank } = yield* connect("one", "a")
      yield* connect("two", "b")
      yield* store.setStatus(bank.id, { connected: false, status: "disconnected" }, bank.createdAt)
      const { attempt } = yield* banks.reauth(caller, bank.id, {})
      expect(yield* Effect.flip(complete(attempt.attemptId, "two"))).toMatchObject({ code: "INSTITUTION_MISMATCH" })
      expect(upstream.connections.get("two")!.revoked).toBe(false)
    })
  )
})

describe("a login that is connected already", () => {
  it.effect(
    "is the bank that has exactly its accounts, at its institution, unless another connection was asked for",
    () =>
      Effect.gen(function* () {
        const random = new Seeded(27)
        const names = ["a1", "a2", "a3"]
        for (let n = 0; n < 60; n++) {
          const { all, complete, connect, signIn, start } = yield* open()
          const held = names.filter(() => random.below(2) === 0)
          const shown = random.once(2) ? held : names.filter(() => random.below(2) === 0)
          const institution = random.pick(["a", "a", "b"])
          const forced = random.once(3)
          const first = yield* connect("one", "a", held)
          const { attempt } = yield* start(forced ? { forceNewConnection: true } : {})
          yield* signIn("two", institution, shown)
          const second = yield* complete(attempt.attemptId, "two")
          const isSame = !forced && institution === "a" && held.length > 0 && held.join() === shown.join()
          const scene = { held, shown, institution, forced }
          expect({ ...scene, created: second.created }).toEqual({ ...scene, created: !isSame })
          expect({ ...scene, same: second.bank.id === first.bank.id }).toEqual({ ...scene, same: isSame })
          expect(yield* all).toHaveLength(isSame ? 1 : 2)
          if (isSame) expect(second.accounts.map(({ id }) => id)).toEqual(first.accounts.map(({ id }) => id))
        }
      })
  )
})

describe("another login at the bank", () => {
  it.effect("shows some of the same accounts: each of them, and no other, is suggested to be joined", () =>
    Effect.gen(function* () {
      const random = new Seeded(28)
      const names = ["a1", "a2", "a3", "a4"]
      for (let n = 0; n < 40; n++) {
        const { connect, log, store, workspace } = yield* open()
        const held = names.filter(() => random.below(2) === 0)
        const shown = names.filter(() => random.below(2) === 0)
        if (held.join() === shown.join()) continue
        const first = yield* connect("one", "a", held)
        const second = yield* connect("two", random.pick(["a", "a", "b"]), shown)
        const isSameBank = first.bank.institutionId === second.bank.institutionId
        const owned = [first, second].flatMap(({ accounts, bank }) => accounts.map((account) => ({ account, bank })))
        const accountOf = (of: typeof first, name: string) =>
          of.accounts.find(({ stableKeys }) => stableKeys.includes(`scripted:${name}`))!
        const expected = (isSameBank ? shown.filter((name) => held.includes(name)) : []).map((name) => [
          accountOf(second, name).id,
          [accountOf(first, name).id]
        ])
        const found = second.accounts.flatMap((account) => {
          const like = joinSuggestions({ account, bank: second.bank }, owned).map(({ accountId }) => accountId)
          return like.length === 0 ? [] : [[account.id, like]]
        })
        const scene = { held, shown, isSameBank }
        expect({ ...scene, found: found.toSorted() }).toEqual({ ...scene, found: expected.toSorted() })
        // Whoever follows the events is asked as well.
        const asked = (yield* log.read(workspace.id, 0, 100)).filter(({ type }) => type === accountJoinSuggested.type)
        expect({ ...scene, events: asked.length }).toEqual({ ...scene, events: expected.length })
        expect(yield* store.list([workspace.id])).toHaveLength(2)
      }
    })
  )
})

describe("what the browser brings back", () => {
  it.effect("cannot replace the institution that the attempt was begun with", () =>
    Effect.gen(function* () {
      const { complete, signIn, start, upstream } = yield* open()
      const { attempt } = yield* start({ institutionId: "a" })
      yield* signIn("one", "a")
      upstream.connectAs(upstream.sessions[0]!.user, "free")
      expect(yield* complete(attempt.attemptId, "free", "b")).toMatchObject({ bank: { institutionId: "a" } })
    })
  )

  it.effect("may be pasted once more where a person fetches it, and is kept for no task", () =>
    Effect.gen(function* () {
      const { attempts, banks, caller, complete, signIn, start } = yield* open("token")
      const { attempt } = yield* start()
      yield* signIn("one", "a")
      expect(yield* Effect.flip(complete(attempt.attemptId, "mistyped"))).toMatchObject({
        _tag: "InvalidConnectPayload"
      })
      expect(yield* banks.attempt(caller, attempt.id)).toMatchObject({ state: "open" })
      expect(yield* attempts.part(attempt.id, "payload")).toEqual(Option.none())
      expect(yield* complete(attempt.attemptId, "one")).toMatchObject({ created: true })
    })
  )

  it.effect(
    "ends the attempt where a task hands over a token that is refused, since nobody could paste another one",
    () =>
      Effect.gen(function* () {
        const { attempts, banks, caller, returns, start, workspace } = yield* open("token")
        const { attempt } = yield* start()
        // What a process leaves that died after it had used the token up.
        yield* attempts.move(attempt.id, "complete", attempt.createdAt)
        const used = { kind: "provider_connection_id", connectionId: "used" } as const
        yield* attempts.keep(attempt.id, "payload", used, attempt.createdAt)
        const left = Option.getOrThrow(yield* attempts.get(attempt.id))
        expect(yield* Effect.flip(returns.goOn({ attempt: left, workspace }))).toMatchObject({
          _tag: "InvalidConnectPayload"
        })
        expect(yield* banks.attempt(caller, attempt.id)).toMatchObject({
          state: "failed",
          error: { code: "INVALID_PAYLOAD", message: expect.any(String) }
        })
      })
  )
})
