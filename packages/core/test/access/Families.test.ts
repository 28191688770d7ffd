import { MemoryStorage } from "@millrace/adapters/memory"
import { Families } from "../../src/access/Families.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { calling, ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const services = Families.layer.pipe(Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, Ids.layer)))

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const portal = yield* storeWorkspace({ parentWorkspaceId: workspace.id })
  yield* storeWorkspace({ parentWorkspaceId: (yield* storeWorkspace()).id })
  return { workspace, portal, families: yield* Families }
})

describe("reading a family", () => {
  it.effect("adds the portals of the workspace, and nothing unless it is asked for", () =>
    Effect.gen(function* () {
      const { families, portal, workspace } = yield* arrange
      const owner = ownerOf(workspace)
      expect((yield* families.reading(owner, "family")).workspaces).toEqual([workspace, portal])
      for (const scope of [undefined, "self"]) expect(yield* families.reading(owner, scope)).toEqual(owner)
    }).pipe(Effect.provide(services))
  )

  it.effect("is for admins of a workspace that is no portal", () =>
    Effect.gen(function* () {
      const { families, portal, workspace } = yield* arrange
      const as = (role: "editor" | "admin") =>
        calling({ kind: "user", workspace, userId: "usr_1", email: "a@example.com", role })
      const app = calling({
        kind: "oauth_app",
        workspace,
        app: { clientId: "app_1", name: "App", firstParty: true },
        userId: "usr_1",
        role: "owner",
        scopes: []
      })
      expect((yield* families.reading(as("admin"), "family")).workspaces).toHaveLength(2)
      for (const caller of [as("editor"), app]) {
        expect(yield* Effect.flip(families.reading(caller, "family"))).toMatchObject({ code: "INSUFFICIENT_ROLE" })
      }
      expect(yield* Effect.flip(families.reading(ownerOf(portal), "family"))).toMatchObject({
        code: "FAMILY_SCOPE_ON_PORTAL"
      })
      expect(yield* Effect.flip(families.reading(ownerOf(workspace), "all"))).toMatchObject({
        code: "INVALID_SCOPE_VALUE"
      })
    }).pipe(Effect.provide(services))
  )
})
