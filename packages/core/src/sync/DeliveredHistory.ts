/** The history of the values that a feed delivers: what a run adds to it (enrichments A7). */
import * as Effect from "effect/Effect"
import type { Claim } from "../enrichment/kinds/Kind.ts"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import type { CompiledPipeline, Earlier } from "../enrichment/Pipeline.ts"
import type { RecordChange } from "../enrichment/history/RecordChange.ts"
import { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { authorityIn, changesOf, type RowNow, withIds } from "../enrichment/history/RecordHistory.ts"
import type { Feed } from "../feed/Feed.ts"
import type { RunRight } from "../job/RunRight.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"

/** Units of work for a value that is compared with the last one. */
const changeWork = 2_000

const nothing: ReadonlyMap<string, RecordChange> = new Map<string, RecordChange>()

/** The last entries of rows, by field. */
type LastOfRows = ReadonlyMap<string, ReadonlyMap<string, RecordChange>>

/** `of` finds what is new for rows that are about to be delivered; `append` belongs into the transaction of the delivery. */
export const deliveredHistory = Effect.gen(function* () {
  const { append, latest } = yield* RecordChangeStore
  const ids = yield* Ids
  const lastOf = Effect.fnUntraced(function* (feedId: Feed["id"], rowIds: ReadonlyArray<string>) {
    const last = new Map<string, Map<string, RecordChange>>()
    if (rowIds.length === 0) return last as LastOfRows
    for (const change of yield* latest(feedId, rowIds)) {
      const ofRow = last.get(change.recordId) ?? new Map<string, RecordChange>()
      last.set(change.recordId, ofRow.set(change.field, change))
    }
    return last as LastOfRows
  })
  const of = Effect.fnUntraced(function* (
    { feed, fence, pipeline }: { readonly feed: Feed; readonly fence: RunRight; readonly pipeline: CompiledPipeline },
    rows: ReadonlyArray<RowNow>
  ) {
    if (rows.length === 0) return []
    const last = yield* lastOf(
      feed.id,
      rows.map(({ recordId }) => recordId)
    )
    const authorityOf = authorityIn(pipeline)
    const { id: feedId, workspaceId } = feed
    const by = "jobId" in fence ? { jobId: fence.jobId } : {}
    const actor = { kind: "sync", feedId, ...by } as const
    const added = { workspaceId, feedId, actor, ...by, at: yield* Timestamp.now }
    const changes: Array<ReturnType<typeof changesOf>[number]> = []
    const turns = new RunWork()
    for (const row of rows) {
      for (const change of changesOf(row, last.get(row.recordId) ?? nothing, authorityOf, added)) changes.push(change)
      turns.spend(row.provenance.length * changeWork)
      yield* nextTurn(turns)
    }
    return changes.length === 0 ? [] : withIds(changes, yield* ids.batch("change", changes.length))
  })

  /** What enrichments said of rows when they were last delivered. */
  const earlier = Effect.fnUntraced(function* (feedId: Feed["id"], rowIds: ReadonlyArray<string>) {
    const said = new Map<string, Map<string, Array<Claim>>>()
    for (const change of yield* latest(feedId, rowIds)) {
      const { after: value, enrichmentId, evidence, field, recordId, rulePath: path = "" } = change
      if (enrichmentId === undefined) continue
      const byEnrichment = said.get(recordId) ?? new Map<string, Array<Claim>>()
      said.set(recordId, byEnrichment)
      const claims = byEnrichment.get(enrichmentId) ?? []
      byEnrichment.set(enrichmentId, claims)
      claims.push(evidence === undefined ? { field, value, path } : { field, value, path, evidence })
    }
    const ofRow: Earlier = (rowId) => said.get(rowId)
    return ofRow
  })
  return { of, lastOf, append, earlier }
})
