/** Answers of models in memory. */
import { AnswerCache, type CachedAnswer } from "@millrace/core/storage"
import { limits } from "@millrace/core"
import type { WorkspaceId } from "@millrace/core/workspace"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Memory } from "./MemoryTransactor.ts"

interface Kept extends CachedAnswer {
  readonly workspaceId: WorkspaceId
  readonly until: number
  /** Greater, the later it was kept. */
  readonly turn: number
}

const dayMillis = 86_400_000
const nameOf = (workspaceId: WorkspaceId, key: string): string => `${workspaceId} ${key}`

export const layer: Layer.Layer<AnswerCache, never, Memory> = Layer.effect(
  AnswerCache,
  Effect.gen(function* () {
    const { call, remove, set } = yield* Memory
    const answers = new Map<string, Kept>()
    let turns = 0

    return AnswerCache.of({
      find: (workspaceId, keys, evenExpired) =>
        call((now) => {
          const found = new Map<string, CachedAnswer>()
          for (const key of keys) {
            const kept = answers.get(nameOf(workspaceId, key))
            if (kept === undefined || (!evenExpired && kept.until <= now)) continue
            found.set(key, { answer: kept.answer, probability: kept.probability })
          }
          return found
        }),
      keep: (workspaceId, some) =>
        call((now) => {
          for (const { answer, days, key, probability } of some) {
            const until = days === undefined ? Infinity : now + days * dayMillis
            set(answers, nameOf(workspaceId, key), { workspaceId, answer, probability, until, turn: ++turns })
          }
        }),
      purge: (limit) =>
        call((now) => {
          const over = [...answers].filter(([, { until }]) => until < now - dayMillis)
          for (const own of Map.groupBy(answers, ([, { workspaceId }]) => workspaceId).values()) {
            const oldest = own.toSorted(([, a], [, b]) => a.turn - b.turn)
            over.push(...oldest.slice(0, Math.max(0, own.length - limits.modelAnswers)))
          }
          const names = [...new Set(over.map(([name]) => name))].slice(0, limit)
          for (const name of names) remove(answers, name)
          return names.length
        })
    })
  })
)
