/** Conformance of `WorkspaceStore`. */
import * as Timestamp from "@millrace/core/shared/Timestamp"
import { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import { Ids } from "@millrace/core/shared/Ids"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { difficultTexts } from "../fixture/Text.ts"
import { makeApiKey, makeUser, makeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  const workspace = yield* makeWorkspace()
  const owner = yield* makeUser({ name: "Desk" })
  const store = yield* WorkspaceStore
  yield* store.create(workspace, owner)
  return { workspace, owner, store }
})

export const tests: StorageTests = (it) => {
  it.effect("hands back a workspace as it was created", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      expect(yield* store.get(workspace.id)).toEqual(Option.some(workspace))
      const portal = yield* makeWorkspace({
        icon: "🏦",
        parentWorkspaceId: workspace.id,
        name: difficultTexts.join("")
      })
      yield* store.create(portal, yield* makeUser())
      expect(yield* store.get(portal.id)).toEqual(Option.some(portal))
    })
  )

  it.effect("knows no workspace that was not created", () =>
    Effect.gen(function* () {
      const { store } = yield* arrange
      expect(yield* store.get(yield* (yield* Ids).next("workspace"))).toEqual(Option.none())
    })
  )

  it.effect("lists all workspaces, oldest first", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const later = yield* makeWorkspace({ createdAt: Timestamp.make("2190-01-02T00:00:00.000Z") })
      const earlier = yield* makeWorkspace({ createdAt: Timestamp.make("1901-01-02T00:00:00.000Z") })
      yield* store.create(later, yield* makeUser())
      yield* store.create(earlier, yield* makeUser())
      const ids = (yield* store.all).map(({ id }) => id)
      expect(ids.filter((id) => [workspace.id, later.id, earlier.id].includes(id))).toEqual([
        earlier.id,
        workspace.id,
        later.id
      ])
    })
  )

  it.effect("finds a key by the hash of its secret, revoked and expired ones too", () =>
    Effect.gen(function* () {
      const { workspace, owner, store } = yield* arrange
      const live = yield* makeApiKey(workspace, owner)
      const dead = yield* makeApiKey(workspace, owner, {
        expiresAt: Timestamp.make("1970-01-01T00:00:00.001Z"),
        revokedAt: Timestamp.make("1970-01-01T00:00:00.002Z"),
        scopes: []
      })
      yield* store.insertKey(live, `hash-${live.id}`)
      yield* store.insertKey(dead, `hash-${dead.id}`)
      expect(yield* store.keyByHash(`hash-${live.id}`)).toEqual(Option.some(live))
      expect(yield* store.keyByHash(`hash-${dead.id}`)).toEqual(Option.some(dead))
      expect(yield* store.keyByHash("hash-of-nothing")).toEqual(Option.none())
    })
  )

  it.effect("lists the keys of one workspace, newest first", () =>
    Effect.gen(function* () {
      const { workspace, owner, store } = yield* arrange
      const other = yield* arrange
      const keys = [yield* makeApiKey(workspace, owner), yield* makeApiKey(workspace, owner)]
      const foreign = yield* makeApiKey(other.workspace, other.owner)
      yield* Effect.forEach([...keys, foreign], (key) => store.insertKey(key, `hash-${key.id}`))
      expect(yield* store.keys(workspace.id)).toEqual(keys.toReversed())
    })
  )
}

export const suite = suiteOf(tests)
