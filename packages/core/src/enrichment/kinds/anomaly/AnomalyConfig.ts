/** What an enrichment of the kind `anomaly` can be told (enrichments C11). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Decimal from "../../../shared/Decimal.ts"

export const detectors = [
  "amount",
  "newMerchant",
  "duplicateCharge",
  "missedRecurring",
  "priceChange",
  "foreignCurrency",
  "velocity"
] as const
export const Detector = Schema.Literals(detectors)
export type Detector = typeof Detector.Type

/** Categories in which the same is bought twice on one day. */
const repeated = ["TRANSPORTATION", "transit", "parking", "vending", "coffee"]

const whole = (minimum: number, maximum: number, otherwise: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(otherwise))
  )

const most = Decimal.make("100000")

const Excess = Schema.String.check(
  Schema.makeFilter((text) => {
    const value = Decimal.parse(text)
    return value !== undefined && !Decimal.isNegative(value) && Decimal.compare(value, most) <= 0
      ? undefined
      : "must be an amount of 0 to 100000"
  })
)

export const AnomalyConfig = Schema.Struct({
  /** What is looked for; everything but `velocity` unless given. */
  detectors: Schema.Array(Detector)
    .check(Schema.isMinLength(1), Schema.isUnique())
    .pipe(
      Schema.withDecodingDefaultKey(
        Effect.succeed([
          "amount",
          "newMerchant",
          "duplicateCharge",
          "missedRecurring",
          "priceChange",
          "foreignCurrency"
        ] as const)
      )
    ),
  /** How far from the usual is too far. */
  sensitivity: Schema.Literals(["low", "normal", "high"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("normal" as const))
  ),
  /** By how much an amount has to exceed the usual at least, in the currency of the workspace. */
  minExcess: Excess.pipe(Schema.withDecodingDefaultKey(Effect.succeed("20.00"))),
  /** What is usual is known from so many days before. */
  lookbackDays: whole(90, 1_095, 365),
  direction: Schema.Literals(["out", "both"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("out" as const))),
  /** Of older records nothing is reported as an event. */
  maxAgeDays: whole(1, 90, 14),
  /** Categories in which equal payments on neighbouring days are usual. */
  repeatCategories: Schema.Array(Schema.String.check(Schema.isMaxLength(200)))
    .check(Schema.isMaxLength(50))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(repeated)))
})
export type AnomalyConfig = typeof AnomalyConfig.Type
