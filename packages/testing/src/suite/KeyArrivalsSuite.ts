/** Conformance of `KeyArrivals`. Every test has workspaces of its own. */
import { ApiKeyStore, KeyArrivals, WorkspaceStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import type { Workspace } from "@millrace/core/workspace"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeApiKey, makeUser, makeWorkspace } from "../fixture/Workspace.ts"
import { StoreClock, type StorageTests } from "./StorageTests.ts"

const now = Timestamp.make("2026-03-04T05:06:07.008Z")
const limits = { free: 1, starter: 1, standard: 2, professional: 3, business: 1, enterprise: 1 }

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
  const { arrive } = yield* KeyArrivals
  return { workspace, insert, arrive: (hash: string) => arrive(hash, now, limits) }
})

export const tests: StorageTests = (it) => {
  it.effect("finds a key with its workspace, and counts the request under that", () =>
    Effect.gen(function* () {
      const { arrive, insert, workspace } = yield* arrange({ icon: "leaf" })
      const key = yield* insert(Timestamp.make("2026-03-04T05:06:07.009Z"), null)
      const decision = { admitted: true, limit: 2, retryAfter: 0 }
      expect(yield* arrive(`hash-${key.id}`)).toEqual(Option.some({ key, workspace, decision }))
    })
  )

  it.effect("counts the keys of a workspace together, refused requests too, and each workspace apart", () =>
    Effect.gen(function* () {
      const { arrive, insert } = yield* arrange()
      const other = yield* arrange({ plan: "professional" })
      const [one, two, foreign] = [
        yield* insert(null, null),
        yield* insert(null, null),
        yield* other.insert(null, null)
      ]
      const admitted = Effect.fnUntraced(function* (id: string) {
        const { decision } = Option.getOrThrow(yield* arrive(`hash-${id}`))
        return [decision.admitted, decision.limit]
      })
      expect([yield* admitted(one.id), yield* admitted(two.id)]).toEqual([
        [true, 2],
        [true, 2]
      ])
      expect(yield* admitted(one.id)).toEqual([false, 2])
      yield* (yield* StoreClock).pass(59)
      const refused = Option.getOrThrow(yield* arrive(`hash-${two.id}`))
      expect(refused.decision).toMatchObject({ admitted: false, limit: 2 })
      expect(refused.decision.retryAfter).toBeGreaterThanOrEqual(1)
      expect(yield* admitted(foreign.id)).toEqual([true, 3])
    })
  )

  it.effect("knows no key that is revoked or has expired, nor one that nobody has, and counts none of them", () =>
    Effect.gen(function* () {
      const { arrive, insert } = yield* arrange()
      const expired = yield* insert(now, null)
      const revoked = yield* insert(null, Timestamp.make("2026-01-01T00:00:00.000Z"))
      for (let n = 0; n < 3; n++) {
        for (const hash of [`hash-${expired.id}`, `hash-${revoked.id}`, "hash-of-nothing"]) {
          expect(yield* arrive(hash)).toEqual(Option.none())
        }
      }
      const good = yield* insert(null, null)
      expect(Option.getOrThrow(yield* arrive(`hash-${good.id}`)).decision.admitted).toBe(true)
    })
  )
}
