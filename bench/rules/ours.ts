/** The rules on our engine. */
import { catalogOf } from "@millrace/core/record"
import type { ConditionGroup } from "@millrace/core/rule"
import { provenPatterns } from "@millrace/core/pattern"
import { type Rule, RuleEngine } from "../../packages/core/src/rule/RuleEngine.ts"
import { CalendarDate, Work } from "@millrace/core"
import type { Transaction } from "../transactions.ts"
import { copyOf, type Edited } from "./Edited.ts"
import type { TextRule } from "./TextRule.ts"

const today = CalendarDate.make("2026-03-14")

const conditionsOf = (asked: TextRule["asked"]): ConditionGroup => {
  const field = "description"
  switch (asked.how) {
    case "matches":
      return { logic: "and", conditions: [{ field, operator: "matches", value: asked.pattern }] }
    case "containsAndSpends":
      return {
        logic: "and",
        conditions: [
          { field, operator: "contains", value: asked.text },
          { field: "amount", operator: "lt", value: asked.below }
        ]
      }
    default:
      return { logic: "and", conditions: [{ field, operator: asked.how, value: asked.text }] }
  }
}

/** The rule as it is configured. */
export const ruleOf = ({ asked, done }: TextRule, n: number): Rule => ({
  id: `rule ${n}`,
  conditions: conditionsOf(asked),
  actions: [
    done.how === "set"
      ? { field: done.field, value: done.value }
      : { kind: "template", field: done.field, template: `${done.before}{{description}}` }
  ]
})

/** A function of rows to the changed ones. */
export const ours = (rules: ReadonlyArray<TextRule>) => {
  const engine = new RuleEngine(rules.map(ruleOf), "all", catalogOf("transactions"), provenPatterns)
  return (rows: ReadonlyArray<Transaction>): ReadonlyArray<Edited> => {
    const edited: Array<Edited> = []
    const work = new Work()
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const { claims } = engine.run(row, { today, work })
      if (claims.length === 0) continue
      const record = copyOf(row)
      for (const { field, value } of claims) record[field] = value
      // Every rule makes one claim.
      edited.push({ at, hits: claims.length, record })
    }
    return edited
  }
}
