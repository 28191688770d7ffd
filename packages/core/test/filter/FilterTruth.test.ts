import { bind } from "../../src/filter/Bind.ts"
import { compile } from "../../src/filter/Compile.ts"
import { readFilter, type FilterClause } from "../../src/filter/FilterNode.ts"
import { filterOperators } from "../../src/filter/FilterOperator.ts"
import * as Plan from "../../src/filter/FilterPlan.ts"
import { generate } from "../../src/filter/Generated.ts"
import { byCost } from "../../src/filter/Order.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import {
  type Answer,
  filterTruth,
  groupTruth,
  interpretFilter,
  notTruth,
  opposite,
  truthNow,
  truthZone
} from "@millrace/testing/model"
import * as Result from "effect/Result"
import { expect, it } from "vitest"

const moment = { now: Timestamp.make(truthNow), zone: truthZone }

it.each(filterTruth)("$type: $clause is what the table says", ({ type, clause, answers }) => {
  const node: FilterClause = { field: "x", ...clause }
  expect(Result.isSuccess(readFilter(node))).toBe(true)
  const fields = new Map([["x", { type }]])
  const plan = Result.getOrThrow(bind(node, fields, { ...moment, patterns: provenPatterns }))
  for (const [x, answer] of answers)
    for (const [asked, expected] of [
      [plan, answer],
      [Plan.not(plan), opposite(answer)]
    ] as const)
      for (const holds of [compile(asked, "closures"), generate(asked, byCost)!]) {
        expect([x, holds({ x })]).toEqual([x, expected === true])
        if (x === null) expect(holds({})).toBe(expected === true)
      }
  const environment = { ...moment, related: () => [] }
  for (const [x, answer] of answers) expect([x, interpretFilter(node, { x }, fields, environment)]).toEqual([x, answer])
})

it("has a case for every operator, with and without a value in the row", () => {
  for (const op of filterOperators) {
    const cases = filterTruth.filter(({ clause }) => clause.op === op)
    expect([op, cases.length > 0 && cases.every(({ answers }) => answers.some(([x]) => x === null))]).toEqual([
      op,
      true
    ])
  }
})

const constant = (value: Answer): Plan.FilterPlan => ({ tag: "constant", value })
const answerOf = (plan: Plan.FilterPlan): Answer =>
  compile(plan)({}) ? true : compile(Plan.not(plan))({}) ? false : null

it.each(groupTruth)("$a and $b is $and; $a or $b is $or, in either order", ({ a, b, and, or }) => {
  for (const parts of [
    [constant(a), constant(b)],
    [constant(b), constant(a)]
  ]) {
    expect(answerOf({ tag: "and", parts })).toBe(and)
    expect(answerOf({ tag: "or", parts })).toBe(or)
  }
})

it.each(notTruth)("not $a is $not", ({ a, not }) => {
  expect(answerOf(Plan.not(constant(a)))).toBe(not)
})
