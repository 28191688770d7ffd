/** What one transaction of an analysis covers: records that changed, and what each enrichment makes of them, in order. */
import * as Effect from "effect/Effect"
import type { AccountId } from "../bank/Account.ts"
import { toPublic } from "../bank/PublicRecord.ts"
import type { DataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import type { BusinessCalendar } from "../shared/BusinessCalendar.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import { limits } from "../shared/Limits.ts"
import type { Id } from "../shared/Ids.ts"
import { Work, WorkExceeded } from "../shared/Work.ts"
import type { RateTable } from "../shared/RateTable.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { PlacedAccount, Place, Placing } from "./AnalysisPlaces.ts"
import { type AnalysisEntry, AnalysisStore } from "./AnalysisStore.ts"
import { FieldsRead } from "./FieldsRead.ts"
import { EnrichmentFault, type View } from "./kinds/Kind.ts"
import type { PartitionKey, SetAccount, SetRecord } from "./kinds/SetKind.ts"
import { pastUpTo } from "./Beginnings.ts"
import {
  type CompiledPipeline,
  mayFall,
  type PipelineFault,
  RecordWalk,
  run,
  type RunOptions,
  runWithLines
} from "./Pipeline.ts"
import { gather, type GatheredFor, isGathering } from "./PipelineOpening.ts"
import { lineSeparator } from "./Progress.ts"
import { noNotes, type NotedClaim, type RecordNotes } from "./RecordNotes.ts"
import type { PlanningRoom } from "./PlanningRoom.ts"
import { nextTurn } from "./PlanningTurns.ts"
import { asideMessage, type RunWork } from "./RunWork.ts"
import { figuresOf, type Observed, planSet, type SetPlanned } from "./SetPlanning.ts"

type Step = Placing["steps"][number]

export interface SliceInput {
  readonly scope: { readonly workspaceId: WorkspaceId; readonly dataType: DataType }
  readonly steps: ReadonlyArray<Step>
  /** All that are in scope. */
  readonly accounts: ReadonlyMap<AccountId, SetAccount>
  /** As the pipelines see them; `undefined` for one that no feed in scope shows. */
  readonly placeOf: (id: AccountId) => Effect.Effect<PlacedAccount | undefined>
  readonly baseCurrency: Currency
  readonly at: Timestamp
  /** What each enrichment was planned whole under. */
  readonly planned: Readonly<Record<string, string>>
  /** Since when enrichments look at accounts (`Beginnings`). */
  readonly begun: Readonly<Record<string, string>>
  readonly locale: string
  readonly timezone: string
  readonly rates: RateTable
  readonly calendar: BusinessCalendar
  readonly today: CalendarDate
  readonly hasFacts: boolean
  readonly sha256: (text: string) => string
  /** Whether anything may be asked outside; it may unless given. */
  readonly mayAsk?: boolean
  /** What enrichments of single records do for the records of a run. */
  readonly work: RunWork
}

export interface SliceResult {
  readonly planned: ReadonlyArray<SetPlanned & { readonly step: Step }>
  /** Records about which something else is said now, by account. */
  readonly touched: ReadonlyMap<AccountId, ReadonlySet<string>>
  readonly faults: ReadonlyArray<PipelineFault>
}

export interface SlicePlanning {
  readonly room: PlanningRoom
  /** All records that changed are in this slice or in those before: what is due, or was planned otherwise, is planned as well. */
  readonly isRead: boolean
  /** Partitions that failed in this run already, by enrichment. */
  readonly aside?: ReadonlyMap<string, ReadonlySet<PartitionKey>>
}

interface Looked {
  readonly record: LedgerRecord
  readonly placed: PlacedAccount
  /** No enrichment keeps anything of it until now, so that nobody need look. */
  readonly isNew: boolean
}

/** A record on its way through the pipeline of a feed. */
interface Walking {
  readonly pipeline: CompiledPipeline
  readonly walk: RecordWalk
}

/** Where a record, or its lines, stand in the partitions of an enrichment. */
interface Standing {
  readonly fields: Fields
  readonly partitions: ReadonlyArray<PartitionKey>
  /** By partition; absent where it stands there itself. */
  readonly lines?: ReadonlyMap<PartitionKey, NonNullable<AnalysisEntry["lines"]>>
}

const nowhere: Standing = { fields: {}, partitions: [] }

const entriesOf = (
  recordId: string,
  accountId: AccountId,
  { fields, lines, partitions }: Standing
): ReadonlyArray<AnalysisEntry> =>
  partitions.map((partition) => {
    const own = lines?.get(partition)
    const entry = { partition, recordId, accountId, fields }
    return own === undefined ? entry : { ...entry, lines: own }
  })

/** So few keys that each is compared with those before it. */
const fewKeys = 8

/** Each of them once. */
const once = (keys: ReadonlyArray<PartitionKey>): ReadonlyArray<PartitionKey> => {
  if (keys.length > fewKeys) return [...new Set(keys)]
  for (let n = 1; n < keys.length; n++) if (keys.indexOf(keys[n]!) < n) return [...new Set(keys)]
  return keys
}

/** Records that are looked at before anything else may go on. */
const lookedAtOnce = 250

/** What an enrichment has been shown of the records of a slice, and those on which it failed. */
interface Shown {
  readonly reads: FieldsRead
  readonly observed: Array<Observed>
  /** Where records stand about which it keeps nothing until now. */
  readonly fresh: Array<AnalysisEntry>
  readonly faults: Array<PipelineFault>
  /** To place a record took more work than it may: from there on all stay where they stood. */
  isAside: boolean
}

export class AnalysisSlice {
  private readonly input: SliceInput
  private readonly looked = new Map<string, Looked>()
  private readonly gone = new Set<string>()
  private readonly notes = new Map<string, RecordNotes>()
  private readonly gathered = new Map<CompiledPipeline, Map<string, GatheredFor>>()
  /** Each as far as an enrichment has looked at it: they are asked in the order of the pipelines. */
  private readonly walking = new Map<string, Walking>()
  private shown: ReadonlyMap<Step, Shown> | undefined

  constructor(input: SliceInput) {
    this.input = input
  }

  /** Records of an account that changed. `areNew`: no enrichment keeps anything of them until now. */
  readonly add = Effect.fnUntraced(function* (
    this: AnalysisSlice,
    placed: PlacedAccount,
    changes: ReadonlyArray<LedgerRecord>,
    areNew = false
  ) {
    const { mayAsk = true, scope, today, work } = this.input
    const store = yield* AnalysisStore
    for (const record of changes) this.looked.set(record.id, { record, placed, isNew: areNew })
    const noted = changes.filter(({ annotated }) => annotated).map(({ id }) => id)
    if (noted.length > 0) {
      for (const [id, notes] of yield* store.notes(scope.workspaceId, noted)) this.notes.set(id, notes)
    }
    const live = changes.filter(({ state }) => state === "live")
    for (const place of placed.places.values()) {
      const { pipeline } = place
      if (!isGathering(pipeline) || this.gathered.get(pipeline)?.has(live[0]?.id ?? "") === true) continue
      const pending = live.map((record) => ({
        view: this.viewOf({ record, placed, isNew: areNew }, place),
        notes: this.notes.get(record.id)
      }))
      const { chunks } = yield* gather(pipeline, scope, pending, { today, work, mayAsk })
      if (chunks.length === 0) continue
      const byRecord = this.gathered.get(pipeline) ?? new Map<string, GatheredFor>()
      this.gathered.set(pipeline, byRecord)
      for (const { gathered, records } of chunks) {
        for (const { view } of records) byRecord.set(view.recordId, { view, gathered })
      }
    }
  })

  /** Records that no feed in scope shows any more. */
  remove(ids: ReadonlyArray<string>): void {
    for (const id of ids) this.gone.add(id)
  }

  /** The annotations of a record that was looked at. */
  notesOf(recordId: string): RecordNotes | undefined {
    return this.notes.get(recordId)
  }

  /**
   * Shows all records to all enrichments, each record to one after the other. Only where nothing is planned then: what an enrichment
   * says of a record is seen by those behind it. So no record is held on its way through its pipeline, and none need wait for what
   * was planned before.
   */
  readonly show = Effect.fnUntraced(function* (this: AnalysisSlice) {
    const { steps } = this.input
    const shown = new Map(steps.map((step) => [step, this.nobody(step)]))
    const each = [...shown.values()]
    let left = lookedAtOnce
    for (const [recordId, looked] of this.looked) {
      for (let at = 0; at < steps.length; at++) this.showTo(steps[at]!, each[at]!, recordId, looked)
      this.walking.delete(recordId)
      yield* nextTurn(this.input.work)
      if (--left > 0) continue
      left = lookedAtOnce
      yield* Effect.yieldNow
    }
    for (const one of shown.values()) this.showGone(one)
    this.shown = shown
  })

  /** Everything that changed, as far as there is room: what has none waits for another slice. */
  readonly plan = Effect.fnUntraced(function* (this: AnalysisSlice, { aside, isRead, room }: SlicePlanning) {
    const { accounts, at, baseCurrency, calendar, hasFacts, locale, rates, scope, sha256, steps, timezone, today } =
      this.input
    const store = yield* AnalysisStore
    const planned: Array<SetPlanned & { readonly step: Step }> = []
    const touched = new Map<AccountId, Set<string>>()
    const faults: Array<PipelineFault> = []
    const shown: Array<ReturnType<typeof figuresOf>> = []
    for (const step of steps) {
      const { id } = step.enrichment
      const before = [...shown]
      const { faults: unseen, fresh, observed } = this.shown?.get(step) ?? (yield* this.observe(step))
      faults.push(...unseen)
      const result = yield* planSet({
        scope,
        step,
        observed,
        fresh,
        stale: isRead ? yield* this.stale(step, room, aside?.get(id)) : [],
        room,
        aside: aside?.get(id),
        facts: hasFacts && !room.isFull ? yield* store.facts(scope, { enrichmentId: id }) : [],
        today,
        at,
        locale,
        isPast: (recordId) => this.isPast(step, recordId),
        accounts,
        baseCurrency,
        timezone,
        rates,
        calendar,
        sha256,
        figures: Effect.map(Effect.all(before), (all) => all.flat())
      })
      planned.push({ ...result, step })
      if (step.kind.shows !== undefined) {
        shown.push(figuresOf({ scope, step, today, baseCurrency, timezone }, result))
      }
      faults.push(...result.faults.map((message) => ({ enrichmentId: id, message })))
      for (const [recordId, accountId] of result.touched) {
        const ids = touched.get(accountId) ?? new Set<string>()
        touched.set(accountId, ids.add(recordId))
      }
      yield* this.follow(id, result)
    }
    return { planned, touched, faults } satisfies SliceResult as SliceResult
  })

  /** Partitions that are planned although no record of them changed. */
  private readonly stale = Effect.fnUntraced(function* (
    this: AnalysisSlice,
    step: Step,
    room: PlanningRoom,
    aside: ReadonlySet<PartitionKey> = new Set()
  ) {
    const { planned, scope, today } = this.input
    const store = yield* AnalysisStore
    if (room.isFull) {
      room.leave()
      return []
    }
    const { id } = step.enrichment
    const limit = limits.runPartitions + aside.size
    const all = yield* store.stale(scope, id, { tag: step.tag, today, limit })
    if (all.length === limit) room.leave()
    const keys = all.filter((key) => !aside.has(key))
    const { pulse } = step.kind
    return pulse === undefined || planned[id] === step.wholeTag || keys.includes(pulse) ? keys : [...keys, pulse]
  })

  /** What was not looked at now was there before. */
  private isPast(step: Step, recordId: string): boolean {
    const looked = this.looked.get(recordId)
    if (looked === undefined) return true
    const upTo = pastUpTo(this.input.begun, step, looked.record.accountId)
    return upTo === undefined || looked.record.changeNo <= upTo
  }

  private viewOf({ placed, record }: Looked, { pipeline, specs }: Place): View {
    const known = this.gathered.get(pipeline)?.get(record.id)?.view
    return known ?? { recordId: record.id, fields: toPublic(this.input.scope.dataType, record, placed.owner, specs) }
  }

  /** Where the records stand in the partitions of an enrichment from now on. */
  private readonly observe = Effect.fnUntraced(function* (this: AnalysisSlice, step: Step) {
    const one = this.nobody(step)
    let left = lookedAtOnce
    for (const [recordId, looked] of this.looked) {
      this.showTo(step, one, recordId, looked)
      yield* nextTurn(this.input.work)
      if (--left > 0) continue
      left = lookedAtOnce
      yield* Effect.yieldNow
    }
    this.showGone(one)
    return one
  })

  private nobody({ catalog, kind, prepared }: Step): Shown {
    return {
      reads: new FieldsRead(kind.reads(prepared, catalog)),
      observed: [],
      fresh: [],
      faults: [],
      isAside: false
    }
  }

  private showTo(step: Step, one: Shown, recordId: string, looked: Looked): void {
    const { faults, fresh, observed, reads } = one
    const place = looked.placed.places.get(step.enrichment.id)
    const { accountId, state } = looked.record
    if (one.isAside) return
    // One that the kind fails on stays where it stood, and leaves all others as they would be without it.
    try {
      const standing =
        place === undefined || (state !== "live" && step.kind.removed !== true)
          ? nowhere
          : this.standingOf(step, place, looked, reads)
      const entries = entriesOf(recordId, accountId, standing)
      if (looked.isNew) for (const entry of entries) fresh.push(entry)
      else observed.push({ recordId, entries })
    } catch (cause) {
      one.isAside = cause instanceof WorkExceeded
      const message = one.isAside ? asideMessage : `${String(cause)} (record ${recordId})`
      faults.push({ enrichmentId: step.enrichment.id, message })
    }
  }

  private showGone({ observed }: Shown): void {
    for (const recordId of this.gone) observed.push({ recordId, entries: [] })
  }

  private partitionsOf({ kind, prepared }: Step, record: SetRecord): ReadonlyArray<PartitionKey> {
    const work = new Work()
    work.allow(limits.recordWork)
    try {
      return once(kind.partitions(prepared, record, work))
    } finally {
      this.input.work.spend(work.spent)
    }
  }

  private standingOf(step: Step, place: Place, looked: Looked, reads: FieldsRead): Standing {
    const { at, pipeline } = place
    const { kind } = step
    const { accountId, id: recordId } = looked.record
    const options = {
      notes: this.notes.get(recordId),
      gathered: this.gathered.get(pipeline)?.get(recordId)?.gathered,
      before: at
    }
    if (looked.record.state !== "live") {
      const fields = { ...reads.of(this.viewOf(looked, place).fields), removed: true }
      return { fields, partitions: this.partitionsOf(step, { recordId, accountId, fields }) }
    }
    const { notes } = options
    const {
      fields: whole,
      isPartial,
      lines
    } = kind.lines === true && mayFall(pipeline, notes)
      ? this.linesBefore(looked, place, options)
      : { ...this.fieldsBefore(looked, place, options), lines: undefined }
    // What was set aside said something of it before that nobody knows here.
    if (isPartial && !looked.isNew) throw new EnrichmentFault({ reason: "limit", message: asideMessage })
    const fields = reads.of(whole)
    if (lines === undefined || lines.size === 0) {
      return { fields, partitions: this.partitionsOf(step, { recordId, accountId, fields }) }
    }
    const parts = new Map<PartitionKey, Array<NonNullable<AnalysisEntry["lines"]>[number]>>()
    for (const [lineRecordId, line] of lines) {
      const own = reads.of(line)
      const one = { id: lineRecordId.slice(recordId.length + lineSeparator.length), fields: own }
      for (const partition of this.partitionsOf(step, { recordId: lineRecordId, accountId, fields: own })) {
        const some = parts.get(partition) ?? []
        parts.set(partition, some)
        some.push(one)
      }
    }
    return { fields, partitions: [...parts.keys()], lines: parts }
  }

  /** The record as the steps before one leave it, until it goes on from there. */
  private fieldsBefore(looked: Looked, place: Place, options: RunOptions & { readonly before: number }) {
    const { before, notes } = options
    if (notes?.split !== undefined) return run(place.pipeline, this.viewOf(looked, place), this.input, options)
    const walk = this.walkOf(looked, place, options)
    return { fields: walk.fieldsBefore(before, notes), isPartial: walk.isPartial }
  }

  /** The same, with what the record falls into. */
  private linesBefore(looked: Looked, place: Place, options: RunOptions & { readonly before: number }) {
    const { before, notes } = options
    if (notes?.split === undefined) {
      const walk = this.walkOf(looked, place, options)
      const lines = walk.linesBefore(before, notes)
      return { fields: walk.fieldsBefore(before, notes), isPartial: walk.isPartial, lines }
    }
    const view = this.viewOf(looked, place)
    const { lines, record } = runWithLines(place.pipeline, view, this.input, options)
    return {
      fields: record.fields,
      isPartial: record.isPartial,
      lines: new Map(Array.from(lines, ([id, { fields }]) => [id, fields]))
    }
  }

  /** A record that another pipeline was asked about starts again in this one. */
  private walkOf(looked: Looked, place: Place, options: RunOptions): RecordWalk {
    const { pipeline } = place
    const { id } = looked.record
    const last = this.walking.get(id)
    if (last?.pipeline === pipeline) return last.walk
    const walk = new RecordWalk(pipeline, this.viewOf(looked, place), this.input, options)
    this.walking.set(id, { pipeline, walk })
    return walk
  }

  /** Lets what an enrichment says now be seen by those behind it. */
  private readonly follow = Effect.fnUntraced(function* (
    this: AnalysisSlice,
    enrichmentId: Id<"enrichment">,
    { changes, planned, touched }: SetPlanned
  ) {
    const { placeOf, scope } = this.input
    const records = yield* RecordStore
    const store = yield* AnalysisStore
    if (touched.size === 0) return
    const unknown = [...touched].filter(([id]) => !this.looked.has(id) && !this.gone.has(id))
    for (const [accountId, some] of Map.groupBy(unknown, ([, id]) => id)) {
      const placed = yield* placeOf(accountId)
      if (placed === undefined) continue
      const ids = some.map(([id]) => id)
      const held = yield* records.held({ ...scope, accountId }, ids)
      for (const [id, notes] of yield* store.notes(scope.workspaceId, ids)) this.notes.set(id, notes)
      for (const record of held) this.looked.set(record.id, { record, placed, isNew: false })
    }
    const now = Map.groupBy(changes.notes, ({ recordId }) => recordId)
    const dropped = Map.groupBy(changes.droppedNotes, ({ recordId }) => recordId)
    for (const recordId of touched.keys()) {
      const notes = this.notes.get(recordId) ?? noNotes
      const said = now.get(recordId) ?? []
      const replaced = new Set([...said, ...(dropped.get(recordId) ?? [])].map(({ partition }) => partition))
      const kept = (notes.claims.get(enrichmentId) ?? []).filter(
        ({ path }) => !replaced.has(path) || !planned.has(path)
      )
      const claims: Array<NotedClaim> = [
        ...kept,
        ...said.flatMap(({ claims: made, partition }) => made.map((claim) => ({ ...claim, path: partition })))
      ]
      claims.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
      this.notes.set(recordId, { ...notes, claims: new Map([...notes.claims, [enrichmentId, claims]]) })
    }
  })
}
