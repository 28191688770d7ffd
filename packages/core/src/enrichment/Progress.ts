/** What has happened to one record on its way through the pipeline (enrichments A6). */
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import {
  authorities,
  type Claim,
  EnrichmentFault,
  type Line,
  type Outcome,
  type Verdict,
  type View
} from "./kinds/Kind.ts"
import { limits } from "../shared/Limits.ts"
import type { PipelineFault, PipelineResult } from "./Pipeline.ts"
import type { FieldChange } from "./Provenance.ts"
import type { PersonsWord, RecordNotes } from "./RecordNotes.ts"

export interface PipelineVerdict {
  readonly value: Verdict
  /** The filter that says so; `null` when none objects. */
  readonly enrichmentId: string | null
  /** That of the filter; 0 when none objects. */
  readonly revision: number
  readonly reason: string
  /** Which part of its configuration says so; empty when it failed, and when none objects. */
  readonly path: string
  /** Also when it was delivered before: then it is removed at the destination. */
  readonly removeDelivered: boolean
}

/** Between the id of a record and that of one of its lines. */
export const lineSeparator = ":"

/** What would have been written into a field that a person decided. */
export interface Shadow {
  readonly field: string
  readonly value: FieldValue
  readonly enrichmentId: string
}

export const deliver: PipelineVerdict = {
  value: "deliver",
  enrichmentId: null,
  revision: 0,
  reason: "",
  path: "",
  removeDelivered: false
}
const weight: Readonly<Record<Verdict, number>> = { deliver: 0, hold: 1, drop: 2 }

/** Whose claims they are. */
export interface Speaker {
  /** Where a person speaks, the id of the fact, and revision 0. */
  readonly enrichment: { readonly id: string; readonly revision: number }
  readonly authority: number
}

/** The claim that holds a field at the moment. */
type Held = { readonly claim: Claim; readonly step: Speaker } | { readonly word: PersonsWord }

const none: ReadonlyArray<never> = []

/** So few claims that each is compared with those before it. */
const fewClaims = 8

/** The fields that they are about. */
const countOf = (claims: ReadonlyArray<Claim>): number => {
  if (claims.length > fewClaims) return new Set(claims.map(({ field }) => field)).size
  let count = 0
  for (let n = 0; n < claims.length; n++) {
    let isFirst = true
    for (let at = 0; at < n && isFirst; at++) isFirst = claims[at]!.field !== claims[n]!.field
    if (isFirst) count++
  }
  return count
}

/** Made when the first thing happens. */
export class Progress {
  readonly matched: Array<string> = []
  readonly faults: Array<PipelineFault> = []
  verdict: PipelineVerdict = deliver
  skipped = 0
  /** What would say which lines it has was set aside. */
  keepsLines = false
  /** Something was set aside on the way. */
  isPartial = false
  view: View
  private readonly original: Fields
  private fields: Record<string, FieldValue> | undefined
  private readonly held = new Map<string, Held>()
  private shadows: Map<string, Shadow> | undefined
  private silent: RecordNotes["silent"] | undefined
  /** Claims that enrichments made of it. */
  private claimed = 0

  constructor(view: View, notes: RecordNotes | undefined, original = view.fields) {
    this.view = { recordId: view.recordId, fields: view.fields, decided: this.held }
    this.original = original
    this.silent = notes === undefined || notes.silent.size === 0 ? undefined : notes.silent
    // A person's words are there from the start, and nobody overrules them.
    for (const word of notes?.words ?? []) {
      this.held.set(word.field, { word })
      this.write(word.field, word.value)
    }
  }

  /** Throws where an enrichment would claim more than a row can hold: then nothing that it says of the row counts. */
  private count(claims: ReadonlyArray<Claim>): void {
    const fields = countOf(claims)
    if (this.claimed + fields > limits.viewClaims) {
      throw new EnrichmentFault({
        reason: "limit",
        message: `with what it says the row would have more than ${limits.viewClaims} claims`
      })
    }
    this.claimed += fields
  }

  /** Whether nothing that this enrichment says counts. */
  isSilent(enrichmentId: string): boolean {
    return this.silent?.get(enrichmentId)?.has("*") === true
  }

