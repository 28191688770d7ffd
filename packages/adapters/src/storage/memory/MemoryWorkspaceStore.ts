/** Workspaces, users and keys in memory. */
import type { ApiKey } from "@millrace/core/access/ApiKey"
import type { User, UserId, Workspace, WorkspaceId } from "@millrace/core/workspace/Workspace"
import { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending, byAge } from "./Order.ts"

export const layer: Layer.Layer<WorkspaceStore, never, Memory> = Layer.effect(
  WorkspaceStore,
  Effect.gen(function* () {
    const { call, set } = yield* Memory
    const workspaces = new Map<WorkspaceId, Workspace>()
    const users = new Map<UserId, User>()
    const keys = new Map<string, ApiKey>()

    return WorkspaceStore.of({
      create: (workspace, owner) =>
        call(() => {
          set(workspaces, workspace.id, frozen(workspace))
          set(users, owner.id, frozen(owner))
        }),
      get: (id) => call(() => Option.fromUndefinedOr(workspaces.get(id))),
      all: call(() => [...workspaces.values()].toSorted(byAge)),
      insertKey: (key, hash) => call(() => set(keys, hash, frozen(key))),
      keyByHash: (hash) => call(() => Option.fromUndefinedOr(keys.get(hash))),
      keys: (workspaceId) =>
        call(() =>
          [...keys.values()]
            .filter((key) => key.workspaceId === workspaceId)
            .toSorted((a, b) => ascending(b.createdAt, a.createdAt) || ascending(b.id, a.id))
        )
    })
  })
)
