/** Conformance of `WorkspaceStore`. */
import { Currency, Ids, Timestamp } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import { WorkspaceStore } from "@millrace/core/storage"
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

  it.effect("replaces a workspace by its next version, and by no other one", () =>
    Effect.gen(function* () {
      const { store, workspace } = yield* arrange
      const { icon: _, ...plain } = workspace
      const next = {
        ...plain,
        name: "Renamed",
        timezone: "Asia/Tokyo",
        locale: "de-CH",
        baseCurrency: Currency.make("JPY"),
        updatedAt: Timestamp.make("2190-01-02T00:00:00.000Z"),
        version: workspace.version + 1
      }
      expect(yield* store.update({ ...next, version: workspace.version })).toBe(false)
      expect(yield* store.update({ ...next, version: workspace.version + 2 })).toBe(false)
      expect(yield* store.get(workspace.id)).toEqual(Option.some(workspace))
      expect(yield* store.update(next)).toBe(true)
      expect(yield* store.get(workspace.id)).toEqual(Option.some(next))
      expect(yield* store.update(next)).toBe(false)
    })
  )

  it.effect("knows no workspace that was not created", () =>
    Effect.gen(function* () {
      const { store } = yield* arrange
      expect(yield* store.get(yield* (yield* Ids).next("workspace"))).toEqual(Option.none())
    })
  )

  it.effect("lists the portals of a workspace, oldest first, and of no other one", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const portalOf = Effect.fnUntraced(function* (parentWorkspaceId: WorkspaceId, createdAt: string) {
        const portal = yield* makeWorkspace({ parentWorkspaceId, createdAt: Timestamp.make(createdAt) })
        yield* store.create(portal, yield* makeUser())
        return portal
      })
      const young = yield* portalOf(workspace.id, "2026-01-03T00:00:00.000Z")
      const old = yield* portalOf(workspace.id, "2026-01-02T00:00:00.000Z")
      const { workspace: stranger } = yield* arrange
      const foreign = yield* portalOf(stranger.id, "2026-01-01T00:00:00.000Z")
      expect(yield* store.portals(workspace.id)).toEqual([old, young])
      expect(yield* store.portals(stranger.id)).toEqual([foreign])
      expect(yield* store.portals(old.id)).toEqual([])
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
