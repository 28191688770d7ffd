/** Uploaded files in memory. */
import type { Feed, FeedId } from "@millrace/core/feed"
import { FeedStore, type ShownAt, UploadStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import { doneStatuses, type ShownScope, type Upload, uploadRetryMinutes } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { JobTable } from "./MemoryJobTable.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
import { byAge } from "./Order.ts"

/** Could run, and has no schedule to run by. */
const startsByFile = (feed: Feed): boolean =>
  feed.sourceConfig?.type === "upload" && feed.destinationConfig !== undefined && feed.schedule?.enabled !== true

const placeKey = (id: Upload["id"], { accountId, dataType }: ShownScope) => `${id} ${accountId} ${dataType}`

export const layer: Layer.Layer<UploadStore, never, Memory | JobTable | FeedStore> = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const feeds = yield* FeedStore
    const table = yield* JobTable
    const memory = yield* Memory
    const { call, set, remove, feedRemoved } = memory
    const uploads = new Map<Upload["id"], Upload>()
    const files = new Map<Upload["id"], Uint8Array>()
    const shown = new Map<string, ShownAt & { readonly uploadId: Upload["id"] }>()
    const shownBy = (id: Upload["id"]) => [...shown].filter(([, { uploadId }]) => uploadId === id)
    const forget = (id: Upload["id"]): void => {
      for (const [key] of shownBy(id)) remove(shown, key)
    }
    const ofFeed = (feedId: Upload["feedId"]): ReadonlyArray<Upload> =>
      [...uploads.values()].filter((upload) => upload.feedId === feedId)

    /** Whether the jobs of a feed have failed long enough ago to try again. */
    const mayRetry = (feedId: FeedId, now: number): boolean => {
      const jobs = table.ofFeed(feedId)
      const newest = jobs[0]
      if (newest?.status !== "failed") return false
      const succeeded = jobs.findIndex(({ status }) => status === "completed")
      const since = succeeded < 0 ? jobs : jobs.slice(0, succeeded)
      const failures = since.filter(({ status }) => status === "failed").length
      const ended = Timestamp.toMillis(newest.completedAt ?? newest.updatedAt)
      return now >= ended + uploadRetryMinutes(failures) * 60_000
    }

    /** Feeds without an active job whose newest job has not had a file, or may have it again; by the oldest one. */
    const withFiles = (now: number): ReadonlyArray<FeedId> => {
      const found = new Set<FeedId>()
      for (const { feedId, status, createdAt } of [...uploads.values()].toSorted(byAge)) {
        if ((status !== "stored" && status !== "processing") || table.active.has(feedId)) continue
        const newest = table.ofFeed(feedId)[0]
        const isNew = newest === undefined || newest.status === "completed" || createdAt > newest.createdAt
        if (isNew || mayRetry(feedId, now)) found.add(feedId)
      }
      return [...found]
    }

    memory.bankDestroyed.push(({ accountIds }) =>
      removeWhere(memory, shown, ({ accountId }) => accountIds.has(accountId))
    )
    feedRemoved.push((feedId) => {
      for (const { id } of ofFeed(feedId)) {
        remove(uploads, id)
        remove(files, id)
        forget(id)
      }
    })

    memory.accountHooks.uploads.push((from, to, only) => {
      const followed = new Set<string>()
      for (const [key, one] of Array.from(shown)) {
        if (one.accountId !== from || only?.has(one.uploadId) === false) continue
        const { uploadId, ...place } = { ...one, accountId: to }
        remove(shown, key)
        set(shown, placeKey(uploadId, place), frozen({ ...place, uploadId }))
        followed.add(uploadId)
      }
      return [...followed]
    })

    return UploadStore.of({
      insert: (upload, bytes) =>
        call(() => {
          if (ofFeed(upload.feedId).some(({ sha256 }) => sha256 === upload.sha256)) return false
          set(uploads, upload.id, frozen(upload))
          set(files, upload.id, bytes.slice())
          return true
        }),
      bytesKept: (workspaceId) =>
        call(() =>
          [...uploads.values()]
            .filter((upload) => upload.workspaceId === workspaceId && upload.fileRemovedAt === undefined)
            .reduce((sum, { size }) => sum + size, 0)
        ),
      bySha256: (feedId, sha256) =>
        call(() => Option.fromUndefinedOr(ofFeed(feedId).find((upload) => upload.sha256 === sha256))),
      get: (feedId, id) =>
        call(() => Option.fromUndefinedOr(uploads.get(id)).pipe(Option.filter((upload) => upload.feedId === feedId))),
      page: (feedId, { before, limit, status }) =>
        call(() =>
          ofFeed(feedId)
            .filter((upload) => (status === undefined || upload.status === status) && (before ?? "~") > upload.id)
            .toSorted((a, b) => (a.id < b.id ? 1 : -1))
            .slice(0, limit)
        ),
      list: (feedId, { status }) =>
        call(() =>
          ofFeed(feedId)
            .filter((upload) => status === undefined || upload.status === status)
            .toSorted(byAge)
        ),
      waiting: (limit) =>
        call(withFiles).pipe(
          Effect.flatMap(Effect.filter((id) => Effect.map(feeds.byId(id), Option.exists(startsByFile)))),
          Effect.map((ids) => ids.slice(0, limit))
        ),
      bytes: (id) => call(() => Option.map(Option.fromUndefinedOr(files.get(id)), (bytes) => bytes.slice())),
      restore: (id, bytes) =>
        call(() => {
          const { fileRemovedAt, ...upload } = uploads.get(id) ?? {}
          if (fileRemovedAt === undefined) return
          set(uploads, id, frozen({ ...(upload as Upload), size: bytes.length }))
          set(files, id, bytes.slice())
        }),
      removeFiles: (keepDays, limit) =>
        call((now) => {
          const due = [...uploads.values()]
            .filter(
              (upload) =>
                (doneStatuses as ReadonlyArray<string>).includes(upload.status) &&
                upload.fileRemovedAt === undefined &&
                Timestamp.toMillis(upload.createdAt) <= now - keepDays * 86_400_000
            )
            .toSorted(byAge)
            .slice(0, limit)
          for (const upload of due) {
            set(uploads, upload.id, frozen({ ...upload, fileRemovedAt: Timestamp.fromMillis(now) }))
            remove(files, upload.id)
          }
          return due.length
        }),
      setStatus: (id, change) =>
        call(() => {
          const upload = uploads.get(id)
          if (upload === undefined) return
          const { jobId: _, error: _error, ...rest } = upload
          set(uploads, id, frozen({ ...rest, ...change }))
        }),
      setReading: (id, { assumed, format, reading, statements, warnings }) =>
        call(() => {
          const upload = uploads.get(id)
          if (upload === undefined) return
          set(uploads, id, frozen({ ...upload, assumed, format, reading, statements, warnings }))
        }),
      remove: (id) =>
        call(() => {
          if (!uploads.has(id)) return false
          remove(uploads, id)
          remove(files, id)
          forget(id)
          return true
        }),
      beginShowing: (id, place, rowIds) =>
        call(() => {
          if (!uploads.has(id)) return
          const key = placeKey(id, place)
          const before = shown.get(key)
          set(
            shown,
            key,
            frozen({
              accountId: place.accountId,
              dataType: place.dataType,
              uploadId: id,
              recordIds: before?.recordIds ?? [],
              rowIds: [...new Set([...(before?.rowIds ?? []), ...rowIds])]
            })
          )
        }),
      setShown: (id, all) =>
        call(() => {
          if (!uploads.has(id)) return
          forget(id)
          for (const one of all) set(shown, placeKey(id, one), frozen({ ...one, uploadId: id, rowIds: [] }))
        }),
      shown: (id) =>
        call(() =>
          shownBy(id)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([, { accountId, dataType, recordIds, rowIds }]) => ({ accountId, dataType, recordIds, rowIds }))
        ),
      shownElsewhere: (place, except) =>
        call(() =>
          [...shown.values()].flatMap(({ uploadId, ...one }) =>
            one.accountId === place.accountId && one.dataType === place.dataType && uploadId !== except ? [one] : []
          )
        ),
      showing: (accountId) =>
        call(() => {
          const ids = new Set(
            [...shown.values()].filter((one) => one.accountId === accountId).map((one) => one.uploadId)
          )
          return [...uploads.values()].filter(({ id }) => ids.has(id)).toSorted(byAge)
        })
    })
  })
)
