/** Attempts from their beginning to whatever end: each state, each way there, and what is known upstream at each step. */
import { describe, expect, it } from "@effect/vitest"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { FaultPoints } from "@millrace/testing/fault"
import { pointedProvider, pointedStores } from "@millrace/verification/simulation/PointedPorts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { Banks } from "../../src/bank/Banks.ts"
import { BankStore } from "../../src/bank/BankStore.ts"
import { CurrentConnectAddresses } from "../../src/bank/ConnectAddresses.ts"
import { ConnectionAttemptStore } from "../../src/bank/ConnectionAttemptStore.ts"
import { ConnectionSubjectStore } from "../../src/bank/ConnectionSubject.ts"
import { ConnectReturns } from "../../src/bank/ConnectReturns.ts"
import * as Kernel from "../../src/Kernel.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { ProviderUnavailable } from "../../src/provider/ProviderError.ts"
import { WorkspaceStore } from "../../src/workspace/WorkspaceStore.ts"
import type { PlanName } from "../../src/workspace/Plan.ts"
import { InstitutionNames, KnownInstitutions } from "../../src/bank/InstitutionNames.ts"
import { makeConnectionUpstream } from "./ConnectionUpstream.ts"

const stateOf = (page: string | undefined) => decodeURIComponent(page!.slice(page!.lastIndexOf("=") + 1))

const open = Effect.fnUntraced(function* (plan: PlanName = "enterprise") {
  const upstream = makeConnectionUpstream()
  const { driver } = upstream
  const points = new FaultPoints()
  const services = yield* Layer.build(
    Kernel.layerRun.pipe(
      Layer.provideMerge(Adapters.layer({ providers: [pointedProvider(points, driver)], folder: undefined })),
      Layer.provideMerge(pointedStores(points).pipe(Layer.provideMerge(MemoryStorage.layer))),
      Layer.provide(Layer.succeed(CurrentConnectAddresses, { base: "https://money.example", isPublic: true }))
    )
  )
  return yield* Effect.gen(function* () {
    const [banks, store, attempts] = [yield* Banks, yield* BankStore, yield* ConnectionAttemptStore]
    const [returns, subjects, workspaces] = [
      yield* ConnectReturns,
      yield* ConnectionSubjectStore,
      yield* WorkspaceStore
    ]
    const workspace = yield* storeWorkspace({ plan })
    const caller = ownerOf(workspace)
    const providerInstanceId = driver.instanceId
    const request = { providerInstanceId, email: "person@example.com" }
    const start = (more: object = {}) => banks.start(caller, { ...request, ...more })
    const complete = (connectionId: string, attemptId?: string) =>
      banks.connect(caller, {
        instanceId: providerInstanceId,
        started: true,
        payload: { kind: "provider_connection_id", connectionId },
        ...(attemptId === undefined ? {} : { attemptId })
      })
    const user = Effect.map(subjects.get(workspace.id, providerInstanceId), (one) => Option.getOrThrow(one).ref)
    /** The person signs in, and the connection is there upstream. */
    const signIn = (ref: string) => Effect.map(user, (ref_) => upstream.connectAs(ref_, ref))
    const returned = (page: string | undefined) =>
      Effect.map(returns.byState(stateOf(page)), (one) => Option.getOrThrow(one))
    return {
      attempts,
      banks,
      caller,
      complete,
      points,
      request,
      returned,
      returns,
      signIn,
      start,
      store,
      subjects,
      upstream,
      workspace,
      workspaces
    }
  }).pipe(Effect.provide(services))
})

const hour = 3_600

