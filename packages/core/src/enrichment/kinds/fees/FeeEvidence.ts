/** Why a record is a fee, with every number (enrichments A7, C9). */
import * as Schema from "effect/Schema"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type { Explained, Explanation } from "../SetKind.ts"
import { Parts, points, probabilityOf, scoreOf } from "./FeeScore.ts"
import type { FeesConfig } from "./FeesConfig.ts"
import { type FeeKind, feeKinds } from "./FeeWords.ts"

export const FeeEvidence = Schema.Struct({
  kind: Schema.Literals(feeKinds),
  /** Absent of what is embedded in another record. */
  parts: Schema.optionalKey(Parts),
  phrase: Schema.optionalKey(Schema.String),
  causeRecordId: Schema.optionalKey(Schema.String),
  /** The share that it has of its cause. */
  ratio: Schema.optionalKey(Schema.Finite),
  refundRecordId: Schema.optionalKey(Schema.String),
  /** What another record contains of it. */
  embedded: Schema.optionalKey(Schema.String)
})
export type FeeEvidence = typeof FeeEvidence.Type

/** Fees that need not have been. */
const avoidable: ReadonlySet<FeeKind> = new Set(["overdraft", "nsf", "late", "atm"])

export const isAvoidable = (kind: FeeKind): boolean => avoidable.has(kind)

const holdsTogether = ({ parts }: FeeEvidence, { minConfidence }: FeesConfig): boolean =>
  parts === undefined ||
  (parts.prior === points.prior &&
    [0, points.label].includes(parts.label) &&
    [0, points.weak, points.phrase].includes(parts.words) &&
    [0, points.never].includes(parts.never) &&
    parts.structure >= 0 &&
    parts.structure <= points.mostStructure &&
    probabilityOf(scoreOf(parts)) >= minConfidence * 10_000)

const valueOf = (config: FeesConfig, field: string, evidence: FeeEvidence): FieldValue | undefined => {
  switch (field) {
    case "fee.isFee":
      return true
    case "fee.kind":
      return evidence.kind
    case "fee.causeRecordId":
      return evidence.causeRecordId
    case "fee.refunded":
      return evidence.refundRecordId !== undefined
    case "fee.avoidable":
      return isAvoidable(evidence.kind)
    case "fee.embeddedAmount":
      return evidence.embedded
    case "category":
      return config.setCategory
    default:
      return undefined
  }
}

const sentenceOf = ({ causeRecordId, embedded, kind, parts, phrase, ratio }: FeeEvidence): string => {
  if (parts === undefined) return `${embedded} of it is a fee of kind ${kind}`
  const score = scoreOf(parts)
  const said = phrase === undefined ? "the bank says that it is a fee" : `"${phrase}" stands in it`
  const share = ratio === undefined ? "" : `, ${Number((ratio * 100).toFixed(4))} % of it`
  const cause = causeRecordId === undefined ? "" : `; it was charged for ${causeRecordId}${share}`
  return `A fee of kind ${kind} (${(probabilityOf(score) / 100).toFixed(1)} %, ${(score / 100).toFixed(2)} bits): ${said}${cause}`
}

export const explainFee = (config: FeesConfig, { evidence, field, value }: Explained<FeeEvidence>): Explanation => {
  const recomputed = valueOf(config, field, evidence) ?? null
  return { sentence: sentenceOf(evidence), recomputed, holds: recomputed === value && holdsTogether(evidence, config) }
}
