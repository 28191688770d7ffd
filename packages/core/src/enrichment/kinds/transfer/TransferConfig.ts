/** What a transfer enrichment says, and what is wrong with it (enrichments C8). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Decimal from "../../../shared/Decimal.ts"
import { Id } from "../../../shared/Ids.ts"
import { limits } from "../../../shared/Limits.ts"
import type { Check, Issue } from "../Kind.ts"

export const transferStage = 90

const whole = (minimum: number, maximum: number, value: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

const number = (minimum: number, maximum: number, value: number) =>
  Schema.Finite.check(Schema.isBetween({ minimum, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(value)))

const accounts = (most: number) =>
  Schema.Array(Id("account"))
    .check(Schema.isMaxLength(most))
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))

/** Takes any plain decimal, such as `50.00`. */
const Amount = Schema.String.pipe(
  Schema.decodeTo(
    Decimal.DecimalText,
    SchemaTransformation.transform<string, string>({
      decode: (text) => Decimal.parse(text) ?? text,
      encode: (text) => text
    })
  )
)

const defaultFee = Decimal.make("50")

export const TransferConfig = Schema.Struct({
  windowDays: Schema.Struct({
    before: whole(0, 5, 2),
    after: whole(1, 30, 10)
  })
    .annotate({ description: "Days that the money may arrive before and after it left." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  autoConfidence: number(0.8, 0.999, 0.95),
  suggestConfidence: number(0.5, 0.95, 0.667),
  fx: Schema.Struct({ over: number(0, 10, 1.5), under: number(0, 10, 5) })
    .annotate({ description: "Percent that what arrives may be over and under what the day's mid rate makes of it." })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  fee: Schema.Struct({
    percent: number(0, 10, 3),
    amount: Amount.annotate({ description: "In the currency of the workspace." }).pipe(
      Schema.withDecodingDefaultTypeKey(Effect.succeed(defaultFee))
    )
  })
    .annotate({
      description: "What may be missing from what arrives: the larger of the two, and never over a quarter."
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  includePending: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  excludeAccountIds: accounts(100),
  mirrorAccountIds: accounts(20).annotate({
    description: "Accounts whose bank shows both legs of a transfer with the same sign."
  }),
  setCategory: Schema.optionalKey(Schema.NonEmptyString.check(Schema.isMaxLength(limits.nameLength))),
  learn: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true)))
})
export type TransferConfig = typeof TransferConfig.Type

const mostFee = Decimal.make("1000")

export const checkTransfer = (config: TransferConfig): Check => {
  const errors: Array<Issue> = []
  if (config.suggestConfidence >= config.autoConfidence) {
    errors.push({
      field: "suggestConfidence",
      message: `must be below autoConfidence, which is ${config.autoConfidence}`
    })
  }
  if (Decimal.isNegative(config.fee.amount) || Decimal.compare(config.fee.amount, mostFee) > 0) {
    errors.push({ field: "fee.amount", message: `must be 0 to ${mostFee}` })
  }
  const excluded = new Set<string>(config.excludeAccountIds)
  for (const [n, id] of config.mirrorAccountIds.entries()) {
    if (excluded.has(id)) errors.push({ field: `mirrorAccountIds[${n}]`, message: `"${id}" is in excludeAccountIds` })
  }
  const lints: Array<Issue> = []
  if (config.setCategory !== undefined && config.setCategory.trim() === "") {
    errors.push({ field: "setCategory", message: "must not be blank" })
  }
  for (const field of ["excludeAccountIds", "mirrorAccountIds"] as const) {
    const ids = config[field]
    if (new Set(ids).size < ids.length) lints.push({ field, message: "names an account twice" })
  }
  return { errors, lints }
}
