/** How patterns are shown to people, and what follows from what they decide (enrichments D5.6). */
import * as Schema from "effect/Schema"
import type { Id } from "../../../shared/Ids.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { FactRequest } from "../EnrichmentFact.ts"
import type { PlannedFinding } from "../PlannedFinding.ts"
import { conditionText, MemoryPattern, type PatternCondition } from "./MemoryPattern.ts"

export const patternFinding = "memory_pattern"

/** Texts that a rule names one by one, where its key does not stand in them. */
const mostTexts = 20
const titleLength = 200

const leaf = (field: string, operator: string, value: string): Schema.Json => ({ field, operator, value })
const all = (logic: "and" | "or", conditions: ReadonlyArray<Schema.Json>): Schema.Json => ({ logic, conditions })

const whereOf = (condition: PatternCondition): Schema.Json => {
  switch (condition.kind) {
    case "sign":
      return leaf("amount", condition.sign === "in" ? "gt" : "lt", "0")
    case "account":
      return leaf("accountId", "equals", condition.accountId)
    case "amountFrom":
      return all("or", [
        leaf("amount", "gte", condition.amount),
        leaf("amount", "lte", Decimal.negate(Decimal.make(condition.amount)))
      ])
    case "amountBelow":
      return all("and", [
        leaf("amount", "lt", condition.amount),
        leaf("amount", "gt", Decimal.negate(Decimal.make(condition.amount)))
      ])
  }
}

/** The block of a rule that does what the pattern does: what a person makes of it when they promote it. */
export const ruleOf = (
  { condition, field, key, value }: MemoryPattern,
  /** What stood in the fields of the records that people decided about: field and text. */
  texts: ReadonlyArray<readonly [field: string, text: string]>
): Schema.Json => {
  const fields = [...new Set(texts.map(([name]) => name))].toSorted()
  const named = texts
    .filter(([, text]) => !text.toLowerCase().includes(key))
    .map(([name, text]) => leaf(name, "equals", text))
  const about = all("or", [...fields.map((name) => leaf(name, "contains", key)), ...named.slice(0, mostTexts)])
  return {
    rules: [
      {
        conditions: condition === null ? about : all("and", [about, whereOf(condition)]),
        action: { field, value: String(value) }
      }
    ]
  }
}

/** What people see of a pattern; nothing of one that is over. */
export const findingOf = (
  pattern: MemoryPattern,
  texts: ReadonlyArray<readonly [field: string, text: string]>
): ReadonlyArray<PlannedFinding> => {
  const { bound, condition, count, field, id, key, predicted, reason, right, status, total, value } = pattern
  if (status === "retired") return []
  const where = condition === null ? "" : `, ${conditionText(condition)}`
  const title = `${field} of "${key}"${where} is ${String(value)}`
  return [
    {
      key: id,
      kind: patternFinding,
      title: title.length > titleLength ? `${title.slice(0, titleLength - 1).toWellFormed()}…` : title,
      subject: { kind: "pattern", id },
      data: {
        patternId: id,
        state: status,
        ...(reason === undefined ? {} : { reason }),
        key,
        field,
        value,
        condition,
        count,
        total,
        // In whole percent: it changes a little each day, and that is no news.
        sure: Math.floor(bound / 10),
        right,
        predicted,
        rule: ruleOf(pattern, texts)
      }
    }
  ]
}

const ReportedPattern = Schema.Struct({
  patternId: Schema.String,
  key: Schema.String,
  field: Schema.String,
  value: Schema.Union([Schema.String, Schema.Boolean])
})
const isReportedPattern = Schema.is(ReportedPattern)

/** Confirmed: it fills. Dismissed: its value is not learnt again. Resolved: a rule does its work from now on. */
export const patternFeedback = (
  enrichmentId: Id<"enrichment">,
  { data }: PlannedFinding,
  status: "open" | "acknowledged" | "dismissed" | "confirmed" | "resolved"
): ReadonlyArray<FactRequest> => {
  if (!isReportedPattern(data)) return []
  const { field, key, patternId, value } = data
  switch (status) {
    case "confirmed":
      return [{ kind: "accept", enrichmentId, otherId: patternId }]
    case "dismissed":
      return [{ kind: "block", enrichmentId, field, value, otherId: key }]
    case "resolved":
      return [{ kind: "note", enrichmentId, otherId: patternId }]
    case "open":
    case "acknowledged":
      return []
  }
}
