/** How the identity of records is tuned (enrichments C1). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { documentDataTypes, fieldsOf } from "../../../record/DataType.ts"
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import { limits } from "../../../shared/Limits.ts"
import type { Check, Issue } from "../Kind.ts"

export const dedupeType = "dedupe"

const whole = (minimum: number, maximum: number, fallback: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

const mostKeyFields = 6

export const DedupeConfig = Schema.Struct({
  exactWindowDays: whole(1, 45, 14),
  changedWindowDays: whole(0, 30, 8),
  shiftDays: whole(0, 7, 3),
  tipBandPercent: whole(0, 100, 35),
  holds: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(true))),
  crossSource: Schema.Literals(["auto", "suggest", "off"]).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed("auto" as const))
  ),
  dropAfterMissing: whole(1, 5, 2),
  removeAfterMissing: whole(0, 5, 2),
  revivalDays: whole(7, 365, 60),
  reviewMargin: whole(0, 1_000, 150),
  /** What makes two documents one: the seller, the day, the total and the number where it is left out. */
  keyFields: Schema.optionalKey(
    Schema.Array(Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength))).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(mostKeyFields)
    )
  )
})
export type DedupeConfig = typeof DedupeConfig.Type

const isOfDocuments = (catalog: FieldCatalog): boolean =>
  documentDataTypes.some((dataType) => Object.keys(fieldsOf[dataType]).every((field) => catalog.has(field)))

export const checkDedupe = (
  { changedWindowDays, exactWindowDays, keyFields }: DedupeConfig,
  catalog: FieldCatalog
): Check => {
  const errors: Array<Issue> = []
  if (changedWindowDays > exactWindowDays) {
    errors.push({
      field: "changedWindowDays",
      message: `must not be above exactWindowDays, which is ${exactWindowDays}`
    })
  }
  if (keyFields !== undefined && !isOfDocuments(catalog)) {
    errors.push({ field: "keyFields", message: "applies to receipts, invoices, documents only" })
  }
  for (const [n, field] of (keyFields ?? []).entries()) {
    if (keyFields!.indexOf(field) !== n) errors.push({ field: `keyFields[${n}]`, message: "is named twice" })
  }
  return { errors, lints: [] }
}
