/**
 * Runs the enrichments of a feed over its records, one record at a time (enrichments A3, A6, A11).
 *
 * Compiled once per set of revisions. A compiled pipeline keeps scratch space, so one record is run at a time;
 * the result is a function of the enrichments, the record and the context alone.
 */
import * as Result from "effect/Result"
import type { DataType, FieldSpecs } from "../record/DataType.ts"
import { catalogOf, type FieldCatalog } from "../record/FieldCatalog.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { Enrichment } from "./Enrichment.ts"
import {
  authorities,
  type Claim,
  type Issue,
  type Outcome,
  type PlanContext,
  type RecordKind,
  type Verdict,
  type View
} from "./kinds/Kind.ts"
import { type Kinds, unknownType } from "./Kinds.ts"
import type { FieldChange } from "./Provenance.ts"

export interface EnrichmentFault {
  readonly enrichmentId: string
  readonly message: string
}

export interface PipelineVerdict {
  readonly value: Verdict
  /** The filter that says so; `null` when none objects. */
  readonly enrichmentId: string | null
  readonly reason: string
  /** Also when it was delivered before: then it is removed at the destination. */
  readonly removeDelivered: boolean
}

export interface PipelineResult {
  /** The very object that was given when nothing applied. */
  readonly fields: Fields
  readonly verdict: PipelineVerdict
  /** What is different from the record that was given, each field once, with the claim that prevailed. */
  readonly changes: ReadonlyArray<FieldChange>
  /** Enrichments whose conditions held, in the order in which they ran. */
  readonly matched: ReadonlyArray<string>
  /** Enrichments that failed on this record; their claims are missing and everything else is there. */
  readonly faults: ReadonlyArray<EnrichmentFault>
  /** Actions that could make nothing of their input. */
  readonly skipped: number
}

interface Step {
  readonly enrichment: Enrichment
  readonly authority: number
  readonly stage: number
  /** What the enrichment says about a record; throws when it fails on it. */
  readonly plan: (view: View, context: PlanContext) => Outcome
  /** Filters: the verdict on a record they fail on. */
  readonly onFault: Verdict | undefined
}

export interface CompiledPipeline {
  readonly steps: ReadonlyArray<Step>
  /** Source fields, then what the enrichments add. */
  readonly catalog: FieldCatalog
  /** As `signatureOf` says. */
  readonly signature: string
  /** Enrichments that do not run at all, each once. */
  readonly faults: ReadonlyArray<EnrichmentFault>
}

const deliver: PipelineVerdict = { value: "deliver", enrichmentId: null, reason: "", removeDelivered: false }
const weight: Readonly<Record<Verdict, number>> = { deliver: 0, hold: 1, drop: 2 }
const none: ReadonlyArray<never> = []

