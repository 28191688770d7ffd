import { describe, expect } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { Simulations } from "../../src/explain/Simulations.ts"
import type { Supposed } from "../../src/explain/WhatIf.ts"
import { enrichmentOf, revised, when } from "../sync/FilteredScenes.ts"
import { fed, scene, setting, simulated } from "./ExplainScenes.ts"
import { someEnrichment, targets, words } from "./RandomEnrichments.ts"

/** An enrichment of all feeds that is only supposed. */
const created = (type: string, config: object) =>
  ({
    kind: "create",
    enrichment: { name: type, type, dataType: "transactions", allFeeds: true, config: config as never }
  }) as const

describe("a simulation", () => {
  scene("tells what would change and leaves everything as it is", (simulation) =>
    Effect.gen(function* () {
      const { caller, feed, idOf, post, rows, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      for (const text of ["green tea", "black tea", "rent"]) post(text)
      yield* run
      const spoken = yield* idOf("black tea")
      yield* (yield* RecordOverrides).set(caller, spoken, { fields: { category: "Gifts" } })
      yield* run
      const of = { workspaceId: workspace.id, dataType: "transactions" } as const
      const state = Effect.gen(function* () {
        const { head } = yield* AnalysisStore
        return [yield* rows, yield* head(of), yield* (yield* EventStore).newest(workspace.id)]
      })
      const before = yield* state
      const changes: ReadonlyArray<Supposed> = [
        { kind: "update", enrichmentId: rule.id, change: { config: setting("category", "Tea") } },
        {
          kind: "create",
          enrichment: {
            name: "Hide the rent",
            type: "filter",
            dataType: "transactions",
            allFeeds: true,
            config: {
              conditions: { logic: "and", conditions: [{ field: "description", operator: "contains", value: "rent" }] },
              onDropAfterDelivery: "remove"
            }
          }
        }
      ]
      const report = yield* simulated(caller, { changes })
      expect(report).toMatchObject({
        records: 3,
        fields: [
          {
            field: "category",
            added: 0,
            changed: 1,
            removed: 0,
            samples: [{ recordId: yield* idOf("green tea"), before: "Drinks", after: "Tea", authority: "rule" }]
          }
        ],
        deliveries: [
          {
            feedId: feed.id,
            destination: "table",
            create: 0,
            update: 1,
            remove: 1,
            now: { create: 0, update: 1, remove: 1 }
          }
        ],
        shadows: 1,
        faults: []
      })
      expect(yield* simulated(caller, { changes })).toEqual(report)
      expect((yield* simulated(caller, { changes, feedIds: [] })).deliveries).toEqual([])
      const without = yield* simulated(caller, { changes: [{ kind: "delete", enrichmentId: rule.id }] })
      expect(without.fields[0]!.samples).toMatchObject([
        { before: "Drinks", after: "UNCATEGORIZED", sentence: "The provider says so" }
      ])
      expect(yield* state).toEqual(before)
      // Nothing of what was supposed is taken for what is so.
      yield* revised(rule, { config: setting("category", "Chai") })
      yield* run
      expect((yield* rows).filter((row) => row.includes("category=Chai"))).toHaveLength(1)
    })
  )

  scene("tells series, budgets and cases apart, and what people would decide", (simulation) =>
    Effect.gen(function* () {
      const { caller, idOf, post, run, workspace } = yield* fed(simulation)
      for (let n = 0; n < 5; n++) post("NORTHWIND MUSIC", "-14.9", 150 - 30 * n)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      post("green tea", "-10")
      post("black tea", "-5")
      const lines = [{ key: "drinks", name: "Drinks", match: when("category", "equals", "Drinks"), amount: "100" }]
      const budget = yield* enrichmentOf(workspace, "budget", { currency: "USD", lines })
      yield* run
      const checks = [
        {
          kind: "aggregate",
          key: "many",
          conditions: when("amount", "lt", "0"),
          measure: "count",
          windowDays: 30,
          op: "gt",
          threshold: "0"
        }
      ]
      const made = yield* simulated(caller, { changes: [created("recurring", {}), created("monitor", { checks })] })
      expect(made.series).toEqual({ found: 1, changed: 0, gone: 0 })
      expect(made.cases).toEqual({ opened: 1, closed: 0 })
      expect(made.budgets).toEqual([])
      const id = yield* idOf("green tea")
      const silence = { kind: "silence", enrichmentId: rule.id, recordId: id, field: "category" } as const
      const silenced = yield* simulated(caller, { changes: [silence] })
      expect(silenced.budgets).toMatchObject([
        {
          enrichmentId: budget.id,
          line: "drinks",
          before: { planned: "100", spent: "15", left: "85" },
          after: { planned: "100", spent: "5", left: "95" }
        }
      ])
      expect(silenced.fields.map(({ field }) => field)).toEqual(["budget.keys", "category"])
      // What is decided then says the same, and what is taken back says it the other way round.
      const { facts } = yield* (yield* Undo).undo(caller, id, { enrichmentId: rule.id, field: "category" })
      yield* run
      expect((yield* simulated(caller, { changes: [silence] })).budgets).toEqual([])
      const lifted = yield* simulated(caller, { changes: [{ kind: "lift", decisionId: facts[0]!.id }] })
      expect(lifted.budgets).toMatchObject([{ before: silenced.budgets[0]!.after, after: silenced.budgets[0]!.before }])
      const strange = { ...silence, recordId: "txn_00000000000000000000000000" }
      const unknown = facts[0]!.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) as (typeof facts)[0]["id"]
      expect(yield* Effect.flip(simulated(caller, { changes: [silence, strange] }))).toMatchObject({
        details: [{ field: "changes[1].recordId", message: "is no record that a feed shows" }]
      })
      expect(yield* Effect.flip(simulated(caller, { changes: [{ kind: "lift", decisionId: unknown }] }))).toMatchObject(
        {
          details: [{ field: "changes[0].decisionId", message: "is no decision that holds" }]
        }
      )
    })
  )

  scene("refuses changes that could not be made, each at its path", (simulation) =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      const unknown = rule.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) as typeof rule.id
      const refused = yield* Effect.flip(
        (yield* Simulations).simulate(caller, {
          changes: [
            { kind: "delete", enrichmentId: unknown },
            { kind: "update", enrichmentId: rule.id, change: { config: { rules: [{ conditions: 1 }] } } },
            { kind: "create", enrichment: { name: "x", type: "no_such_kind", dataType: "transactions" } }
          ]
        })
      )
      expect(refused).toMatchObject({ _tag: "Unprocessable", code: "ENRICHMENT_VALIDATION_FAILED" })
      const fields = "details" in refused ? refused.details.map(({ field = "" }) => field) : []
      expect(fields[0]).toBe("changes[0].enrichmentId")
      expect(fields.some((field) => field.startsWith("changes[1].change.ruleConfig."))).toBe(true)
      expect(fields.at(-1)).toBe("changes[2].enrichment.type")
    })
  )
})

