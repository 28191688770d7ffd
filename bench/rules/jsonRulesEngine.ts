/** The rules on json-rules-engine, with operators of its own for text. */
import { Engine, type RuleProperties } from "json-rules-engine"
import type { Transaction } from "../transactions.ts"
import { copyOf, type Edited } from "./Edited.ts"
import { actOf } from "./naive.ts"
import type { TextRule } from "./TextRule.ts"

/** Facts: `text` is the description in lower case, made once a row; `amount` is a number. */
const conditionsOf = (asked: TextRule["asked"]): RuleProperties["conditions"] => {
  switch (asked.how) {
    case "contains":
      return { all: [{ fact: "text", operator: "textContains", value: asked.text }] }
    case "equals":
      return { all: [{ fact: "text", operator: "equal", value: asked.text }] }
    case "matches":
      return { all: [{ fact: "description", operator: "textMatches", value: new RegExp(asked.pattern) }] }
    case "containsAndSpends":
      return {
        all: [
          { fact: "amount", operator: "lessThan", value: asked.below },
          { fact: "text", operator: "textContains", value: asked.text }
        ]
      }
  }
}

/** A function of rows to the changed ones. */
export const jsonRulesEngine = (rules: ReadonlyArray<TextRule>) => {
  const engine = new Engine()
  engine.addOperator("textContains", (text: string, part: string) => text.includes(part))
  engine.addOperator("textMatches", (text: string, pattern: RegExp) => pattern.test(text))
  for (const [n, { asked }] of rules.entries())
    engine.addRule({ conditions: conditionsOf(asked), event: { type: String(n) } })
  const acts = rules.map(({ done }) => actOf(done))
  return async (rows: ReadonlyArray<Transaction>): Promise<ReadonlyArray<Edited>> => {
    const edited: Array<Edited> = []
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      const facts = {
        text: row.description.toLowerCase(),
        description: row.description,
        amount: Number(row.amount)
      }
      const { events } = await engine.run(facts)
      if (events.length === 0) continue
      const record = copyOf(row)
      // It tells which rules hold in no certain order.
      for (const n of events.map(({ type }) => Number(type)).toSorted((a, b) => a - b)) acts[n]!(record, row)
      edited.push({ at, hits: events.length, record })
    }
    return edited
  }
}
