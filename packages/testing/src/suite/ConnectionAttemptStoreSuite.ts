/** Conformance of `ConnectionAttemptStore`. */
import { attemptEvents, attemptStates, nextAttemptState } from "@millrace/core/bank"
import { BankStore, ConnectionAttemptStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { storeBank } from "../fixture/Bank.ts"
import { completedConnection, makeAttempt, storeAttempt } from "../fixture/ConnectionAttempt.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const at = Timestamp.make("2026-03-14T10:00:00.123Z")

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
          expect([state, event, yield* store.move(attempt.id, event, at, stores ? bank.id : undefined)]).toEqual([
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
      yield* store.move(id, "store", at, bank.id)
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
    })
  )
}

export const suite = suiteOf(tests)
