import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { asideMessage } from "../../src/enrichment/RunWork.ts"
import { fed, scene } from "../explain/ExplainScenes.ts"
import { limits } from "../../src/shared/Limits.ts"
import { enrichmentOf, revised } from "./FilteredScenes.ts"

const long = "abcdef ".repeat(280)

/** Patterns that take more work for a long text than an enrichment may do for one record. */
const patterns = Array.from({ length: 250 }, (_, n) => ({
  field: "description",
  operator: "matches",
  value: `(?:[ab]|[cd]|[ef]){1,2}${n}z`
}))

const heavy = (value: string) => ({
  rules: [
    {
      id: "tea",
      conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "tea" }] },
      action: { field: "category", value }
    },
    { id: "heavy", conditions: { logic: "or", conditions: patterns }, action: { field: "notes", value: "z" } }
  ]
})

describe("a run with an enrichment over its limit of work", () => {
  scene("keeps the values that it gave before, delivers what else changed, and is whole again later", (simulation) =>
    Effect.gen(function* () {
      const { post, rows, run, upstream, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", heavy("Drinks"))
      const tea = post("tea")
      post("milk tea")
      yield* run
      expect((yield* rows).filter((row) => row.includes("category=Drinks"))).toHaveLength(2)
      post(long)
      upstream.change(tea, { description: "cold tea" })
      const { job } = yield* run
      expect(job.errors.filter(({ message }) => message.includes(asideMessage))).toHaveLength(1)
      const after = yield* rows
      expect(after.filter((row) => row.includes("category=Drinks"))).toHaveLength(2)
      expect(after.filter((row) => row.includes("description=cold tea"))).toHaveLength(1)
      expect(after).toHaveLength(3)
      // Mended: what went without it is looked at again.
      yield* revised(rule, { config: { rules: [heavy("Breakfast").rules[0]!] } })
      yield* run
      expect((yield* rows).filter((row) => row.includes("category=Breakfast"))).toHaveLength(2)
    })
  )

  scene("holds rows back that a filter over its limit would decide on, and leaves those that are there", (simulation) =>
    Effect.gen(function* () {
      const { post, rows, run, workspace } = yield* fed(simulation)
      const filter = yield* enrichmentOf(workspace, "filter", {
        conditions: { logic: "or", conditions: patterns.slice(0, limits.conditionsPerGroup) },
        onFault: "deliver"
      })
      post("tea")
      yield* run
      expect(yield* rows).toHaveLength(1)
      post(long)
      yield* run
      expect(yield* rows).toHaveLength(1)
      yield* revised(filter, { enabled: false })
      yield* run
      expect(yield* rows).toHaveLength(2)
    })
  )
})
