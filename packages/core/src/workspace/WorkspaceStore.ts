/** Port: workspaces and their users. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { User, Workspace, WorkspaceId } from "./Workspace.ts"

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    /** A workspace with its owner. */
    readonly create: (workspace: Workspace, owner: User) => Effect.Effect<void, StorageUnavailable>
    /** Replaces what there is of it, unless it is of another version than the one before `workspace.version`: then `false`. */
    readonly update: (workspace: Workspace) => Effect.Effect<boolean, StorageUnavailable>
    readonly get: (id: WorkspaceId) => Effect.Effect<Option.Option<Workspace>, StorageUnavailable>
    /** The client portals of a workspace, oldest first. */
    readonly portals: (id: WorkspaceId) => Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
    /** Oldest first. For the operator; never behind the API. */
    readonly all: Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
  }
>()("@millrace/core/workspace/WorkspaceStore") {}
