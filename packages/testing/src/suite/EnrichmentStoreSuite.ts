/** Conformance of `EnrichmentStore`. */
import { EnrichmentStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeEnrichment } from "../fixture/Enrichment.ts"
import { storeFeed } from "../fixture/Feed.ts"
import { difficultTexts } from "../fixture/Text.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"

const arrange = Effect.gen(function* () {
  return { workspace: yield* storeWorkspace(), store: yield* EnrichmentStore }
})

export const tests: StorageTests = (it) => {
  it.effect("hands back an enrichment as it was inserted, to its own workspace", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const feed = yield* storeFeed(workspace)
      const enrichment = yield* makeEnrichment(workspace, {
        name: difficultTexts[6]!,
        emoji: "🧾",
        feedIds: [feed.id],
        allFeeds: false,
        config: { texts: [...difficultTexts], deep: { a: [1, 2.5, true, null, { b: "" }] }, 'odd key \\ "': 1e21 }
      })
      yield* store.insert(enrichment)
      expect(yield* store.get(workspace.id, enrichment.id)).toEqual(Option.some(enrichment))
      const stranger = yield* storeWorkspace()
      expect(yield* store.get(stranger.id, enrichment.id)).toEqual(Option.none())
      expect(yield* store.list([stranger.id])).toEqual([])
      expect(yield* store.remove(stranger.id, enrichment.id)).toBe(false)
    })
  )

  it.effect("lists enrichments by order, then id", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const made = yield* Effect.forEach([3, 1, 1, 0, 10], (order) => makeEnrichment(workspace, { order }))
      yield* Effect.forEach(made.toReversed(), store.insert)
      const [third, first, second, zero, tenth] = made
      expect(yield* store.list([workspace.id])).toEqual([zero, first, second, third, tenth])
      const portal = yield* storeWorkspace()
      const other = yield* makeEnrichment(portal, { order: 2 })
      yield* store.insert(other)
      expect(yield* store.list([workspace.id, portal.id])).toEqual([zero, first, second, other, third, tenth])
    })
  )

  it.effect("replaces an enrichment whose version follows on, and only then", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const { emoji: _, ...first } = yield* makeEnrichment(workspace)
      yield* store.insert({ ...first, emoji: "x" })
      const second = { ...first, name: "Second", version: 2, enabled: false }
      expect(yield* store.update(second)).toBe(true)
      expect(yield* store.update({ ...second, name: "Late" })).toBe(false)
      expect(yield* store.update({ ...second, version: 9 })).toBe(false)
      expect(yield* store.update(yield* makeEnrichment(workspace, { version: 2 }))).toBe(false)
      const read = Option.getOrThrow(yield* store.get(workspace.id, first.id))
      expect(read).toEqual(second)
      expect(Object.keys(read)).not.toContain("emoji")
      const won = yield* Effect.forEach(
        Array.from({ length: 10 }, (_e, i) => ({ ...second, name: `w${i}`, version: 3 })),
        store.update,
        { concurrency: "unbounded" }
      )
      expect(won.filter(Boolean)).toHaveLength(1)
    })
  )

  it.effect("removes an enrichment once", () =>
    Effect.gen(function* () {
      const { workspace, store } = yield* arrange
      const enrichment = yield* makeEnrichment(workspace)
      yield* store.insert(enrichment)
      expect(yield* store.remove(workspace.id, enrichment.id)).toBe(true)
      expect(yield* store.remove(workspace.id, enrichment.id)).toBe(false)
      expect(yield* store.get(workspace.id, enrichment.id)).toEqual(Option.none())
      expect(yield* store.list([workspace.id])).toEqual([])
    })
  )
}

export const suite = suiteOf(tests)