const byId = (a: Enrichment, b: Enrichment): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const issueText = (issues: ReadonlyArray<Issue>): string =>
  issues.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`)).join("; ")

interface Decoded {
  readonly enrichment: Enrichment
  readonly kind: RecordKind
  readonly config: unknown
  readonly stage: number
}

/** A filter that cannot run lets nothing through. */
const holdAll = (enrichment: Enrichment): Step => ({
  enrichment,
  authority: authorities.analysis,
  stage: Infinity,
  plan: () => ({ claims: [], verdict: { value: "hold", reason: "this filter cannot run" } }),
  onFault: "hold"
})

/** Equal for equal sets of (id, revision). */
export const signatureOf = (enrichments: ReadonlyArray<Enrichment>): string =>
  enrichments
    .toSorted(byId)
    .map(({ id, revision }) => `${id}@${revision}`)
    .join(",")

/** `kinds`: those that can run here; an enrichment of any other is a fault. `declared`: fields that the feed adds to its type. */
export const compile = (
  enrichments: ReadonlyArray<Enrichment>,
  dataType: DataType,
  kinds: Kinds["Service"],
  declared?: FieldSpecs
): CompiledPipeline => {
  const inScope = enrichments.filter((enrichment) => enrichment.enabled && enrichment.dataType === dataType)
  const faults: Array<EnrichmentFault> = []
  const broken: Array<Step> = []
  const reject = (enrichment: Enrichment, message: string): void => {
    faults.push({ enrichmentId: enrichment.id, message })
    const decides = kinds.get(enrichment.type)?.onFault !== undefined
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
    if (Result.isFailure(config)) reject(enrichment, issueText(config.failure))
    else decoded.push({ enrichment, kind, config: config.success, stage: kind.stage(config.success) })
  }
  decoded.sort(
    (a, b) => a.stage - b.stage || a.enrichment.order - b.enrichment.order || byId(a.enrichment, b.enrichment)
  )

  let catalog: FieldCatalog = catalogOf(dataType, declared)
  const steps: Array<Step> = []
  for (const { enrichment, kind, config, stage } of decoded) {
    const { errors } = kind.check(config, catalog)
    if (errors.length > 0) {
      reject(enrichment, issueText(errors))
      continue
    }
    const prepared = kind.prepare(config, catalog)
    catalog = new Map([...kind.declares(config, catalog), ...catalog])
    steps.push({
      enrichment,
      authority: authorities[kind.capabilities.authority],
      stage,
      plan: (view, context) => kind.plan(prepared, view, context),
      onFault: kind.onFault?.(config)
    })
  }
  return {
    steps: [...steps, ...broken],
    catalog,
    signature: signatureOf(inScope),
    faults
  }
}

/** The claim that holds a field at the moment. */
interface Held {
  readonly claim: Claim
  readonly step: Step
}

/** What has happened to one record; made when the first thing happens. */
class Progress {
  readonly matched: Array<string> = []
  readonly faults: Array<EnrichmentFault> = []
  verdict: PipelineVerdict = deliver
  skipped = 0
  view: View
  private readonly original: Fields
  private fields: Record<string, FieldValue> | undefined
  private readonly held = new Map<string, Held>()

  constructor(view: View) {
    this.view = view
    this.original = view.fields
  }

  judge(value: Verdict, enrichmentId: string, reason: string, removeDelivered = false): void {
    if (weight[value] > weight[this.verdict.value]) this.verdict = { value, enrichmentId, reason, removeDelivered }
    // Several filters may drop a record; one that wants the delivered row gone is enough.
    else if (value === this.verdict.value && removeDelivered) this.verdict = { ...this.verdict, removeDelivered }
  }

  take(step: Step, outcome: Outcome): void {
    const { claims, verdict } = outcome
    if (claims.length > 0 || outcome.matched === true) this.matched.push(step.enrichment.id)
    this.skipped += outcome.skipped ?? 0
    if (verdict !== undefined) this.judge(verdict.value, step.enrichment.id, verdict.reason, verdict.removeDelivered)
    for (const claim of claims) {
      const holder = this.held.get(claim.field)
      if (step.authority < (holder?.step.authority ?? authorities.provider)) continue
      this.held.set(claim.field, { claim, step })
      if (this.fields === undefined) {
        this.fields = { ...this.original }
        this.view = { ...this.view, fields: this.fields }
      }
      this.fields[claim.field] = claim.value
    }
  }

  result(): PipelineResult {
    const changes: Array<FieldChange> = []
    for (const [field, { claim, step }] of this.held) {
      const before = Object.hasOwn(this.original, field) ? (this.original[field] ?? null) : null
      if (before === claim.value) continue
      const { id, revision } = step.enrichment
      changes.push({ field, before, after: claim.value, enrichmentId: id, revision, path: claim.path })
    }
    return {
      fields: this.view.fields,
      verdict: this.verdict,
      changes,
      matched: this.matched,
      faults: this.faults,
      skipped: this.skipped
    }
  }
}

const says = (outcome: Outcome): boolean =>
  outcome.claims.length > 0 ||
  outcome.matched === true ||
  (outcome.verdict !== undefined && outcome.verdict.value !== "deliver")

/** Records that nothing applies to cost no copy and no list. */
export const run = (pipeline: CompiledPipeline, view: View, context: PlanContext): PipelineResult => {
  let progress: Progress | undefined
  for (const step of pipeline.steps) {
    // The one place where the fault of an enrichment is kept from the others (enrichments A11).
    try {
      const outcome = step.plan(progress === undefined ? view : progress.view, context)
      if (!says(outcome)) continue
      progress ??= new Progress(view)
      progress.take(step, outcome)
    } catch (cause) {
      progress ??= new Progress(view)
      const message = String(cause)
      progress.faults.push({ enrichmentId: step.enrichment.id, message })
      if (step.onFault !== undefined) progress.judge(step.onFault, step.enrichment.id, `failed: ${message}`)
    }
  }
  return progress === undefined
    ? { fields: view.fields, verdict: deliver, changes: none, matched: none, faults: none, skipped: 0 }
    : progress.result()
}
