/** Many rules over many transactions: our engine against asking rule after rule, and against merely reading the text. */
import * as Effect from "effect/Effect"
import { type Bench, type Comparison, contender } from "./harness/Bench.ts"
import { digest } from "./rules/Edited.ts"
import { jsonRulesEngine } from "./rules/jsonRulesEngine.ts"
import { naive } from "./rules/naive.ts"
import { ours } from "./rules/ours.ts"
import { textRules } from "./rules/TextRule.ts"
import { type Transaction, transactions } from "./transactions.ts"

const usual = 500
const many = 5_000

/** Looks at every character of the descriptions: no search in them can do less. */
const touch = (rows: ReadonlyArray<Transaction>): number => {
  let sum = 0
  for (const { description } of rows)
    for (let at = 0; at < description.length; at++) sum = (sum + description.charCodeAt(at)) | 0
  return sum
}

const name = (count: number) => `millrace, ${count} rules`

const usualComparison = (rows: ReadonlyArray<Transaction>, slice: ReadonlyArray<Transaction>): Comparison => {
  const rules = textRules(usual)
  const engine = ours(rules)
  const loop = naive(rules)
  const peer = jsonRulesEngine(rules)
  return {
    name: `${usual} rules, all that hold are applied`,
    amount: rows.length,
    unit: "transactions",
    contenders: [
      contender(name(usual), () => engine(rows), digest),
      contender("naive loop over closures", () => loop(rows), digest),
      {
        name: "json-rules-engine",
        amount: slice.length,
        expected: digest(loop(slice)),
        run: Effect.map(
          Effect.promise(() => peer(slice)),
          (edited) => () => digest(edited)
        )
      },
      // It asks no rules, so there is nothing to compare.
      contender(
        "limit: touch every character",
        () => touch(rows),
        () => undefined
      )
    ],
    ratios: [
      { name: "500 rules against a naive loop", of: name(usual), by: "naive loop over closures" },
      { name: "500 rules against json-rules-engine", of: name(usual), by: "json-rules-engine" },
      { name: "500 rules against touching every character", of: name(usual), by: "limit: touch every character" }
    ]
  }
}

/** The same 500, with others among them that nothing meets: what remains of the speed is what their number costs. */
const manyComparison = (rows: ReadonlyArray<Transaction>): Comparison => {
  const few = ours(textRules(usual))
  const all = ours(textRules(many))
  return {
    name: `${many} rules, of which ${usual} can hold`,
    amount: rows.length,
    unit: "transactions",
    contenders: [contender(name(usual), () => few(rows), digest), contender(name(many), () => all(rows), digest)],
    ratios: [{ name: "5,000 rules against 500", of: name(many), by: name(usual) }]
  }
}

export const bench: Bench = {
  name: "rules",
  title: "Rules: what they match is found in one pass over the text",
  make: ({ quick }) =>
    Effect.sync(() => {
      const rows = transactions({ seed: 21, count: quick ? 20_000 : 100_000 })
      return {
        comparisons: [usualComparison(rows, rows.slice(0, quick ? 50 : 100)), manyComparison(rows)]
      }
    })
}
