/** Everything that is said of a field of a record, the strongest word first, each said again (enrichments A6, A7). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AnalysisLink } from "../enrichment/AnalysisStore.ts"
import type { Outcome } from "../enrichment/kinds/Kind.ts"
import { authorities } from "../enrichment/kinds/Kind.ts"
import type { Authority } from "../enrichment/history/RecordChange.ts"
import type { CompiledPipeline, Step, Trace } from "../enrichment/Pipeline.ts"
import type { FieldChange } from "../enrichment/Provenance.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import type { Claim } from "../rule/Outcome.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { RowLook } from "./RecordLooks.ts"

export interface ChainLink {
  readonly authority: Authority
  readonly value: FieldValue
  /** Its word is the one that holds. */
  readonly prevails: boolean
  /** A person silenced it about the field: it does not count. */
  readonly silenced: boolean
  readonly enrichmentId?: string
  readonly revision?: number
  readonly rulePath?: string
  /** Where a person says it. */
  readonly factId?: string
  readonly evidence?: Schema.Json
  /** Why, in one sentence. */
  readonly sentence: string
  /** What comes of it when it is asked again. */
  readonly recomputed: FieldValue
  /** Whether that is what it said. */
  readonly holds: boolean
}

interface Traced {
  readonly step: Step
  readonly outcome: Outcome
  readonly again: Outcome | undefined
}

/** Notes what enrichments say of a record, and asks each of them again at once: later ones change what it looked at. */
export class ClaimTrace {
  readonly all: Array<Traced> = []
  readonly trace: Trace = (step, outcome, again) => {
    this.all.push({ step, outcome, again: step.kind === undefined ? undefined : attempt(again) })
  }
}

const attempt = (again: () => Outcome): Outcome | undefined => {
  try {
    return again()
  } catch {
    return undefined
  }
}

interface Explained {
  readonly sentence: string
  readonly recomputed: FieldValue
  readonly holds: boolean
}

const unexplained = (value: FieldValue): Explained => ({
  sentence: "Its type of enrichment cannot run here, so that nobody can say why",
  recomputed: value,
  holds: false
})

/** What an enrichment says of its claim, and whether it would make it again. */
const explainClaim = ({ again, step }: Pick<Traced, "again" | "step">, claim: Claim): Explained => {
  const { enrichment, kind } = step
  if (kind === undefined) return unexplained(claim.value)
  const config = decode(kind.Config, enrichment.config)
  if (Result.isFailure(config)) return unexplained(claim.value)
  if (kind.family === "set") {
    const evidence = decode(kind.Evidence, claim.evidence ?? null)
    if (Result.isFailure(evidence)) return unexplained(claim.value)
    const { field, value } = claim
    return kind.explain(config.success, { field, value, evidence: evidence.success })
  }
  const made = again?.claims.filter(({ field, path }) => field === claim.field && path === claim.path) ?? []
  const same = made.find(({ value }) => value === claim.value)
  return {
    sentence: kind.explain(config.success, claim),
    recomputed: (same ?? made.at(-1))?.value ?? null,
    holds: same !== undefined
  }
}

/** What a link stands on: the claim that names it or another of its members, made again from the evidence of the link. */
export const explainLink = (
  { enrichment, kind }: Pick<Step, "enrichment" | "kind">,
  { evidence: kept, id, members }: Pick<AnalysisLink, "evidence" | "id" | "members">
): Explained => {
  if (kind?.family !== "set" || kind.linkField === undefined) return unexplained(null)
  const config = decode(kind.Config, enrichment.config)
  const evidence = decode(kind.Evidence, kept ?? null)
  if (Result.isFailure(config) || Result.isFailure(evidence)) return unexplained(null)
  const field = kind.linkField
  const named = [id, ...members.map(({ recordId }) => recordId)].map((value) =>
    kind.explain(config.success, { field, value, evidence: evidence.success })
  )
  return named.find(({ holds }) => holds) ?? named[0]!
}

/** Why a change was made, in one sentence. */
export const sentenceOf = ({ steps }: Pick<CompiledPipeline, "steps">, change: FieldChange): string => {
  const step = steps.find(({ enrichment }) => enrichment.id === change.enrichmentId)
  if (step === undefined) return "A person says so"
  const { after: value, evidence, field, path } = change
  return explainClaim(
    { step, again: undefined },
    { field, value, path, ...(evidence === undefined ? {} : { evidence }) }
  ).sentence
}

interface Said {
  readonly link: Omit<ChainLink, "prevails">
  /** The later of two equals prevails. */
  readonly place: number
}

/** The links of all fields that the record has or anybody says something of, by field. */
export const chainsOf = (look: RowLook, { all }: ClaimTrace): ReadonlyMap<string, ReadonlyArray<ChainLink>> => {
  const { notes, provided } = look
  const said = new Map<string, Array<Said>>()
  const add = (field: string, one: Said) => {
    const own = said.get(field)
    if (own === undefined) said.set(field, [one])
    else own.push(one)
  }
  for (const [field, value] of Object.entries(provided)) {
    const link = { authority: "provider", value, silenced: false, sentence: "The provider says so" } as const
    add(field, { link: { ...link, recomputed: value, holds: true }, place: -1 })
  }
  for (const [place, { again, outcome, step }] of all.entries()) {
    const { authority } = step.kind?.capabilities ?? { authority: "analysis" }
    const { id: enrichmentId, revision } = step.enrichment
    const silent = notes.silent.get(enrichmentId)
    for (const claim of outcome.claims) {
      const { evidence, field, path, value } = claim
      add(field, {
        place,
        link: {
          authority,
          value,
          silenced: silent?.has("*") === true || silent?.has(field) === true,
          enrichmentId,
          revision,
          ...(path === "" ? {} : { rulePath: path }),
          ...(evidence === undefined ? {} : { evidence }),
          ...explainClaim({ again, step }, claim)
        }
      })
    }
  }
  for (const [place, { factId, field, value }] of notes.words.entries()) {
    const link = { authority: "user", value, silenced: false, factId, sentence: "A person says so" } as const
    add(field, { link: { ...link, recomputed: value, holds: true }, place: all.length + place })
  }
  if (notes.split?.says !== undefined) {
    const { factId, says } = notes.split
    for (const field of ["split.of", "split.mismatch"]) {
      const value = look.result.record.fields[field]
      if (value === undefined) continue
      const sentence =
        field === "split.of"
          ? `A person split it into ${says.lines.length} lines`
          : "The amount is less than the lines before the last: they keep their proportions"
      add(field, {
        link: { authority: "user", value, silenced: false, factId, sentence, recomputed: value, holds: true },
        place: all.length + notes.words.length
      })
    }
  }
  for (const [field, own] of said) {
    if (Object.hasOwn(provided, field)) continue
    const link = { authority: "provider", value: null, silenced: false, sentence: "The provider says nothing" } as const
    own.push({ link: { ...link, recomputed: null, holds: true }, place: -1 })
  }
  return new Map(Array.from(said, ([field, own]) => [field, ordered(own)] as const))
}

/** The strongest first, and what does not count at the end. */
const ordered = (own: ReadonlyArray<Said>): ReadonlyArray<ChainLink> =>
  own
    // Of equals the one that was said last stands first.
    .toReversed()
    .toSorted(
      (a, b) =>
        Number(a.link.silenced) - Number(b.link.silenced) ||
        authorities[b.link.authority] - authorities[a.link.authority] ||
        b.place - a.place
    )
    .map(({ link }, n): ChainLink => ({ ...link, prevails: n === 0 && !link.silenced }))
