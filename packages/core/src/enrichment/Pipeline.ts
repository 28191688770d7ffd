/**
 * Runs the enrichments of a feed over its records, one record at a time (enrichments A3, A6, A11).
 *
 * Compiled once per set of revisions. A compiled pipeline keeps scratch space, so one record is run at a time;
 * the result is a function of the enrichments, the record, its notes, what was gathered and the context alone.
 */
import * as Result from "effect/Result"
import type { DataType, FieldSpecs } from "../record/DataType.ts"
import { catalogOf, type FieldCatalog } from "../record/FieldCatalog.ts"
import type { Fields } from "../record/FieldValue.ts"
import { decode } from "../shared/StrictDecoding.ts"
import { limits } from "../shared/Limits.ts"
import { WorkExceeded } from "../shared/Work.ts"
import type { Enrichment } from "./Enrichment.ts"
import {
  authorities,
  type Claim,
  EnrichmentFault,
  type Issue,
  type Line,
  type LineDelivery,
  type Outcome,
  type PlanContext,
  type RecordKind,
  type Today,
  type Verdict,
  type View
} from "./kinds/Kind.ts"
import type { SetKind } from "./kinds/SetKind.ts"
import { personsLines } from "./kinds/split/PersonsSplit.ts"
import { splitStage } from "./kinds/split/SplitConfig.ts"
import { type AnyKind, type Kinds, unknownType } from "./Kinds.ts"
import { deliver, lineSeparator, type PipelineVerdict, Progress, type Shadow, type Speaker } from "./Progress.ts"
import type { FieldChange } from "./Provenance.ts"
import type { NotedClaim, RecordNotes } from "./RecordNotes.ts"
import { asideMessage, type RunWork } from "./RunWork.ts"

export type { PipelineVerdict } from "./Progress.ts"

export interface PipelineFault {
  readonly enrichmentId: string
  readonly message: string
}

export interface PipelineResult {
  /** The very object that was given when nothing applied. */
  readonly fields: Fields
  readonly verdict: PipelineVerdict
  /** What is different from the record that was given, each field once, with the claim that prevailed. */
  readonly changes: ReadonlyArray<FieldChange>
  /** What enrichments would have written into fields that a person decided. */
  readonly shadows: ReadonlyArray<Shadow>
  /** Enrichments whose conditions held, in the order in which they ran. */
  readonly matched: ReadonlyArray<string>
  /** Enrichments that failed on this record; their claims are missing and everything else is there. */
  readonly faults: ReadonlyArray<PipelineFault>
  /** Actions that could make nothing of their input. */
  readonly skipped: number
  /** An enrichment was set aside: what it would say of the record is missing, unless it is known from before. */
  readonly isPartial: boolean
  /** The fields that a person or an enrichment has decided, whatever they were before. */
  readonly decided: NonNullable<View["decided"]>
}

/** What a run knows besides the records, and the work that it does. */
export interface RunContext extends Today {
  readonly work: RunWork
}

/** What was gathered for the records that are run, by the place of the step. */
export type Gathered = ReadonlyMap<number, unknown>

export interface Step {
  readonly enrichment: Enrichment
  readonly authority: number
  readonly stage: number
  /** Made of the configuration; what `SetKind` and `RecordKind` call prepared. */
  readonly prepared: unknown
  /** The fields that it was prepared for. */
  readonly catalog: FieldCatalog
  readonly kind: AnyKind | undefined
  /** What the enrichment says about a record; throws when it fails on it. */
  readonly plan: (view: View, context: PlanContext, notes: RecordNotes | undefined, gathered: unknown) => Outcome
  /** Filters: the verdict on a record they fail on. */
  readonly onFault: Verdict | undefined
  readonly makesLines: boolean
}

export interface CompiledPipeline {
  readonly steps: ReadonlyArray<Step>
  /** Source fields, then what the enrichments add. */
  readonly catalog: FieldCatalog
  /** As `signatureOf` says, and what was opened. */
  readonly signature: string
  /** Units of work that each enrichment may do for a record: what is between two turns is bounded, however many there are. */
  readonly shareOfWork: number
  /** Whether something in it decides which rows are delivered. */
  readonly decides: boolean
  /** Whether records may fall into lines. */
  readonly makesLines: boolean
  /** Whether what is decided may be decided otherwise on another day. */
  readonly decidesDaily: boolean
  /** Enrichments that do not run at all, each once. */
  readonly faults: ReadonlyArray<PipelineFault>
}

