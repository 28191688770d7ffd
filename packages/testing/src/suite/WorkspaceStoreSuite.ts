/** Conformance of `WorkspaceStore`. */
import * as Timestamp from "@millrace/core/shared/Timestamp"
import { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import { Ids } from "@millrace/core/shared/Ids"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { difficultTexts } from "../fixture/Text.ts"
import { makeUser, makeWorkspace } from "../fixture/Workspace.ts"
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
}

export const suite = suiteOf(tests)
