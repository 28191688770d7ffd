/**
 * How long kinds take for a record: told, and nothing more (enrichments A11, decision 40).
 *
 * Only a record that took too long as a whole is looked at once more, enrichment by enrichment. So it costs two looks at the clock
 * a record, and a pause of the machine, which does not come back, blames nobody.
 */
import { limits } from "../shared/Limits.ts"
import type { CompiledPipeline, PipelineFault } from "./Pipeline.ts"

/** The same each time, so that a run that is as slow as the one before says nothing new. */
export const slowRecordMessage = `limit: a record took more than ${limits.recordMillis} ms; what it says stands`

/** What `go` makes of a record; `note` hears of enrichments that take too long for it. `now`: in milliseconds. */
export const timedRecord = <A>(
  now: () => number,
  pipeline: CompiledPipeline,
  note: (fault: PipelineFault) => void,
  go: (pipeline: CompiledPipeline) => A
): A => {
  const from = now()
  const result = go(pipeline)
  if (now() - from > limits.recordMillis)
    for (const enrichmentId of slowIn(now, pipeline, go)) note({ enrichmentId, message: slowRecordMessage })
  return result
}

const slowIn = (
  now: () => number,
  pipeline: CompiledPipeline,
  go: (pipeline: CompiledPipeline) => unknown
): ReadonlySet<PipelineFault["enrichmentId"]> => {
  const slow = new Set<PipelineFault["enrichmentId"]>()
  const steps = pipeline.steps.map((step) => ({
    ...step,
    plan: (...input: Parameters<typeof step.plan>) => {
      const from = now()
      try {
        return step.plan(...input)
      } finally {
        if (now() - from > limits.recordMillis) slow.add(step.enrichment.id)
      }
    }
  }))
  go({ ...pipeline, steps })
  return slow
}
