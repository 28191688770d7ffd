/** A simulation that finds nothing in a broken kernel proves nothing about a whole one. */
import { MemoryStorage } from "@millrace/adapters/memory"
import { DeliveryStore, EventStore, JobStore, OutboxStore, RecordStore, TaskStore } from "@millrace/core/storage"
import type { Kernel } from "@millrace/core/kernel"
import { describe, expect, it } from "@effect/vitest"
import { scriptScenario } from "@millrace/verification/simulation/Scenario"
import { engineScenario } from "@millrace/verification/simulation/EngineScenario"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const over = <A extends Kernel.Stores>(broken: Layer.Layer<A, never, A>): Layer.Layer<Kernel.Stores> =>
  Layer.provideMerge(broken, MemoryStorage.layer) as Layer.Layer<Kernel.Stores>

const sabotages: ReadonlyArray<readonly [string, Layer.Layer<Kernel.Stores>, string]> = [
  [
    "a fence that refuses nobody",
    over(
      Layer.effect(
        JobStore,
        Effect.map(JobStore, (store) => ({
          ...store,
          fence: () => Effect.succeed(false),
          fenceBank: () => Effect.succeed(false)
        }))
      )
    ),
    "a shut out run writes nothing"
  ],
  [
    "a ledger that loses every fifth record",
    over(
      Layer.effect(
        RecordStore,
        Effect.map(RecordStore, (store) => {
          let written = 0
          return {
            ...store,
            write: (scope, writes) =>
              store.write(
                scope,
                writes.filter(() => ++written % 5 > 0)
              )
          }
        })
      )
    ),
    "the checkpoint is not ahead of the data"
  ],
  [
    "a ledger that forgets which rows were missing",
    over(
      Layer.effect(
        RecordStore,
        Effect.map(RecordStore, (store) => ({ ...store, setMissed: () => Effect.void }))
      )
    ),
    "the ledger is what the bank says"
  ],
  [
    "deliveries that are not remembered",
    over(
      Layer.effect(
        DeliveryStore,
        Effect.map(DeliveryStore, (store) => ({ ...store, entries: () => Effect.succeed(new Map()) }))
      )
    ),
    "the destination holds what the ledger shows"
  ],
  [
    "a log that loses every tenth event that it is given",
    over(
      Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => {
          let given = 0
          return { ...store, append: (events) => (++given % 10 > 0 ? store.append(events) : Effect.void) }
        })
      )
    ),
    "every change is told, once and in order"
  ],
  [
    "a log that now and then tells a change of a job before the one that came first",
    over(
      Layer.effect(
        EventStore,
        Effect.map(EventStore, (store) => ({
          ...store,
          read: (workspaceId, after, limit) =>
            Effect.map(store.read(workspaceId, after, limit), (events) =>
              events.map((event, n) => ({
                ...(n % 2 === 0 ? (events[n + 1] ?? event) : events[n - 1]!),
                sequence: event.sequence
              }))
            )
        }))
      )
    ),
    "every change is told, once and in order"
  ]
]

/** `first`: seeds that found it last time, so that the others need not be played. */
const inEngine = (what: string, storage: Layer.Layer<Kernel.Stores>, invariant: string, first: ReadonlyArray<number>) =>
  it(`finds ${what}`, () => {
    const found = new Set<string>()
    for (const seed of [...first, ...Array.from({ length: 300 }, (_, n) => n + 1)]) {
      if (found.has(invariant)) break
      const { broken } = engineScenario(seed, storage)
      if (broken !== undefined) found.add(broken.invariant)
    }
    expect([...found]).toContain(invariant)
  })

describe("the simulation", () => {
  for (const [what, storage, invariant] of sabotages) {
    it(`finds ${what}`, () => {
      const found = new Set<string>()
      for (let seed = 1; seed <= 3_000 && !found.has(invariant); seed++) {
        const { broken } = scriptScenario(seed, { storage })
        if (broken !== undefined) found.add(broken.invariant)
      }
      expect([...found]).toContain(invariant)
    })
  }

  inEngine(
    "tasks that write although another process has them",
    over(
      Layer.effect(
        TaskStore,
        Effect.map(TaskStore, (store) => ({
          ...store,
          fence: () => Effect.void,
          complete: (fence, again) =>
            Effect.catchTag(store.complete(fence, again), "TaskFenced", () => Effect.undefined)
        }))
      )
    ),
    "a task has its effect once",
    [62]
  )

  inEngine(
    "messages that are called sent and never left",
    over(
      Layer.effect(
        OutboxStore,
        Effect.map(OutboxStore, (store) => {
          let started = 0
          return {
            ...store,
            start: (workspaceId, id) =>
              Effect.flatMap(store.start(workspaceId, id), (message) =>
                message === undefined || ++started % 3 > 0
                  ? Effect.succeed(message)
                  : Effect.as(store.settle(workspaceId, id, { state: "sent" }), undefined)
              )
          }
        })
      )
    ),
    "a message is told once",
    [3, 4]
  )

  inEngine(
    "messages that say something else when they are handed over again",
    over(
      Layer.effect(
        OutboxStore,
        Effect.map(OutboxStore, (store) => {
          let started = 0
          return {
            ...store,
            start: (workspaceId, id) =>
              Effect.map(store.start(workspaceId, id), (message) =>
                message === undefined
                  ? undefined
                  : { ...message, content: { ...message.content, title: `${message.content.title} ${++started}` } }
              )
          }
        })
      )
    ),
    "a message is told once",
    [6, 22]
  )
})