const none: ReadonlyArray<never> = []
const noFields: ReadonlySet<string> = new Set()
const nothing: Outcome = { claims: [] }

const byId = (a: Enrichment, b: Enrichment): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const issueText = (issues: ReadonlyArray<Issue>): string =>
  issues.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("; ")

interface Decoded {
  readonly enrichment: Enrichment
  readonly kind: AnyKind
  readonly config: unknown
  readonly stage: number
}

/** A filter that cannot run lets nothing through. */
export const holdAll = (enrichment: Enrichment): Step => ({
  enrichment,
  catalog: new Map(),
  authority: authorities.analysis,
  stage: Infinity,
  prepared: undefined,
  kind: undefined,
  plan: () => ({ claims: [], verdict: { value: "hold", reason: "this filter cannot run" } }),
  onFault: "hold",
  makesLines: false
})

/** Equal for equal sets of (id, revision). */
export const signatureOf = (enrichments: ReadonlyArray<Enrichment>): string =>
  enrichments
    .toSorted(byId)
    .map(({ id, revision }) => `${id}@${revision}`)
    .join(",")

/** Without those about other lines. */
const claimsAbout = (claims: ReadonlyArray<NotedClaim>, { recordId }: View): ReadonlyArray<NotedClaim> =>
  claims.some(({ line }) => line !== undefined)
    ? claims.filter(({ line }) => line === undefined || recordId.endsWith(`${lineSeparator}${line}`))
    : claims

/** What a step says is what its kind plans: for a set kind that is kept beside the record. */
const planOf = (kind: AnyKind, prepared: unknown, { id }: Enrichment): Step["plan"] =>
  kind.family === "set"
    ? (view, _context, notes) => {
        const claims = notes?.claims.get(id)
        return claims === undefined ? nothing : { claims: claimsAbout(claims, view) }
      }
    : (view, context, _notes, gathered) => kind.plan(prepared, view, context, gathered)

const stepOf = ({ enrichment, kind, config, stage }: Decoded, prepared: unknown, catalog: FieldCatalog): Step => ({
  enrichment,
  catalog,
  authority: authorities[kind.capabilities.authority],
  stage,
  prepared,
  kind,
  plan: planOf(kind, prepared, enrichment),
  onFault: kind.family === "record" ? kind.onFault?.(config) : undefined,
  makesLines: kind.family === "record" && kind.makesLines === true
})

/** The step with something else prepared. */
export const reopened = (step: Step, kind: RecordKind, prepared: unknown): Step => ({
  ...step,
  prepared,
  plan: planOf(kind, prepared, step.enrichment)
})

/**
 * `kinds`: those that can run here; an enrichment of any other is a fault. `declared`: fields that the feed adds to its type. Stops
 * after each enrichment, since some have thousands of patterns or keys.
 */
export function* compiling(
  enrichments: ReadonlyArray<Enrichment>,
  dataType: DataType,
  kinds: Kinds["Service"],
  declared?: FieldSpecs
): Generator<void, CompiledPipeline> {
  const inScope = enrichments.filter((enrichment) => enrichment.enabled && enrichment.dataType === dataType)
  const faults: Array<PipelineFault> = []
  const broken: Array<Step> = []
  const reject = (enrichment: Enrichment, message: string): void => {
    faults.push({ enrichmentId: enrichment.id, message })
    const kind = kinds.get(enrichment.type)
    const decides = kind?.family === "record" && kind.onFault !== undefined
    if (decides || enrichment.type === "filter") broken.push(holdAll(enrichment))
  }

  const decoded: Array<Decoded> = []
  for (const enrichment of inScope.toSorted(byId)) {
    const kind = kinds.get(enrichment.type)
    if (kind === undefined) {
      reject(enrichment, unknownType(enrichment.type, kinds))
      continue
    }
    const config = decode(kind.Config, enrichment.config)
    yield
    if (Result.isFailure(config)) reject(enrichment, issueText(config.failure))
    else decoded.push({ enrichment, kind, config: config.success, stage: kind.stage(config.success) })
  }
  decoded.sort(
    (a, b) => a.stage - b.stage || a.enrichment.order - b.enrichment.order || byId(a.enrichment, b.enrichment)
  )

  let catalog: FieldCatalog = catalogOf(dataType, declared)
  const steps: Array<Step> = []
  let moves = false
  for (const one of decoded) {
    const { config, enrichment, kind } = one
    const { errors } = kind.check(config, catalog, enrichment.workspaceId)
    yield
    if (errors.length > 0) {
      reject(enrichment, issueText(errors))
      continue
    }
    const before = catalog
    const prepared = kind.prepare(config, before)
    moves ||= kind.family === "record" && kind.movesWithTheDay?.(config, catalog) === true
    catalog = new Map([...kind.declares(config, catalog), ...catalog])
    steps.push(stepOf(one, prepared, before))
    yield
  }
  const all = [...steps, ...broken]
  const makesLines = steps.some((step) => step.makesLines)
  const decides = makesLines || all.some(({ onFault }) => onFault !== undefined)
  return {
    steps: all,
    catalog,
    signature: signatureOf(inScope),
    shareOfWork: Math.max(limits.stepWork, Math.floor(limits.recordWork / Math.max(1, all.length))),
    decides,
    makesLines,
    decidesDaily: decides && moves,
    faults
  }
}

