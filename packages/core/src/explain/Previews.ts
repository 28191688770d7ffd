/** What the enrichments of a feed would make of records, with nothing stored, sent or asked outside (enrichments F1). */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import { RunWork } from "../enrichment/RunWork.ts"
import * as Layer from "effect/Layer"
import { reach } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import type { BankStore } from "../bank/BankStore.ts"
import { ownerOf, toPublic } from "../bank/PublicRecord.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { EnrichmentsOn, enrichmentsOffMessage } from "../enrichment/EnrichmentsOn.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { covers, FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { AnalysisLink } from "../enrichment/AnalysisStore.ts"
import {
  type CompiledPipeline,
  type PipelineFault,
  type PipelineVerdict,
  type RunContext,
  runWithLines,
  type Trace,
  type WithLines
} from "../enrichment/Pipeline.ts"
import { gather } from "../enrichment/PipelineOpening.ts"
import type { FieldChange } from "../enrichment/Provenance.ts"
import { type OwnedRecord, type Rehearsed, Rehearsal } from "../enrichment/Rehearsal.ts"
import { type Forbidden, InvalidInput, type NotFound } from "../failure/Failure.ts"
import { recordFields } from "../feed/Extraction.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { FieldCatalog } from "../record/FieldCatalog.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { type AiPending, aiPending } from "./AiPending.ts"
import { feedOwners } from "./FeedOwners.ts"
import { providedOf, type Sample, sampled, type SampledRecord } from "./Samples.ts"

export interface TraceEntry {
  readonly enrichmentId: string
  readonly stage: number
  readonly rulePath?: string
  readonly fields: ReadonlyArray<string>
}

export interface PreviewedRecord {
  /** What is different from what was given, each field once. */
  readonly changes: ReadonlyArray<FieldChange>
  readonly verdict: PipelineVerdict
  readonly lines: ReadonlyArray<{ readonly lineId: string; readonly changes: ReadonlyArray<FieldChange> }>
  readonly links: ReadonlyArray<Omit<AnalysisLink, "evidence"> & { readonly enrichmentId: string }>
  /** What each enrichment said, in the order in which they ran. */
  readonly trace: ReadonlyArray<TraceEntry>
  readonly faults: ReadonlyArray<PipelineFault>
}

export interface Matched {
  readonly enrichmentId: string
  readonly enrichmentName: string
  readonly type: string
  /** Records about which it says something. */
  readonly matchCount: number
  /** What it would tell people, where it does. */
  readonly wouldFire: number
}

export interface Preview {
  readonly records: ReadonlyArray<PreviewedRecord>
  readonly enrichedCount: number
  /** All that are switched on for the feed, in the order in which they run. */
  readonly enrichments: ReadonlyArray<Matched>
  /** Where the feed has a memory. */
  readonly memory: { readonly patternsApplied: number; readonly fieldsAutoFilled: number } | undefined
  /** What a run would ask models about these records. */
  readonly aiPending: ReadonlyArray<AiPending>
  readonly catalog: FieldCatalog
  /** What concerns no record by itself. */
  readonly faults: ReadonlyArray<PipelineFault>
}

interface Run {
  readonly one: SampledRecord
  readonly result: WithLines
  readonly trace: ReadonlyArray<TraceEntry>
  readonly memoryPaths: ReadonlyArray<string>
}

const tracing = (trace: Array<TraceEntry>, memoryPaths: Array<string>): Trace => {
  return ({ enrichment, stage }, outcome) => {
    const byPath = Map.groupBy(outcome.claims, ({ path }) => path)
    if (byPath.size === 0) trace.push({ enrichmentId: enrichment.id, stage, fields: [] })
    for (const [path, claims] of byPath) {
      if (enrichment.type === "memory") memoryPaths.push(path)
      const fields = [...new Set(claims.map(({ field }) => field))].toSorted()
      trace.push({ enrichmentId: enrichment.id, stage, ...(path === "" ? {} : { rulePath: path }), fields })
    }
  }
}

/** Whether an enrichment says anything of a record. */
const says = ({ one, result }: Run, { planned }: Rehearsed, id: string): boolean =>
  [result.record, ...result.lines.values()].some(
    ({ matched, verdict }) => matched.includes(id) || verdict.enrichmentId === id
  ) ||
  planned.some(
    ({ changes, events, findings, step }) =>
      step.enrichment.id === id &&
      (changes.links.some(({ members }) => members.some(({ recordId }) => recordId === one.record.id)) ||
        events.some(({ subjectId }) => subjectId === one.record.id) ||
        findings.some(({ finding }) => finding.subject.id === one.record.id))
  )

const matchedOf = ({ id, name, type }: Enrichment, runs: ReadonlyArray<Run>, rehearsed: Rehearsed): Matched => ({
  enrichmentId: id,
  enrichmentName: name,
  type,
  matchCount: runs.filter((run) => says(run, rehearsed, id)).length,
  wouldFire: rehearsed.planned
    .filter(({ step }) => step.enrichment.id === id)
    .reduce((sum, { messages }) => sum + messages.length, 0)
})

/** The record before it is enriched. */
const viewOf = (feed: Feed, one: SampledRecord) => ({
  recordId: one.record.id,
  fields: providedOf(one, toPublic(feed.dataType, one.record, ownerOf(one.bank, one.account), recordFields(feed)))
})

const runOf = (
  pipeline: CompiledPipeline,
  feed: Feed,
  one: SampledRecord,
  context: RunContext,
  beside: Pick<Parameters<typeof runWithLines>[3] & object, "notes" | "gathered">
): Run => {
  const trace: Array<TraceEntry> = []
  const memoryPaths: Array<string> = []
  const view = viewOf(feed, one)
  const result = runWithLines(pipeline, view, context, { ...beside, trace: tracing(trace, memoryPaths) })
  return { one, result, trace, memoryPaths }
}

const make = Effect.gen(function* () {
  const feeds = yield* FeedStore
  const ownersOf = yield* feedOwners
  const records = yield* RecordStore
  const enrichments = yield* EnrichmentStore
  const pipelines = yield* FeedPipelines
  const rehearsal = yield* Rehearsal
  const isOn = yield* EnrichmentsOn

  /** Whose record a sample is: that of the ledger with its id, or one of the account that it names, or of the first. */
  const takenUp = Effect.fnUntraced(function* (feed: Feed, samples: ReadonlyArray<Sample>) {
    const owners = yield* ownersOf(feed)
    const now = yield* Timestamp.now
    const specs = recordFields(feed)
    const known = new Map<string, OwnedRecord>()
    const ids = samples.flatMap(({ id }) => (typeof id === "string" && id !== "" ? [id] : []))
    for (const owner of ids.length === 0 ? [] : owners) {
      const { dataType, workspaceId } = feed
      const held = yield* records.held({ workspaceId, dataType, accountId: owner.account.id }, ids)
      for (const record of held) known.set(record.id, { ...owner, record })
    }
    const taken: Array<SampledRecord> = []
    for (const [index, sample] of samples.entries()) {
      const held = typeof sample["id"] === "string" ? known.get(sample["id"]) : undefined
      const owner = held ?? owners.find(({ account }) => account.id === sample["accountId"]) ?? owners[0]
      if (owner === undefined) {
        return yield* new InvalidInput({
          code: "INVALID_REQUEST",
          message: "The feed has no account yet, so that nobody knows whose these records would be",
          details: [{ field: "records", message: "the feed has no account yet" }]
        })
      }
      const { account, bank } = owner
      taken.push(sampled(sample, feed.dataType, specs, held?.record, { bank, account }, index, now))
    }
    return taken
  })

  /** What set kinds say, from what runs have kept or, where they have not looked yet, from all records. */
  const rehearsed = Effect.fnUntraced(function* (
    caller: Caller,
    feed: Feed,
    all: ReadonlyArray<Enrichment>,
    given: ReadonlyArray<OwnedRecord>,
    today: CalendarDate.CalendarDate
  ) {
    const { workspace } = caller.principal
    const { dataType } = feed
    const input = { workspace, dataType, enrichments: all, today }
    if (yield* rehearsal.isPresent(workspace, dataType, all)) {
      return { ...(yield* rehearsal.rehearse({ ...input, given, from: "present" })), missing: false }
    }
    const shown = yield* feeds.list([workspace.id], { dataType })
    const ledger = yield* rehearsal
      .ledger(workspace, dataType, shown, limits.rehearsedRecords)
      .pipe(Effect.catchTag("TooManyRecords", () => Effect.undefined))
    const replaced = new Set(given.map(({ record }) => record.id))
    const others = (ledger ?? []).filter(({ record }) => !replaced.has(record.id))
    const result = yield* rehearsal.rehearse({ ...input, given: [...others, ...given], from: "beginning" })
    return { ...result, missing: ledger === undefined }
  })

  return Previews.of({
    preview: Effect.fn("Previews.preview")(function* (caller, feedId, samples) {
      const { workspace } = caller.principal
      const feed = yield* reach(caller, "previewEnrichment", "Feed", yield* feeds.get(workspace.id, feedId))
      if (!isOn) {
        return yield* new InvalidInput({ code: "INVALID_REQUEST", message: enrichmentsOffMessage, details: [] })
      }
      const today = CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
      const all = yield* enrichments.list([workspace.id])
      const pipeline = yield* pipelines.among(all, feed)
      const given = yield* takenUp(feed, samples)
      const standing = yield* rehearsed(caller, feed, all, given, today)
      const pending = given.map((one) => ({ view: viewOf(feed, one), notes: standing.notes(one.record.id) }))
      const scope = { workspaceId: workspace.id, dataType: feed.dataType }
      const work = new RunWork()
      const { chunks, faults, waiting } = yield* gather(pipeline, scope, pending, { today, work, mayAsk: false })
      const gathered = new Map(
        chunks.flatMap((chunk) => chunk.records.map(({ view }) => [view.recordId, chunk.gathered] as const))
      )
      const runs: Array<Run> = []
      for (const one of given) {
        const beside = { notes: standing.notes(one.record.id), gathered: gathered.get(one.record.id) }
        runs.push(runOf(pipeline, feed, one, { today, work }, beside))
        yield* nextTurn(work)
      }
      const own = all.filter((one) => covers(one, feed))
      const memories = new Set(own.flatMap(({ id, type }) => (type === "memory" ? [id as string] : [])))
      const changesOf = runs.map(({ result }) => result.record.changes)
      const places = new Map(pipeline.steps.map(({ enrichment }, n) => [enrichment.id, n]))
      const late = [...places.keys()].length
      return {
        records: runs.map(({ one, result, trace }) => ({
          changes: result.record.changes,
          verdict: result.record.verdict,
          lines: Array.from(result.lines, ([lineId, { changes }]) => ({ lineId, changes })),
          links: standing.planned.flatMap(({ changes, step }) =>
            changes.links
              .filter(({ members }) => members.some(({ recordId }) => recordId === one.record.id))
              .map(({ id, kind, members, state }) => ({ id, kind, members, state, enrichmentId: step.enrichment.id }))
          ),
          trace,
          faults: result.record.faults
        })),
        enrichedCount: changesOf.filter((changes) => changes.length > 0).length,
        enrichments: own
          .toSorted((a, b) => (places.get(a.id) ?? late) - (places.get(b.id) ?? late))
          .map((one) => matchedOf(one, runs, standing)),
        memory:
          memories.size === 0
            ? undefined
            : {
                patternsApplied: new Set(runs.flatMap(({ memoryPaths }) => memoryPaths)).size,
                fieldsAutoFilled: changesOf.flat().filter(({ enrichmentId }) => memories.has(enrichmentId)).length
              },
        aiPending: aiPending([waiting]),
        catalog: pipeline.catalog,
        faults: [
          ...pipeline.faults,
          ...standing.faults,
          ...faults,
          ...(standing.missing
            ? standing.planned.map(({ step }) => ({
                enrichmentId: step.enrichment.id,
                message: `limit: it has not looked at the feed yet, and more than ${limits.rehearsedRecords} records are not looked at for a preview`
              }))
            : [])
        ]
      }
    })
  })
})

export class Previews extends Context.Service<
  Previews,
  {
    /** At most `limits.previewRecords`. A record that is known by its id is looked at as a new version of itself. */
    readonly preview: (
      caller: Caller,
      feedId: FeedId,
      samples: ReadonlyArray<Sample>
    ) => Effect.Effect<Preview, NotFound | Forbidden | InvalidInput | StorageUnavailable>
  }
>()("@millrace/core/explain/Previews") {
  static readonly layer: Layer.Layer<
    Previews,
    never,
    FeedStore | BankStore | RecordStore | EnrichmentStore | FeedPipelines | Rehearsal
  > = Layer.effect(Previews, make)
}
