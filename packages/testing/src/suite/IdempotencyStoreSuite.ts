/** Conformance of `IdempotencyStore`. */
import { IdempotencyStore, Transactor } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { letOthersRun, StoreClock, suiteOf, type StorageTests } from "./StorageTests.ts"

const day = limits.idempotencyHours * 3_600

export const tests: StorageTests = (it) => {
  it.effect("gives a key to one request, and tells the others what it was answered", () =>
    Effect.gen(function* () {
      const [own, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
      const store = yield* IdempotencyStore
      const request = { workspaceId: own.id, key: "key", request: "one" }
      const rival = { ...request, request: "two" }
      const answer = JSON.stringify(difficultTexts)
      expect(yield* store.begin(request)).toEqual({ state: "begun" })
      expect(yield* store.begin(request)).toEqual({ state: "running" })
      expect(yield* store.begin(rival)).toEqual({ state: "running" })
      expect(yield* store.begin({ ...request, workspaceId: other.id })).toEqual({ state: "begun" })
      expect(yield* store.begin({ ...request, key: "another" })).toEqual({ state: "begun" })
      yield* store.end(rival, "not mine")
      yield* store.release(rival)
      expect(yield* store.begin(request)).toEqual({ state: "running" })
      yield* store.end(request, answer)
      expect(yield* store.begin(rival)).toEqual({ state: "answered", request: "one", answer })
      // What was answered stays so.
      yield* store.end(request, "later")
      yield* store.release(request)
      expect(yield* store.begin(request)).toEqual({ state: "answered", request: "one", answer })
    })
  )

  it.effect("takes a key back that was released, or whose time is over", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* IdempotencyStore
      const { pass } = yield* StoreClock
      const request = { workspaceId: id, key: "key", request: "one" }
      const rival = { ...request, request: "two" }
      yield* store.begin(request)
      yield* store.release(request)
      expect(yield* store.begin(rival)).toEqual({ state: "begun" })
      yield* store.end(rival, "answer")
      yield* pass(day - 600)
      expect(yield* store.begin(request)).toEqual({ state: "answered", request: "two", answer: "answer" })
      yield* pass(1_200)
      expect(yield* store.begin(request)).toEqual({ state: "begun" })
      expect(yield* store.begin(request)).toEqual({ state: "running" })
    })
  )

  it.effect("forgets requests whose time is over, and no others", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* IdempotencyStore
      const { pass } = yield* StoreClock
      const request = (key: string) => ({ workspaceId: id, key, request: "one" })
      yield* store.begin(request("a"))
      yield* store.begin(request("b"))
      yield* store.end(request("b"), "answer")
      yield* pass(day + 600)
      yield* store.begin(request("c"))
      let forgotten = 0
      for (let some = 1; some > 0; forgotten += some) some = yield* store.purge(1)
      expect(forgotten).toBeGreaterThanOrEqual(2)
      expect(yield* store.begin(request("c"))).toEqual({ state: "running" })
    })
  )

  it.effect("takes a key with its transaction, and gives it back where that is undone", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* IdempotencyStore
      const { atomically } = yield* Transactor
      const request = { workspaceId: id, key: "key", request: "one" }
      yield* Effect.exit(atomically(Effect.andThen(store.begin(request), Effect.fail("undone"))))
      const done = atomically(Effect.andThen(store.begin(request), store.end(request, "answer")))
      yield* done
      expect(yield* store.begin(request)).toEqual({ state: "answered", request: "one", answer: "answer" })
    })
  )

  it.effect("lets one of several transactions at once have a key", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const store = yield* IdempotencyStore
      const { atomically } = yield* Transactor
      const request = { workspaceId: id, key: "key", request: "one" }
      const begun = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const first = yield* Effect.forkChild(
        atomically(
          Effect.gen(function* () {
            const state = yield* store.begin(request)
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(go)
            yield* store.end(request, "answer")
            return state
          })
        )
      )
      yield* Deferred.await(begun)
      // In memory they wait for each other; a database says at once that somebody has it.
      const second = yield* Effect.forkChild(atomically(store.begin(request)))
      yield* letOthersRun
      yield* Deferred.succeed(go, undefined)
      expect(yield* Fiber.join(first)).toEqual({ state: "begun" })
      expect(["running", "answered"]).toContain((yield* Fiber.join(second)).state)
      expect(yield* atomically(store.begin(request))).toEqual({ state: "answered", request: "one", answer: "answer" })
    })
  )
}

export const suite = suiteOf(tests)
