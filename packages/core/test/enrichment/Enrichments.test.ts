import { MemoryStorage } from "@millrace/adapters/memory"
import { makeEnrichment, ownerOf, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { blockName, Enrichments, type NewEnrichment } from "../../src/enrichment/Enrichments.ts"
import { Kinds } from "../../src/enrichment/Kinds.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Patterns } from "../../src/pattern/Pattern.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const services = Enrichments.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(MemoryStorage.layer, Kinds.layerBundled().pipe(Layer.provide(Patterns.layerProven)), Ids.layer)
  )
)

const rule = {
  name: "Coffee",
  type: "rule",
  dataType: "transactions",
  config: {
    rules: [
      {
        conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "coffee" }] },
        action: { field: "category", value: "Cafés" }
      }
    ]
  }
} as const satisfies NewEnrichment

const opened = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const caller = ownerOf(workspace)
  const enrichments = yield* Enrichments
  const refusal = (change: object) => Effect.flip(enrichments.create(caller, { ...rule, ...change } as NewEnrichment))
  return { workspace, caller, enrichments, refusal }
})

describe("Enrichments", () => {
  it.effect("makes one after the other, in their order", () =>
    Effect.gen(function* () {
      const { enrichments, caller, workspace } = yield* opened
      const feed = yield* storeFeed(workspace)
      const first = yield* enrichments.create(caller, { ...rule, feedIds: [feed.id] })
      const second = yield* enrichments.create(caller, { ...rule, allFeeds: true })
      expect([first.lints, first.enrichment.version, first.enrichment.createdBy]).toEqual([
        [],
        1,
        "usr_00000000000000000000000001"
      ])
      expect((yield* enrichments.list(caller)).map(({ id }) => id)).toEqual([first.enrichment.id, second.enrichment.id])
      expect(second.enrichment.order).toBeGreaterThan(first.enrichment.order)
    }).pipe(Effect.provide(services))
  )

  it.effect("says that one which names no feed does nothing", () =>
    Effect.gen(function* () {
      const { enrichments, caller } = yield* opened
      expect((yield* enrichments.create(caller, rule)).lints.map(({ field }) => field)).toEqual(["feedIds"])
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses what could not run, naming every fault, and keeps nothing of it", () =>
    Effect.gen(function* () {
      const { caller, enrichments, refusal, workspace } = yield* opened
      const other = yield* storeFeed(yield* storeWorkspace())
      const trades = yield* storeFeed(workspace, { dataType: "trades", dataTypeOptions: { dataType: "trades" } })
      const fieldsOf = (change: object) =>
        Effect.map(refusal(change), (error) => ("details" in error ? error.details.map(({ field }) => field) : []))
      expect(yield* fieldsOf({ type: "anomaly" })).toEqual(["type"])
      expect(yield* fieldsOf({ feedIds: [other.id, trades.id] })).toEqual(["feedIds[0]", "feedIds[1]"])
      expect(yield* fieldsOf({ allFeeds: true, feedIds: [other.id] })).toEqual(["feedIds", "feedIds[0]"])
      expect((yield* fieldsOf({ config: { rules: "none" } })).every((field) => field?.startsWith("ruleConfig"))).toBe(
        true
      )
      expect(yield* fieldsOf({ config: {} })).toEqual(["ruleConfig.rules"])
      expect(yield* enrichments.list(caller)).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("refuses one more than a workspace may have", () =>
    Effect.gen(function* () {
      const { refusal, workspace } = yield* opened
      const store = yield* EnrichmentStore
      for (let n = 0; n < limits.enrichmentsPerWorkspace; n++) yield* store.insert(yield* makeEnrichment(workspace))
      expect(yield* refusal({})).toMatchObject({ code: "LIMIT_EXCEEDED" })
    }).pipe(Effect.provide(services))
  )

  it("names the block of a type", () => {
    expect([blockName("rule"), blockName("transfer_match")]).toEqual(["ruleConfig", "transferMatchConfig"])
  })
})
