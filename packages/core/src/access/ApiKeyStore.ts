/** Port: the API keys of workspaces. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { ApiKey } from "./ApiKey.ts"

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** `hash` is the SHA-256 of the secret, in hexadecimal. */
    readonly insert: (key: ApiKey, hash: string) => Effect.Effect<void, StorageUnavailable>
    /** The key of that hash, revoked and expired ones too. */
    readonly byHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>
    /** Newest first. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>
  }
>()("@millrace/core/access/ApiKeyStore") {}
