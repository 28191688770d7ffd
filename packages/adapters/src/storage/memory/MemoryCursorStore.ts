/** Parts of cursors in memory. */
import { CursorStore } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Part {
  readonly workspaceId: WorkspaceId
  readonly digest: string
  readonly text: string
  readonly until: number
  /** Greater, the later it was kept. */
  readonly turn: number
}

const hourMillis = 3_600_000
const keyOf = (workspaceId: WorkspaceId, digest: string): string => `${workspaceId} ${digest}`
const encoder = new TextEncoder()

export const layer: Layer.Layer<CursorStore, never, Memory> = Layer.effect(
  CursorStore,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const parts = new Map<string, Part>()
    let turns = 0

    const makeRoom = (workspaceId: WorkspaceId): void => {
      const own = [...parts.values()].filter((part) => part.workspaceId === workspaceId)
      let bytes = 0
      for (const [at, part] of own.toSorted((a, b) => b.turn - a.turn).entries()) {
        bytes += encoder.encode(part.text).length
        if (at >= limits.keptCursorParts || bytes > limits.keptCursorBytes) {
          remove(parts, keyOf(workspaceId, part.digest))
        }
      }
    }

    return CursorStore.of({
      keep: (workspaceId, { digest, hours, text }) =>
        call((now) => {
          const key = keyOf(workspaceId, digest)
          const held = parts.get(key)
          const until = Math.max(held?.until ?? 0, now + hours * hourMillis)
          set(parts, key, { workspaceId, digest, text, until, turn: ++turns })
          if (held === undefined) makeRoom(workspaceId)
        }),
      find: (workspaceId, digest) =>
        call((now) => {
          const held = parts.get(keyOf(workspaceId, digest))
          return held === undefined || held.until < now ? undefined : held.text
        }),
      purge: (limit) =>
        call((now) => {
          const over = [...parts].filter(([, { until }]) => until < now).slice(0, limit)
          for (const [key] of over) remove(parts, key)
          return over.length
        })
    })
  })
)
