/** What the first use of an enrichment would wait for is loaded before it, and only where it is going to be used. */
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeEnrichment, ownerOf, storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { EnrichmentsOn } from "../../src/enrichment/EnrichmentsOn.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { bundledKinds, type AnyKind, kindsOf, Kinds } from "../../src/enrichment/Kinds.ts"
import { defaultTaxonomy, seededClassifier, warmClassifier } from "../../src/enrichment/kinds/ai/Taxonomy.ts"
import { WarmUp } from "../../src/enrichment/WarmUp.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { Ids } from "../../src/shared/Ids.ts"

/** The bundled kinds, of which some say what they would load. */
const world = (isOn = true) => {
  const loaded: Array<string> = []
  const kinds = bundledKinds({ patterns: provenPatterns, sha256: NodeDigest.sha256 }).map((kind): AnyKind =>
    kind.warm === undefined ? kind : { ...kind, warm: () => Effect.sync(() => void loaded.push(kind.type)) }
  )
  const layer = Layer.mergeAll(Enrichments.layer, WarmUp.layer).pipe(
    Layer.provide(Cursors.layer(Redacted.make("a secret that only this test has"))),
    Layer.provideMerge(
      Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Layer.succeed(Kinds, kindsOf(kinds)), Ids.layer)
    ),
    Layer.provide(Layer.succeed(EnrichmentsOn, isOn))
  )
  /** What was loaded since it was asked last. */
  const news = Effect.map(Effect.yieldNow, () => loaded.splice(0)).pipe(Effect.delay("1 milli"))
  return { layer, news }
}

const categories = { name: "Categories", type: "ai_categorize", dataType: "transactions", allFeeds: true } as const

describe("what the first use would wait for", () => {
  it.live("is loaded when an enrichment that needs it is made or switched on, and for no other", () => {
    const { layer, news } = world()
    return Effect.gen(function* () {
      const caller = ownerOf(yield* storeWorkspace())
      const enrichments = yield* Enrichments
      const { enrichment } = yield* enrichments.create(caller, { ...categories, enabled: false })
      yield* enrichments.create(caller, {
        name: "Transfers",
        type: "transfer_match",
        dataType: "transactions",
        allFeeds: true
      })
      expect(yield* news).toEqual([])
      yield* enrichments.update(caller, enrichment.id, { enabled: true })
      expect(yield* news).toEqual(["ai_categorize"])
      yield* enrichments.create(caller, { ...categories, name: "Merchants", type: "ai_merchant" })
      expect(yield* news).toEqual(["ai_merchant"])
    }).pipe(Effect.provide(layer))
  })

  it.live("is loaded at the start for the enrichments that there are, of whichever workspace", () => {
    const { layer, news } = world()
    return Effect.gen(function* () {
      for (const change of [{}, { enabled: false }]) {
        const workspace = yield* storeWorkspace()
        yield* (yield* EnrichmentStore).insert(
          yield* makeEnrichment(workspace, { ...categories, config: {}, ...change })
        )
      }
      yield* (yield* WarmUp).beginAll
      expect(yield* news).toEqual(["ai_categorize"])
    }).pipe(Effect.provide(layer))
  })

  it.live("is not loaded where enrichments are switched off", () => {
    const { layer, news } = world(false)
    return Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      yield* (yield* Enrichments).create(ownerOf(workspace), categories)
      yield* (yield* WarmUp).beginAll
      expect(yield* news).toEqual([])
    }).pipe(Effect.provide(layer))
  })
})

describe("a classifier that is taught ahead", () => {
  it.effect("lets others have their turn, and is the one that is used", () =>
    Effect.gen(function* () {
      // No other test has this list.
      const taxonomy = [...defaultTaxonomy, { id: "OWN", label: "Own" }]
      let turns = 0
      const others = yield* Effect.forkChild(
        Effect.forever(
          Effect.suspend(() => {
            turns++
            return Effect.yieldNow
          })
        )
      )
      yield* warmClassifier(taxonomy)
      yield* Fiber.interrupt(others)
      expect(turns).toBeGreaterThan(10)
      const features = { textKey: "starbucks", sign: "out" } as const
      const other = [...taxonomy, { id: "MORE", label: "More" }]
      const [ahead, atOnce] = [seededClassifier(taxonomy), seededClassifier(other)]
      expect(seededClassifier(taxonomy)).toBe(ahead)
      expect(ahead.rank(features).top[0]?.label).toBe(atOnce.rank(features).top[0]?.label)
    })
  )
})
