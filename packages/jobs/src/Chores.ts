/**
 * What has to happen now and then on one process of the cluster, whichever it is.
 *
 * The engine brings the chores that it needs itself; others are added by layers on top of it, since what
 * they need may need the engine.
 */
import { EventStore } from "@millrace/core/event/EventStore"
import { Corrections } from "@millrace/core/identity/Corrections"
import { Jobs } from "@millrace/core/job/Jobs"
import { JobStore } from "@millrace/core/job/JobStore"
import { CursorStore } from "@millrace/core/cursor/CursorStore"
import type { StorageUnavailable } from "@millrace/core/storage/StorageUnavailable"
import { Tables } from "@millrace/core/table/Tables"
import { UploadSettings } from "@millrace/core/upload/UploadSettings"
import { UploadStore } from "@millrace/core/upload/UploadStore"
import { WaitingUploads } from "@millrace/core/upload/WaitingUploads"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

/** Returns how much there was to do: 0 lets the dispatcher slow down. Must be safe to run twice at once. */
export type Chore = Effect.Effect<number, StorageUnavailable>

export class Chores extends Context.Service<
  Chores,
  {
    /** Runs the chore with every tick, about once a second, until the scope ends. */
    readonly add: (name: string, chore: Chore) => Effect.Effect<void, never, Scope.Scope>
    /** For the dispatcher. */
    readonly all: () => ReadonlyArray<{ readonly name: string; readonly chore: Chore }>
  }
>()("@millrace/jobs/Chores") {
  static readonly layer: Layer.Layer<Chores> = Layer.sync(Chores, () => {
    const chores = new Set<{ readonly name: string; readonly chore: Chore }>()
    return Chores.of({
      add: (name, chore) =>
        Effect.acquireRelease(
          Effect.sync(() => {
            const entry = { name, chore }
            chores.add(entry)
            return entry
          }),
          (entry) => Effect.sync(() => chores.delete(entry))
        ),
      all: () => [...chores]
    })
  })
}

/** Jobs for the feeds whose schedule is due. */
export const layerSchedules: Layer.Layer<never, never, Chores | Jobs> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { scheduleDue } = yield* Jobs
    yield* (yield* Chores).add("schedules", scheduleDue)
  })
)

/** Jobs for the feeds with uploaded files that no job has come for. */
export const layerUploads: Layer.Layer<never, never, Chores | WaitingUploads> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { takeUp } = yield* WaitingUploads
    yield* (yield* Chores).add("uploads", takeUp)
  })
)

/** A chore that is due only now and then. */
export const every = (millis: number, chore: Chore): Chore => {
  let due = 0
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now < due) return 0
    due = now + millis
    return yield* chore
  })
}

const historyEveryMillis = 10 * 60_000
/** Jobs forgotten in one go; the rest goes with the next ticks. */
const historyBatch = 1_000

/** Forgets jobs that ended long ago: looks every ten minutes, and goes on at once while there are more. */
export const layerJobHistory: Layer.Layer<never, never, Chores | JobStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const jobs = yield* JobStore
    const forget = Effect.gen(function* () {
      let forgotten = 0
      for (;;) {
        const count = yield* jobs.purge(historyBatch)
        forgotten += count
        if (count < historyBatch) return forgotten
      }
    })
    yield* (yield* Chores).add("history", every(historyEveryMillis, forget))
  })
)

const purgeEveryMillis = 60_000
/** Parts of cursors that are forgotten in one go. */
const cursorBatch = 1_000
/** Events that are forgotten in one go. */
const eventBatch = 1_000

/**
 * Removes what has been in the trash for its time, and forgets what was too long ago to be taken back: about once
 * a minute, a bounded number each time.
 */
export const layerPurge: Layer.Layer<never, never, Chores | Tables | Corrections | CursorStore | EventStore> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const tables = yield* Tables
      const corrections = yield* Corrections
      const cursors = yield* CursorStore
      const events = yield* EventStore
      const purge = Effect.gen(function* () {
        const gone = (yield* tables.purge) + (yield* corrections.purge)
        return gone + (yield* cursors.purge(cursorBatch)) + (yield* events.purge(eventBatch))
      })
      yield* (yield* Chores).add("purge", every(purgeEveryMillis, purge))
    })
  )

/** Contents removed in one go; the rest goes with the next ticks. */
const fileBatch = 100

/** Removes the contents of uploaded files that were kept as long as the operator wants, about once a minute. */
export const layerUploadFiles: Layer.Layer<never, never, Chores | UploadStore> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { keepDays } = yield* UploadSettings
    if (keepDays === undefined) return
    const { removeFiles } = yield* UploadStore
    yield* (yield* Chores).add("upload files", every(purgeEveryMillis, removeFiles(keepDays, fileBatch)))
  })
)
