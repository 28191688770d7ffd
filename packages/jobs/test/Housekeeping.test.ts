import { Audit } from "@millrace/core/audit"
import { Collections } from "@millrace/core/collection"
import { MemoryStorage } from "@millrace/adapters/memory"
import { CursorStore, EventStore, JobStore, TaskStore, UploadStore } from "@millrace/core/storage"
import { BankRemovals, Corrections, Jobs, Tables, WaitingUploads } from "@millrace/core/kernel"
import { Ids } from "@millrace/core"
import { TaskKinds } from "@millrace/core/task"
import { UploadSettings } from "@millrace/core/upload"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { housekeeping } from "../src/Housekeeping.ts"
import { TaskRunner } from "../src/TaskRunner.ts"

const { layer: storage } = MemoryStorage

const letRun = TestClock.adjust(0).pipe(Effect.repeat({ times: 20 }), Effect.asVoid)
const pass = (seconds: number) =>
  TestClock.adjust("1 second").pipe(Effect.andThen(letRun), Effect.repeat({ times: seconds }), Effect.asVoid)

/** How often each part was asked in two minutes; `history` is the number of old jobs there are. */
const asked = Effect.fnUntraced(function* (history: number, keepDays?: number) {
  const counts = {
    schedules: 0,
    uploads: 0,
    files: 0,
    trash: 0,
    collections: 0,
    banks: 0,
    corrections: 0,
    audits: 0,
    cursors: 0,
    events: 0,
    jobs: 0
  }
  const count = (part: keyof typeof counts, found = () => 0) =>
    Effect.sync(() => {
      counts[part]++
      return found()
    })
  let left = history
  const forgotten = (limit: number) => {
    const gone = Math.min(left, limit)
    left -= gone
    return gone
  }
  const parts = Layer.mergeAll(
    Layer.mock(Jobs, { scheduleDue: count("schedules") }),
    Layer.mock(WaitingUploads, { takeUp: count("uploads") }),
    Layer.mock(UploadStore, { removeFiles: () => count("files") }),
    Layer.mock(Tables, { purge: count("trash") }),
    Layer.mock(Collections, { all: [], of: () => expect.unreachable(), purge: count("collections") }),
    Layer.mock(BankRemovals, { purge: count("banks") }),
    Layer.mock(Corrections, { purge: count("corrections") }),
    Layer.mock(Audit, { checkAll: count("audits") }),
    Layer.mock(CursorStore, { purge: () => count("cursors") }),
    Layer.mock(EventStore, { purge: () => count("events") }),
    Layer.mock(JobStore, { purge: (limit) => count("jobs", () => forgotten(limit)) }),
    Layer.succeed(UploadSettings, { maxBytes: 1, ...(keepDays === undefined ? {} : { keepDays }) })
  )
  yield* Effect.gen(function* () {
    yield* pass(118)
    yield* (yield* TaskStore).overview.pipe(Effect.map((kinds) => expect(kinds).toHaveLength(housekeeping.length + 1)))
  }).pipe(
    Effect.provide(
      TaskRunner.layer().pipe(
        Layer.provide(TaskKinds.layer(...housekeeping)),
        Layer.provide(parts),
        Layer.provide(Ids.layer),
        Layer.provideMerge(storage)
      )
    )
  )
  return { ...counts, left }
})

describe("housekeeping", () => {
  it.effect("looks for what is due every quarter of a minute, and empties trash and histories now and then", () =>
    Effect.gen(function* () {
      expect(yield* asked(0, 30)).toEqual({
        schedules: 8,
        uploads: 8,
        files: 2,
        trash: 1,
        collections: 1,
        banks: 1,
        corrections: 1,
        audits: 1,
        cursors: 1,
        events: 1,
        jobs: 1,
        left: 0
      })
    })
  )

  it.effect("goes on at once while there is more to do, and then less and less often", () =>
    Effect.gen(function* () {
      const { jobs, left } = yield* asked(2_500)
      expect([jobs, left]).toEqual([9, 0])
    })
  )

  it.effect("removes no files where the operator keeps them", () =>
    Effect.gen(function* () {
      expect((yield* asked(0)).files).toBe(0)
    })
  )
})
