/** Uploading statement files to a feed (decisions 5.4 and 7.1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { reach } from "../access/Access.ts"
import { onBehalfOf, type Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import type { Account } from "../bank/Account.ts"
import { natureOf } from "../bank/Bank.ts"
import { AloneWithBanks } from "../bank/AloneWithBanks.ts"
import { BankStore } from "../bank/BankStore.ts"
import {
  Conflict,
  NotFound,
  PlanLimitReached,
  Unprocessable,
  type CursorUnusable,
  type Forbidden
} from "../failure/Failure.ts"
import { runsOnArrival, type Feed, type FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import type { JobId } from "../job/Job.ts"
import { Jobs } from "../job/Jobs.ts"
import { JobStore } from "../job/JobStore.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { Digest } from "../shared/Digest.ts"
import { Id, Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { Leases } from "../storage/Lease.ts"
import { StorageRoom } from "../storage/StorageRoom.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { LedgerWriter } from "../sync/LedgerWriter.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { displayName } from "./DisplayName.ts"
import { readingKey, statementOptions, type ReadingOptions } from "./Reading.ts"
import { describe } from "./Refusal.ts"
import { StatementReader } from "./Statement.ts"
import { uploadStatuses, type Upload } from "./Upload.ts"
import { UploadSettings } from "./UploadSettings.ts"
import { UploadStore } from "./UploadStore.ts"
import { readingOf, withoutLongNumbers, withoutNumbers } from "./UploadSummary.ts"
import { Withdrawal } from "./Withdrawal.ts"

const unreadable = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message, details: [{ field, message }] })

/** A file whose job ended before it was done waits again. */
const shownOf = (upload: Upload, active: JobId | undefined): Upload => {
  if (upload.status !== "processing" || upload.jobId === active) return upload
  const { jobId: _, ...rest } = upload
  return { ...rest, status: "stored" }
}

const optionsOf = ({ principal: { workspace } }: Caller, { sourceConfig }: Feed): ReadingOptions => ({
  baseCurrency: workspace.baseCurrency,
  csv: sourceConfig?.type === "upload" ? sourceConfig.csv : undefined
})

type UploadId = Upload["id"]

