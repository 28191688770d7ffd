import { describe, expect } from "@effect/vitest"
import type { Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import type { FeedId } from "../../src/feed/Feed.ts"
import type { Caller } from "../../src/access/Caller.ts"
import { Withheld, type WithheldRequest } from "../../src/explain/Withheld.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { enrichmentOf, filterOf, revised, when } from "../sync/FilteredScenes.ts"
import { fed, scene } from "./ExplainScenes.ts"

const day = 86_400

/** All pages of a list, as the descriptions of its rows, in order. */
const listed = Effect.fnUntraced(function* (caller: Caller, feedId: FeedId, request: WithheldRequest = {}) {
  const { list } = yield* Withheld
  const found: Array<readonly [unknown, string, string]> = []
  for (let cursor: string | undefined, more = true; more;) {
    const page = yield* list(caller, feedId, { ...request, ...(cursor === undefined ? {} : { cursor }) })
    expect(page.rows.length).toBeLessThanOrEqual(request.limit ?? 100)
    found.push(...page.rows.map(({ fields, verdict }) => [fields["description"], verdict.value, verdict.path] as const))
    more = page.hasMore
    cursor = page.cursor
  }
  return found.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
})

const instant = (simulation: Simulation) => Timestamp.fromMillis(simulation.clock.now)

describe("rows that filters withhold", () => {
  scene("are listed with the reason, page by page, until the filter lets them go", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, post, run, workspace } = yield* fed(simulation)
      for (const text of ["green tea", "black tea", "rent", "tram 4", "tram 5"]) post(text)
      yield* run
      expect(yield* listed(caller, feed.id)).toEqual([])
      const filter = yield* filterOf(workspace, {
        conditions: when("description", "contains", "tram"),
        hold: when("description", "contains", "tea"),
        reason: "not for the books"
      })
      // Runs need not have looked yet.
      const all = [
        ["black tea", "hold", "hold"],
        ["green tea", "hold", "hold"],
        ["tram 4", "drop", "conditions"],
        ["tram 5", "drop", "conditions"]
      ]
      expect(yield* listed(caller, feed.id)).toEqual(all)
      expect(yield* listed(caller, feed.id, { limit: 1 })).toEqual(all)
      expect(yield* listed(caller, feed.id, { limit: 1, verdict: "hold" })).toEqual(all.slice(0, 2))
      yield* run
      const [row] = (yield* (yield* Withheld).list(caller, feed.id, { verdict: "drop", limit: 1 })).rows
      expect(row!.verdict).toMatchObject({ enrichmentId: filter.id, reason: "not for the books" })
      expect(row!.overdue).toBe(false)
      yield* revised(filter, { enabled: false })
      expect(yield* listed(caller, feed.id)).toEqual([])
    })
  )

  scene("are told line by line where a record falls into lines", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, post, run, workspace } = yield* fed(simulation)
      post("market", "-100")
      yield* enrichmentOf(workspace, "split", {
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
      yield* filterOf(workspace, { conditions: when("category", "equals", "Shared") })
      yield* run
      const { list } = yield* Withheld
      const { rows } = yield* list(caller, feed.id, {})
      expect(rows).toMatchObject([{ fields: { amount: "-50", category: "Shared" } }])
      expect(rows[0]!.rowId).not.toBe(rows[0]!.recordId)
    })
  )

  scene("are warned of once they wait for more than 90 days, each day that a run looks", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, post, run, workspace } = yield* fed(simulation)
      for (const text of ["green tea", "tram 4"]) post(text)
      const made = yield* filterOf(workspace, {
        conditions: when("description", "contains", "tram"),
        hold: when("description", "contains", "tea")
      })
      yield* (yield* EnrichmentStore).update({ ...made, version: 2, revision: 2, updatedAt: instant(simulation) })
      const warned = Effect.map(run, ({ job }) => job.errors.filter(({ code }) => code === "ROWS_HELD"))
      const overdue = Effect.map(
        Effect.flatMap(Withheld, ({ list }) => list(caller, feed.id, {})),
        ({ rows }) => rows.flatMap((row) => (row.overdue ? [row.fields["description"]] : []))
      )
      expect(yield* warned).toEqual([])
      yield* simulation.pass(90 * day)
      expect(yield* warned).toEqual([])
      expect(yield* overdue).toEqual([])
      yield* simulation.pass(day)
      expect(yield* warned).toMatchObject([{ severity: "warning", message: expect.stringMatching(/^1 row is held/) }])
      expect(yield* overdue).toEqual(["green tea"])
      expect(yield* warned).toEqual([])
      yield* simulation.pass(day)
      expect(yield* warned).toHaveLength(1)
      // Changes of the record or of the filter begin anew.
      yield* (yield* EnrichmentStore).update({ ...made, version: 3, revision: 3, updatedAt: instant(simulation) })
      expect(yield* overdue).toEqual([])
    })
  )
})
