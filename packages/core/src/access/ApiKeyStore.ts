/** The API keys of workspaces in storage. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { keyedResource } from "../resource/Resource.ts"
import { Resources } from "../resource/Resources.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { ApiKey } from "./ApiKey.ts"

const StoredKey = Schema.Struct({ ...ApiKey.fields, hash: Schema.String })
type StoredKey = typeof StoredKey.Type

/** Newest first. */
export const apiKeyResource = keyedResource<StoredKey>({
  name: "api_key",
  schema: StoredKey,
  columns: { hash: "text", createdAt: "text" },
  unique: [{ fields: ["hash"], within: "installation" }],
  order: [
    { field: "createdAt", direction: "descending" },
    { field: "id", direction: "descending" }
  ],
  versioned: false
})

const withoutHash = (stored: StoredKey): ApiKey => {
  const { hash: _, ...key } = stored
  return key
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /** `hash` is the SHA-256 of the secret, in hexadecimal. Dies where another key has it. */
    readonly insert: (key: ApiKey, hash: string) => Effect.Effect<void, StorageUnavailable>
    /** The key of that hash, revoked and expired ones too. */
    readonly byHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>, StorageUnavailable>
    /** Newest first. */
    readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<ApiKey>, StorageUnavailable>
  }
>()("@millrace/core/access/ApiKeyStore") {
  static readonly layer: Layer.Layer<ApiKeyStore, never, Resources> = Layer.effect(
    ApiKeyStore,
    Effect.map(Resources, ({ openKeyed }) => {
      const keys = openKeyed(apiKeyResource)
      return ApiKeyStore.of({
        insert: (key, hash) => Effect.catchTag(keys.insert({ ...key, hash }), "KeyTaken", Effect.die),
        byHash: (hash) => Effect.map(keys.find({ hash }), Option.map(withoutHash)),
        list: (workspaceId) => Effect.map(keys.list([workspaceId]), (held) => held.map(withoutHash))
      })
    })
  )
}