/** Random changes, as a person would suppose them, and as they would then make them. */
const someChange = (random: Seeded, present: ReadonlyArray<Enrichment>) => {
  const one = random.pick(present)
  switch (random.below(4)) {
    case 0:
      return {
        supposed: { kind: "enable", enrichmentId: one.id, enabled: false } as const,
        real: { ...one, enabled: false }
      }
    case 1:
      return {
        supposed: { kind: "reorder", enrichmentId: one.id, order: 1_000 } as const,
        real: { ...one, order: 1_000 }
      }
    default: {
      const [, config] = someOf(random, one.type)
      return {
        supposed: { kind: "update", enrichmentId: one.id, change: { config: config as never } } as const,
        real: { ...one, config: config as never }
      }
    }
  }
}

const someOf = (random: Seeded, type: string) => {
  for (;;) {
    const made = someEnrichment(random)
    if (made[0] === type) return made
  }
}

const seeds = Array.from({ length: process.env["MILLRACE_LONG"] === undefined ? 10 : 1_000 }, (_, n) => n + 1)

/** Every value that is delivered, by record and field. */
const valuesOf = Effect.fnUntraced(function* (
  caller: Parameters<Explanations["Service"]["explain"]>[0],
  ids: ReadonlyArray<string>
) {
  const { explain } = yield* Explanations
  const all = new Map<string, string | boolean | null>()
  for (const id of ids) {
    for (const { fields } of (yield* explain(caller, id)).rows) {
      for (const { field, value } of fields) all.set(`${id} ${field}`, value)
    }
  }
  return all
})

describe("random simulations", () => {
  scene("tell exactly the difference that the change then makes", (simulation: Simulation) =>
    Effect.forEach(
      seeds,
      Effect.fnUntraced(function* (seed) {
        const random = new Seeded(seed)
        const { caller, feed, ledger, post, workspace } = yield* fed(simulation)
        const present: Array<Enrichment> = []
        for (const [type, config] of random.list(1, 5, () => someEnrichment(random))) {
          present.push(yield* enrichmentOf(workspace, type, config as never))
        }
        for (let n = 0; n < 6; n++) post(`${random.pick(words)} ${n}`, String(random.below(9) - 4.5), random.below(40))
        yield* drive(simulation, feed)
        const ids = [...(yield* ledger).values()].map(({ id }) => id).toSorted()
        yield* (yield* RecordOverrides).set(caller, random.pick(ids), { fields: { [random.pick(targets)]: "mine" } })
        yield* drive(simulation, feed)
        const before = yield* valuesOf(caller, ids)
        const { real, supposed } = someChange(random, present)
        const report = yield* simulated(caller, { changes: [supposed] })
        const told = report.fields.flatMap(({ field, samples }) =>
          samples.map((one) => [`${one.recordId} ${field}`, one.before, one.after])
        )
        yield* (yield* EnrichmentStore).update({ ...real, version: real.version + 1, revision: real.revision + 1 })
        yield* drive(simulation, feed)
        const after = yield* valuesOf(caller, ids)
        const changed = [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
          const [was, is] = [before.get(key) ?? null, after.get(key) ?? null]
          return was === is ? [] : [[key, was, is]]
        })
        expect([seed, told.toSorted()]).toEqual([seed, changed.toSorted()])
      }),
      { discard: true }
    )
  )
})
