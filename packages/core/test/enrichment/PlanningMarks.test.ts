import { describe, expect, it } from "@effect/vitest"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeEnrichment, makeJob, storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { EnrichmentRunStore } from "../../src/enrichment/EnrichmentRunStore.ts"
import { FindingStore } from "../../src/enrichment/FindingStore.ts"
import { PlanningMarks } from "../../src/enrichment/PlanningMarks.ts"
import { RunNotes } from "../../src/enrichment/RunNotes.ts"
import { Ids } from "../../src/shared/Ids.ts"

const services = Layer.mergeAll(PlanningMarks.layer, RunNotes.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStorage.layer, NodeDigest.layer, Ids.layer))
)

const arrange = Effect.gen(function* () {
  const workspace = yield* storeWorkspace()
  const feed = yield* storeFeed(workspace, {})
  const enrichment = yield* makeEnrichment(workspace, { type: "rule", config: {} })
  const { id: jobId } = yield* makeJob(feed)
  const { guardOf } = yield* PlanningMarks
  const cause = { kind: "sync", feedId: feed.id, jobId } as const
  const begin = (version = enrichment.version) =>
    guardOf({ feed, jobId, enrichments: [{ ...enrichment, version }], cause })
  /** A run that is killed: whatever it waits for never comes, and nothing of it runs any more. */
  const killed = Effect.gen(function* () {
    const { around } = yield* begin()
    const isInside = yield* Deferred.make<void>()
    const run = around([enrichment.id], Effect.andThen(Deferred.succeed(isInside, undefined), Effect.never))
    yield* Effect.forkDetach(run)
    yield* Deferred.await(isInside)
  })
  /** A run that looks at so many records and ends. */
  const ended = Effect.fnUntraced(function* (looked: number) {
    yield* begin()
    yield* (yield* RunNotes).note({
      feed,
      jobId,
      enrichments: [enrichment],
      faults: [],
      counts: new Map(),
      looked,
      analysed: new Set(),
      isWhole: true,
      cause,
      guard: Effect.void
    })
  })
  const findings = Effect.flatMap(FindingStore, (store) => store.list(workspace.id, enrichment.id, { limit: 10 }))
  const mark = Effect.map(
    Effect.flatMap(EnrichmentRunStore, (store) => store.page({ workspaceIds: [workspace.id], where: {}, limit: 10 })),
    ([run]) => run?.mark
  )
  return { begin, ended, enrichment, findings, killed, mark }
})

describe("marks of enrichments that do much work", () => {
  it.effect("set one aside after two deaths, with a finding, until a person changes it", () =>
    Effect.gen(function* () {
      const { begin, enrichment, findings, killed } = yield* arrange
      yield* killed
      expect([(yield* begin()).aside.size, yield* findings]).toEqual([0, []])
      yield* killed
      expect([...(yield* begin()).aside]).toEqual([enrichment.id])
      expect(yield* findings).toMatchObject([{ kind: "set_aside", status: "open", subject: { id: enrichment.id } }])
      // It stays so: what is set aside does no work, and leaves no mark.
      expect((yield* begin()).aside.size).toBe(1)
      expect((yield* begin(enrichment.version + 1)).aside.size).toBe(0)
      expect(yield* findings).toMatchObject([{ status: "resolved", present: false }])
    }).pipe(Effect.provide(services))
  )

  it.effect("count no death from before a run that looked at records and ended", () =>
    Effect.gen(function* () {
      const { begin, ended, findings, killed } = yield* arrange
      for (let n = 0; n < 4; n++) {
        yield* killed
        yield* ended(10)
      }
      expect([(yield* begin()).aside.size, yield* findings]).toEqual([0, []])
    }).pipe(Effect.provide(services))
  )

  it.effect("count deaths on both sides of a run that looked at no record", () =>
    Effect.gen(function* () {
      const { begin, ended, enrichment, killed } = yield* arrange
      yield* killed
      yield* ended(0)
      yield* killed
      expect([...(yield* begin()).aside]).toEqual([enrichment.id])
    }).pipe(Effect.provide(services))
  )

  it.effect("keep an enrichment that is set aside so, while runs end without it", () =>
    Effect.gen(function* () {
      const { begin, ended, enrichment, killed } = yield* arrange
      yield* killed
      yield* killed
      yield* ended(10)
      expect([...(yield* begin()).aside]).toEqual([enrichment.id])
    }).pipe(Effect.provide(services))
  )

  it.effect("are left by work in another thread once it has gone on for long, and taken away when it is over", () =>
    Effect.gen(function* () {
      const { begin, enrichment, mark } = yield* arrange
      const { around } = yield* begin()
      const run = yield* Effect.forkChild(around([enrichment.id], Effect.never, { afterSeconds: 15 }))
      yield* TestClock.adjust("14 seconds")
      expect(yield* mark).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect(yield* mark).toBe(enrichment.version)
      yield* Fiber.interrupt(run)
      expect(yield* mark).toBeUndefined()
      yield* around([enrichment.id], Effect.void, { afterSeconds: 15 })
      yield* TestClock.adjust("1 minute")
      expect(yield* mark).toBeUndefined()
    }).pipe(Effect.provide(services))
  )

  it.effect("are taken away by a run that ends, fails or is told to stop", () =>
    Effect.gen(function* () {
      const { begin, enrichment, findings } = yield* arrange
      for (let n = 0; n < 3; n++) {
        const { around } = yield* begin()
        yield* around([enrichment.id], Effect.void)
        yield* Effect.exit(around([enrichment.id], Effect.die("a defect")))
        const fiber = yield* Effect.forkChild(around([enrichment.id], Effect.never))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
      }
      expect((yield* begin()).aside.size).toBe(0)
      expect(yield* findings).toEqual([])
    }).pipe(Effect.provide(services))
  )

  it.effect("are not left by runs that do little, however often they are killed", () =>
    Effect.gen(function* () {
      const { begin, findings } = yield* arrange
      for (let n = 0; n < 5; n++) expect((yield* begin()).aside.size).toBe(0)
      expect(yield* findings).toEqual([])
    }).pipe(Effect.provide(services))
  )
})
