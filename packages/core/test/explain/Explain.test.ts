import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Explanations } from "../../src/explain/Explanations.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { enrichmentOf, revised } from "../sync/FilteredScenes.ts"
import { fed, scene, setting } from "./ExplainScenes.ts"

const sums = { limit: "1000", field: "amount" }

describe("an explanation", () => {
  scene("tells all that is said of a field, the strongest word first, each said once more", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, idOf, post, run, workspace } = yield* fed(simulation)
      const weaker = yield* enrichmentOf(workspace, "lookup", {
        source: { kind: "inline", entries: [{ match: "green tea", set: { category: "Groceries" } }] }
      })
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      const sum = yield* enrichmentOf(workspace, "month_sum", sums)
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      const explained = yield* (yield* Explanations).explain(caller, id)
      const [row, ...more] = explained.rows
      expect(more).toEqual([])
      expect([row!.feed.id, row!.rowId]).toEqual([feed.id, id])
      const category = row!.fields.find(({ field }) => field === "category")!
      expect(category.value).toBe("Drinks")
      expect(category.chain.map((link) => [link.authority, link.value, link.prevails, link.holds])).toEqual([
        ["rule", "Drinks", true, true],
        ["lookup", "Groceries", false, true],
        ["provider", "UNCATEGORIZED", false, true]
      ])
      expect(category.chain.map(({ enrichmentId }) => enrichmentId).slice(0, 2)).toEqual([rule.id, weaker.id])
      const monthSum = row!.fields.find(({ field }) => field === "monthSum")!
      expect(monthSum).toMatchObject({
        provided: null,
        value: "-1.5",
        chain: [
          { enrichmentId: sum.id, authority: "analysis", holds: true, sentence: "The sum of 1 amounts" },
          { authority: "provider", value: null }
        ]
      })
      expect(row!.deliveries.map(({ recordId, state }) => [recordId, state])).toEqual([[id, "done"]])
      expect(explained.history.map(({ field }) => field).toSorted()).toEqual(["category", "monthSum"])
    })
  )

  scene("tells links and the verdict, and what silences and overrules", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, run, workspace } = yield* fed(simulation)
      const filter = yield* enrichmentOf(workspace, "filter", {
        conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "secret" }] }
      })
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      yield* enrichmentOf(workspace, "month_sum", sums)
      post("green tea")
      post("secret tea")
      yield* run
      const [tea, secret] = [yield* idOf("green tea"), yield* idOf("secret tea")]
      const { explain } = yield* Explanations
      const hidden = yield* explain(caller, secret)
      expect(hidden.rows[0]!.verdict).toMatchObject({ value: "drop", enrichmentId: filter.id, holds: true })
      expect(hidden.links.map(({ kind, members }) => [kind, members.map(({ recordId }) => recordId)])).toEqual([
        ["month", [tea, secret].toSorted()]
      ])
      yield* (yield* RecordOverrides).set(caller, tea, { fields: { category: "Gifts" } })
      const spoken = (yield* explain(caller, tea)).rows[0]!
      expect(spoken.fields.find(({ field }) => field === "category")).toMatchObject({
        value: "Gifts",
        locked: true,
        chain: [
          { authority: "user", value: "Gifts", prevails: true },
          { authority: "rule", value: "Drinks", prevails: false },
          { authority: "provider" }
        ]
      })
      expect(spoken.shadows).toEqual([{ field: "category", value: "Drinks", enrichmentId: rule.id }])
      yield* (yield* Undo).undo(caller, secret, { field: "category" })
      const silenced = (yield* explain(caller, secret)).rows[0]!.fields.find(({ field }) => field === "category")!
      expect(silenced.chain.at(-1)).toMatchObject({ authority: "rule", silenced: true, prevails: false })
      expect(silenced.value).toBe(silenced.provided)
    })
  )
})

