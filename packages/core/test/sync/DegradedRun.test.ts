/** Runs of a feed with an enrichment that fails: told on the job each time, and as degraded once. */
import { describe, expect } from "@effect/vitest"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { drive } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { limits } from "../../src/shared/Limits.ts"
import { enrichmentOf, revised, tableFed, when } from "./FilteredScenes.ts"
import { memoryScene } from "./MemoryScene.ts"

const lost = {
  source: { kind: "table", tableId: "tbl_00000000000000000000000001", matchColumn: "a", columns: { category: "b" } }
}
const inline = { source: { kind: "inline", entries: [{ match: "tea", set: { category: "Tea" } }] } }

describe("an enrichment that fails in run after run", () => {
  memoryScene("is told as degraded once, and again after it worked between", { model: "upsertByKey" }, (simulation) =>
    Effect.gen(function* () {
      const { feed, upstream, workspace } = yield* tableFed(simulation)
      const events = yield* EventStore
      const failing = yield* enrichmentOf(workspace, "lookup", lost)
      // One that works is told of by nobody.
      const rule = { conditions: when("description", "contains", "tea"), action: { field: "notes", value: "Hot" } }
      yield* enrichmentOf(workspace, "rule", { rules: [rule] })
      const degraded = Effect.map(events.read(workspace.id, 0, 1_000), (all) =>
        all.flatMap(({ subject, type }) => (type === "enrichment.degraded" ? [subject.id] : []))
      )
      let n = 0
      const run = Effect.gen(function* () {
        const date = CalendarDate.make(new Date(simulation.clock.now - 86_400_000).toISOString().slice(0, 10))
        upstream.post({ account: "a", date, amount: `-${++n}`, description: `tea ${n}`, pending: false })
        const { job } = yield* drive(simulation, feed)
        expect(job.status).toBe("completed")
        return job.errors.filter(({ category }) => category === "enrichment").length
      })
      for (let round = 1; round < limits.failedRuns; round++) {
        expect(yield* run).toBe(1)
        expect(yield* degraded).toEqual([])
      }
      for (let round = 0; round < 3; round++) {
        expect(yield* run).toBe(1)
        expect(yield* degraded).toEqual([failing.id])
      }
      const mended = yield* revised(failing, { config: inline })
      expect(yield* run).toBe(0)
      yield* revised(mended, { config: lost })
      for (let round = 0; round < limits.failedRuns; round++) yield* run
      expect(yield* degraded).toEqual([failing.id, failing.id])
    })
  )
})
