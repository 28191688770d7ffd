/**
 * What changes of enrichments would do to what is there (enrichments F2): the difference between all records run through them
 * and through the enrichments as they are, by the way of runs. Nothing is stored, sent or asked outside.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { permit, shows } from "../access/Access.ts"
import type { Caller } from "../access/Caller.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { Authority } from "../enrichment/history/RecordChange.ts"
import { authorityIn } from "../enrichment/history/RecordHistory.ts"
import type { EnrichmentFact } from "../enrichment/kinds/EnrichmentFact.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import type { PipelineFault, PipelineResult } from "../enrichment/Pipeline.ts"
import { type OwnedRecord, Rehearsal } from "../enrichment/Rehearsal.ts"
import { type Detail, type Forbidden, Unprocessable } from "../failure/Failure.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { contentOf } from "../sync/Decision.ts"
import { type AiPending, aiPending, type Waiting } from "./AiPending.ts"
import { sentenceOf } from "./ClaimChain.ts"
import { type Replayed, replaying } from "./Replay.ts"
import {
  type BudgetDifference,
  budgetDifferences,
  casesOf,
  type SeriesDifferences,
  seriesDifferences
} from "./SimulatedSets.ts"
import { type Supposed, type SupposedFact, suppose, type Supposition } from "./Supposing.ts"

export interface SimulationRequest {
  readonly changes: ReadonlyArray<Supposed>
  /** Only records of these days are told; all of them are looked at. */
  readonly from?: CalendarDate.CalendarDate
  readonly to?: CalendarDate.CalendarDate
  /** Only these feeds are told. */
  readonly feedIds?: ReadonlyArray<string>
  /** The day that it is taken to be; today unless given. */
  readonly asOf?: CalendarDate.CalendarDate
}

export interface DifferenceSample {
  readonly feedId: FeedId
  readonly recordId: string
  readonly before: FieldValue
  readonly after: FieldValue
  /** Whose word it would be. */
  readonly authority: Authority
  readonly sentence: string
}

export interface FieldDifference {
  readonly field: string
  /** Of rows: values that would come, be others, and go. */
  readonly added: number
  readonly changed: number
  readonly removed: number
  readonly samples: ReadonlyArray<DifferenceSample>
}

export interface SimulationReport {
  /** Records that were looked at. */
  readonly records: number
  readonly fields: ReadonlyArray<FieldDifference>
  readonly lines: { readonly added: number; readonly removed: number }
  readonly links: { readonly made: number; readonly broken: number }
  readonly findings: { readonly opened: number; readonly closed: number }
  /** Of the findings, those that are cases of monitors. */
  readonly cases: { readonly opened: number; readonly closed: number }
  readonly series: SeriesDifferences
  /** At most `limits.page.max`. */
  readonly budgets: ReadonlyArray<BudgetDifference>
  readonly messages: { readonly told: number; readonly untold: number }
  /** What a run would ask models then; nobody was asked for this answer. */
  readonly aiPending: ReadonlyArray<AiPending>
  readonly deliveries: ReadonlyArray<{
    readonly feedId: FeedId
    readonly destination: string
    readonly create: number
    readonly update: number
    readonly remove: number
  }>
  /** Fields that a person decided and that would have been written otherwise. */
  readonly shadows: number
  readonly faults: ReadonlyArray<PipelineFault>
}

const mostSamples = 20

const valueOf = (result: PipelineResult | undefined, field: string): FieldValue =>
  result !== undefined && Object.hasOwn(result.fields, field) ? (result.fields[field] ?? null) : null

const isThere = (one: PipelineResult | undefined): boolean => one?.verdict.value === "deliver"

/** Keys that are on one side alone. */
const apart = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const [old, now] = [new Set(before), new Set(after)]
  return { gone: [...old].filter((key) => !now.has(key)).length, come: [...now].filter((key) => !old.has(key)).length }
}

const linksOf = ({ planned }: Replayed) =>
  planned.flatMap(({ changes }) => changes.links.map(({ id, state }) => `${id} ${state}`))
const findingsOf = ({ planned }: Replayed) =>
  planned.flatMap(({ findings, step }) => findings.map(({ finding }) => `${step.enrichment.id} ${finding.key}`))
const messagesOf = ({ planned }: Replayed) =>
  planned.flatMap(({ messages, step }) => messages.map((message) => `${step.enrichment.id} ${JSON.stringify(message)}`))

/** What is told of a feed's rows, by field. */
class Differences {
  readonly fields = new Map<string, FieldDifference & { samples: Array<DifferenceSample> }>()
  shadows = 0
  add(field: string, sample: DifferenceSample): void {
    const known = this.fields.get(field) ?? { field, added: 0, changed: 0, removed: 0, samples: [] }
    const counted =
      sample.before === null
        ? { added: known.added + 1 }
        : sample.after === null
          ? { removed: known.removed + 1 }
          : { changed: known.changed + 1 }
    if (known.samples.length < mostSamples) known.samples.push(sample)
    this.fields.set(field, { ...known, ...counted })
  }
}

