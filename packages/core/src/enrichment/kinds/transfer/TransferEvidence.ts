/** Why two records are one transfer: every number, so that the same follows again (enrichments A7, C8). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { AccountType } from "../../../provider/AccountType.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type { Explained, Explanation } from "../SetKind.ts"
import { confidenceOf, judged } from "./Calibration.ts"
import {
  amountPart,
  hasOtherEvidence,
  lagPart,
  pairPart,
  type Parts,
  partsSum,
  priorPart,
  ScoredPair,
  textPart
} from "./PairScore.ts"
import type { TransferConfig } from "./TransferConfig.ts"

export const transferKinds = ["internal", "card_payment", "loan_payment", "investment", "cash", "fx"] as const
export type TransferKind = (typeof transferKinds)[number]

/** How sure it is, and beside what. */
const Proof = Schema.Struct({
  pair: ScoredPair,
  /** In centibits. */
  margin: Schema.Int,
  rival: Schema.optionalKey(Schema.String),
  interchangeable: Schema.Boolean,
  /** Of the calibration, in thousandths. */
  a: Schema.Int,
  b: Schema.Int
})
export type Proof = typeof Proof.Type

export const TransferEvidence = Schema.Struct({
  id: Schema.String,
  role: Schema.Literals(["out", "in"]),
  kind: Schema.Literals(transferKinds),
  /** A person said so, or one of the two is gone. */
  decided: Schema.optionalKey(Schema.Literals(["confirmed", "broken"])),
  counterpartRecordId: Schema.optionalKey(Schema.String),
  counterpartAccountId: Schema.optionalKey(Schema.String),
  /** What left and what arrived, without sign. */
  left: Schema.optionalKey(Schema.String),
  arrived: Schema.optionalKey(Schema.String),
  proof: Schema.optionalKey(Proof)
})
export type TransferEvidence = typeof TransferEvidence.Type

/** Kinds that the type of one account decides, the strongest first. */
const decisive = ["card_payment", "loan_payment", "investment", "cash"] as const

const rankOf = (type: AccountType): number => {
  switch (type) {
    case "credit_card":
    case "line_of_credit":
      return 0
    case "loan":
    case "mortgage":
      return 1
    case "investment":
    case "brokerage":
    case "retirement":
    case "crypto":
      return 2
    case "prepaid":
      return 3
    default:
      return decisive.length
  }
}

/** By the types of the two accounts. */
export const kindOf = (out: AccountType, into: AccountType, sameCurrency: boolean): TransferKind =>
  decisive[Math.min(rankOf(out), rankOf(into))] ?? (sameCurrency ? "internal" : "fx")

const confidences: Array<Decimal.Decimal | undefined> = []

/** Four digits after the point. */
export const confidenceText = (tenThousandths: number): Decimal.Decimal =>
  (confidences[tenThousandths] ??= Decimal.fromUnits(BigInt(tenThousandths), 4))

const rateDigits = 8

/** What one unit that left has become, to eight digits. */
export const rateText = (left: string, arrived: string): Decimal.Decimal => {
  const [from, to] = [Decimal.make(left), Decimal.make(arrived)]
  const digits = Math.max(Decimal.scale(from), Decimal.scale(to))
  const dividend = Decimal.toUnits(to, digits) * 10n ** BigInt(rateDigits)
  const divisor = Decimal.toUnits(from, digits)
  return Decimal.fromUnits((2n * dividend + divisor) / (2n * divisor), rateDigits)
}

export const feeText = (left: string, arrived: string): Decimal.Decimal =>
  Decimal.subtract(Decimal.make(left), Decimal.make(arrived))

/** The parts as they follow from the counts. */
const recomputed = ({ band, counts, parts }: ScoredPair): Parts => ({
  prior: priorPart(counts.rivals),
  amount: amountPart(band, counts),
  lag: lagPart(counts.businessDays),
  text: textPart(counts.textOut, counts.textIn),
  reference: parts.reference,
  provider: parts.provider,
  pair: pairPart(counts)
})

export const proofConfidence = ({ a, b, margin, pair }: Proof): number =>
  confidenceOf({ a, b }, judged(pair.score, margin))

/** Whether a link may be made without asking: never of amounts and days alone, of mirrors or of groups. */
export const stateOf = (
  { counts, mirror, parts, second }: ScoredPair,
  confidence: number,
  { autoConfidence }: Pick<TransferConfig, "autoConfidence">
): "auto" | "suggested" =>
  confidence >= autoConfidence * 10_000 &&
  hasOtherEvidence({ counts, parts }) &&
  mirror !== true &&
  second === undefined
    ? "auto"
    : "suggested"

const bits = (centibits: number): string => `${centibits < 0 ? "" : "+"}${(centibits / 100).toFixed(2)}`

const sentenceOf = ({ counterpartRecordId, decided, proof, role }: TransferEvidence): string => {
  const other = `${role === "out" ? "arrived as" : "left as"} ${counterpartRecordId ?? "two records"}`
  if (decided === "confirmed") return `A person linked it: the money ${other}`
  if (decided === "broken") return `A person linked it to ${counterpartRecordId}, which is gone`
  if (proof === undefined) return `The money ${other}`
  const { parts, score } = proof.pair
  const told = Object.entries(parts).map(([part, value]) => `${part} ${bits(value)}`)
  return `The money ${other}: ${told.join(", ")} make ${bits(score)} bits, ${bits(proof.margin)} more than the next best choice`
}

const valueOf = (config: TransferConfig, field: string, evidence: TransferEvidence): FieldValue | undefined => {
  const { arrived, decided, left, proof } = evidence
  switch (field) {
    case "transfer.id":
      return evidence.id
    case "transfer.role":
      return evidence.role
    case "transfer.kind":
      return evidence.kind
    case "transfer.counterpartRecordId":
      return evidence.counterpartRecordId
    case "transfer.counterpartAccountId":
      return evidence.counterpartAccountId
    case "transfer.fee":
      return left === undefined || arrived === undefined ? undefined : feeText(left, arrived)
    case "transfer.rate":
      return left === undefined || arrived === undefined ? undefined : rateText(left, arrived)
    case "transfer.state":
      if (decided !== undefined) return decided
      return proof === undefined ? undefined : stateOf(proof.pair, proofConfidence(proof), config)
    case "transfer.confidence":
      if (decided === "confirmed") return "1"
      return proof === undefined ? undefined : confidenceText(proofConfidence(proof))
    case "category":
      return config.setCategory
    default:
      return undefined
  }
}

const addsUp = ({ pair }: Proof): boolean => {
  const again = recomputed(pair)
  return (
    pair.score === partsSum(again) &&
    Object.entries(again).every(([part, value]) => pair.parts[part as keyof Parts] === value)
  )
}

export const explainTransfer = (
  config: TransferConfig,
  { evidence, field, value }: Explained<TransferEvidence>
): Explanation => {
  const made = Result.try(() => valueOf(config, field, evidence))
  const again = Result.isSuccess(made) ? (made.success ?? null) : null
  const proven = evidence.proof === undefined || addsUp(evidence.proof)
  return { sentence: sentenceOf(evidence), recomputed: again, holds: proven && again === value }
}
