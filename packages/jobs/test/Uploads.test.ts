import { UploadSettings } from "@millrace/core/upload"
import { UploadStore } from "@millrace/core/storage"
import { openUploadFeed, makeUploadWorld } from "@millrace/verification/upload/UploadWorld"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { TaskKinds } from "@millrace/core/task"
import { uploadFiles, dueFeeds } from "../src/Housekeeping.ts"
import { layerMemory } from "../src/MemoryEngine.ts"
import { TaskRunner } from "../src/TaskRunner.ts"

const letRun = TestClock.adjust(0).pipe(Effect.repeat({ times: 200 }), Effect.asVoid)
const pass = (seconds: number) =>
  TestClock.adjust("1 second").pipe(Effect.andThen(letRun), Effect.repeat({ times: seconds }), Effect.asVoid)

const started = (settings: typeof UploadSettings.Service = { maxBytes: 1_000 }) => {
  const { fate, layer } = makeUploadWorld(layerMemory())
  const tasks = TaskRunner.layer().pipe(
    Layer.provide(TaskKinds.layer(dueFeeds, uploadFiles)),
    Layer.provide(Layer.succeed(UploadSettings, settings))
  )
  return { fate, layer: tasks.pipe(Layer.provideMerge(layer)) }
}

describe("a file that is uploaded while its feed runs", () => {
  it.effect("is processed by a job that follows, without anybody asking", () => {
    const { fate, layer } = started()
    return Effect.gen(function* () {
      const { delivered, jobs, statuses, upload } = yield* openUploadFeed
      // The first to read the file is the upload itself, the second is the run.
      const later = Effect.orDie(upload("april.csv"))
      fate.whileReading = Effect.sync(() => (fate.whileReading = later))
      yield* upload("march.csv")
      yield* pass(10)
      expect(yield* statuses).toEqual({ "march.csv": "processed", "april.csv": "processed" })
      expect(yield* delivered).toEqual(["april.csv", "march.csv"])
      expect((yield* jobs).map(({ startedBy, status }) => [startedBy.kind, status])).toEqual([
        ["system", "completed"],
        ["user", "completed"]
      ])
      yield* pass(30)
      expect(yield* jobs).toHaveLength(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is kept no longer than the operator wants, once it was read", () => {
    const { layer } = started({ maxBytes: 1_000, keepDays: 0 })
    return Effect.gen(function* () {
      const { delivered, feed, upload } = yield* openUploadFeed
      const { id } = (yield* upload("march.csv")).upload
      yield* pass(70)
      const store = yield* UploadStore
      expect([yield* delivered, yield* store.bytes(id)]).toEqual([["march.csv"], Option.none()])
      expect((yield* store.list(feed.id, {})).map((one) => [one.status, one.fileRemovedAt !== undefined])).toEqual([
        ["processed", true]
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("does not make a job that fails be repeated for ever", () => {
    const { layer } = started()
    return Effect.gen(function* () {
      const { change, jobs, statuses, upload } = yield* openUploadFeed
      // Without the bank of its files every run of the feed fails.
      yield* change((held) => {
        const { fileBankId: _, ...rest } = held
        return rest
      })
      yield* upload("march.csv")
      yield* pass(60)
      expect(yield* statuses).toEqual({ "march.csv": "stored" })
      expect((yield* jobs).map(({ status }) => status)).toEqual(["failed"])
    }).pipe(Effect.provide(layer))
  })
})
