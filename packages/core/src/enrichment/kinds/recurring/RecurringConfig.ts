/** What an enrichment of the kind `recurring` can be told (enrichments C10). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const withDefault = <A extends string | boolean>(schema: Schema.Codec<A>, fallback: NoInfer<A>) =>
  schema.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

const within = (minimum: number, maximum: number, fallback: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

export const RecurringConfig = Schema.Struct({
  /** Records of so many months before today are looked at. */
  lookbackMonths: within(6, 60, 26),
  /** What leaves accounts, what comes in, or both. */
  direction: withDefault(Schema.Literals(["out", "in", "both"]), "both"),
  /** Whether movements between own accounts may form series. */
  includeTransfers: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  /** Which series are shown: those that have just begun too, or only those that are sure. */
  minConfidence: withDefault(Schema.Literals(["early", "mature"]), "early"),
  /** Days beyond the tolerance of the cadence after which a series is late. */
  graceDays: within(0, 15, 2),
  /** From which change on, in percent, a price has changed. */
  amountChangePercent: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 50 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(1))
  )
})
export type RecurringConfig = typeof RecurringConfig.Type
