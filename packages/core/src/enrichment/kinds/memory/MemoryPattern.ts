/** Patterns: what a memory has learnt, and what it fills a field with (enrichments C4 and D5). */
import * as Schema from "effect/Schema"
import type { FieldValue, Fields } from "../../../record/FieldValue.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { Id } from "../../../shared/Ids.ts"
import { Timestamp } from "../../../shared/Timestamp.ts"
import { textKey } from "../../../text/TextKey.ts"
import type { MemoryConfig } from "./MemoryConfig.ts"

/** Where a key has several values: the records that one of them is for. Amounts count without their sign. */
export const PatternCondition = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("sign"), sign: Schema.Literals(["in", "out"]) }),
  Schema.Struct({ kind: Schema.Literal("account"), accountId: Schema.String }),
  Schema.Struct({ kind: Schema.Literal("amountFrom"), amount: Decimal.DecimalText }),
  Schema.Struct({ kind: Schema.Literal("amountBelow"), amount: Decimal.DecimalText })
])
export type PatternCondition = typeof PatternCondition.Type

/**
 * `proposed` waits for a person, `active` fills, `suspended` does not since people decide otherwise, `retired` is over.
 */
const patternStatuses = ["proposed", "active", "suspended", "retired"] as const
export type PatternStatus = (typeof patternStatuses)[number]

export const MemoryPattern = Schema.Struct({
  /** Follows from all that it is: enrichment, key, field, condition and value. */
  id: Id("pattern"),
  workspaceId: Id("workspace"),
  enrichmentId: Id("enrichment"),
  /** The text key of the records it is for. */
  key: Schema.String,
  field: Schema.String,
  condition: Schema.NullOr(PatternCondition),
  value: Schema.Union([Schema.String, Schema.Boolean]),
  status: Schema.Literals(patternStatuses),
  /** Why it is over or does not fill; absent while it is proposed or active. */
  reason: Schema.optionalKey(Schema.Literals(["contradicted", "unsupported", "replaced", "deleted", "promoted"])),
  /** Acts of people that say the value, and all about the key, the field and the condition. */
  count: Schema.Int,
  total: Schema.Int,
  /** The lower bound of how often the value is right, in thousandths. */
  bound: Schema.Int,
  /** Of the acts that the others foretell something of, those that they foretell rightly. */
  right: Schema.Int,
  predicted: Schema.Int,
  changedAt: Timestamp
})
export type MemoryPattern = typeof MemoryPattern.Type

/** What tells a pattern from others. */
export type PatternName = Pick<MemoryPattern, "enrichmentId" | "key" | "field" | "condition" | "value">

/** `""` where it says nothing. */
export const textKeyOf = (value: FieldValue | undefined): string => (typeof value === "string" ? textKey(value) : "")

/** Says which records are alike; `""` is never learnt. */
export const keyOf = ({ patternField }: Pick<MemoryConfig, "patternField">, fields: Fields): string =>
  textKeyOf(fields[patternField]) || textKeyOf(fields["description"])

/** What conditions are about; documents have a total. */
export const amountOf = (fields: Fields): Decimal.Decimal | undefined => {
  const value = fields["amount"] ?? fields["totalAmount"]
  return typeof value === "string" ? Decimal.parse(value) : undefined
}

/** Whether the condition is met; a record without an amount meets none about it. */
export const meets = (condition: PatternCondition | null, fields: Fields): boolean => {
  if (condition === null) return true
  if (condition.kind === "account") return fields["accountId"] === condition.accountId
  const amount = amountOf(fields)
  if (amount === undefined) return false
  if (condition.kind === "sign") return Decimal.sign(amount) === (condition.sign === "in" ? 1 : -1)
  const isBelow = Decimal.compare(Decimal.abs(amount), condition.amount) < 0
  return isBelow === (condition.kind === "amountBelow")
}

export const conditionText = (condition: PatternCondition): string => {
  switch (condition.kind) {
    case "sign":
      return condition.sign === "in" ? "money that comes in" : "money that goes out"
    case "account":
      return `the account ${condition.accountId}`
    case "amountFrom":
      return `amounts from ${condition.amount} on`
    case "amountBelow":
      return `amounts below ${condition.amount}`
  }
}

/** Equal values are equal texts, and texts are in an order. */
export const valueText = (value: FieldValue): string => JSON.stringify(value)
