/** Requests with an idempotency key in memory. Transactions follow each other, so none is ever seen half done. */
import { IdempotencyStore, type KeyedRequest, type KeyState } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Kept extends KeyedRequest {
  readonly begunAt: number
  readonly answer?: string
}

const keptMillis = limits.idempotencyHours * 3_600_000
const placeOf = ({ key, workspaceId }: KeyedRequest): string => `${workspaceId} ${key}`

export const layer: Layer.Layer<IdempotencyStore, never, Memory> = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const kept = new Map<string, Kept>()

    const running = (request: KeyedRequest): Kept | undefined => {
      const held = kept.get(placeOf(request))
      return held?.answer === undefined && held?.request === request.request ? held : undefined
    }

    return IdempotencyStore.of({
      begin: (request) =>
        call((now): KeyState => {
          const held = kept.get(placeOf(request))
          if (held === undefined || held.begunAt < now - keptMillis) {
            set(kept, placeOf(request), { ...request, begunAt: now })
            return { state: "begun" }
          }
          return held.answer === undefined
            ? { state: "running" }
            : { state: "answered", request: held.request, answer: held.answer }
        }),
      end: (request, answer) =>
        call(() => {
          const held = running(request)
          if (held !== undefined) set(kept, placeOf(request), { ...held, answer })
        }),
      release: (request) =>
        call(() => {
          if (running(request) !== undefined) remove(kept, placeOf(request))
        }),
      purge: (limit) =>
        call((now) => {
          const over = [...kept].filter(([, { begunAt }]) => begunAt < now - keptMillis).slice(0, limit)
          for (const [place] of over) remove(kept, place)
          return over.length
        })
    })
  })
)
