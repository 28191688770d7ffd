/** Callbacks that were taken in, in memory. */
import { limits } from "@millrace/core"
import { ReceivedWebhooks } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

const keptMillis = limits.webhookDays * 86_400_000

export const layer: Layer.Layer<ReceivedWebhooks, never, Memory> = Layer.effect(
  ReceivedWebhooks,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    /** Instance and key -> when it came; the oldest first. */
    const received = new Map<string, number>()
    return ReceivedWebhooks.of({
      note: (instanceId, keys) =>
        call((now) => {
          const fresh = new Set(keys.filter((key) => !received.has(`${instanceId} ${key}`)))
          for (const key of fresh) set(received, `${instanceId} ${key}`, now)
          return fresh
        }),
      purge: (limit) =>
        call((now) => {
          const old = [...received].filter(([, at]) => at < now - keptMillis).slice(0, limit)
          for (const [key] of old) remove(received, key)
          return old.length
        })
    })
  })
)
