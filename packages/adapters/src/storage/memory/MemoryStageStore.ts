/** Pages that are put aside, in memory. */
import { type StageChunk, type StageKey, StageStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LeaseTable } from "./MemoryLeases.ts"
import { Memory } from "./MemoryTransactor.ts"

interface Kept extends StageChunk {
  readonly key: StageKey
}

const nameOf = ({ id, workspaceId }: StageKey, number: number): string => `${workspaceId} ${id} ${number}`

export const layer: Layer.Layer<StageStore, never, Memory | LeaseTable> = Layer.effect(
  StageStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const { leases } = yield* LeaseTable
    const chunks = new Map<string, Kept>()
    return StageStore.of({
      pack: (text) => Effect.sync(() => ({ bytes: new TextEncoder().encode(text), text: () => text })),
      put: (key, some) =>
        call(() => {
          for (const chunk of some) set(chunks, nameOf(key, chunk.number), { ...chunk, key })
        }),
      take: (key, numbers) =>
        call(() =>
          [...numbers]
            .toSorted((a, b) => a - b)
            .flatMap((number) => {
              const kept = chunks.get(nameOf(key, number))
              return kept === undefined ? [] : [kept.packed.text]
            })
        ),
      drop: (key) =>
        call(() => {
          for (const [name, kept] of chunks) {
            if (kept.key.id === key.id && kept.key.workspaceId === key.workspaceId) remove(chunks, name)
          }
        }),
      purge: (limit) =>
        call(() => {
          const left = [...chunks]
            .filter(([, { key }]) => leases.get(key.resource)?.holder !== key.holder)
            .slice(0, limit)
          for (const [name] of left) remove(chunks, name)
          return left.length
        })
    })
  })
)
