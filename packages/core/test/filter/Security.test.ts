import { bind, type FilterEnvironment, type Given } from "../../src/filter/Bind.ts"
import { compile } from "../../src/filter/Compile.ts"
import type { FilterClause, FilterNode } from "../../src/filter/FilterNode.ts"
import { bindWithViewer, changesSecurity, misplacedSecurity } from "../../src/filter/Security.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { randomFields, randomFilter, randomRelated, randomRow, Seeded } from "@millrace/testing/model"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"

const environment: FilterEnvironment = {
  now: Timestamp.make("2026-03-14T12:00:00.000Z"),
  zone: "UTC",
  patterns: provenPatterns
}
const mine: FilterClause = { field: "code", op: "eq", value: { $param: "me" }, security: true }
const open: FilterClause = { field: "open", op: "eq", value: true }

describe("security clauses", () => {
  it("keep back every row they keep back alone, whatever a viewer sends, on random filters", () => {
    const random = new Seeded(20_266)
    const bound: Given = new Map([["me", "x"]])
    let passed = 0
    for (let n = 0; n < 500; n++) {
      const security = random.list(1, 3, (): FilterClause => {
        if (random.once(2)) return { ...mine, optional: random.once(2) }
        for (;;) {
          const clause = randomFilter(random, 1, true)
          if (
            "op" in clause &&
            !(typeof clause.value === "object" && clause.value !== null && "$field" in clause.value)
          )
            return { ...clause, optional: false, security: true }
        }
      })
      const saved: FilterNode = {
        logic: "and",
        conditions: [
          randomFilter(random, 3, true),
          { logic: "and", conditions: security },
          { field: "open", op: "eq", value: { $filter: "f1" } }
        ]
      }
      // A viewer flags, negates and parametrises at will.
      const viewer: FilterNode = random.pick<FilterNode>([
        randomFilter(random, 4, true),
        { logic: "or", conditions: [{ logic: "and", conditions: [] }, ...security] },
        { logic: "not", condition: { logic: "and", conditions: security } },
        { logic: "and", conditions: [] },
        { field: "code", op: "is-not-null", security: true, optional: true }
      ])
      const chosen = {
        params: new Map([["me", random.pick(["X", "constructor", "opt_food"])]]),
        filters: new Map([["f1", random.pick([undefined, true, false])]])
      }
      const environmentOf = { ...environment, ...chosen, bound }
      const plan = bindWithViewer(saved, random.once(5) ? undefined : viewer, randomFields, environmentOf)
      const passes = compile(Result.getOrThrow(plan))
      const alone = security.map((clause) =>
        compile(
          Result.getOrThrow(
            bind({ ...clause, security: false, optional: false }, randomFields, { ...environment, params: bound })
          )
        )
      )
      const byId = randomRelated(random)
      const related = (_: string, ids: ReadonlyArray<string>) =>
        ids.flatMap((id) => (byId.has(id) ? [byId.get(id)!] : []))
      for (let at = 0; at < 20; at++) {
        const row = { ...randomRow(random), code: random.pick(["x", "X", null]) }
        if (!passes(row, related)) continue
        passed++
        for (const holds of alone) expect(holds(row, related)).toBe(true)
      }
    }
    expect(passed).toBeGreaterThan(30)
  })

  it("let nothing through whose value the server does not know", () => {
    const plan = Result.getOrThrow(
      bindWithViewer(mine, undefined, randomFields, { ...environment, params: new Map([["me", "x"]]) })
    )
    expect(compile(plan)({ code: "x" })).toBe(false)
    const gone = Result.getOrThrow(
      bindWithViewer({ ...mine, field: "gone", optional: true }, undefined, randomFields, environment)
    )
    expect(compile(gone)({ code: "x" })).toBe(false)
  })

  it("are refused where they would not hold for every row, and with values that a viewer chooses", () => {
    const paths = misplacedSecurity({
      logic: "and",
      conditions: [mine, { logic: "or", conditions: [mine] }, { logic: "not", condition: mine }]
    }).map(({ field }) => field)
    expect(paths).toEqual(["conditions[1].conditions[0].security", "conditions[2].condition.security"])
    for (const value of [{ $filter: "f1" }, { $field: "kind" }]) {
      const result = bindWithViewer({ ...mine, value }, undefined, randomFields, environment)
      expect(Result.isFailure(result) && result.failure[0]!.message).toContain("must be a constant or a parameter")
    }
  })

  it("are seen to change when one is added, dropped or altered, and not when anything else is", () => {
    const saved: FilterNode = { logic: "and", conditions: [mine, open] }
    expect(changesSecurity(saved, { logic: "and", conditions: [open, mine, open] })).toBe(false)
    expect(changesSecurity(saved, { logic: "and", conditions: [open] })).toBe(true)
    expect(changesSecurity(saved, { logic: "and", conditions: [{ ...mine, value: "x" }, open] })).toBe(true)
    expect(changesSecurity(undefined, saved)).toBe(true)
    expect(changesSecurity(open, undefined)).toBe(false)
  })
})