describe("a person's word", () => {
  scene("is delivered, overruled by nobody, and cleared", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      post("green tea")
      yield* run
      const before = yield* rows
      const id = yield* idOf("green tea")
      const words = yield* RecordOverrides
      const said = yield* words.set(caller, id, { fields: { category: "Gifts", merchantName: "" } })
      expect(said.words.map(({ field, kind, value }) => [kind, field, value])).toEqual([
        ["set", "category", "Gifts"],
        ["set", "merchantName", null]
      ])
      expect(said.shadows.map(({ field, value }) => [field, value])).toEqual([["category", "Drinks"]])
      yield* run
      expect((yield* rows)[0]).toContain("category=Gifts")
      yield* revised(rule, { config: setting("category", "Tea") })
      yield* run
      expect((yield* rows)[0]).toContain("category=Gifts")
      expect((yield* words.set(caller, id, { fields: { category: "Gifts" } })).words).toEqual(said.words)
      const { history } = yield* (yield* Explanations).explain(caller, id)
      expect(history.map(({ actor, after, field }) => [actor.kind, field, after])).toEqual([
        ["user", "category", "Gifts"],
        ["sync", "category", "Drinks"]
      ])
      yield* words.clear(caller, id)
      yield* revised({ ...rule, revision: 2, version: 2 }, { config: setting("category", "Drinks") })
      yield* run
      expect(yield* rows).toEqual(before)
    })
  )

  scene("locks what is shown, also when what enrichments say changes", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, rows, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      yield* (yield* RecordOverrides).set(caller, id, { lock: ["category"] })
      yield* revised(rule, { config: setting("category", "Tea") })
      yield* run
      expect((yield* rows)[0]).toContain("category=Drinks")
      const cleared = yield* (yield* RecordOverrides).clear(caller, id, ["category"])
      expect(cleared.words).toEqual([])
      yield* run
      expect((yield* rows)[0]).toContain("category=Tea")
    })
  )

  scene("is kept and doubted where nobody knows the field", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, run } = yield* fed(simulation)
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      const { clear, set } = yield* RecordOverrides
      const doubted = yield* set(caller, id, {
        fields: { catgory: "Drinks", costCentre: "12", category: "Tea", notes: "cold", monthSum: null },
        lock: ["merchantNaem"]
      })
      expect(doubted.words).toHaveLength(6)
      expect(doubted.warnings).toEqual([
        {
          field: "fields.catgory",
          message: 'is no field of transactions and is kept as one of its own: did you mean "category"?'
        },
        {
          field: "fields.costCentre",
          message: "is no field of transactions and is kept as one of its own: no feed maps it yet"
        },
        {
          field: "lock[0]",
          message: 'is no field of transactions and is kept as one of its own: did you mean "merchantName"?'
        }
      ])
      expect((yield* set(caller, id, { fields: { category: "Tea" } })).warnings).toBeUndefined()
      expect((yield* clear(caller, id, ["catgory"])).warnings).toBeUndefined()
    })
  )

  scene("is refused with every fault at once where it cannot be", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, run } = yield* fed(simulation)
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      const { set } = yield* RecordOverrides
      const refused = yield* Effect.flip(
        set(caller, id, {
          fields: { currency: "EUR", amount: "1,50", "transfer.id": "x", date: "soon", category: "x".repeat(2_001) },
          lock: ["accountId", "category"]
        })
      )
      expect(refused).toMatchObject({ _tag: "Unprocessable", code: "VALIDATION_FAILED" })
      expect("details" in refused ? refused.details.map(({ field }) => field) : []).toEqual([
        "fields.currency",
        "fields.amount",
        "fields.transfer.id",
        "fields.date",
        "fields.category",
        "lock[0]",
        "lock[1]"
      ])
      expect(yield* Effect.flip(set(caller, id, {}))).toMatchObject({ _tag: "Unprocessable" })
      expect(
        yield* Effect.flip(set(caller, "txn_01k9d3v6w8x2y4z6a8b0c2d4e6", { fields: { category: "x" } }))
      ).toMatchObject({
        _tag: "NotFound",
        resource: "Record"
      })
    })
  )
})
