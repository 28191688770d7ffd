import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { enrichmentOf, revised, when } from "../sync/FilteredScenes.ts"
import { fed, scene, setting } from "./ExplainScenes.ts"

describe("undo", () => {
  scene(
    "silences the enrichment whose word holds, in later revisions as well, until it may speak again",
    (simulation) =>
      Effect.gen(function* () {
        const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
        const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
        post("green tea")
        post("black tea")
        yield* run
        const before = yield* rows
        const id = yield* idOf("green tea")
        const { undo } = yield* Undo
        const { facts } = yield* undo(caller, id, { field: "category" })
        expect(facts.map(({ enrichmentId, field, kind }) => [kind, enrichmentId, field])).toEqual([
          ["suppress", rule.id, "category"]
        ])
        expect((yield* undo(caller, id, { field: "category", enrichmentId: rule.id })).facts).toEqual([])
        yield* run
        expect((yield* rows).filter((row) => row.includes("Drinks"))).toHaveLength(1)
        const other = yield* revised(rule, { config: setting("category", "Tea") })
        yield* run
        expect((yield* rows).filter((row) => row.includes("Tea"))).toHaveLength(1)
        yield* revised(other, { config: setting("category", "Drinks") })
        expect((yield* undo(caller, id, { field: "category", redo: true })).facts).toEqual(facts)
        yield* run
        expect(yield* rows).toEqual(before)
      })
  )

  scene("takes back what an enrichment of sets says of a record", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
      const sum = yield* enrichmentOf(workspace, "month_sum", { limit: "1000", field: "amount" })
      post("green tea")
      post("rent", "-900")
      yield* run
      expect((yield* rows).filter((row) => row.includes("monthSum=-901.5"))).toHaveLength(2)
      yield* (yield* Undo).undo(caller, yield* idOf("rent"), { enrichmentId: sum.id })
      yield* run
      expect((yield* rows).filter((row) => row.includes("monthSum=-901.5"))).toHaveLength(1)
    })
  )

  scene("makes a record whole again where a field of its lines is undone", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
      post("market", "-9")
      yield* run
      const provided = yield* rows
      const { id: enrichmentId } = yield* enrichmentOf(workspace, "split", {
        rules: [
          {
            conditions: when("description", "contains", "market"),
            lines: [
              { key: "half", method: "percent", value: "50", set: { category: "Shared" } },
              { key: "rest", method: "remainder" }
            ]
          }
        ]
      })
      yield* run
      const split = yield* rows
      expect(split).toHaveLength(2)
      const { undo } = yield* Undo
      const id = yield* idOf("market")
      yield* undo(caller, id, { field: "category", enrichmentId })
      yield* run
      expect(yield* rows).toEqual(provided)
      yield* undo(caller, id, { field: "category", redo: true })
      yield* run
      expect(yield* rows).toEqual(split)
    })
  )

  scene("refuses what is nobody's change, or a person's word", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, run, workspace } = yield* fed(simulation)
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      const { undo } = yield* Undo
      const refused = { _tag: "Unprocessable", code: "VALIDATION_FAILED" }
      expect(yield* Effect.flip(undo(caller, id, {}))).toMatchObject(refused)
      expect(yield* Effect.flip(undo(caller, id, { field: "description" }))).toMatchObject({
        ...refused,
        message: 'field "description" is as the provider says'
      })
      yield* (yield* RecordOverrides).set(caller, id, { fields: { description: "Tea" } })
      expect(yield* Effect.flip(undo(caller, id, { field: "description" }))).toMatchObject({
        ...refused,
        message: 'field "description" is a person\'s word: clear it'
      })
      const balances = yield* enrichmentOf(workspace, "rule", setting("category", "x"))
      const foreign = balances.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) as typeof balances.id
      expect(yield* Effect.flip(undo(caller, id, { enrichmentId: foreign }))).toMatchObject(refused)
    })
  )
})

describe("undo of a run", () => {
  scene("takes back what enrichments changed in it, and keeps what people said since", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
      post("green tea")
      post("black tea")
      post("rent")
      yield* run
      const provided = yield* rows
      yield* enrichmentOf(workspace, "rule", {
        rules: [
          ...setting("category", "Drinks").rules,
          { ...setting("description", "Tea").rules[0]!, id: "r2" },
          { ...setting("merchantName", "Landlord", "rent").rules[0]!, id: "r3" }
        ]
      })
      const { job } = yield* run
      const enriched = yield* rows
      expect(enriched).not.toEqual(provided)
      yield* (yield* RecordOverrides).set(caller, yield* idOf("black tea"), { fields: { category: "Gifts" } })
      const { undoRun } = yield* Undo
      expect(yield* undoRun(caller, job.id)).toEqual({ jobId: job.id, fields: 4, links: 0, kept: 1 })
      yield* run
      const undone = yield* rows
      expect(undone.filter((row) => row.includes("Gifts"))).toHaveLength(1)
      yield* (yield* RecordOverrides).clear(caller, yield* idOf("black tea"))
      // What came after the run is nobody's undo: the rule speaks where the person does not any more.
      expect(yield* undoRun(caller, job.id)).toEqual({ jobId: job.id, fields: 1, links: 0, kept: 0 })
      yield* run
      // All of it undone is what the provider says, to the byte.
      expect(yield* rows).toEqual(provided)
      expect(yield* undoRun(caller, job.id, true)).toEqual({ jobId: job.id, fields: 5, links: 0, kept: 0 })
      yield* run
      expect(yield* rows).toEqual(enriched)
    })
  )

  scene("is not found where there is no such job", (simulation) =>
    Effect.gen(function* () {
      const { caller } = yield* fed(simulation)
      const unknown = "job_01k9d3v6w8x2y4z6a8b0c2d4e6" as Parameters<Undo["Service"]["undoRun"]>[1]
      expect(yield* Effect.flip((yield* Undo).undoRun(caller, unknown))).toMatchObject({
        _tag: "NotFound",
        resource: "Job"
      })
    })
  )
})
