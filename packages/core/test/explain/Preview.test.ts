import { describe, expect } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { casesOf, countCases, seedsOf } from "@millrace/verification/cases/Cases"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { RecordChangeStore } from "../../src/enrichment/history/RecordChangeStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { Previews } from "../../src/explain/Previews.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { limits } from "../../src/shared/Limits.ts"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { fed, scene, setting } from "./ExplainScenes.ts"
import { someEnrichment, words } from "./RandomEnrichments.ts"

describe("a preview", () => {
  scene("counts what hits, and what changes: a record that a person locked is hit and stays", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, idOf, post, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      const silent = yield* enrichmentOf(workspace, "rule", setting("category", "Never", "nothing"))
      const filter = yield* enrichmentOf(workspace, "filter", {
        conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "secret" }] }
      })
      post("green tea")
      yield* run
      const id = yield* idOf("green tea")
      yield* (yield* RecordOverrides).set(caller, id, { lock: ["category"] })
      const before = yield* state(simulation, workspace.id)
      const samples = [
        { description: "black tea", amount: "-4.80" },
        { id, description: "green tea", category: "Drinks" },
        { description: "secret", own: "kept" }
      ]
      const preview = yield* (yield* Previews).preview(caller, feed.id, samples)
      expect(preview.enrichments.map(({ enrichmentId, matchCount }) => [enrichmentId, matchCount])).toEqual([
        [rule.id, 2],
        [silent.id, 0],
        [filter.id, 1]
      ])
      expect(preview.enrichedCount).toBe(1)
      const [black, green, secret] = preview.records
      expect(black!.changes.map(({ after, field }) => [field, after])).toEqual([["category", "Drinks"]])
      expect(black!.trace).toEqual([{ enrichmentId: rule.id, stage: 60, rulePath: "r1", fields: ["category"] }])
      expect(green!.changes).toEqual([])
      expect([secret!.verdict.value, secret!.verdict.enrichmentId]).toEqual(["drop", filter.id])
      // It leaves no trace, and says the same again.
      expect(yield* (yield* Previews).preview(caller, feed.id, samples)).toEqual(preview)
      expect(yield* state(simulation, workspace.id)).toEqual(before)
    })
  )

  scene("takes a record without a currency to be in that of its account", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, post, run, workspace } = yield* fed(simulation)
      yield* enrichmentOf(workspace, "fees", {})
      post("green tea", "-10")
      yield* run
      const date = new Date(simulation.clock.now - 86_400_000).toISOString().slice(0, 10)
      const samples = [{ description: "OVERDRAFT FEE", amount: "-35", date }]
      const [fee] = (yield* (yield* Previews).preview(caller, feed.id, samples)).records
      const changes = new Map(fee!.changes.map(({ after, field }) => [field, after]))
      expect([changes.get("fee.isFee"), changes.get("fee.kind")]).toEqual([true, "overdraft"])
    })
  )

  scene("tells what sets of records would say, also where no run has looked yet", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, idOf, post, run, workspace } = yield* fed(simulation)
      post("green tea", "-10")
      yield* run
      const sum = yield* enrichmentOf(workspace, "month_sum", { limit: "1000", field: "amount" })
      const id = yield* idOf("green tea")
      const date = new Date(simulation.clock.now - 86_400_000).toISOString().slice(0, 10)
      const { preview } = yield* Previews
      const samples = [
        { date, amount: "-5", description: "rent" },
        { id, date, amount: "-11" }
      ]
      const first = yield* preview(caller, feed.id, samples)
      yield* run
      const second = yield* preview(caller, feed.id, samples)
      for (const { enrichments, records } of [first, second]) {
        expect(records.map(({ changes }) => changes.map(({ after, field }) => [field, after]))).toEqual([
          [["monthSum", "-16"]],
          [["monthSum", "-16"]]
        ])
        expect(enrichments.map(({ enrichmentId, matchCount }) => [enrichmentId, matchCount])).toEqual([[sum.id, 2]])
        expect(records[0]!.links.map(({ kind, members }) => [kind, members.length])).toEqual([["month", 2]])
      }
    })
  )
})

/** All that a preview must not touch. */
const state = Effect.fnUntraced(function* (
  simulation: Simulation,
  workspaceId: Parameters<EventStore["Service"]["newest"]>[0]
) {
  const scope = { workspaceId, dataType: "transactions" } as const
  return [
    simulation.points.fired,
    yield* (yield* AnalysisStore).head(scope),
    yield* (yield* EventStore).newest(workspaceId)
  ]
})

const seeds = seedsOf(casesOf({ short: 10, long: 1_000 }))

describe("random previews", () => {
  scene("show what the run then makes of the same records", (simulation) =>
    Effect.forEach(
      seeds,
      Effect.fnUntraced(function* (seed) {
        const random = new Seeded(seed)
        const { caller, feed, ledger, post, workspace } = yield* fed(simulation)
        const some = (most: number) =>
          Effect.forEach(
            random.list(1, most, () => someEnrichment(random)),
            ([type, config]) => enrichmentOf(workspace, type, config as never)
          )
        yield* some(4)
        const posted = (n: number) =>
          post(`${random.pick(words)} ${n}`, String(random.below(9) - 4.5), random.below(40))
        for (let n = 0; n < 4; n++) posted(n)
        yield* drive(simulation, feed)
        // Some that no run has looked under yet.
        if (random.once(2)) yield* some(2)
        const fresh = Array.from({ length: 1 + random.below(limits.previewRecords) }, (_, n) => posted(4 + n))
        // What the provider is going to say, as the ledger will hold it.
        const others = yield* fed(simulation)
        for (const { amount, date, description } of fresh) {
          others.upstream.post({ account: "a", date, amount, description, pending: false })
        }
        yield* drive(simulation, others.feed)
        const told = yield* others.ledger
        const samples = fresh.map(({ description }) => ({ ...told.get(description)!.fields }))
        const { records } = yield* (yield* Previews).preview(caller, feed.id, samples)
        yield* drive(simulation, feed)
        const now = yield* ledger
        for (const [n, { description }] of fresh.entries()) {
          const { rows } = yield* (yield* Explanations).explain(caller, now.get(description)!.id)
          const changed = rows[0]!.fields
            .filter(({ provided, value }) => provided !== value)
            .map(({ field, value }) => [field, value])
          const shown = records[n]!.changes.map(({ after, field }) => [field, after])
          expect([seed, shown.toSorted()]).toEqual([seed, changed.toSorted()])
          expect(records[n]!.verdict.value).toBe(rows[0]!.verdict.value)
        }
        countCases(records.length)
        const history = yield* RecordChangeStore
        expect((yield* history.ofRecord(workspace.id, "preview-0", 1)).length).toBe(0)
      }),
      { discard: true }
    )
  )
})
