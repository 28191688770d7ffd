/** API keys in memory. */
import type { ApiKey } from "@millrace/core/access"
import { ApiKeyStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

export const layer: Layer.Layer<ApiKeyStore, never, Memory> = Layer.effect(
  ApiKeyStore,
  Effect.gen(function* () {
    const { call, set } = yield* Memory
    const keys = new Map<string, ApiKey>()

    return ApiKeyStore.of({
      insert: (key, hash) => call(() => set(keys, hash, frozen(key))),
      byHash: (hash) => call(() => Option.fromUndefinedOr(keys.get(hash))),
      list: (workspaceId) =>
        call(() =>
          [...keys.values()]
            .filter((key) => key.workspaceId === workspaceId)
            .toSorted((a, b) => ascending(b.createdAt, a.createdAt) || ascending(b.id, a.id))
        )
    })
  })
)
