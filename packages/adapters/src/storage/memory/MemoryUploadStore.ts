/** Uploaded files in memory. */
import type { Feed, FeedId } from "@millrace/core/feed/Feed"
import { FeedStore } from "@millrace/core/feed/FeedStore"
import type { Upload } from "@millrace/core/upload/Upload"
import { UploadStore } from "@millrace/core/upload/UploadStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { JobTable } from "./MemoryJobTable.ts"
import { Memory } from "./MemoryTransactor.ts"
import { byAge } from "./Order.ts"

/** Could run, and has no schedule to run by. */
const startsByFile = (feed: Feed): boolean =>
  feed.sourceConfig?.type === "upload" && feed.destinationConfig !== undefined && feed.schedule?.enabled !== true

export const layer: Layer.Layer<UploadStore, never, Memory | JobTable | FeedStore> = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const feeds = yield* FeedStore
    const table = yield* JobTable
    const { call, set, remove, feedRemoved } = yield* Memory
    const uploads = new Map<Upload["id"], Upload>()
    const files = new Map<Upload["id"], Uint8Array>()
    const ofFeed = (feedId: Upload["feedId"]): ReadonlyArray<Upload> =>
      [...uploads.values()].filter((upload) => upload.feedId === feedId)

    /** Feeds without an active job whose newest job has not had a file; by the oldest such file. */
    const withNewFiles = (): ReadonlyArray<FeedId> => {
      const found = new Set<FeedId>()
      for (const { feedId, status, createdAt } of [...uploads.values()].toSorted(byAge)) {
        if (status !== "stored" || table.active.has(feedId)) continue
        const newest = table.ofFeed(feedId)[0]
        if (newest === undefined || newest.status === "completed" || createdAt > newest.createdAt) found.add(feedId)
      }
      return [...found]
    }

    feedRemoved.push((feedId) => {
      for (const { id } of ofFeed(feedId)) {
        remove(uploads, id)
        remove(files, id)
      }
    })

    return UploadStore.of({
      insert: (upload, bytes) =>
        call(() => {
          set(uploads, upload.id, frozen(upload))
          set(files, upload.id, bytes.slice())
        }),
      bySha256: (feedId, sha256) =>
        call(() => Option.fromUndefinedOr(ofFeed(feedId).find((upload) => upload.sha256 === sha256))),
      list: (feedId, { status }) =>
        call(() =>
          ofFeed(feedId)
            .filter((upload) => status === undefined || upload.status === status)
            .toSorted(byAge)
        ),
      waiting: (limit) =>
        call(withNewFiles).pipe(
          Effect.flatMap(Effect.filter((id) => Effect.map(feeds.byId(id), Option.exists(startsByFile)))),
          Effect.map((ids) => ids.slice(0, limit))
        ),
      bytes: (id) => call(() => Option.map(Option.fromUndefinedOr(files.get(id)), (bytes) => bytes.slice())),
      setStatus: (id, change) =>
        call(() => {
          const upload = uploads.get(id)
          if (upload === undefined) return
          const { jobId: _, error: _error, ...rest } = upload
          set(uploads, id, frozen({ ...rest, ...change }))
        })
    })
  })
)
