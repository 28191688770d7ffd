/** Uploading statement files to a feed (decisions 5.4 and 7.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Principal } from "../access/Principal.ts"
import { maskNumber } from "../account/Account.ts"
import { NotFound, Unprocessable } from "../failure/Failure.ts"
import type { FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { JobId } from "../job/Job.ts"
import { Jobs } from "../job/Jobs.ts"
import { JobStore } from "../job/JobStore.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { displayName } from "./DisplayName.ts"
import { readingKey, statementOptions } from "./Reading.ts"
import { describe, refusals } from "./Refusal.ts"
import { StatementReader, type StatementAccount } from "./Statement.ts"
import type { Upload } from "./Upload.ts"
import { UploadStore } from "./UploadStore.ts"

const unreadable = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message, details: [{ field, message }] })

const summary = (account: StatementAccount): Upload["statements"][number] => ({
  account: maskNumber(account.number, "whole"),
  currency: account.currency,
  ...(account.from === undefined ? {} : { from: account.from }),
  ...(account.to === undefined ? {} : { to: account.to }),
  ...(account.openingBalance === undefined ? {} : { openingBalance: account.openingBalance }),
  ...(account.closingBalance === undefined ? {} : { closingBalance: account.closingBalance }),
  rows: account.rows.length,
  ...(account.difference === undefined ? {} : { difference: account.difference })
})

/** A file whose job ended before it was done waits again. */
const shownOf = (upload: Upload, active: JobId | undefined): Upload => {
  if (upload.status !== "processing" || upload.jobId === active) return upload
  const { jobId: _, ...rest } = upload
  return { ...rest, status: "stored" }
}

export interface NewFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Reads the file whole before anything is stored: one that cannot be read is refused with the line or
     * element, and nothing is kept. The same bytes again answer the first upload. Starts a job when the
     * feed has no schedule and a destination; when it cannot start now, the file waits for one.
     */
    readonly add: (
      principal: Principal,
      feedId: FeedId,
      file: NewFile
    ) => Effect.Effect<
      { readonly upload: Upload; readonly created: boolean },
      NotFound | Unprocessable | StorageUnavailable
    >
    /** Newest first. */
    readonly list: (
      workspace: Workspace,
      feedId: FeedId
    ) => Effect.Effect<ReadonlyArray<Upload>, NotFound | StorageUnavailable>
  }
>()("@millrace/core/upload/Uploads") {
  static readonly layer: Layer.Layer<
    Uploads,
    never,
    UploadStore | FeedStore | StatementReader | Jobs | JobStore | Digest | Ids
  > = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const store = yield* UploadStore
      const feeds = yield* FeedStore
      const reader = yield* StatementReader
      const jobs = yield* Jobs
      const jobStore = yield* JobStore
      const digest = yield* Digest
      const ids = yield* Ids

      const feedOf = Effect.fnUntraced(function* (workspace: Workspace, id: FeedId) {
        const feed = yield* feeds.get(workspace.id, id)
        if (Option.isNone(feed)) return yield* new NotFound({ resource: "Feed" })
        return feed.value
      })

      const add: Uploads["Service"]["add"] = Effect.fn("Uploads.add")(function* (principal, feedId, file) {
        const feed = yield* feedOf(principal.workspace, feedId)
        const config = feed.sourceConfig
        if (feed.source !== "upload" || (config !== undefined && config.type !== "upload")) {
          return yield* unreadable("feedId", "Files can only be uploaded to feeds of source upload")
        }
        const sha256 = digest.sha256(file.bytes)
        const known = yield* store.bySha256(feedId, sha256)
        if (Option.isSome(known)) return { upload: known.value, created: false }
        const options = { baseCurrency: principal.workspace.baseCurrency, csv: config?.csv }
        const fileName = displayName(file.fileName)
        const statement = yield* reader
          .read(file.bytes, statementOptions(fileName, options))
          .pipe(Effect.catchTag("StatementFault", (fault) => Effect.fail(unreadable("file", describe(fault)))))
        const upload: Upload = {
          id: yield* ids.next("upload"),
          feedId,
          workspaceId: feed.workspaceId,
          fileName,
          contentType: file.contentType,
          size: file.bytes.length,
          sha256,
          status: "stored",
          format: statement.format,
          statements: statement.accounts.map(summary),
          assumed: statement.assumed,
          warnings: [...statement.warnings, ...refusals(statement.refused ?? [])],
          reading: readingKey(statement.format, options, digest),
          createdAt: yield* Timestamp.now
        }
        if (!(yield* store.insert(upload, file.bytes))) {
          // Somebody sent the same bytes at the same moment, and was a little faster.
          const first = yield* store.bySha256(feedId, sha256)
          if (Option.isSome(first)) return { upload: first.value, created: false }
          return yield* new NotFound({ resource: "Feed" })
        }
        const scheduled = feed.schedule?.enabled === true
        if (!scheduled && config !== undefined && feed.destinationConfig !== undefined) {
          // The file is kept whatever comes of it: `WaitingUploads` sees to those that no job has come for.
          yield* jobs.trigger(principal, feedId, {}).pipe(
            Effect.catch((error) =>
              error._tag === "Conflict" && error.code === "SYNC_ALREADY_RUNNING"
                ? Effect.void
                : Effect.logWarning("An upload could not start a sync", error)
            ),
            Effect.annotateLogs({ feedId })
          )
        }
        return { upload, created: true }
      })

      return Uploads.of({
        add,
        list: Effect.fn("Uploads.list")(function* (workspace, feedId) {
          yield* feedOf(workspace, feedId)
          const uploads = yield* store.list(feedId, {})
          const active = Option.getOrUndefined(yield* jobStore.active(feedId))
          return uploads.toReversed().map((upload) => shownOf(upload, active?.id))
        })
      })
    })
  )
}
