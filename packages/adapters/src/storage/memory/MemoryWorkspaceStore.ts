/** Workspaces and users in memory. */
import type { User, UserId, Workspace, WorkspaceId } from "@millrace/core/workspace"
import { WorkspaceStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { byAge } from "./Order.ts"

export const layer: Layer.Layer<WorkspaceStore, never, Memory> = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const { call, set } = yield* Memory
    const workspaces = new Map<WorkspaceId, Workspace>()
    const users = new Map<UserId, User>()

    return WorkspaceStore.of({
      create: (workspace, owner) =>
        call(() => {
          set(workspaces, workspace.id, frozen(workspace))
          set(users, owner.id, frozen(owner))
        }),
      update: (workspace) =>
        call(() => {
          if (workspaces.get(workspace.id)?.version !== workspace.version - 1) return false
          set(workspaces, workspace.id, frozen(workspace))
          return true
        }),
      get: (id) => call(() => Option.fromUndefinedOr(workspaces.get(id))),
      portals: (id) =>
        call(() => [...workspaces.values()].filter((one) => one.parentWorkspaceId === id).toSorted(byAge)),
      all: call(() => [...workspaces.values()].toSorted(byAge))
    })
  })
)
