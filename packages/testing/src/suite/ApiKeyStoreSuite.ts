/** Conformance of `ApiKeyStore`. */
import { ApiKeyStore, WorkspaceStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeApiKey, makeUser, makeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const owner = yield* makeUser()
  yield* (yield* WorkspaceStore).create(workspace, owner)
  return { workspace, owner, store: yield* ApiKeyStore }
})

export const tests: StorageTests = (it) => {
  it.effect("finds a key by the hash of its secret, revoked and expired ones too", () =>
    Effect.gen(function* () {
      const { workspace, owner, store } = yield* arrange
      const live = yield* makeApiKey(workspace, owner)
      const dead = yield* makeApiKey(workspace, owner, {
        expiresAt: Timestamp.make("1970-01-01T00:00:00.001Z"),
        revokedAt: Timestamp.make("1970-01-01T00:00:00.002Z"),
        scopes: []
      })
      yield* store.insert(live, `hash-${live.id}`)
      yield* store.insert(dead, `hash-${dead.id}`)
      expect(yield* store.byHash(`hash-${live.id}`)).toEqual(Option.some(live))
      expect(yield* store.byHash(`hash-${dead.id}`)).toEqual(Option.some(dead))
      expect(yield* store.byHash("hash-of-nothing")).toEqual(Option.none())
    })
  )

  it.effect("lists the keys of one workspace, newest first", () =>
    Effect.gen(function* () {
      const { workspace, owner, store } = yield* arrange
      const other = yield* arrange
      const keys = [yield* makeApiKey(workspace, owner), yield* makeApiKey(workspace, owner)]
      const foreign = yield* makeApiKey(other.workspace, other.owner)
      yield* Effect.forEach([...keys, foreign], (key) => store.insert(key, `hash-${key.id}`))
      expect(yield* store.list(workspace.id)).toEqual(keys.toReversed())
    })
  )
}

export const suite = suiteOf(tests)
