/** Conformance of `KeyLookup`. Every test has workspaces of its own. */
import { ApiKeyStore, KeyLookup, WorkspaceStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import type { Workspace } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeApiKey, makeUser, makeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const now = Timestamp.make("2026-03-04T05:06:07.008Z")
const limits = { free: 1, starter: 1, standard: 2, professional: 3, business: 1, enterprise: 1 }

/** Seconds pass while a test runs. */
const isAbout = (seconds: number) => (wait: number) => wait === seconds || wait === seconds - 1

const arrange = Effect.fnUntraced(function* (fields: Partial<Workspace> = {}) {
  const workspace = yield* makeWorkspace({ plan: "standard", ...fields })
  const owner = yield* makeUser()
  yield* (yield* WorkspaceStore).create(workspace, owner)
  const store = yield* ApiKeyStore
  const insert = Effect.fnUntraced(function* (expiresAt: Timestamp.Timestamp | null, revokedAt: typeof expiresAt) {
    const key = yield* makeApiKey(workspace, owner, { expiresAt, revokedAt })
    yield* store.insert(key, `hash-${key.id}`)
    return key
  })
  const { lookup } = yield* KeyLookup
  return { workspace, insert, lookup: (hash: string) => lookup(hash, now, limits) }
})

export const tests: StorageTests = (it) => {
  it.effect("finds a key with its workspace, and counts the request under that", () =>
    Effect.gen(function* () {
      const { lookup, insert, workspace } = yield* arrange({ icon: "leaf" })
      const key = yield* insert(Timestamp.make("2026-03-04T05:06:07.009Z"), null)
      const decision = { admitted: true, limit: 2, retryAfter: 0 }
      expect(yield* lookup(`hash-${key.id}`)).toEqual(Option.some({ key, workspace, decision }))
    })
  )

  it.effect("counts the keys of a workspace together, refused requests too, and each workspace apart", () =>
    Effect.gen(function* () {
      const { lookup, insert } = yield* arrange()
      const other = yield* arrange({ plan: "professional" })
      const [one, two, foreign] = [
        yield* insert(null, null),
        yield* insert(null, null),
        yield* other.insert(null, null)
      ]
      const admitted = Effect.fnUntraced(function* (id: string) {
        const { decision } = Option.getOrThrow(yield* lookup(`hash-${id}`))
        return [decision.admitted, decision.limit]
      })
      expect([yield* admitted(one.id), yield* admitted(two.id)]).toEqual([
        [true, 2],
        [true, 2]
      ])
      expect(yield* admitted(one.id)).toEqual([false, 2])
      yield* (yield* StoreClock).pass(59)
      const refused = Option.getOrThrow(yield* lookup(`hash-${two.id}`))
      expect(refused.decision).toMatchObject({ admitted: false, limit: 2 })
      expect(refused.decision.retryAfter).toBeGreaterThanOrEqual(1)
      expect(yield* admitted(foreign.id)).toEqual([true, 3])
    })
  )

  it.effect("answers many that come at once as if each had come alone, in their order", () =>
    Effect.gen(function* () {
      const { lookup, insert } = yield* arrange()
      const other = yield* arrange({ plan: "professional" })
      const [one, two, foreign] = [
        yield* insert(null, null),
        yield* insert(null, null),
        yield* other.insert(null, null)
      ]
      const revoked = yield* insert(null, Timestamp.make("2026-01-01T00:00:00.000Z"))
      const ids = [one.id, revoked.id, foreign.id, two.id, one.id, foreign.id, "of-nothing", two.id, foreign.id]
      const found = yield* Effect.forEach(
        ids,
        Effect.fnUntraced(function* (id) {
          const hit = Option.getOrUndefined(yield* lookup(`hash-${id}`))
          return hit === undefined ? undefined : [hit.key.id, hit.workspace.id, hit.decision.admitted]
        }),
        { concurrency: "unbounded" }
      )
      expect(found).toEqual([
        [one.id, one.workspaceId, true],
        undefined,
        [foreign.id, foreign.workspaceId, true],
        [two.id, two.workspaceId, true],
        [one.id, one.workspaceId, false],
        [foreign.id, foreign.workspaceId, true],
        undefined,
        [two.id, two.workspaceId, false],
        [foreign.id, foreign.workspaceId, true]
      ])
      expect(Option.getOrThrow(yield* other.lookup(`hash-${foreign.id}`)).decision.admitted).toBe(false)
    })
  )

  it.effect("tells each of many that come at once how long it would wait", () =>
    Effect.gen(function* () {
      const { lookup, insert } = yield* arrange({ plan: "professional" })
      const { id } = yield* insert(null, null)
      const clock = yield* StoreClock
      const waits = (count: number) =>
        Effect.forEach(
          Array.from({ length: count }),
          () => Effect.map(lookup(`hash-${id}`), (found) => Option.getOrThrow(found).decision.retryAfter),
          { concurrency: "unbounded" }
        )
      expect(yield* waits(2)).toEqual([0, 0])
      yield* clock.pass(30)
      const [third, fourth, ...further] = yield* waits(5)
      expect([third, fourth]).toEqual([0, expect.toSatisfy(isAbout(30))])
      expect(further).toEqual([60, 60, 60])
      // The first two are forgotten by then, and those that were refused are not.
      yield* clock.pass(31)
      expect(yield* waits(3)).toEqual([expect.toSatisfy(isAbout(29)), expect.toSatisfy(isAbout(29)), 60])
      yield* clock.pass(60)
      expect(yield* waits(4)).toEqual([0, 0, 0, 60])
    })
  )

  it.effect("counts all of more than go in one statement", () =>
    Effect.gen(function* () {
      const { lookup, insert } = yield* arrange({ plan: "professional" })
      const { id } = yield* insert(null, null)
      const found = yield* Effect.forEach(Array.from({ length: 300 }), () => lookup(`hash-${id}`), {
        concurrency: "unbounded"
      })
      expect(found.filter((one) => Option.getOrThrow(one).decision.admitted)).toHaveLength(3)
    })
  )

  it.effect("knows no key that is revoked or has expired, nor one that nobody has, and counts none of them", () =>
    Effect.gen(function* () {
      const { lookup, insert } = yield* arrange()
      const expired = yield* insert(now, null)
      const revoked = yield* insert(null, Timestamp.make("2026-01-01T00:00:00.000Z"))
      for (let n = 0; n < 3; n++) {
        for (const hash of [`hash-${expired.id}`, `hash-${revoked.id}`, "hash-of-nothing"]) {
          expect(yield* lookup(hash)).toEqual(Option.none())
        }
      }
      const good = yield* insert(null, null)
      expect(Option.getOrThrow(yield* lookup(`hash-${good.id}`)).decision.admitted).toBe(true)
    })
  )
}
