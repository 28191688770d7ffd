/** Conformance of `ConnectionAttemptStore`. */
import {
  attemptEvents,
  attemptStates,
  type BankId,
  type ConnectionAttempt,
  nextAttemptState
} from "@millrace/core/bank"
import { BankStore, ConnectionAttemptStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import { acrossTenants } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeBank } from "../fixture/Bank.ts"
import { attemptParts, completedConnection, makeAttempt, storeAttempt } from "../fixture/ConnectionAttempt.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const at = Timestamp.make("2026-03-14T10:00:00.123Z")

const day = (n: number) => Timestamp.make(`2026-03-0${n}T00:00:00.000Z`)

export const tests: StorageTests = (it) => {
  it.effect("begins an attempt once, however many ask at once and however long its id is", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      // Text that does not become shorter when it is compressed.
      const attemptId = Array.from({ length: 1024 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000)))
        .join("")
        .slice(0, 1024)
      const all = yield* Effect.forEach(
        Array.from({ length: 5 }),
        () => Effect.flatMap(makeAttempt(workspace, { attemptId }), store.begin),
        { concurrency: "unbounded" }
      )
      const [first] = all
      expect(all).toEqual(Array.from({ length: 5 }, () => first))
      expect(yield* store.get(first!.id)).toEqual(Option.some(first))
      const others = [
        yield* storeAttempt(workspace, { attemptId: `${attemptId.slice(1)}x` }),
        yield* storeAttempt(workspace, { attemptId, instanceId: "demo:other" }),
        yield* storeAttempt(yield* storeWorkspace(), { attemptId })
      ]
      expect(new Set([first!, ...others].map(({ id }) => id)).size).toBe(4)
    })
  )

  it.effect("moves from state to state as the table says, and refuses every other pair", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      for (const state of attemptStates) {
        for (const event of attemptEvents) {
          const attempt = yield* storeAttempt(workspace, { state })
          const next = nextAttemptState(state, event)
          const stores = event === "store"
          expect([state, event, yield* store.move(attempt.id, event, at, stores ? { bankId: bank.id } : {})]).toEqual([
            state,
            event,
            next !== undefined
          ])
          expect(yield* store.get(attempt.id)).toEqual(
            Option.some(
              next === undefined
                ? attempt
                : { ...attempt, state: next, updatedAt: at, ...(stores ? { bankId: bank.id } : {}) }
            )
          )
        }
      }
    })
  )

  it.effect("keeps what an exchange gave until a bank has it", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const { id } = yield* storeAttempt(workspace)
      expect(yield* store.exchange(id)).toEqual(Option.none())
      yield* store.move(id, "complete", at)
      yield* store.keepExchange(id, completedConnection, at)
      expect(yield* store.exchange(id)).toEqual(Option.some(completedConnection))
      yield* store.move(id, "giveUp", at)
      yield* store.move(id, "complete", at)
      expect(yield* store.exchange(id)).toEqual(Option.some(completedConnection))
      yield* store.move(id, "store", at, { bankId: bank.id })
      expect(yield* store.exchange(id)).toEqual(Option.none())
      yield* store.keepExchange(id, completedConnection, at)
      expect(yield* store.exchange(id)).toEqual(Option.none())
      expect(Option.getOrThrow(yield* store.get(id))).toMatchObject({ state: "completed", bankId: bank.id })
      yield* (yield* BankStore).remove(workspace.id, bank.id)
      expect(Option.getOrThrow(yield* store.get(id))).not.toHaveProperty("bankId")
    })
  )

  it.effect("opens an attempt again that had failed when an exchange came late", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const { id } = yield* storeAttempt(yield* storeWorkspace(), { state: "failed" })
      yield* store.keepExchange(id, completedConnection, at)
      expect(Option.getOrThrow(yield* store.get(id)).state).toBe("open")
      expect(yield* store.exchange(id)).toEqual(Option.some(completedConnection))
      yield* store.dropExchange(id, at)
      expect(yield* store.exchange(id)).toEqual(Option.none())
    })
  )

  it.effect("forgets one part and keeps the others", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const { id } = yield* storeAttempt(yield* storeWorkspace())
      yield* store.dropPart(id, "payload")
      yield* store.keep(id, "payload", attemptParts.payload, at)
      yield* store.keep(id, "step", attemptParts.step, at)
      yield* store.dropPart(id, "payload")
      expect(yield* store.part(id, "payload")).toEqual(Option.none())
      expect(yield* store.part(id, "step")).toEqual(Option.some(attemptParts.step))
    })
  )

  it.effect("keeps everything that is known of an attempt, its step and why it failed", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const attempt = yield* storeAttempt(workspace, {
        flow: "plaid_link",
        reconnects: bank.id,
        institutionId: "ins_1",
        redirectUri: "https://example.com/back?a=b",
        stateHash: "digest",
        createdBy: { kind: "user", userId: "usr_1" }
      })
      expect(yield* store.get(attempt.id)).toEqual(Option.some(attempt))
      expect(yield* store.byState("digest")).toEqual(Option.some(attempt))
      expect(yield* store.byState("another")).toEqual(Option.none())
      expect(yield* store.named(workspace.id, attempt.instanceId, attempt.attemptId)).toEqual(Option.some(attempt))
      expect(yield* store.named(workspace.id, attempt.instanceId, "another")).toEqual(Option.none())
      const expiresAt = Timestamp.make("2026-03-14T11:00:00.000Z")
      yield* store.setStep(attempt.id, { flow: "portal_popup", expiresAt }, at)
      const error = {
        code: "INVALID_PAYLOAD",
        message: "The token was used",
        recovery: { action: "reconnect" }
      } as const
      yield* store.move(attempt.id, "abort", at, { error })
      expect(yield* store.get(attempt.id)).toEqual(
        Option.some({ ...attempt, flow: "portal_popup", expiresAt, error, state: "failed", updatedAt: at })
      )
    })
  )

  it.effect("keeps each part until a bank is stored, and nothing of an attempt that is completed", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const bank = yield* storeBank(workspace)
      const { id } = yield* storeAttempt(workspace)
      const all = Effect.all([
        store.part(id, "request"),
        store.part(id, "secrets"),
        store.part(id, "step"),
        store.part(id, "payload")
      ])
      const none = [Option.none(), Option.none(), Option.none(), Option.none()]
      expect(yield* all).toEqual(none)
      yield* store.keep(id, "secrets", { another: "one" }, at)
      const { payload, request, secrets, step } = attemptParts
      yield* store.keep(id, "request", request, at)
      yield* store.keep(id, "secrets", secrets, at)
      yield* store.keep(id, "step", step, at)
      yield* store.keep(id, "payload", payload, at)
      expect(yield* all).toEqual([request, secrets, step, payload].map(Option.some))
      yield* store.move(id, "complete", at)
      yield* store.move(id, "store", at, { bankId: bank.id })
      expect(yield* all).toEqual(none)
      yield* store.keep(id, "secrets", secrets, at)
      expect(yield* all).toEqual(none)
    })
  )

  it.effect("finds the newest attempt of a credential that can be completed", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const of = (n: number, state: "open" | "expired" | "failed" | "completed", credential = "me") =>
        storeAttempt(workspace, { createdAt: day(n), expiresAt: day(n), state, credential })
      const [old, late] = [yield* of(1, "open"), yield* of(3, "expired")]
      yield* of(4, "failed")
      yield* of(5, "completed")
      yield* of(6, "open", "somebody else")
      const newest = (after: number) => store.newest(workspace.id, old.instanceId, "me", day(after))
      expect(yield* newest(1)).toEqual(Option.some(late))
      const open = yield* of(7, "open")
      expect(yield* newest(1)).toEqual(Option.some(open))
      expect(yield* newest(7)).toEqual(Option.none())
    })
  )

  it.effect("supersedes the other open attempts of a credential for a bank, and no others", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const workspace = yield* storeWorkspace()
      const [bank, other] = [yield* storeBank(workspace), yield* storeBank(workspace)]
      const of = (change: Parameters<typeof storeAttempt>[1]) => storeAttempt(workspace, change)
      const held = [
        yield* of({ reconnects: bank.id }),
        yield* of({ reconnects: bank.id, state: "expired" }),
        yield* of({ reconnects: bank.id, state: "completing" }),
        yield* of({ reconnects: bank.id, credential: "another" }),
        yield* of({ reconnects: other.id }),
        yield* of({})
      ]
      const attempt = { ...(yield* of({ reconnects: bank.id })), reconnects: bank.id }
      expect(yield* store.supersede(attempt, at)).toBe(2)
      const states = yield* Effect.forEach([...held, attempt], ({ id }) =>
        Effect.map(store.get(id), (one) => Option.getOrThrow(one).state)
      )
      expect(states).toEqual(["superseded", "superseded", "completing", "open", "open", "open", "open"])
    })
  )

  it.effect("expires what nobody completed, finds what was left on its way, and forgets what ended long ago", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      const across = acrossTenants("task engine")
      const workspace = yield* storeWorkspace()
      // Before the beginning of simulated time.
      const long = Timestamp.make("1950-01-01T00:00:00.000Z")
      const of = (change: Parameters<typeof storeAttempt>[1] = {}) =>
        storeAttempt(workspace, { createdAt: long, updatedAt: long, expiresAt: long, ...change })
      const [plain, exchanged, told, completing] = [
        yield* of(),
        yield* of(),
        yield* of({ state: "expired" }),
        yield* of({ state: "completing" })
      ]
      const later = Timestamp.make("2199-01-01T00:00:00.000Z")
      const open = yield* of({ expiresAt: later })
      const refused = yield* of({ state: "failed" })
      yield* store.keepExchange(exchanged.id, completedConnection, long)
      for (const { id } of [told, refused]) yield* store.keep(id, "payload", attemptParts.payload, long)
      const left = Effect.map(across(store.waiting(Timestamp.make("1951-01-01T00:00:00.000Z"), 100)), (all) =>
        all.map(({ id }) => id).toSorted()
      )
      expect(yield* left).toEqual([exchanged.id, told.id].toSorted())
      expect(yield* across(store.waiting(long, 100))).toEqual([])
      expect(yield* across(store.sweep(1))).toBe(1)
      yield* across(store.sweep(100))
      const stateOf = (id: typeof plain.id) =>
        Effect.map(store.get(id), Option.match({ onNone: () => "gone", onSome: ({ state }) => state }))
      expect(yield* Effect.forEach([plain, exchanged, completing, open], ({ id }) => stateOf(id))).toEqual([
        "expired",
        "expired",
        "completing",
        "open"
      ])
      yield* across(store.purge(100))
      expect(
        yield* Effect.forEach([plain, exchanged, told, completing, open, refused], ({ id }) => stateOf(id))
      ).toEqual(["expired", "expired", "gone", "completing", "open", "gone"])
      expect(yield* across(store.purge(100))).toBe(0)
    })
  )

  it.effect("tells whether one may still need the customer it began with upstream", () =>
    Effect.gen(function* () {
      const store = yield* ConnectionAttemptStore
      // Before the beginning of simulated time, and after its end.
      const [long, later] = [Timestamp.make("1950-01-01T00:00:00.000Z"), Timestamp.make("2199-01-01T00:00:00.000Z")]
      const old = { createdAt: long, updatedAt: long, expiresAt: long }
      const running = Effect.fnUntraced(function* (
        change: Parameters<typeof storeAttempt>[1] | ((bankId: BankId) => Parameters<typeof storeAttempt>[1]),
        after: (attempt: ConnectionAttempt) => Effect.Effect<unknown, unknown> = () => Effect.void
      ) {
        const workspace = yield* storeWorkspace()
        const bank = yield* storeBank(workspace)
        const attempt = yield* storeAttempt(workspace, typeof change === "function" ? change(bank.id) : change)
        yield* after(attempt)
        expect(yield* store.anyRunning(workspace.id, "demo:other", bank.id)).toBe(false)
        return yield* store.anyRunning(workspace.id, attempt.instanceId, bank.id)
      })
      const open = { ...old, expiresAt: later }
      expect(yield* running(open)).toBe(true)
      expect(yield* running({ ...open, state: "expired" })).toBe(true)
      for (const state of ["open", "expired", "completing"] as const) {
        expect(yield* running({ ...old, state })).toBe(false)
      }
      for (const state of ["completed", "failed", "superseded"] as const) {
        expect(yield* running({ ...open, state })).toBe(false)
      }
      // Somebody completes it now.
      expect(yield* running({ ...old, state: "completing", updatedAt: later })).toBe(true)
      // What an exchange gave is somebody's, however long ago.
      const exchange = ({ id }: ConnectionAttempt) => store.keepExchange(id, completedConnection, later)
      expect(yield* running({ ...old, state: "expired" }, exchange)).toBe(true)
      expect(yield* running((reconnects) => ({ ...open, reconnects, createdAt: later }))).toBe(true)
      expect(yield* running((reconnects) => ({ ...open, reconnects }))).toBe(false)
      expect(yield* running((reconnects) => ({ ...open, reconnects }), exchange)).toBe(true)
    })
  )
}

export const suite = suiteOf(tests)