/** As `compiling`, at once. */
export const compile = (...given: Parameters<typeof compiling>): CompiledPipeline => {
  const steps = compiling(...given)
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** The steps of set kinds, in order, each with its place. */
export const setSteps = ({
  steps
}: CompiledPipeline): ReadonlyArray<{ readonly at: number; readonly step: Step; readonly kind: SetKind }> =>
  steps.flatMap((step, at) => (step.kind?.family === "set" ? [{ at, step, kind: step.kind }] : []))

const says = (outcome: Outcome): boolean =>
  outcome.claims.length > 0 ||
  outcome.matched === true ||
  outcome.lines !== undefined ||
  (outcome.verdict !== undefined && outcome.verdict.value !== "deliver")

export interface RunOptions {
  readonly notes?: RecordNotes | undefined
  readonly gathered?: Gathered | undefined
  /** Only the steps before this place. */
  readonly before?: number | undefined
  /** What enrichments that were set aside said of a row before. */
  readonly earlier?: Earlier | undefined
  /** Hears what each enrichment says of the record itself, and what it says when it is asked again. */
  readonly trace?: Trace | undefined
}

/** Claims by enrichment, of a record or of one of its lines. */
export type Earlier = (rowId: string) => ReadonlyMap<string, ReadonlyArray<Claim>> | undefined

/** `again` is the same outcome, unless the enrichment does not follow from what it was given. */
export type Trace = (step: Step, outcome: Outcome, again: () => Outcome) => void

interface Going {
  readonly steps: ReadonlyArray<Step>
  readonly shareOfWork: number
  readonly context: RunContext
  readonly earlier?: Earlier | undefined
  readonly notes: RecordNotes | undefined
  readonly gathered: Gathered | undefined
  readonly trace?: Trace | undefined
  /** A person split the record: no enrichment makes lines of it. */
  readonly split?: PersonsPlace | undefined
}

/** How a person split a record, and the place of the step before which that is done. */
interface PersonsPlace {
  readonly at: number
  readonly by: Speaker
  readonly says: NonNullable<NonNullable<RecordNotes["split"]>["says"]>
}

/** Items of a document are not split, since what a person said is about all of it. */
const placeOf = (steps: ReadonlyArray<Step>, { recordId }: View, notes: RecordNotes | undefined) => {
  const split = notes?.split
  if (split?.says === undefined || recordId.includes(lineSeparator)) return undefined
  const at = steps.findIndex(({ stage }) => stage >= splitStage)
  return {
    at: at < 0 ? steps.length : at,
    by: { enrichment: { id: split.factId, revision: 0 }, authority: authorities.user },
    says: split.says
  } satisfies PersonsPlace as PersonsPlace
}

/** A record that fell into lines: each goes on from the step after the one that says so. */
interface Fallen {
  readonly after: number
  readonly deliver: LineDelivery
  readonly lines: ReadonlyArray<Progress>
}

/** Apart from the loop over steps: what a function remembers of a loop is made again at each turn of it, called or not. */
const tell = (
  { context, gathered, notes }: Going,
  trace: Trace,
  step: Step,
  at: number,
  outcome: Outcome,
  seen: View
): void => trace(step, outcome, () => step.plan(seen, context, notes, gathered?.get(at)))

/** What an enrichment that was set aside says of a record: what it said before or, where it decides which rows there are, that it waits. */
const whileAside = ({ earlier }: Going, progress: Progress, step: Step): void => {
  const { enrichment, makesLines, onFault } = step
  progress.isPartial = true
  progress.faults.push({ enrichmentId: enrichment.id, message: asideMessage })
  if (onFault !== undefined || makesLines) {
    progress.keepsLines ||= makesLines
    progress.judge(step, { value: "hold", reason: asideMessage })
    return
  }
  const claims = earlier?.(progress.view.recordId)?.get(enrichment.id)
  if (claims !== undefined) progress.take(step, { claims, matched: true })
}

const linesOf = (parent: Progress, by: Speaker, lines: ReadonlyArray<Line>): ReadonlyArray<Progress> =>
  lines.map((line) => parent.line(by, line))

/** `onLines`: hears of the lines of the record, before the step that makes them says anything else. */
const goOn = (
  going: Going,
  view: View,
  begun: Progress | undefined,
  from: number,
  to: number,
  onLines?: (fallen: Fallen) => void
): Progress | undefined => {
  const { context, gathered, notes, split, steps, trace } = going
  const { work } = context
  let progress = begun
  for (let at = from; at <= to; at++) {
    if (split !== undefined && at === split.at && from <= at) {
      progress ??= new Progress(view, notes)
      const made = personsLines(view.recordId, progress.view.fields, split.says)
      if (made !== undefined) {
        const { deliver: shown, of } = made.lines
        onLines?.({ after: at, deliver: shown, lines: linesOf(progress, split.by, of) })
        progress.take(split.by, made)
      }
    }
    if (at === to) break
    const step = steps[at]!
    if (split !== undefined && step.makesLines) continue
    const { id } = step.enrichment
    const isCounted = step.kind?.family === "record"
    if (isCounted && !work.begin(id, going.shareOfWork)) {
      whileAside(going, (progress ??= new Progress(view, notes)), step)
      continue
    }
    // The one place where the fault of an enrichment is kept from the others (enrichments A11).
    try {
      const outcome = step.plan(progress === undefined ? view : progress.view, context, notes, gathered?.get(at))
      if (!says(outcome)) continue
      if (trace !== undefined) tell(going, trace, step, at, outcome, progress === undefined ? view : progress.view)
      progress ??= new Progress(view, notes)
      const { lines } = outcome
      if (onLines !== undefined && lines !== undefined && step.makesLines && !progress.isSilent(step.enrichment.id)) {
        onLines({ after: at + 1, deliver: lines.deliver, lines: linesOf(progress, step, lines.of) })
      }
      progress.take(step, outcome)
    } catch (cause) {
      progress ??= new Progress(view, notes)
      if (cause instanceof WorkExceeded) {
        work.rest(id)
        whileAside(going, progress, step)
        continue
      }
      const message = cause instanceof EnrichmentFault ? `${cause.reason}: ${cause.message}` : String(cause)
      progress.faults.push({ enrichmentId: step.enrichment.id, message })
      if (step.onFault !== undefined) progress.judge(step, { value: step.onFault, reason: `failed: ${message}` })
    } finally {
      if (isCounted) work.end()
    }
  }
  return progress
}

const begun = (view: View, notes: RecordNotes | undefined): Progress | undefined =>
  notes === undefined || notes.words.length === 0 ? undefined : new Progress(view, notes)

const untouched = ({ fields }: View): PipelineResult => ({
  fields,
  verdict: deliver,
  changes: none,
  shadows: none,
  matched: none,
  faults: none,
  skipped: 0,
  isPartial: false,
  decided: noFields
})

/** The record itself, without its lines. Records that nothing applies to cost no copy and no list. */
export const run = (
  { shareOfWork, steps }: CompiledPipeline,
  view: View,
  context: RunContext,
  { before = steps.length, earlier, gathered, notes, trace }: RunOptions = {}
): PipelineResult => {
  const going = { steps, shareOfWork, context, earlier, notes, gathered, trace, split: placeOf(steps, view, notes) }
  return goOn(going, view, begun(view, notes), 0, before)?.result() ?? untouched(view)
}

/** The record as the steps before a place leave it, for anyone who is asked about it there. */
export const viewBefore = (
  { shareOfWork, steps }: CompiledPipeline,
  view: View,
  context: RunContext,
  { before = steps.length, gathered, notes }: Omit<RunOptions, "trace">
): View => {
  const going = { steps, shareOfWork, context, notes, gathered, split: placeOf(steps, view, notes) }
  return goOn(going, view, begun(view, notes), 0, before)?.view ?? view
}

const noLines: ReadonlyMap<string, never> = new Map<string, never>()

/**
 * A record on its way through a pipeline, for anyone who asks what it is before one step and then before a later one: no step is
 * run twice. What a person splits falls between two steps, so such a record cannot stop there (`run`, `runWithLines`).
 */
export class RecordWalk {
  private readonly view: View
  private going: Going
  private at = 0
  private progress: Progress | undefined
  private fallen: Fallen | undefined
  /** How far its lines came. */
  private linesAt = 0

  constructor(
    { shareOfWork, steps }: CompiledPipeline,
    view: View,
    context: RunContext,
    { gathered, notes }: RunOptions
  ) {
    this.view = view
    this.going = { steps, shareOfWork, context, gathered, notes }
    this.progress = begun(view, notes)
  }

  /**
   * As the steps before one leave it; it is another one when it goes on. `notes`: its annotations by now; no
   * step has been asked yet.
   */
  fieldsBefore(before: number, notes: RecordNotes | undefined): Fields {
    if (before < this.at) throw new RangeError("a record goes through its pipeline once")
    if (notes !== this.going.notes) this.going = { ...this.going, notes }
    this.progress = goOn(this.going, this.view, this.progress, this.at, before, this.fall)
    this.at = before
    return this.progress === undefined ? this.view.fields : this.progress.view.fields
  }

  /** What it fell into before that step, by id; they are others when it goes on. */
  linesBefore(before: number, notes: RecordNotes | undefined): ReadonlyMap<string, Fields> {
    this.fieldsBefore(before, notes)
    if (this.fallen === undefined || this.fallen.lines.length === 0) return noLines
    const lines = new Map<string, Fields>()
    const ofLines = { ...this.going, shareOfWork: Math.floor(this.going.shareOfWork / this.fallen.lines.length) }
    for (const line of this.fallen.lines) {
      goOn(ofLines, line.view, line, this.linesAt, before)
      lines.set(line.view.recordId, line.view.fields)
    }
    this.linesAt = before
    return lines
  }

  /** Whether something was set aside on the way: nobody knows what the record would be without. */
  get isPartial(): boolean {
    return this.progress?.isPartial === true || this.fallen?.lines.some((line) => line.isPartial) === true
  }

  private readonly fall = (one: Fallen): void => {
    if (this.fallen !== undefined) return
    this.fallen = one
    this.linesAt = one.after
  }
}

/** Whether a record may have fallen into lines, or did so before: by an enrichment, or by a person. */
export const mayFall = ({ makesLines }: CompiledPipeline, notes: RecordNotes | undefined): boolean =>
  makesLines || notes?.split !== undefined

/** A record and what it falls into. */
export interface WithLines {
  readonly record: PipelineResult
  /** Whether the record itself is delivered. */
  readonly shown: boolean
  /** Whether its lines are. */
  readonly linesShown: boolean
  /** What would say which lines it has was set aside: those that were delivered stay. */
  readonly keepsLines: boolean
  /** By their ids, in order: `recordId:lineId`. */
  readonly lines: ReadonlyMap<string, PipelineResult>
}

/** The record with its lines. What set kinds say of the record is said of each line; some say more of one line alone. */
export const runWithLines = (
  { shareOfWork, steps }: CompiledPipeline,
  view: View,
  context: RunContext,
  { before = steps.length, earlier, gathered, notes, trace }: RunOptions = {}
): WithLines => {
  const going = { steps, shareOfWork, context, earlier, notes, gathered, trace, split: placeOf(steps, view, notes) }
  let fallen: Fallen | undefined
  const progress = goOn(going, view, begun(view, notes), 0, before, (one) => {
    fallen ??= one
  })
  const record = progress?.result() ?? untouched(view)
  if (fallen === undefined || fallen.lines.length === 0) {
    return { record, shown: true, linesShown: false, keepsLines: progress?.keepsLines ?? false, lines: noLines }
  }
  const lines = new Map<string, PipelineResult>()
  for (const line of fallen.lines) {
    const { recordId } = line.view
    // All of them together do the work of one record.
    const share = Math.floor(shareOfWork / fallen.lines.length)
    const rest: Going = {
      ...going,
      shareOfWork: share,
      trace: undefined,
      split: going.split && { ...going.split, at: -1 }
    }
    lines.set(recordId, goOn(rest, line.view, line, fallen.after, before)!.result())
  }
  const { deliver: which } = fallen
  return { record, shown: which !== "lines", linesShown: which !== "parent", keepsLines: false, lines }
}
