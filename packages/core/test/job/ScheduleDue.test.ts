import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { JobEngine } from "../../src/job/JobEngine.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { Cursors } from "../../src/cursor/Cursors.ts"
import { Ids } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { mapCalls } from "@millrace/testing/fault"
import { storeFeed, storeWorkspace } from "@millrace/testing/fixture"
import { VirtualClock } from "@millrace/verification/simulation/VirtualClock"
import { describe, expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

describe("due schedules", () => {
  it.effect("move on although the clock of the process is behind that of the store", () => {
    const [ofStore, ofProcess] = [new VirtualClock(), new VirtualClock()]
    ofStore.pass(3_600)
    const due = Timestamp.fromMillis(ofStore.now - 60_000)
    const feeds = Layer.effect(
      FeedStore,
      Effect.map(FeedStore, (store) => mapCalls(store, (effect) => Effect.provideService(effect, Clock.Clock, ofStore)))
    ).pipe(Layer.provideMerge(MemoryStorage.layer))
    const layer = Jobs.layer.pipe(
      Layer.provide(Cursors.layer(Redacted.make("only for tests"))),
      Layer.provide(Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void })),
      Layer.provideMerge(Layer.mergeAll(feeds, Ids.layer, NodeDigest.layer))
    )
    return Effect.gen(function* () {
      const workspace = yield* storeWorkspace()
      const feed = yield* storeFeed(workspace, {
        sourceConfig: { type: "sync", accounts: [] },
        schedule: { enabled: true, frequency: "hourly", timeOfDay: due.slice(11, 16) },
        nextRunAt: due
      })
      expect(yield* (yield* Jobs).scheduleDue).toBe(1)
      const held = Option.getOrThrow(yield* (yield* FeedStore).byId(feed.id))
      expect(held.nextRunAt).toBe(Timestamp.fromMillis(Timestamp.toMillis(due) + 3_600_000))
    }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, ofProcess))
  })
})
