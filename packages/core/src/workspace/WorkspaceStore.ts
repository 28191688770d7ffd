/** Port: workspaces, their users and API keys. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ApiKey } from "../access/ApiKey.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { User, Workspace, WorkspaceId } from "./Workspace.ts"

export class WorkspaceStore extends Context.Service<
  WorkspaceStore,
  {
    /** A workspace with its owner. */
    readonly create: (workspace: Workspace, owner: User) => Effect.Effect<void, StorageUnavailable>
    readonly get: (id: WorkspaceId) => Effect.Effect<Option.Option<Workspace>, StorageUnavailable>
    /** Oldest first. For the operator; never behind the API. */
    readonly all: Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
    /** `hash` is the SHA-256 of the secret, in hexadecimal. */
    readonly insertKey: (key: ApiKey, hash: string) => Effect.Effect<void, StorageUnavailable>
    /** The key of that hash, revoked and expired ones too. */
    readonly keyByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>
    /** Newest first. */
    readonly keys: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>
  }
>()("@millrace/core/workspace/WorkspaceStore") {}
