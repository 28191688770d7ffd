/** Port: uploaded files, and which records each of them showed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { FeedId } from "../feed/Feed.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { AccountId } from "../bank/Account.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { Shown, ShownScope } from "./ShownRecords.ts"
import type { Upload } from "./Upload.ts"

export interface ShownAt extends Shown {
  /** Ids that rows of a reading under way have in the file. */
  readonly rowIds: ReadonlyArray<string>
}

/** The content of a file is not what was stored. Reading it again gives nothing else. */
export class FileDamaged extends Schema.TaggedError<FileDamaged>()("FileDamaged", { message: Schema.String }) {}

export class UploadStore extends Context.Service<
  UploadStore,
  {
    /**
     * `false`, and nothing is kept, where the feed has a file of the same bytes (`sha256`) already. The file is stored
     * whole or not at all.
     */
    readonly insert: (upload: Upload, bytes: Uint8Array) => Effect.Effect<boolean, StorageUnavailable>
    readonly bySha256: (feedId: FeedId, sha256: string) => Effect.Effect<Option.Option<Upload>, StorageUnavailable>
    readonly get: (feedId: FeedId, id: Upload["id"]) => Effect.Effect<Option.Option<Upload>, StorageUnavailable>
    /** Oldest first: the order in which files are processed. */
    readonly list: (
      feedId: FeedId,
      query: { readonly status?: Upload["status"] }
    ) => Effect.Effect<ReadonlyArray<Upload>, StorageUnavailable>
    /** Newest first by id, which is the order of their making. `before` is the last id of the page before. */
    readonly page: (
      feedId: FeedId,
      query: { readonly limit: number; readonly status?: Upload["status"]; readonly before?: Upload["id"] }
    ) => Effect.Effect<ReadonlyArray<Upload>, StorageUnavailable>
    /**
     * Feeds with a file of status `stored` or `processing` that nothing will come for: the newest job of the feed
     * is older than the file, or completed without it (it was still on its way when that job looked), or there is
     * none. After a job that failed the others are tried again, `uploadRetryMinutes` after it ended; after one
     * that was cancelled they wait for somebody to ask.
     *
     * Only feeds that could run and do not yet: source `upload` and destination configured, no enabled
     * schedule, no active job. Those whose file waits longest come first.
     */
    readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<FeedId>, StorageUnavailable>
    /** The whole file; `None` where it was removed. */
    readonly bytes: (id: Upload["id"]) => Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable | FileDamaged>
    /** Bytes of the files of a workspace that are kept. */
    readonly bytesKept: (workspaceId: WorkspaceId) => Effect.Effect<number, StorageUnavailable>
    /** Stores the content of a file again that was removed. */
    readonly restore: (id: Upload["id"], bytes: Uint8Array) => Effect.Effect<void, StorageUnavailable>
    /**
     * Removes the contents of files that somebody is done with (`processed`, `failed`) and that came so many days ago,
     * by the store's clock: at most `limit`. Returns how many.
     */
    readonly removeFiles: (keepDays: number, limit: number) => Effect.Effect<number, StorageUnavailable>
    /** Replaces status, job and error. */
    readonly setStatus: (
      id: Upload["id"],
      change: Pick<Upload, "status" | "jobId" | "error">
    ) => Effect.Effect<void, StorageUnavailable>
    /** Replaces what a reading said. What the file showed stays until another reading has ended. */
    readonly setReading: (
      id: Upload["id"],
      reading: Pick<Upload, "format" | "statements" | "assumed" | "warnings" | "reading">
    ) => Effect.Effect<void, StorageUnavailable>
    /** With its content and what is known of what it showed; the records stay. `false` when there is none. */
    readonly remove: (id: Upload["id"]) => Effect.Effect<boolean, StorageUnavailable>

    /**
     * Notes rows that a reading is about to write, by the ids that they have in the file. Replaces those of an earlier
     * attempt with the same rows; other rows that were noted stay noted.
     */
    readonly beginShowing: (
      id: Upload["id"],
      place: ShownScope,
      rowIds: ReadonlyArray<string>
    ) => Effect.Effect<void, StorageUnavailable>
    /** Replaces everything that is known of what the file showed, and of readings under way. */
    readonly setShown: (id: Upload["id"], shown: ReadonlyArray<Shown>) => Effect.Effect<void, StorageUnavailable>
    /** What the file showed, and rows of a reading under way, one for each place; by account and type. */
    readonly shown: (id: Upload["id"]) => Effect.Effect<ReadonlyArray<ShownAt>, StorageUnavailable>
    /** What all other files showed at a place; in no order. */
    readonly shownElsewhere: (
      place: ShownScope,
      except: Upload["id"]
    ) => Effect.Effect<ReadonlyArray<ShownAt>, StorageUnavailable>
    /** Files that showed something of the account, oldest first. */
    readonly showing: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Upload>, StorageUnavailable>
  }
>()("@millrace/core/upload/UploadStore") {}
