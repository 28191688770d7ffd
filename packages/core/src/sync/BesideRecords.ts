/** What enrichments need of records besides what they say: what is next to them, and what is asked for them. */
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { CompiledPipeline, PipelineFault, RunContext } from "../enrichment/Pipeline.ts"
import {
  gather,
  type GatheredFor,
  type Gathering,
  isGathering,
  type PipelineScope
} from "../enrichment/PipelineOpening.ts"
import type { RecordNotes } from "../enrichment/RecordNotes.ts"
import { type Enriching, type RowOfRecord, viewOf } from "./EnrichedRecord.ts"

/** Notes by the ids of records, what was gathered by those of their rows. */
export interface Beside {
  readonly notes: ReadonlyMap<string, RecordNotes>
  readonly gathered: ReadonlyMap<string, GatheredFor>
  readonly faults: ReadonlyArray<PipelineFault>
}

const none: ReadonlyMap<string, never> = new Map<string, never>()

/** Costs nothing where the records have no annotations and the enrichments ask for nothing. */
export const besideRecords = Effect.fnUntraced(function* ({ mayAsk }: Gathering) {
  const { notes: read } = yield* AnalysisStore
  return Effect.fnUntraced(function* (
    { dataType, workspaceId }: PipelineScope,
    pipeline: CompiledPipeline,
    context: RunContext,
    all: ReadonlyArray<readonly [enriching: Enriching, rows: ReadonlyArray<RowOfRecord>]>
  ) {
    const noted = [
      ...new Set(all.flatMap(([, rows]) => rows.flatMap(({ record }) => (record.annotated ? [record.id] : []))))
    ]
    const notes = noted.length === 0 ? none : yield* read(workspaceId, noted)
    if (!isGathering(pipeline)) return { notes, gathered: none, faults: [] } satisfies Beside as Beside
    const pending = all.flatMap(([enriching, rows]) =>
      rows.map((row) => ({ view: viewOf(enriching, row), notes: notes.get(row.record.id) }))
    )
    const { chunks, faults } = yield* gather(pipeline, { workspaceId, dataType }, pending, { ...context, mayAsk })
    const found = new Map<string, GatheredFor>()
    for (const { gathered, records } of chunks) {
      for (const { view } of records) found.set(view.recordId, { view, gathered })
    }
    return { notes, gathered: found, faults } satisfies Beside as Beside
  })
})
