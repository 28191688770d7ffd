/**
 * Files that were uploaded while their feed could not start: a job was running, or storage was away.
 *
 * A job takes the files that are there when it looks; one that comes later has nobody, unless somebody asks
 * for a sync or the feed has a schedule. These are taken up here, as are those of jobs that failed.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import type { FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { JobEngine } from "../job/JobEngine.ts"
import { JobStore } from "../job/JobStore.ts"
import { catchUp, expectedBanks, makeNewJob } from "../job/NewJob.ts"
import { Ids } from "../shared/Ids.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { waitingStatuses, type Upload } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

const uploader: ActorRef = { kind: "system", reason: "upload" }

/** Feeds taken up in one go; the rest follows at once on the next tick. */
const batch = 500

const isWaiting = (status: Upload["status"]): boolean => (waitingStatuses as ReadonlyArray<string>).includes(status)

/** Rolls back a job that would find nothing to do. */
class NothingWaits extends Data.TaggedError("NothingWaits") {}

export class WaitingUploads extends Context.Service<
  WaitingUploads,
  {
    /** Makes a job for every feed with files that wait. Returns how many were made. Safe to run twice at once. */
    readonly takeUp: Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/upload/WaitingUploads") {
  static readonly layer: Layer.Layer<
    WaitingUploads,
    never,
    UploadStore | FeedStore | JobStore | JobEngine | Transactor | Ids
  > = Layer.effect(
    WaitingUploads,
    Effect.gen(function* () {
      const uploads = yield* UploadStore
      const feeds = yield* FeedStore
      const jobs = yield* JobStore
      const engine = yield* JobEngine
      const { atomically } = yield* Transactor
      const newJob = yield* makeNewJob

      /** `None` when somebody else came first, or the feed was removed. */
      const takeOne = Effect.fnUntraced(function* (feedId: FeedId) {
        return yield* atomically(
          Effect.gen(function* () {
            const feed = yield* feeds.byId(feedId)
            if (Option.isNone(feed)) return yield* new NothingWaits()
            const by = { userId: feed.value.createdByUser, startedBy: uploader, type: "manual" as const }
            const job = yield* newJob(feed.value, { ...by, ...catchUp })
            yield* jobs.create(job, { replacing: false, banks: expectedBanks(feed.value) })
            // Another dispatcher's job may have come and gone since the feed was found. Asked under the lock,
            // the answer stays true.
            const waits = (yield* uploads.list(feedId, {})).some(({ status }) => isWaiting(status))
            if (!waits) return yield* new NothingWaits()
            return Option.some(job)
          })
        ).pipe(Effect.catchTag(["FeedLocked", "NothingWaits"], () => Effect.succeedNone))
      })

      const takeUp = Effect.gen(function* () {
        let made = 0
        for (const feedId of yield* uploads.waiting(batch)) {
          const job = yield* takeOne(feedId)
          if (Option.isNone(job)) continue
          yield* engine.poke(feedId, job.value.id)
          made++
        }
        return made
      }).pipe(Effect.withSpan("WaitingUploads.takeUp"))

      return WaitingUploads.of({ takeUp })
    })
  )
}
