import { describe, expect, it } from "@effect/vitest"
import { inlineIf } from "../filter/inlineIf.ts"
import { jsonLogic } from "../filter/jsonLogic.ts"
import { mingo, sifting, ucast } from "../filter/mongo.ts"
import { closures, generated } from "../filter/ours.ts"
import { digest, peerRow } from "../filter/Selected.ts"
import { rotations } from "../filter/tree.ts"
import { transactions } from "../transactions.ts"

const rows = transactions({ seed: 5, count: 5_000 })
const peerRows = rows.map(peerRow)
const selected = inlineIf(rows)

describe("filter of the benchmark", () => {
  it("lets about three rows in a hundred pass", () => {
    expect(selected.length / rotations.length / rows.length).toBeGreaterThan(0.02)
    expect(selected.length / rotations.length / rows.length).toBeLessThan(0.04)
  })

  it.each([
    ["generated code", generated],
    ["closures", closures]
  ] as const)("selects the same rows with our %s", (_, select) => {
    expect(select(rows)).toEqual(selected)
  })

  it.each([
    ["json-logic-engine", jsonLogic],
    ["ucast", ucast],
    ["sift", sifting],
    ["mingo", mingo]
  ] as const)("selects the same rows with %s", (_, select) => {
    expect(select(peerRows)).toEqual(selected)
  })

  it("has a digest that differs with the number of rows and with the rows", () => {
    expect(new Set([[], [1], [2], [1, 2], [12]].map(digest)).size).toBe(5)
  })
})