export interface NewFile {
  readonly fileName: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

const UploadsCursor = Schema.Struct({
  before: Id("upload"),
  status: Schema.optionalKey(Schema.Literals(uploadStatuses))
})

const busy = new Conflict({
  code: "SYNC_ALREADY_RUNNING",
  message: "The file is being read at the moment; try again when the sync job has ended",
  details: []
})

export class Uploads extends Context.Service<
  Uploads,
  {
    /**
     * Reads the file whole before anything is stored: one that cannot be read is refused with the line or
     * element, and nothing is kept. The same bytes again answer the first upload; when the feed reads with other options
     * by now, it is read again with them. Starts a job when the feed has no schedule and a destination, and answers its id
     * (`jobId`): wait for that one instead of starting another. When no job can start now, the file waits for one. Refused beyond what the plan and the operator let a workspace keep, and while
     * the disk is short of room.
     */
    readonly add: (
      caller: Caller,
      feedId: FeedId,
      file: NewFile
    ) => Effect.Effect<
      { readonly upload: Upload; readonly created: boolean },
      NotFound | Unprocessable | PlanLimitReached | Forbidden | StorageUnavailable
    >
    /** Newest first. */
    readonly list: (
      caller: Caller,
      feedId: FeedId,
      query: PageRequest & { readonly status?: Upload["status"] }
    ) => Effect.Effect<Page<Upload>, NotFound | CursorUnusable | Forbidden | StorageUnavailable>
    /**
     * Reads the stored file again with the options that the feed has now: what the file gave before is replaced by the
     * next job, which starts as with `add`. One that cannot be read any more is refused, and all stays as it is.
     */
    readonly read: (
      caller: Caller,
      feedId: FeedId,
      id: UploadId
    ) => Effect.Effect<Upload, NotFound | Unprocessable | Conflict | Forbidden | StorageUnavailable>
    /**
     * Deletes the file and the records that only it showed; what a connection or another file shows, and what people
     * keep, stays. A job that follows removes the rows at the destination.
     */
    readonly remove: (
      caller: Caller,
      feedId: FeedId,
      id: UploadId
    ) => Effect.Effect<void, NotFound | Conflict | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/upload/Uploads") {
  static readonly layer: Layer.Layer<
    Uploads,
    never,
    | UploadStore
    | FeedStore
    | BankStore
    | RecordStore
    | IdentityStore
    | LedgerWriter
    | Transactor
    | StatementReader
    | Jobs
    | JobStore
    | Leases
    | Cursors
    | Digest
    | Ids
  > = Layer.effect(
    Uploads,
    Effect.gen(function* () {
      const store = yield* UploadStore
      const feeds = yield* FeedStore
      const banks = yield* BankStore
      const { atomically } = yield* Transactor
      const reader = yield* StatementReader
      const jobs = yield* Jobs
      const jobStore = yield* JobStore
      const alone = yield* AloneWithBanks
      const cursors = yield* Cursors
      const digest = yield* Digest
      const ids = yield* Ids
      const room = yield* StorageRoom
      const settings = yield* UploadSettings
      const booked = yield* Withdrawal

      const feedOf = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: FeedId) {
        return yield* reach(caller, operation, "Feed", yield* feeds.get(caller.principal.workspace.id, id))
      })

      const uploadOf = Effect.fnUntraced(function* (feedId: FeedId, id: UploadId) {
        const upload = yield* store.get(feedId, id)
        if (Option.isNone(upload)) return yield* new NotFound({ resource: "Upload" })
        return upload.value
      })

      /** What an upload says of its file, or the refusal of one that cannot be read. */
      const read = Effect.fnUntraced(function* (caller: Caller, feed: Feed, file: Pick<NewFile, "fileName" | "bytes">) {
        const options = optionsOf(caller, feed)
        const statement = yield* reader
          .read(file.bytes, statementOptions(file.fileName, options))
          .pipe(Effect.catchTag("StatementFault", (fault) => Effect.fail(unreadable("file", describe(fault)))))
        return {
          said: readingOf(statement, readingKey(statement.format, options, digest)),
          masked: withoutNumbers(statement)
        }
      })

      /**
       * Starts the job that reads the file; its id, where one was started. The file is kept whatever comes of it:
       * `WaitingUploads` sees to those that no job has come for.
       */
      const start = Effect.fnUntraced(function* (caller: Caller, feed: Feed) {
        if (!runsOnArrival(feed)) return {}
        return yield* jobs.trigger(onBehalfOf(caller, "upload"), feed.id, {}).pipe(
          Effect.map(({ id }): Pick<Upload, "jobId"> => ({ jobId: id })),
          Effect.catch((error) =>
            Effect.as(
              error._tag === "Conflict" && error.code === "SYNC_ALREADY_RUNNING"
                ? Effect.void
                : Effect.logWarning("An upload could not start a sync", error),
              {}
            )
          ),
          Effect.annotateLogs({ feedId: feed.id })
        )
      })

      /** What the first file of a feed says of its currency, where the workspace sums in another one. */
      const currencyHints = Effect.fnUntraced(function* (
        { baseCurrency }: Workspace,
        feedId: FeedId,
        currencies: ReadonlyArray<string>
      ) {
        const [currency] = currencies
        if (currency === undefined || currencies.includes(baseCurrency)) return []
        if ((yield* store.page(feedId, { limit: 1 })).length > 0) return []
        return [
          `The amounts are in ${currency}, and the workspace sums in ${baseCurrency}. To sum in ${currency}: ` +
            `npx millrace workspace update --currency ${currency}`
        ]
      })

      /** It waits for a job that reads it. */
      const again = Effect.fnUntraced(function* (
        caller: Caller,
        feed: Feed,
        upload: Upload,
        said: ReturnType<typeof readingOf>
      ) {
        yield* atomically(
          Effect.andThen(
            // Where its rows were booked is known until another reading has ended.
            store.setReading(upload.id, { ...said, statements: upload.statements }),
            store.setStatus(upload.id, { status: "stored" })
          )
        )
        const started = yield* start(caller, feed)
        const { error: _, jobId: _job, ...rest } = upload
        return { ...rest, ...said, ...started, status: "stored" } satisfies Upload
      })

      /** The bytes are known to the feed. */
      const addAgain = Effect.fnUntraced(function* (caller: Caller, feed: Feed, known: Upload, bytes: Uint8Array) {
        const isSame = known.reading === readingKey(known.format, optionsOf(caller, feed), digest)
        if (isSame && known.status !== "failed") return known
        const { said } = yield* read(caller, feed, { fileName: known.fileName, bytes })
        yield* store.restore(known.id, bytes)
        return yield* again(caller, feed, known, said)
      })

      /** Files that come at the same moment may each be the last one that fits. */
      const checkRoom = Effect.fnUntraced(function* (workspace: Workspace, bytes: number) {
        const limit = Math.min(plans[workspace.plan].fileBytes ?? Infinity, settings.workspaceBytes ?? Infinity)
        if (limit !== Infinity && (yield* store.bytesKept(workspace.id)) + bytes > limit) {
          return yield* new PlanLimitReached({ what: "bytes of uploaded files", limit })
        }
        yield* room.need(bytes)
      })

      const add: Uploads["Service"]["add"] = Effect.fn("Uploads.add")(function* (caller, feedId, file) {
        const feed = yield* feedOf(caller, "uploadFeedFile", feedId)
        const config = feed.sourceConfig
        if (feed.source !== "upload" || (config !== undefined && config.type !== "upload")) {
          return yield* unreadable("feedId", "Files can only be uploaded to feeds of source upload")
        }
        const sha256 = digest.sha256(file.bytes)
        const known = yield* store.bySha256(feedId, sha256)
        if (Option.isSome(known)) {
          return { upload: yield* addAgain(caller, feed, known.value, file.bytes), created: false }
        }
        yield* checkRoom(caller.principal.workspace, file.bytes.length)
        const fileName = withoutLongNumbers(displayName(file.fileName))
        const { masked, said } = yield* read(caller, feed, { fileName, bytes: file.bytes })
        const currencies = said.statements.map(({ currency }) => currency)
        const hints = yield* currencyHints(caller.principal.workspace, feedId, currencies)
        const upload: Upload = {
          id: yield* ids.next("upload"),
          feedId,
          workspaceId: feed.workspaceId,
          fileName: masked(fileName),
          contentType: file.contentType,
          size: file.bytes.length,
          sha256,
          status: "stored",
          ...said,
          warnings: [...said.warnings, ...hints],
          createdAt: yield* Timestamp.now
        }
        if (!(yield* store.insert(upload, file.bytes))) {
          // Somebody sent the same bytes at the same moment, and was a little faster.
          const first = yield* store.bySha256(feedId, sha256)
          if (Option.isSome(first)) return { upload: first.value, created: false }
          return yield* new NotFound({ resource: "Feed" })
        }
        return { upload: { ...upload, ...(yield* start(caller, feed)) }, created: true }
      })

      const list: Uploads["Service"]["list"] = Effect.fn("Uploads.list")(function* (caller, feedId, query) {
        const { workspaceId } = yield* feedOf(caller, "listFeedUploads", feedId)
        const bound = { workspaceId, list: `uploads/${feedId}` }
        const from: { readonly before?: UploadId; readonly status?: Upload["status"] } =
          query.cursor === undefined
            ? query.status === undefined
              ? {}
              : { status: query.status }
            : yield* cursors.decode(bound, UploadsCursor, query.cursor)
        const limit = sizeOf(limits.page, query.limit)
        const rows = yield* store.page(feedId, { ...from, limit: limit + 1 })
        const active = Option.getOrUndefined(yield* jobStore.active(feedId))
        const page = rows.slice(0, limit)
        const shown = page.map((upload) => shownOf(upload, active?.id))
        if (rows.length <= limit) return { rows: shown, hasMore: false }
        const cursor = yield* cursors.encode(bound, "page", { ...from, before: page[limit - 1]!.id })
        return { rows: shown, hasMore: true, cursor }
      })

      const isBeingRead = Effect.fnUntraced(function* (upload: Upload) {
        if (upload.status !== "processing") return false
        return Option.exists(yield* jobStore.active(upload.feedId), ({ id }) => id === upload.jobId)
      })

      const readAgain: Uploads["Service"]["read"] = Effect.fn("Uploads.read")(function* (caller, feedId, id) {
        const feed = yield* feedOf(caller, "readFeedUpload", feedId)
        const upload = yield* uploadOf(feedId, id)
        if (yield* isBeingRead(upload)) return yield* busy
        const bytes = yield* store
          .bytes(id)
          .pipe(
            Effect.catchTag("FileDamaged", ({ message }) =>
              Effect.fail(unreadable("upload_id", `The file cannot be read: ${message}. Upload it again.`))
            )
          )
        if (Option.isNone(bytes)) {
          const message = "The content of the file was removed; upload the file again"
          return yield* new Conflict({ code: "INVALID_STATE", message, details: [] })
        }
        const { said } = yield* read(caller, feed, { fileName: upload.fileName, bytes: bytes.value })
        return yield* again(caller, feed, upload, said)
      })

      /** The accounts of these places, and the banks that they are under. */
      const accountsOf = Effect.fnUntraced(function* (workspace: Workspace, wanted: ReadonlySet<string>) {
        const found = new Map<string, Account>()
        if (wanted.size === 0) return found
        for (const bank of yield* banks.list([workspace.id])) {
          for (const account of yield* banks.accounts(bank.id)) {
            if (wanted.has(account.id)) found.set(account.id, account)
          }
        }
        return found
      })

      const remove: Uploads["Service"]["remove"] = Effect.fn("Uploads.remove")(function* (caller, feedId, id) {
        const { workspace } = caller.principal
        const feed = yield* feedOf(caller, "deleteFeedUpload", feedId)
        yield* uploadOf(feedId, id)
        const wanted = new Set<string>((yield* store.shown(id)).map(({ accountId }) => accountId))
        // A job that reads the file has the lease of its bank, even where nothing was booked yet.
        if (feed.sourceConfig?.type === "upload" && feed.sourceConfig.accountId !== undefined) {
          wanted.add(feed.sourceConfig.accountId)
        }
        const accounts = yield* accountsOf(workspace, wanted)
        const own = feed.fileBankId === undefined ? [] : [feed.fileBankId]
        const bankIds = [...own, ...[...accounts.values()].map(({ bankId }) => bankId)]
        yield* alone
          .act(
            bankIds,
            (leases) =>
              Effect.gen(function* () {
                if (yield* isBeingRead(yield* uploadOf(feedId, id))) return yield* busy
                const gone: Array<Account> = []
                for (const { accountId, dataType, recordIds } of yield* booked.of(workspace.id, id)) {
                  const account = accounts.get(accountId)
                  if (account === undefined) continue
                  const right = {
                    bankId: account.bankId,
                    lease: leases.get(account.bankId)!,
                    cause: caller.cause
                  }
                  const scope = { workspaceId: workspace.id, accountId, dataType }
                  yield* booked.withdraw(right, scope, id, recordIds, [])
                  gone.push(account)
                }
                yield* store.remove(id)
                for (const account of gone) {
                  const bank = yield* banks.get(workspace.id, account.bankId)
                  if (Option.exists(bank, (one) => natureOf(one) === "files")) yield* booked.settle(account)
                }
              }),
            busy
          )
          .pipe(Effect.catchTag("Fenced", () => Effect.fail(busy)))
        yield* start(caller, feed)
      })

      return Uploads.of({ add, list, read: readAgain, remove })
    })
  ).pipe(Layer.provide([Withdrawal.layer, AloneWithBanks.layer]))
}