describe("beginning a connection", () => {
  it.effect("shows a step, keeps whose it is upstream, and completes to a bank with what the attempt kept", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, returned, signIn, start, store, subjects, upstream, workspace } = yield* open()
      const { attempt, page, step } = yield* start({ redirectUri: "https://app.example/back" })
      expect(step).toMatchObject({ kind: "popup" })
      // Where the upstream sends the browser is our landing page, whatever the caller asked for.
      expect(decodeURIComponent(step!.kind === "popup" ? step!.url : "")).toContain(
        "to=https://money.example/connect/callback/demo%3Aportal?state="
      )
      expect(attempt).toMatchObject({ state: "open", flow: "portal_popup", redirectUri: "https://app.example/back" })
      // A portal's page may be open for hours, but not for ever.
      expect(attempt.expiresAt).toBe("1970-01-01T04:00:00.000Z")
      expect(yield* banks.attempt(caller, attempt.id)).toMatchObject({ state: "open", flow: "portal_popup" })
      expect((yield* returned(page)).attempt.id).toBe(attempt.id)
      const subject = Option.getOrThrow(yield* subjects.get(workspace.id, upstream.driver.instanceId))
      expect(upstream.users).toEqual(new Map([[subject.ref, subject.secrets["userSecret"]]]))
      yield* signIn("one")
      const made = yield* complete("one", attempt.attemptId)
      expect(made).toMatchObject({ created: true, bank: { name: "one" }, accounts: [{}, {}] })
      expect(Option.getOrThrow(yield* store.connection(made.bank.id)).connection.secrets).toEqual({
        session: "session 0"
      })
      expect(yield* banks.attempt(caller, attempt.id)).toMatchObject({ state: "completed", bankId: made.bank.id })
      expect(yield* complete("one", attempt.attemptId)).toMatchObject({ created: false, bank: { id: made.bank.id } })
      // The second connection of the workspace belongs to the same user.
      yield* start()
      expect(upstream.users.size).toBe(1)
    })
  )

  it.effect("refuses before it asks anybody: the plan, a provider that is not here, an address to return to", () =>
    Effect.gen(function* () {
      const { caller, banks, complete, request, signIn, start, upstream } = yield* open("free")
      for (const redirectUri of [
        "javascript:alert(1)",
        "http://example.com/",
        "https://u:p@example.com/",
        "//x",
        "app:x"
      ]) {
        expect(yield* Effect.flip(start({ redirectUri }))).toMatchObject({
          _tag: "InvalidInput",
          details: [{ field: "redirectUri" }]
        })
      }
      expect(yield* Effect.flip(banks.start(caller, { ...request, providerInstanceId: "plaid:us" }))).toMatchObject({
        _tag: "ProviderNotAvailable"
      })
      expect([upstream.users.size, upstream.sessions]).toEqual([0, []])
      for (const redirectUri of ["http://127.0.0.1:8000/", "com.example.app:/back"]) yield* start({ redirectUri })
      expect(yield* Effect.flip(start({ institutionId: "unknown" }))).toMatchObject({
        _tag: "InvalidInput",
        details: [{ field: "institutionId" }]
      })
      yield* signIn("one")
      yield* complete("one")
      expect(yield* Effect.flip(start())).toMatchObject({ _tag: "PlanLimitReached" })
    })
  )

  it.effect("tells the bank that is there, and goes on with what the person chooses", () =>
    Effect.gen(function* () {
      const { complete, returned, returns, signIn, start, upstream } = yield* open()
      const first = yield* start({ institutionId: "portal-bank" })
      yield* signIn("one")
      const { bank } = yield* complete("one", first.attempt.attemptId)
      const asked = yield* start({ institutionId: "portal-bank" })
      expect(asked).toMatchObject({
        step: undefined,
        existingBanks: [{ id: bank.id, name: "one", requiresReauth: false }],
        canCreateAdditional: true,
        attempt: { flow: "existing_connection" }
      })
      const back = yield* returned(asked.page)
      expect(yield* returns.existing(back)).toMatchObject([{ id: bank.id }])
      const step = yield* returns.choose(back, stateOf(asked.page), bank.id)
      expect(upstream.sessions.at(-1)).toMatchObject({ reconnect: "one" })
      // Whoever goes back and answers once more gets what was answered.
      expect(yield* returns.choose(back, stateOf(asked.page), undefined)).toEqual(step)
      const again = yield* complete("one", asked.attempt.attemptId)
      expect(again).toMatchObject({ created: false, bank: { id: bank.id } })
      const another = yield* start({ institutionId: "portal-bank", forceNewConnection: true })
      expect(another.step).toBeDefined()
      yield* signIn("two")
      expect(yield* complete("two", another.attempt.attemptId)).toMatchObject({ created: true })
    })
  )

  it.effect("supersedes the earlier attempt of a bank, and gives a bank that is gone another connection", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, signIn, start, store, upstream } = yield* open()
      const first = yield* start()
      yield* signIn("one")
      const { bank, accounts } = yield* complete("one", first.attempt.attemptId)
      const earlier = yield* banks.reauth(caller, bank.id, {})
      const later = yield* banks.reauth(caller, bank.id, {})
      expect(yield* banks.attempt(caller, earlier.attempt.id)).toMatchObject({ state: "superseded" })
      expect(yield* Effect.flip(complete("one", earlier.attempt.attemptId))).toMatchObject({ _tag: "Conflict" })
      expect(yield* complete("one", later.attempt.attemptId)).toMatchObject({ created: false, bank: { id: bank.id } })
      yield* store.setStatus(bank.id, { connected: false, status: "disconnected" }, bank.createdAt)
      const anew = yield* banks.reauth(caller, bank.id, {})
      expect(upstream.sessions.at(-1)).toMatchObject({ reconnect: undefined })
      yield* signIn("one again")
      const moved = yield* complete("one again", anew.attempt.attemptId)
      expect(moved).toMatchObject({ created: false, bank: { id: bank.id, connectionStatus: { connected: true } } })
      expect(accounts.every(({ bankId }) => bankId === bank.id)).toBe(true)
      expect(yield* store.list([bank.workspaceId])).toHaveLength(1)
    })
  )

  it.effect("completes what was begun, a repair or another connection, whatever becomes of the bank meanwhile", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, signIn, start, store, upstream } = yield* open()
      const first = yield* start()
      yield* signIn("one")
      const { bank } = yield* complete("one", first.attempt.attemptId)
      const turn = (status: "connected" | "disconnected") =>
        store.setStatus(bank.id, { connected: status === "connected", status }, bank.createdAt)
      const same = { created: false, bank: { id: bank.id, connectionStatus: { connected: true } } }

      const repair = yield* banks.reauth(caller, bank.id, {})
      yield* turn("disconnected")
      expect(yield* complete("one", repair.attempt.attemptId)).toMatchObject(same)
      expect(upstream.completions.at(-1)).toBe("one")

      yield* turn("disconnected")
      const another = yield* banks.reauth(caller, bank.id, {})
      yield* signIn("one again")
      yield* turn("connected")
      expect(yield* complete("one again", another.attempt.attemptId)).toMatchObject(same)
      expect(upstream.completions.at(-1)).toBeUndefined()

      // The upstream has lost it since: the bank says so, and the next attempt makes another one.
      const late = yield* banks.reauth(caller, bank.id, {})
      expect(upstream.sessions.at(-1)).toMatchObject({ reconnect: "one again" })
      expect(yield* Effect.flip(complete("gone", late.attempt.attemptId))).toMatchObject({ _tag: "ConnectionGone" })
      expect(yield* banks.attempt(caller, late.attempt.id)).toMatchObject({
        state: "failed",
        error: { message: "There is no such connection" }
      })
      expect(yield* Effect.flip(complete("gone", late.attempt.attemptId))).toMatchObject({
        message: "This attempt is failed: There is no such connection. Start another attempt"
      })
      expect(yield* banks.get(caller, bank.id)).toMatchObject({ connectionStatus: { status: "disconnected" } })
      const next = yield* banks.reauth(caller, bank.id, {})
      expect(upstream.sessions.at(-1)).toMatchObject({ reconnect: undefined })
      yield* signIn("one at last")
      expect(yield* complete("one at last", next.attempt.attemptId)).toMatchObject(same)
      expect(yield* store.list([bank.workspaceId])).toHaveLength(1)
    })
  )

  it.effect("expires, is completed by a success of the day after, and by nothing later", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, signIn, start } = yield* open()
      const [late, dead] = [yield* start(), yield* start()]
      yield* signIn("one")
      yield* signIn("two")
      yield* TestClock.adjust(`${5 * hour} seconds`)
      expect(yield* banks.attempt(caller, late.attempt.id)).toMatchObject({ state: "expired" })
      expect(yield* complete("one", late.attempt.attemptId)).toMatchObject({ created: true })
      yield* TestClock.adjust(`${24 * hour} seconds`)
      expect(yield* Effect.flip(complete("two", dead.attempt.attemptId))).toMatchObject({
        _tag: "InvalidInput",
        code: "ATTEMPT_EXPIRED"
      })
      expect(yield* Effect.flip(complete("two", "cat_unknown"))).toMatchObject({ code: "ATTEMPT_NOT_FOUND" })
    })
  )

  it.effect("names the institution that was chosen where a search has shown it, also when it begins once more", () =>
    Effect.gen(function* () {
      const { request, returned, returns, start } = yield* open()
      const named = (page: string | undefined) => Effect.map(returned(page), ({ institutionName }) => institutionName)
      // Nobody has searched for it.
      expect(yield* named((yield* start({ institutionId: "portal-bank" })).page)).toBeUndefined()
      const names = yield* KnownInstitutions
      names.learn(request.providerInstanceId, [{ id: "portal-bank", name: "Portal Bank" }])
      names.learn("demo:other", [{ id: "portal-bank", name: "Another Bank" }])
      const begun = yield* start({ institutionId: "portal-bank" })
      expect(yield* named(begun.page)).toBe("Portal Bank")
      expect(yield* named((yield* start()).page)).toBeUndefined()
      // Another process, or one that was started since, has not heard of it.
      yield* returns.told(yield* returned(begun.page), { result: "failed" })
      const again = returns.again(yield* returned(begun.page))
      expect(yield* named(yield* again)).toBe("Portal Bank")
    }).pipe(Effect.provideService(KnownInstitutions, new InstitutionNames()))
  )

  it.effect("fails when the provider says that the person stopped, and says why", () =>
    Effect.gen(function* () {
      const { banks, caller, complete, returned, returns, start } = yield* open()
      const [stopped, refused, cancelled] = [yield* start(), yield* start(), yield* start()]
      yield* returns.told(yield* returned(stopped.page), { result: "cancelled" })
      expect(yield* banks.attempt(caller, stopped.attempt.id)).toMatchObject({
        state: "failed",
        error: { code: "CONNECTION_CANCELLED" }
      })
      yield* Effect.flip(complete("nothing of ours", refused.attempt.attemptId))
      expect(yield* banks.attempt(caller, refused.attempt.id)).toMatchObject({
        state: "failed",
        error: { code: "INVALID_PAYLOAD", message: "the connection is not ours" }
      })
      expect(yield* Effect.flip(complete("cancelled", cancelled.attempt.attemptId))).toMatchObject({
        _tag: "UserCancelled"
      })
      expect(yield* Effect.flip(complete("cancelled", cancelled.attempt.attemptId))).toMatchObject({
        _tag: "Conflict",
        message: expect.stringContaining("The person closed the portal")
      })
    })
  )

  it.effect("goes on with a success that nobody completed, and takes back upstream what no plan has room for", () =>
    Effect.gen(function* () {
      const { attempts, banks, caller, complete, returned, returns, signIn, start, store, upstream, workspace } =
        yield* open("free")
      const [told, other] = [yield* start(), yield* start()]
      yield* signIn("one")
      yield* returns.told(yield* returned(told.page), {
        result: "connected",
        payload: { kind: "provider_connection_id", connectionId: "one" }
      })
      yield* TestClock.adjust("3 minutes")
      const now = yield* Timestamp.now
      expect((yield* attempts.waiting(now, 10)).map(({ id }) => id)).toEqual([told.attempt.id])
      expect(yield* returns.goOn(yield* returned(told.page))).toMatchObject({ created: true, bank: { name: "one" } })
      expect(yield* banks.attempt(caller, told.attempt.id)).toMatchObject({ state: "completed" })
      // Exchanged, and then there is no room: as after a race for the last one.
      yield* signIn("two")
      const completed = {
        connection: { ref: "two", secrets: {} },
        institution: { id: "portal-bank", name: "two", countryCodes: [], status: "ok" },
        bankType: "bank"
      } as const
      yield* attempts.keepExchange(other.attempt.id, completed, now)
      expect(yield* Effect.flip(returns.goOn(yield* returned(other.page)))).toMatchObject({ _tag: "PlanLimitReached" })
      expect(upstream.connections.get("two")!.revoked).toBe(false)
      yield* TestClock.adjust(`${30 * hour} seconds`)
      yield* Effect.exit(returns.goOn(yield* returned(other.page)))
      expect(upstream.connections.get("two")!.revoked).toBe(true)
      expect(upstream.connections.get("one")!.revoked).toBe(false)
      expect(yield* attempts.exchange(other.attempt.id)).toEqual(Option.none())
      expect(yield* banks.attempt(caller, other.attempt.id)).toMatchObject({ state: "failed" })
      expect(yield* store.list([workspace.id])).toHaveLength(1)
      expect(yield* Effect.flip(complete("two", other.attempt.attemptId))).toMatchObject({ _tag: "Conflict" })
    })
  )

  it.effect("knows every user and every connection upstream, wherever it stopped", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      for (const how of ["dies", "fails"] as const) {
        for (let n = 1; ; n++) {
          const { complete, points, signIn, start, store, subjects, upstream, workspace } = yield* open()
          points.arm(
            n,
            how === "dies"
              ? Effect.interrupt
              : Effect.suspend((): Effect.Effect<never, ProviderUnavailable | StorageUnavailable> =>
                  points.fired?.startsWith("Provider") === true
                    ? Effect.fail(new ProviderUnavailable({ message: "the provider is away" }))
                    : Effect.fail(new StorageUnavailable({ message: "storage is away" }))
                )
          )
          const fiber = yield* Effect.forkChild(start())
          for (let second = 0; second < 10; second++) {
            yield* Effect.yieldNow
            yield* TestClock.adjust("1 second")
          }
          yield* Fiber.await(fiber)
          const { fired } = points
          points.arm(Infinity)
          if (fired === undefined) break
          seen.add(`${how}: ${fired}`)
          const subject = yield* subjects.get(workspace.id, upstream.driver.instanceId)
          const known = Option.isSome(subject) ? [subject.value.ref] : []
          expect([how, fired, [...upstream.users.keys()].filter((user) => !known.includes(user))]).toEqual([
            how,
            fired,
            []
          ])
          // Whoever begins anew comes to an end, as the same user.
          const { attempt } = yield* start()
          expect(upstream.users.size).toBe(1)
          yield* signIn("one")
          expect(Exit.isSuccess(yield* Effect.exit(complete("one", attempt.attemptId)))).toBe(true)
          expect(yield* store.list([workspace.id])).toHaveLength(1)
        }
      }
      for (const point of [
        "dies: ConnectionAttemptStore.begin ends",
        "dies: ConnectionSubjectStore.begin ends",
        "dies: ConnectionSubjectStore.keepSecrets begins",
        "dies: Provider.beginConnect ends",
        "fails: ConnectionSubjectStore.keepSecrets begins",
        "dies: ConnectionAttemptStore.setStep ends"
      ]) {
        expect([...seen]).toContain(point)
      }
    })
  )
})