const refuse = (details: ReadonlyArray<Detail>) => {
  const [first] = details
  return first === undefined
    ? Effect.void
    : Effect.fail(
        new Unprocessable({
          code: "ENRICHMENT_VALIDATION_FAILED",
          message: `${first.field} ${first.message}`,
          details: details.slice(0, limits.errorDetails)
        })
      )
}

/** Records of supposed decisions that no feed shows. */
const strangers = (
  facts: ReadonlyArray<SupposedFact>,
  dataType: DataType,
  ledger: ReadonlyArray<OwnedRecord>
): ReadonlyArray<Detail> => {
  const known = new Set(ledger.map(({ record }) => record.id))
  return facts.flatMap(({ at, fact }) =>
    fact.dataType !== dataType
      ? []
      : (["recordId", "otherId"] as const).flatMap((name) =>
          fact[name] === undefined || known.has(fact[name])
            ? []
            : [{ field: `${at}.${name}`, message: "is no record that a feed shows" }]
        )
  )
}

const make = Effect.gen(function* () {
  const enrichments = yield* EnrichmentStore
  const analyses = yield* AnalysisStore
  const feeds = yield* FeedStore
  const rehearsal = yield* Rehearsal
  const kinds = yield* Kinds
  const { contentHash, sha256 } = yield* Digest
  const replay = yield* replaying

  /** Decisions that would be taken back. */
  const liftedOf = Effect.fnUntraced(function* (workspaceId: Feed["workspaceId"], { lifts }: Supposition) {
    const facts: Array<EnrichmentFact> = []
    const details: Array<Detail> = []
    for (const { at, id } of lifts) {
      const fact = yield* analyses.fact(workspaceId, id)
      if (fact === undefined || fact.lifted !== undefined)
        details.push({ field: at, message: "is no decision that holds" })
      else facts.push(fact)
    }
    return { facts, details }
  })

  /** How rows of a record would change at a feed's destination. */
  const deliveryOf = (feed: Feed, before: PipelineResult | undefined, after: PipelineResult | undefined) => {
    if (isThere(before) !== isThere(after)) {
      if (isThere(after)) return "create"
      // A filter may leave what was delivered before it.
      return after === undefined || after.verdict.removeDelivered ? "remove" : undefined
    }
    if (!isThere(after)) return undefined
    const [old, now] = [before, after].map((one) => contentOf(feed, one!.fields, false, contentHash).hash)
    return old === now ? undefined : "update"
  }

  const compare = (
    feed: Feed,
    sides: readonly [before: Replayed, after: Replayed],
    told: ReadonlySet<string>,
    found: Differences
  ) => {
    const counts = { create: 0, update: 0, remove: 0 }
    const lines = { added: 0, removed: 0 }
    const [old, now] = sides.map(({ results }) => results.get(feed.id)!)
    const pipeline = sides[1].pipelines.get(feed.id)!
    const authorityOf = authorityIn(pipeline)
    for (const [recordId, after] of now!) {
      if (!told.has(recordId)) continue
      const before = old!.get(recordId)!
      const rows = new Set([recordId, ...before.lines.keys(), ...after.lines.keys()])
      lines.added += [...after.lines.keys()].filter((id) => !before.lines.has(id)).length
      lines.removed += [...before.lines.keys()].filter((id) => !after.lines.has(id)).length
      for (const rowId of rows) {
        const [a, b] = [before, after].map((side) => {
          if (rowId === recordId) return { result: side.record, shown: side.shown }
          return { result: side.lines.get(rowId), shown: side.linesShown }
        })
        const delivered = deliveryOf(feed, a!.shown ? a!.result : undefined, b!.shown ? b!.result : undefined)
        if (delivered !== undefined) counts[delivered]++
      }
      found.shadows += after.record.shadows.filter(
        ({ enrichmentId, field, value }) =>
          !before.record.shadows.some(
            (one) => one.field === field && one.value === value && one.enrichmentId === enrichmentId
          )
      ).length
      const touched = new Set([...before.record.changes, ...after.record.changes].map(({ field }) => field))
      for (const field of touched) {
        const [was, is] = [valueOf(before.record, field), valueOf(after.record, field)]
        if (was === is) continue
        const change = after.record.changes.find((one) => one.field === field)
        found.add(field, {
          feedId: feed.id,
          recordId,
          before: was,
          after: is,
          authority: change === undefined ? "provider" : authorityOf(change.enrichmentId),
          sentence:
            change !== undefined
              ? sentenceOf(pipeline, change)
              : is === null
                ? "Nobody says anything of it any more"
                : "The provider says so"
        })
      }
    }
    return { counts, lines }
  }

  return Simulations.of({
    simulate: Effect.fn("Simulations.simulate")(function* (caller, request) {
      yield* permit(caller, "simulateEnrichments")
      const { workspace } = caller.principal
      const now = yield* Timestamp.now
      const present = yield* enrichments.list([workspace.id])
      const supposed = suppose(caller, present, request.changes, kinds, sha256, now)
      const lifted = yield* liftedOf(workspace.id, supposed)
      yield* refuse([...supposed.details, ...lifted.details])
      const added = supposed.facts.map(({ fact }) => fact)
      const facts = { added, lifted: new Set(lifted.facts.map(({ id }) => id as string)) }
      const types = new Set<DataType>([
        ...supposed.changed.flatMap(([before, after]): ReadonlyArray<DataType> => {
          const one = after ?? before
          return one === undefined ? [] : [one.dataType]
        }),
        ...[...added, ...lifted.facts].map(({ dataType }) => dataType)
      ])
      const today = request.asOf ?? CalendarDate.inZone(yield* Clock.currentTimeMillis, workspace.timezone)
      const found = new Differences()
      const lines = { added: 0, removed: 0 }
      const links = { made: 0, broken: 0 }
      const findings = { opened: 0, closed: 0 }
      const cases = { opened: 0, closed: 0 }
      const series = { found: 0, changed: 0, gone: 0 }
      const budgets: Array<BudgetDifference> = []
      const waiting: Array<Waiting> = []
      const messages = { told: 0, untold: 0 }
      const deliveries: Array<SimulationReport["deliveries"][number]> = []
      const faults = new Map<string, PipelineFault>()
      let looked = 0
      for (const dataType of types) {
        const all = yield* feeds.list([workspace.id], { dataType })
        const ledger = yield* rehearsal.ledger(workspace, dataType, all).pipe(
          Effect.catchTag("TooManyRecords", () =>
            Effect.fail(
              new Unprocessable({
                code: "LIMIT_EXCEEDED",
                message: `More than ${limits.rehearsedRecords} records of ${dataType} would have to be looked at`,
                details: []
              })
            )
          )
        )
        looked += ledger.length
        yield* refuse(strangers(supposed.facts, dataType, ledger))
        const told = new Set(
          ledger.flatMap(({ record: { date, id } }) =>
            (request.from === undefined || (date !== null && date >= request.from)) &&
            (request.to === undefined || (date !== null && date <= request.to))
              ? [id]
              : []
          )
        )
        const input = { workspace, dataType, today, ledger, feeds: all }
        const before = yield* replay({ ...input, enrichments: present })
        const after = yield* replay({ ...input, enrichments: supposed.enrichments, facts })
        for (const feed of all) {
          if (request.feedIds !== undefined && !request.feedIds.includes(feed.id)) continue
          if (!shows(caller, "simulateEnrichments", feed)) continue
          const { counts, lines: own } = compare(feed, [before, after], told, found)
          lines.added += own.added
          lines.removed += own.removed
          deliveries.push({ feedId: feed.id, destination: feed.destinationConfig?.type ?? "none", ...counts })
        }
        const [tied, seen, sent] = [linksOf, findingsOf, messagesOf].map((of) => apart(of(before), of(after)))
        links.made += tied!.come
        links.broken += tied!.gone
        findings.opened += seen!.come
        findings.closed += seen!.gone
        const [planned0, planned1] = [before.planned, after.planned]
        const watched = apart(casesOf(planned0), casesOf(planned1))
        cases.opened += watched.come
        cases.closed += watched.gone
        const ofSeries = seriesDifferences(planned0, planned1)
        series.found += ofSeries.found
        series.changed += ofSeries.changed
        series.gone += ofSeries.gone
        budgets.push(...budgetDifferences(planned0, planned1, workspace, today))
        waiting.push(...after.waiting)
        messages.told += sent!.come
        messages.untold += sent!.gone
        for (const fault of after.faults) faults.set(`${fault.enrichmentId} ${fault.message}`, fault)
      }
      return {
        records: looked,
        fields: [...found.fields.values()].toSorted((a, b) => (a.field < b.field ? -1 : 1)),
        lines,
        links,
        findings,
        cases,
        series,
        budgets: budgets.slice(0, limits.page.max),
        messages,
        aiPending: aiPending(waiting),
        deliveries,
        shadows: found.shadows,
        faults: [...faults.values()].slice(0, limits.enrichmentFaults)
      }
    })
  })
})

export class Simulations extends Context.Service<
  Simulations,
  {
    /** `Unprocessable` where a change could not be made, or where there is too much to look at. */
    readonly simulate: (
      caller: Caller,
      request: SimulationRequest
    ) => Effect.Effect<SimulationReport, Forbidden | Unprocessable | StorageUnavailable>
  }
>()("@millrace/core/explain/Simulations") {
  static readonly layer: Layer.Layer<
    Simulations,
    never,
    AnalysisStore | EnrichmentStore | FeedStore | Rehearsal | FeedPipelines | Kinds | Digest
  > = Layer.effect(Simulations, make)
}