  judge({ enrichment }: Speaker, said: NonNullable<Outcome["verdict"]>): void {
    const { path = "", reason, removeDelivered = false, value } = said
    if (weight[value] > weight[this.verdict.value]) {
      const { id, revision } = enrichment
      this.verdict = { value, enrichmentId: id, revision, reason, path, removeDelivered }
    }
    // Several filters may drop a record; one that wants the delivered row gone is enough.
    else if (value === this.verdict.value && removeDelivered) this.verdict = { ...this.verdict, removeDelivered }
  }

  take(step: Speaker, outcome: Outcome): void {
    const { claims, verdict } = outcome
    const { id } = step.enrichment
    const silent = this.silent?.get(id)
    // A filter that a person silenced about the record objects to it no more.
    if (silent?.has("*") === true) return
    this.count(claims)
    if (claims.length > 0 || outcome.matched === true) this.matched.push(id)
    this.skipped += outcome.skipped ?? 0
    if (verdict !== undefined) this.judge(step, verdict)
    for (const claim of claims) {
      if (silent !== undefined && (silent.has("*") || silent.has(claim.field))) continue
      const holder = this.held.get(claim.field)
      if (holder !== undefined && "word" in holder) {
        this.shade({ field: claim.field, value: claim.value, enrichmentId: id })
        continue
      }
      if (step.authority < (holder?.step.authority ?? authorities.provider)) continue
      this.held.set(claim.field, { claim, step })
      this.write(claim.field, claim.value)
    }
  }

  /** One of the lines of the record as it is now. */
  line(step: Speaker, { claims, id, labels }: Line): Progress {
    const one = new Progress(
      { ...this.view, recordId: `${this.view.recordId}${lineSeparator}${id}` },
      undefined,
      this.original
    )
    one.silent = this.silent
    one.claimed = this.claimed
    one.count([...claims, ...labels])
    one.verdict = this.verdict
    one.skipped = this.skipped
    one.isPartial = this.isPartial
    one.matched.push(...this.matched)
    one.faults.push(...this.faults)
    for (const [field, held] of this.held) one.held.set(field, held)
    one.shadows = this.shadows === undefined ? undefined : new Map(this.shadows)
    one.matched.push(step.enrichment.id)
    for (const claim of claims) {
      one.held.set(claim.field, { claim, step })
      one.write(claim.field, claim.value)
    }
    for (const claim of labels) {
      const { field, value } = claim
      const holder = one.held.get(field)
      if (holder !== undefined && "word" in holder) {
        one.shade({ field, value, enrichmentId: step.enrichment.id })
        continue
      }
      one.held.set(field, { claim, step })
      one.write(field, value)
    }
    return one
  }

  result(): PipelineResult {
    const changes: Array<FieldChange> = []
    for (const [field, holder] of this.held) {
      const before = Object.hasOwn(this.original, field) ? (this.original[field] ?? null) : null
      if ("word" in holder) {
        const { factId, value: after } = holder.word
        if (before !== after) changes.push({ field, before, after, enrichmentId: factId, revision: 0, path: "" })
        continue
      }
      const { claim, step } = holder
      if (before === claim.value) continue
      const { id, revision } = step.enrichment
      const { evidence, path, value: after } = claim
      changes.push(
        evidence === undefined
          ? { field, before, after, enrichmentId: id, revision, path }
          : { field, before, after, enrichmentId: id, revision, path, evidence }
      )
    }
    return {
      fields: this.view.fields,
      verdict: this.verdict,
      changes,
      shadows: this.shadows === undefined ? none : [...this.shadows.values()],
      matched: this.matched,
      faults: this.faults,
      skipped: this.skipped,
      isPartial: this.isPartial,
      decided: this.held
    }
  }

  private shade(shadow: Shadow): void {
    this.shadows ??= new Map()
    this.shadows.set(shadow.field, shadow)
  }

  private write(field: string, value: FieldValue): void {
    if (this.fields === undefined) {
      this.fields = { ...this.view.fields }
      this.view = { recordId: this.view.recordId, fields: this.fields, decided: this.held }
    }
    this.fields[field] = value
  }
}
