/** What a fees enrichment says (enrichments C9). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { limits } from "../../../shared/Limits.ts"
import type { Check, Issue } from "../Kind.ts"
import { feeKinds, feeLocales } from "./FeeWords.ts"

export const feesStage = 100

export const FeesConfig = Schema.Struct({
  kinds: Schema.Array(Schema.Literals(feeKinds))
    .check(Schema.isMinLength(1))
    .annotate({ description: "What is looked for; everything unless given." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([...feeKinds]))),
  locales: Schema.Array(Schema.Literals(feeLocales))
    .check(Schema.isMinLength(1), Schema.isMaxLength(10))
    .annotate({ description: "Languages of the texts." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(["en" as const]))),
  linkWindowDays: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 }))
    .annotate({ description: "Days between a fee and what it was charged for." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(3))),
  minConfidence: Schema.Finite.check(Schema.isBetween({ minimum: 0.5, maximum: 0.99 })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(0.8))
  ),
  embedded: Schema.Boolean.annotate({ description: "Whether to tell what transfers have cost on their way." }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(true))
  ),
  setCategory: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(limits.nameLength)))
})
export type FeesConfig = typeof FeesConfig.Type

export const checkFees = ({ kinds, locales, setCategory }: FeesConfig): Check => {
  const errors: Array<Issue> = []
  if (setCategory !== undefined && setCategory.trim() === "") {
    errors.push({ field: "setCategory", message: "must not be blank" })
  }
  const lints: Array<Issue> = []
  if (new Set(kinds).size < kinds.length) lints.push({ field: "kinds", message: "names a kind twice" })
  if (new Set(locales).size < locales.length) lints.push({ field: "locales", message: "names a language twice" })
  return { errors, lints }
}
