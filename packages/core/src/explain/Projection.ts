/** Records of a feed, run through its enrichments as a run would; nothing is stored or asked outside. */
import * as Effect from "effect/Effect"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import { ownerOf, toPublic } from "../bank/PublicRecord.ts"
import { showsAccount } from "../enrichment/AnalysisPlaces.ts"
import { type CompiledPipeline, type PipelineFault, runWithLines, type WithLines } from "../enrichment/Pipeline.ts"
import { gather } from "../enrichment/PipelineOpening.ts"
import type { RecordNotes } from "../enrichment/RecordNotes.ts"
import type { OwnedRecord } from "../enrichment/Rehearsal.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Waiting } from "./AiPending.ts"

export interface Projected {
  /** Those of the records that the feed shows and that are looked at, by id. */
  readonly results: ReadonlyMap<string, WithLines>
  readonly faults: ReadonlyArray<PipelineFault>
  /** What a run would ask models about all records that the feed shows. */
  readonly waiting: Waiting
}

export interface ProjectionInput {
  readonly feed: Feed
  readonly pipeline: CompiledPipeline
  readonly records: ReadonlyArray<OwnedRecord>
  readonly notes: (recordId: string) => RecordNotes | undefined
  readonly today: CalendarDate
  readonly isLookedAt: (record: OwnedRecord["record"]) => boolean
}

export const project = Effect.fnUntraced(function* (input: ProjectionInput) {
  const { feed, isLookedAt, notes, pipeline, records, today } = input
  const { dataType, workspaceId } = feed
  const specs = recordFields(feed)
  const work = new RunWork()
  const shown = records.filter(({ account, record }) => record.state === "live" && showsAccount(feed, account))
  const pending = shown.map(({ account, bank, record }) => ({
    record,
    view: { recordId: record.id, fields: toPublic(dataType, record, ownerOf(bank, account), specs) },
    notes: notes(record.id)
  }))
  const { chunks, faults, waiting } = yield* gather(pipeline, { workspaceId, dataType }, pending, {
    today,
    work,
    mayAsk: false
  })
  const gathered = new Map(
    chunks.flatMap((chunk) => chunk.records.map(({ view }) => [view.recordId, chunk.gathered] as const))
  )
  const results = new Map<string, WithLines>()
  const all: Array<PipelineFault> = [...pipeline.faults, ...faults]
  for (const { notes: beside, record, view } of pending) {
    if (!isLookedAt(record)) continue
    const result = runWithLines(
      pipeline,
      view,
      { today, work },
      { notes: beside, gathered: gathered.get(view.recordId) }
    )
    results.set(view.recordId, result)
    all.push(...result.record.faults)
    yield* nextTurn(work)
  }
  return { results, faults: all, waiting } satisfies Projected as Projected
})
