import { MemoryStorage } from "@millrace/adapters/memory"
import { Ids } from "@millrace/core"
import { TaskStore } from "@millrace/core/storage"
import { handleTask, NoPayload, taskKind, TaskKinds } from "@millrace/core/task"
import { storeTask } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { TaskRunner } from "../src/TaskRunner.ts"
import { complaintOf } from "../src/TaskWatch.ts"

const slow = taskKind("slow", { payload: NoPayload, concurrency: 1, timeoutSeconds: 1e6 })

describe("the watch over tasks", () => {
  it.effect("complains of a kind that nobody runs, and of one that does not get on", () =>
    Effect.gen(function* () {
      const warnings: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") warnings.push(String(message))
      })
      yield* Effect.gen(function* () {
        yield* storeTask("unknown_kind")
        for (let n = 0; n < 3; n++) yield* storeTask("slow")
        // Not due for long enough.
        yield* TestClock.adjust("4 minutes")
        expect(warnings).toEqual([])
        yield* TestClock.adjust("3 minutes")
        const [first, second] = warnings.toSorted()
        expect(first).toMatch(/^Nobody runs tasks of the kind unknown_kind: the oldest has waited for 3\d\d s/)
        expect(second).toMatch(/^Tasks of the kind slow come too slowly: .* 2 wait and 1 run\./)
        const shown = yield* Metric.snapshot
        const waiting = shown.find(
          ({ attributes, id }) =>
            id === "millrace_tasks" && attributes?.["kind"] === "slow" && attributes["state"] === "waiting"
        )
        expect(waiting?.state).toEqual({ value: 2 })
        expect((yield* (yield* TaskStore).overview).map(({ kind }) => kind)).toContain("task_watch")
      }).pipe(
        // What runs has to end before its runner can.
        Effect.ensuring(Deferred.succeed(gate, undefined)),
        Effect.provide(
          TaskRunner.layer().pipe(
            Layer.provide(TaskKinds.layer(handleTask(slow, () => Deferred.await(gate)))),
            Layer.provideMerge(Ids.layer),
            Layer.provideMerge(MemoryStorage.layer),
            Layer.provideMerge(Logger.layer([logger]))
          )
        )
      )
    })
  )

  it("says nothing of what waits for its time, or not for long", () => {
    const fine = { kind: "k", running: 1, waiting: 9, retrying: 3, failed: 2, lateSeconds: 299 }
    expect(complaintOf(fine, true)).toBe(undefined)
  })
})
