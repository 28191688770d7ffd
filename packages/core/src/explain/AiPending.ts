/** What models would be asked in a run, where nothing may be asked (enrichments F1, F2). */
import { questionsOfCall } from "../model/Asking.ts"

/** Enrichment -> questions that nobody has answered, by their keys -> tokens. */
export type Waiting = ReadonlyMap<string, ReadonlyMap<string, number>>

export interface AiPending {
  readonly enrichmentId: string
  /** Each text once, however many records have it. */
  readonly questions: number
  /** At least so many: a text that may be meant for the model goes alone. */
  readonly calls: number
  /** As they are reckoned before a call. */
  readonly tokens: number
}

/** Of several runs of records, each question once. */
export const aiPending = (all: ReadonlyArray<Waiting>): ReadonlyArray<AiPending> => {
  const together = new Map<string, Map<string, number>>()
  for (const waiting of all) {
    for (const [enrichmentId, questions] of waiting) {
      const own = together.get(enrichmentId) ?? new Map<string, number>()
      together.set(enrichmentId, new Map([...own, ...questions]))
    }
  }
  return Array.from(together, ([enrichmentId, questions]) => ({
    enrichmentId,
    questions: questions.size,
    calls: Math.ceil(questions.size / questionsOfCall),
    tokens: [...questions.values()].reduce((sum, tokens) => sum + tokens, 0)
  })).toSorted((a, b) => (a.enrichmentId < b.enrichmentId ? -1 : 1))
}
