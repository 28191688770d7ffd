/** What a memory says, and what is wrong with it (enrichments C4). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { isSource, readProblem, writeProblem } from "../../../rule/FieldAccess.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { limits } from "../../../shared/Limits.ts"
import type { Check, Issue } from "../Kind.ts"

export const memoryStage = 50

const field = Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))
const mostFields = 10

const whole = (minimum: number, maximum: number, fallback: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

const share = (least: string, most: string, fallback: string) =>
  Decimal.DecimalNumber.pipe(
    Schema.check(
      Schema.makeFilter(
        (value) =>
          (Decimal.compare(value, Decimal.make(least)) >= 0 && Decimal.compare(value, Decimal.make(most)) <= 0) ||
          `must be from ${least} to ${most}`
      ),
      Schema.makeFilter((value) => Decimal.scale(value) <= 2 || "must have no more than 2 decimals")
    ),
    Schema.withDecodingDefaultKey(Effect.succeed(Decimal.parse(fallback)!))
  )

export const MemoryConfig = Schema.Struct({
  /** Its text key says which records are alike; `description` stands in where it is empty. */
  patternField: field.pipe(Schema.withDecodingDefaultKey(Effect.succeed("merchantName"))),
  learnFields: Schema.Array(field).pipe(
    Schema.check(Schema.isMinLength(1), Schema.isMaxLength(mostFields)),
    Schema.withDecodingDefaultKey(Effect.succeed(["category"]))
  ),
  /** Acts that agree before anything is learnt of them. */
  minSupport: whole(2, 20, 3),
  /** The lower bound of how often the value is right. */
  confidence: share("0.5", "0.95", "0.6"),
  /** How much of what people decided before it would have foretold. */
  backtestPrecision: share("0.8", "1", "0.95"),
  activation: Schema.Literals(["auto", "confirm"]).pipe(Schema.withDecodingDefaultKey(Effect.succeed("auto" as const))),
  /** Whether a key may have several values, by sign, account or amount. */
  conditions: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  halfLifeDays: whole(30, 3_650, 365),
  maxPatterns: whole(100, 20_000, 5_000)
})
export type MemoryConfig = typeof MemoryConfig.Type

/** Why a field cannot be learnt; `undefined` where it can. */
const learnProblem = (key: string, catalog: FieldCatalog): string | undefined => {
  const problem = writeProblem(key, catalog)
  if (problem !== undefined) return problem
  const type = catalog.get(key)
  return type !== undefined && type !== "str" && isSource(key, catalog) ? `"${key}" is what the source says` : undefined
}

export const checkMemory = ({ learnFields, patternField }: MemoryConfig, catalog: FieldCatalog): Check => {
  const errors: Array<Issue> = []
  const unreadable = readProblem(patternField, catalog, memoryStage)
  if (unreadable !== undefined) errors.push({ field: "patternField", message: unreadable })
  for (const [n, key] of learnFields.entries()) {
    const at = `learnFields[${n}]`
    const problem = learnProblem(key, catalog)
    if (problem !== undefined) errors.push({ field: at, message: problem })
    else if (key === patternField) errors.push({ field: at, message: "is the patternField" })
    else if (learnFields.indexOf(key) !== n) errors.push({ field: at, message: "is named twice" })
  }
  return { errors, lints: [] }
}
