/**
 * Plays a supposition over the ledger: everything is run as it is and as it might be, by the way of runs (enrichments F2).
 * Few records are held in memory; more of them are read page by page, twice, and set kinds plan over a place of their own.
 */
import * as Effect from "effect/Effect"
import type { AnalysisLink, AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import { type LongRehearsal, longRehearsal } from "../enrichment/LongRehearsal.ts"
import type { OtherFacts } from "../enrichment/OtherFacts.ts"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import type { RecordNotes } from "../enrichment/RecordNotes.ts"
import { type OwnedRecord, type Rehearsed, Rehearsal } from "../enrichment/Rehearsal.ts"
import type { Feed } from "../feed/Feed.ts"
import type { DataType } from "../record/DataType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { redeliveredFrom } from "../sync/ProjectionStart.ts"
import { Comparison, type TwoPipelines } from "./Comparison.ts"
import { recordOf } from "./LinkUndo.ts"
import { project } from "./Projection.ts"
import { budgetDifferences, budgetTable, isBudget, type Kept, seriesDifferences, seriesOf } from "./SimulatedSets.ts"
import { apart, reportOf, type SetDifferences, type SimulationReport } from "./SimulationReport.ts"

/** Enrichments as they are and might be, and who is informed what of it. */
export interface Play {
  readonly workspace: Workspace
  readonly dataTypes: ReadonlyArray<DataType>
  readonly present: ReadonlyArray<Enrichment>
  readonly supposed: ReadonlyArray<Enrichment>
  readonly facts: OtherFacts
  readonly today: CalendarDate
  /** Only records of these days are reported; all of them are looked at. */
  readonly from?: CalendarDate | undefined
  readonly to?: CalendarDate | undefined
  /** Feeds that show records of the types. */
  readonly feeds: ReadonlyArray<Feed>
  /** Those of them that are reported. */
  readonly isTold: (feed: Feed) => boolean
}

/** How far a long one came: records that it has read and, in the second reading, compared. */
export interface Progress {
  readonly stage: "reading" | "planning" | "comparing"
  readonly records: number
}

/** Units of work for a record that is compared. */
const compareWork = 20_000

type Notes = (recordId: string) => RecordNotes | undefined

interface FedPipelines extends TwoPipelines {
  readonly feed: Feed
}

const linksOf = ({ planned }: Rehearsed) =>
  planned.flatMap(({ changes }) => changes.links.map(({ id, state }) => `${id} ${state}`))
const findingsOf = ({ planned }: Rehearsed, isOf: (one: Enrichment) => boolean = () => true) =>
  planned.flatMap(({ findings, step: { enrichment } }) =>
    isOf(enrichment) ? findings.map(({ finding }) => `${enrichment.id} ${finding.key}`) : []
  )
const messagesOf = ({ planned }: Rehearsed) =>
  planned.flatMap(({ messages, step }) => messages.map((message) => `${step.enrichment.id} ${JSON.stringify(message)}`))
const keptOf = ({ planned }: Rehearsed): ReadonlyArray<Kept> =>
  planned.map(({ changes: { partitions }, step: { enrichment } }) => ({ enrichment, partitions }))

const isMonitor = ({ type }: Enrichment): boolean => type === "monitor"

const isLookedAt =
  ({ from, to }: Play) =>
  ({ date }: OwnedRecord["record"]): boolean =>
    (from === undefined || (date !== null && date >= from)) && (to === undefined || (date !== null && date <= to))

export const simulationPlay = Effect.gen(function* () {
  const rehearsal = yield* Rehearsal
  const { among } = yield* FeedPipelines
  const digest = yield* Digest
  const openLong = yield* longRehearsal

  const begin = Effect.fnUntraced(function* ({ feeds, isTold, present, supposed }: Play) {
    const comparison = new Comparison(digest)
    const fed: Array<FedPipelines> = []
    for (const feed of feeds.filter(isTold)) {
      comparison.tell(feed)
      fed.push({ feed, before: yield* among(present, feed), after: yield* among(supposed, feed) })
    }
    return { comparison, fed }
  })

  /** Rows of some records, as they are and as they might be. */
  const compare = Effect.fnUntraced(function* (
    play: Play,
    { comparison, fed }: Effect.Success<ReturnType<typeof begin>>,
    dataType: DataType,
    records: ReadonlyArray<OwnedRecord>,
    notes: readonly [before: Notes, after: Notes]
  ) {
    const turns = new RunWork()
    for (const { feed, ...pipelines } of fed) {
      if (feed.dataType !== dataType) continue
      const input = { feed, records, today: play.today, isLookedAt: isLookedAt(play) }
      const before = yield* project({ ...input, pipeline: pipelines.before, notes: notes[0] })
      const after = yield* project({ ...input, pipeline: pipelines.after, notes: notes[1] })
      const recent = redeliveredFrom(play.today)
      const old = new Set(records.flatMap(({ record: { date, id } }) => (date !== null && date < recent ? [id] : [])))
      for (const [recordId, now] of after.results) {
        const row = { recordId, isOld: old.has(recordOf(recordId)) }
        comparison.record(feed, pipelines, row, before.results.get(recordId)!, now)
        turns.spend(compareWork)
        yield* nextTurn(turns)
      }
      comparison.faults(after.faults)
      comparison.waits(after.waiting)
    }
  })

  /** All at once. `ledger`: the records of each type. */
  const short = Effect.fnUntraced(function* (play: Play, ledger: ReadonlyMap<DataType, ReadonlyArray<OwnedRecord>>) {
    const { facts, today, workspace } = play
    const begun = yield* begin(play)
    const sets: Array<SetDifferences> = []
    let looked = 0
    for (const [dataType, records] of ledger) {
      looked += records.length
      const input = { workspace, dataType, today, given: records, from: "beginning" } as const
      const before = yield* rehearsal.rehearse({ ...input, enrichments: play.present })
      const after = yield* rehearsal.rehearse({ ...input, enrichments: play.supposed, facts })
      yield* compare(play, begun, dataType, records, [before.notes, after.notes])
      const [old, now] = [before, after].map((side) => new Map(keptOf(side).flatMap(seriesOf)))
      sets.push({
        links: apart(linksOf(before), linksOf(after)),
        findings: apart(findingsOf(before), findingsOf(after)),
        cases: apart(findingsOf(before, isMonitor), findingsOf(after, isMonitor)),
        messages: apart(messagesOf(before), messagesOf(after)),
        series: seriesDifferences(old!, now!),
        budgets: budgetDifferences(keptOf(before), keptOf(after), workspace, today),
        faults: after.faults
      })
    }
    return reportOf(looked, begun.comparison, sets)
  })

  /** Links that are on this side alone: another state makes another one. */
  const linksBeside = Effect.fnUntraced(function* (one: LongRehearsal, other: LongRehearsal) {
    let count = 0
    for (const { id: enrichmentId } of one.enrichments) {
      for (let after = ""; ;) {
        const page: ReadonlyArray<AnalysisLink> = yield* one.scratch.linksOf(one.scope, enrichmentId, {
          after,
          limit: limits.commitChunk
        })
        const there = yield* other.scratch.links(
          one.scope.workspaceId,
          page.map(({ id }) => id)
        )
        const states = new Map<string, string>(there.map(({ id, state }) => [id, state]))
        count += page.filter(({ id, state }) => states.get(id) !== state).length
        if (page.length < limits.commitChunk) break
        after = page.at(-1)!.id
      }
    }
    return count
  })

  const seriesIn = Effect.fnUntraced(function* ({ enrichments, scope, scratch }: LongRehearsal) {
    const series = new Map<string, string>()
    for (const enrichment of enrichments) {
      if (enrichment.type !== "recurring") continue
      for (let after = ""; ;) {
        const partitions: Effect.Success<ReturnType<AnalysisStore["Service"]["states"]>> = yield* scratch.states(
          scope,
          enrichment.id,
          { after, limit: limits.commitChunk }
        )
        // What they are made of may be long: whether they are the same is all that is asked.
        for (const [id, text] of seriesOf({ enrichment, partitions })) series.set(id, digest.contentHash(text))
        if (partitions.length < limits.commitChunk) break
        after = partitions.at(-1)!.partition
      }
    }
    return series
  })

  const budgetsIn = Effect.fnUntraced(function* ({ enrichments, scope, scratch }: LongRehearsal) {
    return yield* Effect.forEach(enrichments.filter(isBudget), (enrichment) =>
      Effect.map(scratch.partitions(scope, enrichment.id, [budgetTable]), (partitions): Kept => ({
        enrichment,
        partitions
      }))
    )
  })

  /** Page by page. `progress` is called after each, and may fail where nobody waits for the answer any more. */
  const long = <E>(
    play: Play,
    progress: (progress: Progress) => Effect.Effect<void, E>
  ): Effect.Effect<SimulationReport, E | StorageUnavailable> =>
    Effect.gen(function* () {
      const { facts, today, workspace } = play
      const begun = yield* begin(play)
      const sets: Array<SetDifferences> = []
      let looked = 0
      for (const dataType of play.dataTypes) {
        const feeds = play.feeds.filter((feed) => feed.dataType === dataType)
        const input = { workspace, dataType, today }
        const before = yield* openLong({ ...input, enrichments: play.present })
        const after = yield* openLong({ ...input, enrichments: play.supposed, facts })
        let records = looked
        yield* rehearsal.pages(workspace, dataType, feeds, (some) =>
          Effect.gen(function* () {
            yield* before.add(some)
            yield* after.add(some)
            records += some.length
            yield* progress({ stage: "reading", records })
          })
        )
        const planning = progress({ stage: "planning", records })
        yield* before.plan(planning)
        yield* after.plan(planning)
        yield* rehearsal.pages(workspace, dataType, feeds, (some) =>
          Effect.gen(function* () {
            const ids = some.map(({ record }) => record.id)
            const [was, is] = [yield* before.notes(ids), yield* after.notes(ids)]
            yield* compare(play, begun, dataType, some, [(id) => was.get(id), (id) => is.get(id)])
            looked += some.length
            yield* progress({ stage: "comparing", records: looked })
          })
        )
        const [old, now] = [before.said(), after.said()]
        sets.push({
          links: { come: yield* linksBeside(after, before), gone: yield* linksBeside(before, after) },
          findings: apart(old.findings, now.findings),
          cases: apart(old.cases, now.cases),
          messages: apart(old.messages, now.messages),
          series: seriesDifferences(yield* seriesIn(before), yield* seriesIn(after)),
          budgets: budgetDifferences(yield* budgetsIn(before), yield* budgetsIn(after), workspace, today),
          faults: after.faults()
        })
      }
      return reportOf(looked, begun.comparison, sets)
    }).pipe(Effect.scoped)

  return { short, long }
})
