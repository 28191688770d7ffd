/** What every change of an enrichment takes with it, no matter who asks for it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { limits } from "../shared/Limits.ts"
import { decode } from "../shared/StrictDecoding.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Tasks } from "../task/Tasks.ts"
import { analysisTask, beginningKey } from "./AnalysisTaskKind.ts"
import type { Enrichment } from "./Enrichment.ts"
import { Kinds } from "./Kinds.ts"

/** What the kind remembers of the configuration that is replaced, together with what it remembered before. */
const remembered = (before: Enrichment, after: Enrichment, kinds: Kinds["Service"], until: Timestamp.Timestamp) => {
  const kind = kinds.get(before.type)
  if (kind?.family !== "set" || kind.remembers === undefined) return {}
  const read = [before, after].map(({ config }) => {
    const decoded = decode(kind.Config, config)
    return Result.isSuccess(decoded) ? kind.remembers!(decoded.success) : undefined
  })
  const [last, next] = read
  if (last === undefined || JSON.stringify(last) === JSON.stringify(next)) return {}
  const [first, ...rest] = [...(before.past ?? []), { until, remembered: last }]
  // What held at the beginning holds for all that was earlier.
  return { past: [first!, ...rest.slice(1 - limits.enrichmentPast)] }
}

/** What a change has to change for the enrichment to do something else. */
const working = ({ allFeeds, config, enabled, feedIds, order }: Enrichment): string =>
  JSON.stringify([allFeeds, config, enabled, feedIds, order])

/** Whether it does something else now. */
export const worksOtherwise = (before: Enrichment, after: Enrichment): boolean => working(after) !== working(before)

export const makeEnrichmentChanges = Effect.gen(function* () {
  const kinds = yield* Kinds
  const tasks = yield* Tasks
  return {
    /** The enrichment as it works from now on: with its next revision, and with what its kind remembers of the former one. */
    revised: (before: Enrichment, after: Enrichment): Effect.Effect<Enrichment> =>
      Effect.map(Timestamp.now, (now) => ({
        ...after,
        ...remembered(before, after, kinds, now),
        revision: before.revision + 1
      })),
    /** What tells news looks at once at what there is: that is none. */
    begin: ({ dataType, enabled, type, workspaceId }: Enrichment) => {
      const kind = kinds.get(type)
      if (!enabled || kind?.family !== "set" || kind.begins === undefined) return Effect.void
      const payload = { workspaceId, dataType }
      return tasks.enqueue(analysisTask, { payload, workspaceId, key: beginningKey(payload) })
    }
  }
})
