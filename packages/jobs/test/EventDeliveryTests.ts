/** What holds for deliveries of events to consumers, on any storage. */
import type { Event } from "@millrace/core/event"
import { EventNotHandled, type EventConsumer } from "@millrace/core/event"
import { Events } from "@millrace/core/event"
import { EventStore } from "@millrace/core/storage"
import { Digest } from "@millrace/core"
import { Ids } from "@millrace/core"
import { StorageUnavailable } from "@millrace/core/storage"
import type { Transactor } from "@millrace/core/storage"
import type { TaskStore } from "@millrace/core/storage"
import type { WorkspaceStore } from "@millrace/core/storage"
import type { WorkspaceId } from "@millrace/core/workspace"
import { makeEvent, storeEvents as appendEvents } from "@millrace/testing/fixture"
import { storeWorkspace as newWorkspace } from "@millrace/testing/fixture"
import { acrossTenants } from "@millrace/core/workspace"
import { expect, layer as withLayer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { deliveries } from "./deliveries.ts"

type Storage = EventStore | TaskStore | Transactor | WorkspaceStore | Digest

/** What the tests do around the deliveries. These have nothing of it: each says itself for whom it works. */
const around = acrossTenants("task engine")
const storeWorkspace = () => around(newWorkspace())
const storeEvents = (id: WorkspaceId, count: number) => around(appendEvents(id, count))

let consumers = 0
const freshName = () => `consumer_${consumers++}`

/** A consumer that notes what it is given; `refuse` says which of them fails, and how. */
const noting = (change: Partial<EventConsumer> & { readonly refuse?: (event: Event) => string | undefined } = {}) => {
  const { refuse, ...rest } = change
  const given: Array<Event> = []
  const consumer: EventConsumer = {
    name: freshName(),
    start: "now",
    effects: "outside",
    handle: (event) =>
      Effect.suspend(() => {
        given.push(event)
        const message = refuse?.(event)
        return message === undefined ? Effect.void : Effect.fail(new EventNotHandled({ message }))
      }),
    ...rest
  }
  return { consumer, given }
}
const numbers = (events: ReadonlyArray<Event>) => events.map(({ sequence }) => sequence)

const of = (given: ReadonlyArray<Event>, id: string) => numbers(given.filter(({ workspaceId }) => workspaceId === id))

export const deliveryTests = <E>(name: string, storage: Layer.Layer<Storage, E>, live: boolean): void => {
  const base = Events.layer.pipe(Layer.provideMerge(Layer.merge(storage, Ids.layer)))
  withLayer(base, { excludeTestServices: live, timeout: "60 seconds" })(name, (it) => {
    const until = Effect.fnUntraced(function* (holds: () => boolean) {
      for (let n = 0; n < 3_000 && !holds(); n++) yield* live ? Effect.sleep(10) : TestClock.adjust(10)
      expect(holds(), "it never came to be so").toBe(true)
    })

    it.effect("hands every event to every consumer once, in the order of its workspace", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
        yield* storeEvents(one.id, 2)
        const [late, early] = [noting(), noting({ start: "beginning" })]
        yield* Effect.gen(function* () {
          yield* until(() => early.given.length >= 2)
          yield* storeEvents(one.id, 120)
          yield* storeEvents(other.id, 3)
          yield* until(() => of(late.given, one.id).length >= 120 && of(early.given, one.id).length >= 122)
          yield* until(() => of(late.given, other.id).length >= 3 && of(early.given, other.id).length >= 3)
          expect(of(late.given, one.id)).toEqual(Array.from({ length: 120 }, (_, n) => n + 3))
          expect(of(early.given, one.id)).toEqual(Array.from({ length: 122 }, (_, n) => n + 1))
          expect(of(late.given, other.id)).toEqual([1, 2, 3])
        }).pipe(Effect.provide(deliveries(late.consumer, early.consumer)))
        // A consumer that comes back goes on where it was.
        yield* storeEvents(other.id, 1)
        const again = noting({ name: late.consumer.name, start: "beginning" })
        yield* until(() => again.given.length > 0).pipe(Effect.provide(deliveries(again.consumer)))
        expect(numbers(again.given)).toEqual([4])
      })
    )

    it.effect("tries what failed again before what comes after it, and lets other workspaces go on", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* storeWorkspace(), yield* storeWorkspace()]
        let failures = 2
        const { consumer, given } = noting({
          refuse: ({ sequence, workspaceId }) =>
            workspaceId === one.id && sequence === 2 && failures-- > 0 ? "The receiver is away." : undefined
        })
        yield* Effect.gen(function* () {
          yield* until(() => given.length === 0)
          yield* around(Effect.flatMap(EventStore, (store) => store.register(consumer.name, "now")))
          yield* storeEvents(one.id, 3)
          yield* until(() => given.length >= 2)
          yield* storeEvents(other.id, 1)
          yield* until(() => given.some(({ workspaceId }) => workspaceId === other.id))
          yield* until(() => numbers(given).includes(3))
        }).pipe(Effect.provide(deliveries(consumer)))
        expect(numbers(given.filter(({ workspaceId }) => workspaceId === one.id))).toEqual([1, 2, 2, 2, 3])
      })
    )

    it.effect("keeps what a consumer writes to storage once, however often its delivery breaks", () =>
      Effect.gen(function* () {
        const { id } = yield* storeWorkspace()
        const store = yield* EventStore
        let breaks = 2
        const { consumer } = noting({
          start: "beginning",
          effects: "transaction",
          types: ["thing.happened"],
          handle: (event) =>
            Effect.andThen(
              store.append([
                { ...makeEvent(event.workspaceId, event.subject.id, event.sequence), type: "thing.echoed" }
              ]),
              event.workspaceId === id && event.sequence % 3 === 0 && breaks-- > 0
                ? Effect.fail(new StorageUnavailable({ message: "broken" }))
                : Effect.void
            )
        })
        yield* storeEvents(id, 60)
        let echoes: ReadonlyArray<unknown> = []
        yield* Effect.gen(function* () {
          for (let n = 0; n < 500 && echoes.length < 60; n++) {
            yield* live ? Effect.sleep(50) : TestClock.adjust(200)
            const all = yield* around(store.read(id, 0, 500))
            echoes = all.filter(({ type }) => type === "thing.echoed").map(({ data }) => data)
          }
        }).pipe(Effect.provide(deliveries(consumer)))
        expect(echoes).toEqual(Array.from({ length: 60 }, (_, n) => ({ n: n + 1 })))
      })
    )

    it.effect("passes over events of other types, and does not read them again", () =>
      Effect.gen(function* () {
        const { id } = yield* storeWorkspace()
        const store = yield* EventStore
        const { consumer, given } = noting({ types: ["thing.ended"] })
        yield* around(store.register(consumer.name, "now"))
        yield* storeEvents(id, 70)
        yield* around(store.append([{ ...makeEvent(id, "a", 1), type: "thing.ended" }]))
        yield* storeEvents(id, 5)
        yield* Effect.gen(function* () {
          yield* until(() => given.length === 1)
          for (let n = 0; n < 200; n++) {
            if ((yield* around(store.position({ consumer: consumer.name, workspaceId: id }))) === 76) break
            yield* live ? Effect.sleep(10) : TestClock.adjust(10)
          }
        }).pipe(Effect.provide(deliveries(consumer)))
        expect(yield* around(store.position({ consumer: consumer.name, workspaceId: id }))).toBe(76)
        expect(numbers(given)).toEqual([71])
      })
    )
  })
}
