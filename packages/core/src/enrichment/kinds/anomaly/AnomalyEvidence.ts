/** Why a record was flagged, and how the same follows again (enrichments A7, C11). */
import * as Schema from "effect/Schema"
import type { FieldValue } from "../../../record/FieldValue.ts"
import type { Explained, Explanation } from "../SetKind.ts"
import { Detector, detectors } from "./AnomalyConfig.ts"
import { levels, rounded, severities, severityOf, thresholdOf, worst, zOf } from "./Score.ts"

const Numbers = Schema.Record(Schema.String, Schema.Finite)

export const AnomalyEvidence = Schema.Struct({
  sensitivity: Schema.Literals(["low", "normal", "high"]),
  /** Logarithm of the amount. */
  value: Schema.Finite,
  detected: Schema.Array(
    Schema.Struct({ kind: Detector, severity: Schema.Literals(severities), score: Schema.Finite, numbers: Numbers })
  ),
  /** What it was held against; logarithms of amounts. */
  baseline: Schema.NullOr(
    Schema.Struct({
      level: Schema.Literals(levels),
      n: Schema.Int,
      center: Schema.Finite,
      mad: Schema.Finite,
      spread: Schema.Finite,
      factor: Schema.Finite
    })
  )
})
export type AnomalyEvidence = typeof AnomalyEvidence.Type

type Found = AnomalyEvidence["detected"][number]

/** What a warning about an amount says by its numbers; the others stand for themselves. */
const recomputed = (one: Found, { baseline, sensitivity, value }: AnomalyEvidence): Found => {
  if (one.kind === "newMerchant") {
    const { center = 0, spread = 1 } = one.numbers
    return { ...one, score: rounded(zOf(value, { center, spread })) }
  }
  if (one.kind !== "amount" || baseline === null) return one
  const z = zOf(value, baseline)
  return { ...one, score: rounded(z), severity: severityOf(z, thresholdOf(sensitivity, baseline, baseline.factor)) }
}

const baselineText = ({ center, level, n, spread }: NonNullable<AnomalyEvidence["baseline"]>): string =>
  `center=${Math.exp(center).toFixed(2)} spread=${spread.toFixed(3)} n=${n} level=${level}`

/** What is said of a record, by field. */
export const fieldsOfEvidence = (evidence: AnomalyEvidence): ReadonlyMap<string, string> => {
  const found = evidence.detected.map((one) => recomputed(one, evidence))
  const { baseline, sensitivity } = evidence
  const fields = new Map([
    ["anomaly.kinds", detectors.filter((kind) => found.some((one) => one.kind === kind)).join(",")],
    ["anomaly.score", String(Math.max(...found.map(({ score }) => score)))],
    ["anomaly.severity", worst(found.map(({ severity }) => severity))]
  ])
  if (baseline !== null) {
    fields.set("anomaly.baseline", baselineText(baseline))
    fields.set("anomaly.threshold", String(rounded(thresholdOf(sensitivity, baseline, baseline.factor))))
  }
  return fields
}

const sentenceOf = (one: Found, { baseline, value }: AnomalyEvidence): string => {
  const amount = Math.exp(value).toFixed(2)
  const { count = 0, dates = 0, delta = 0, mean = 0, payments = 0 } = one.numbers
  switch (one.kind) {
    case "amount":
      return baseline === null
        ? `${amount} is unusual.`
        : `${amount}, where about ${Math.exp(baseline.center).toFixed(2)} is usual: ${baseline.n} earlier payments of the ${baseline.level}.`
    case "newMerchant":
      return `${amount} at a merchant that was never paid before, more than is usual in the category.`
    case "duplicateCharge":
      return `${amount} was charged twice within two days, and on ${dates} earlier days once.`
    case "missedRecurring":
      return `The next payment has not come, after ${payments} in a regular series.`
    case "priceChange":
      return `The price changed by ${delta.toFixed(2)} after ${payments} payments.`
    case "foreignCurrency":
      return "The first payment of the account in this currency."
    case "velocity":
      return `${count} payments on one day, where ${mean.toFixed(1)} are usual.`
  }
}

/** Why it was flagged, in a sentence for each reason. */
export const sentenceOfAll = (evidence: AnomalyEvidence): string =>
  evidence.detected.map((one) => sentenceOf(one, evidence)).join(" ")

export const explainAnomaly = ({ evidence, field, value }: Explained<AnomalyEvidence>): Explanation => {
  const said: FieldValue = fieldsOfEvidence(evidence).get(field) ?? null
  return {
    sentence: sentenceOfAll(evidence),
    recomputed: said,
    holds: said !== null && said === value
  }
}
