/** All records of some feeds, run through enrichments as though there had been no run (enrichments F2). */
import * as Effect from "effect/Effect"
import { ownerOf, toPublic } from "../bank/PublicRecord.ts"
import { showsAccount } from "../enrichment/AnalysisPlaces.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import { type CompiledPipeline, type PipelineFault, runWithLines, type WithLines } from "../enrichment/Pipeline.ts"
import { gather } from "../enrichment/PipelineOpening.ts"
import { type OtherFacts, type OwnedRecord, type Rehearsed, Rehearsal } from "../enrichment/Rehearsal.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import type { DataType } from "../record/DataType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Waiting } from "./AiPending.ts"

export interface Replayed {
  /** Feed -> record -> what becomes of it. */
  readonly results: ReadonlyMap<string, ReadonlyMap<string, WithLines>>
  readonly pipelines: ReadonlyMap<string, CompiledPipeline>
  readonly planned: Rehearsed["planned"]
  readonly faults: ReadonlyArray<PipelineFault>
  /** What a run would ask models, feed by feed. */
  readonly waiting: ReadonlyArray<Waiting>
}

export interface ReplayInput {
  readonly workspace: Workspace
  readonly dataType: DataType
  readonly enrichments: ReadonlyArray<Enrichment>
  readonly today: CalendarDate
  readonly ledger: ReadonlyArray<OwnedRecord>
  readonly feeds: ReadonlyArray<Feed>
  /** What people would have decided. */
  readonly facts?: OtherFacts | undefined
}

export const replaying = Effect.gen(function* () {
  const rehearsal = yield* Rehearsal
  const { among } = yield* FeedPipelines
  return Effect.fnUntraced(function* ({ dataType, enrichments, facts, feeds, ledger, today, workspace }: ReplayInput) {
    const { faults, notes, planned } = yield* rehearsal.rehearse({
      workspace,
      dataType,
      enrichments,
      today,
      given: ledger,
      facts,
      from: "beginning"
    })
    const all: Array<PipelineFault> = [...faults]
    const results = new Map<string, Map<string, WithLines>>()
    const pipelines = new Map<string, CompiledPipeline>()
    const waiting: Array<Waiting> = []
    const scope = { workspaceId: workspace.id, dataType }
    for (const feed of feeds) {
      const pipeline = yield* among(enrichments, feed)
      pipelines.set(feed.id, pipeline)
      const specs = recordFields(feed)
      const shown = ledger.filter(({ account, record }) => record.state === "live" && showsAccount(feed, account))
      const pending = shown.map(({ account, bank, record }) => ({
        view: { recordId: record.id, fields: toPublic(dataType, record, ownerOf(bank, account), specs) },
        notes: notes(record.id)
      }))
      const {
        chunks,
        faults: ofModels,
        waiting: pendingHere
      } = yield* gather(pipeline, scope, pending, { today, mayAsk: false })
      waiting.push(pendingHere)
      const gathered = new Map(
        chunks.flatMap((chunk) => chunk.records.map(({ view }) => [view.recordId, chunk.gathered] as const))
      )
      const own = new Map<string, WithLines>()
      for (const { notes: beside, view } of pending) {
        const options = { notes: beside, gathered: gathered.get(view.recordId) }
        const result = runWithLines(pipeline, view, { today }, options)
        own.set(view.recordId, result)
        all.push(...result.record.faults)
      }
      results.set(feed.id, own)
      all.push(...pipeline.faults, ...ofModels)
    }
    return { results, pipelines, planned, faults: all, waiting } satisfies Replayed as Replayed
  })
})
