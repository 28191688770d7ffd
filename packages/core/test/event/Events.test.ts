import { EventStore } from "../../src/event/EventStore.ts"
import { eventType, eventTypes } from "../../src/event/EventType.ts"
import { Events } from "../../src/event/Events.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { limits } from "../../src/shared/Limits.ts"
import { StorageUnavailable } from "../../src/storage/StorageUnavailable.ts"
import { NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { makeEvent, somebody, storeEvents, storeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"

const world = Events.layer.pipe(Layer.provideMerge(Layer.mergeAll(NodeDigest.layer, MemoryStorage.layer, Ids.layer)))

const arrange = Effect.gen(function* () {
  return { events: yield* Events, store: yield* EventStore, ...(yield* storeWorkspace()) }
})

describe("Events", () => {
  it.effect("gives an event one id, whoever reads it", () =>
    Effect.gen(function* () {
      const { events, id } = yield* arrange
      const other = yield* storeWorkspace()
      yield* storeEvents(id, 2)
      yield* storeEvents(other.id, 1)
      const read = yield* events.read(id, 0, 10)
      const again = yield* events.follow(id, { after: "beginning" }).pipe(Stream.take(2), Stream.runCollect)
      expect(again).toEqual(read)
      const all = [...read, ...(yield* events.read(other.id, 0, 10))].map((event) => event.id)
      expect(new Set(all).size).toBe(3)
      for (const one of all) expect(one).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{26}$/)
    }).pipe(Effect.provide(world))
  )

  it.effect("follows what happens without waiting for its own look, from now or from a number", () =>
    Effect.gen(function* () {
      const { events, id } = yield* arrange
      yield* storeEvents(id, 3)
      const collect = (after: "now" | number, count: number) =>
        events.follow(id, { after }).pipe(
          Stream.take(count),
          Stream.map(({ sequence }) => sequence),
          Stream.runCollect,
          Effect.forkChild({ startImmediately: true })
        )
      const [late, early] = [yield* collect("now", 2), yield* collect(2, 3)]
      for (let n = 0; n < 20; n++) yield* Effect.yieldNow
      yield* storeEvents(id, 2)
      // The clock stands still: nobody looks by himself.
      expect([yield* Fiber.join(late), yield* Fiber.join(early)]).toEqual([
        [4, 5],
        [3, 4, 5]
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("follows a log that is longer than what is read in one go, and passes over other types", () =>
    Effect.gen(function* () {
      const { events, id, store } = yield* arrange
      for (let n = 1; n <= 3; n++) {
        yield* storeEvents(id, 250)
        yield* store.append([{ ...makeEvent(id, "x", n), type: "thing.ended" }])
      }
      const followed = events.follow(id, { after: "beginning", types: ["thing.ended"] })
      expect((yield* followed.pipe(Stream.take(3), Stream.runCollect)).map(({ sequence }) => sequence)).toEqual([
        251, 502, 753
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("finds by itself what it was not told of", () =>
    Effect.gen(function* () {
      const deaf = Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) =>
          EventStore.of({ ...store, arrivals: Stream.fail(new StorageUnavailable({ message: "away" })) })
        )
      )
      yield* Effect.gen(function* () {
        const { events, id } = yield* arrange
        const followed = yield* events
          .follow(id, { after: 0 })
          .pipe(Stream.take(1), Stream.runCollect, Effect.forkChild({ startImmediately: true }))
        for (let n = 0; n < 20; n++) yield* Effect.yieldNow
        yield* storeEvents(id, 1)
        yield* TestClock.adjust("5 seconds")
        expect(yield* Fiber.join(followed)).toHaveLength(1)
      }).pipe(
        Effect.provide(
          Events.layer.pipe(
            Layer.provideMerge(deaf),
            Layer.provideMerge(Layer.mergeAll(NodeDigest.layer, MemoryStorage.layer, Ids.layer))
          )
        )
      )
    })
  )

  it.effect("tells a follower who is too late where the log begins", () =>
    Effect.gen(function* () {
      const { events, id, store } = yield* arrange
      yield* storeEvents(id, 3)
      yield* TestClock.adjust(`${limits.eventDays + 1} days`)
      yield* store.purge(2)
      const refused = yield* Effect.flip(Stream.runDrain(events.follow(id, { after: 1 })))
      expect(refused).toMatchObject({ _tag: "EventsForgotten", forgotten: 2 })
      const [first] = yield* events.follow(id, { after: "beginning" }).pipe(Stream.take(1), Stream.runCollect)
      expect(first!.sequence).toBe(3)
    }).pipe(Effect.provide(world))
  )
})

describe("eventType", () => {
  const counted = eventType({
    type: "thing.counted",
    subject: "thing",
    summary: "A thing was counted.",
    data: Schema.Struct({ n: Schema.Int })
  })

  it.effect("makes events of its type and reads no others", () =>
    Effect.gen(function* () {
      const { id } = yield* storeWorkspace()
      const event = counted.of({ workspaceId: id, subjectId: "a", cause: somebody, data: { n: 3 } })
      expect(event).toEqual({ ...makeEvent(id, "a", 3), type: "thing.counted" })
      expect(counted.dataOf(event)).toEqual(Option.some({ n: 3 }))
      expect(counted.dataOf({ ...event, type: "thing.lost" })).toEqual(Option.none())
      expect(counted.dataOf({ ...event, data: { n: "3" } })).toEqual(Option.none())
    }).pipe(Effect.provide(world))
  )

  it("plans events of several types that have the same data", () => {
    const types = eventTypes(
      { subject: "thing", outbound: true, data: Schema.Struct({ n: Schema.FiniteFromString }) },
      { "thing.counted": "A thing was counted.", "thing.lost": "A thing is gone." }
    )
    const { planned, summary } = types["thing.lost"]
    expect(summary).toBe("A thing is gone.")
    expect(planned({ key: "k", subjectId: "a", data: { n: 3 } })).toEqual({
      key: "k",
      type: "thing.lost",
      subjectId: "a",
      data: { n: "3" }
    })
    expect(Object.values(types).map(({ outbound, type }) => [type, outbound])).toEqual([
      ["thing.counted", true],
      ["thing.lost", true]
    ])
  })

  it("refuses a name that says not of what", () => {
    for (const type of ["counted", "Thing.counted", "thing.", "thing counted"]) {
      expect(() => eventType({ type, subject: "thing", summary: "", data: Schema.Null })).toThrow(type)
    }
  })
})
