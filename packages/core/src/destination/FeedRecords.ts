/** What became of the records of a feed, and sending them again (decisions 4.3, 5.4 and 6.5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { reach } from "../access/Access.ts"
import { onBehalfOf, type Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { InvalidInput, type CursorUnusable, type Forbidden, type NotFound } from "../failure/Failure.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { JobId } from "../job/Job.ts"
import { Jobs } from "../job/Jobs.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { Id, isId } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { sizeOf, type Page, type PageRequest } from "../shared/Page.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { deliveryStates, type Delivery } from "./Delivery.ts"
import { DeliveredValues } from "./DeliveredValues.ts"
import { DeliveryStore, type Reopening } from "./DeliveryStore.ts"

/** States that a list can be narrowed to; `dead` are the `failed` ones that are given up. */
export const recordStates = [...deliveryStates, "dead"] as const
export type RecordState = (typeof recordStates)[number]

export interface RecordQuery extends PageRequest {
  /** What is no id is the id of no job. */
  readonly jobId?: string
  readonly state?: RecordState
  readonly recordId?: string
}

const RecordsCursor = Schema.Struct({
  after: Schema.Struct({ jobId: Id("job"), updatedAt: Timestamp, recordId: Schema.String }),
  jobId: Schema.optionalKey(Id("job")),
  state: Schema.optionalKey(Schema.Literals(recordStates)),
  recordId: Schema.optionalKey(Schema.String)
})

export interface Redelivered {
  /** Rows that are sent again, changed or not. */
  readonly records: number
  /** There were more than `limits.redeliverRows`. */
  readonly hasMore: boolean
  /** The job that was started for them; absent when one runs or the feed cannot start, and when there are none. */
  readonly jobId: JobId | undefined
}

export class FeedRecords extends Context.Service<
  FeedRecords,
  {
    /** Rows of the newest job first, in it the newest change first. */
    readonly list: (
      caller: Caller,
      feedId: FeedId,
      query: RecordQuery
    ) => Effect.Effect<
      Page<Delivery> & { readonly feed: Feed },
      NotFound | CursorUnusable | Forbidden | StorageUnavailable
    >
    /**
     * Sends delivered, refused and given-up rows again, and makes again those that people deleted. Rows that are
     * open go out anyway and do not count. Starts a job when none is active; otherwise the active one takes them,
     * or one that starts by itself after it.
     */
    readonly redeliver: (
      caller: Caller,
      feedId: FeedId,
      which: Reopening
    ) => Effect.Effect<Redelivered, NotFound | InvalidInput | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/destination/FeedRecords") {
  static readonly layer: Layer.Layer<
    FeedRecords,
    never,
    DeliveryStore | DeliveredValues | FeedStore | Jobs | Transactor | Cursors
  > = Layer.effect(
    FeedRecords,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const values = yield* DeliveredValues
      const feeds = yield* FeedStore
      const jobs = yield* Jobs
      const { atomically } = yield* Transactor
      const cursors = yield* Cursors

      const feedOf = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: FeedId) {
        return yield* reach(caller, operation, "Feed", yield* feeds.get(caller.principal.workspace.id, id))
      })

      /** `undefined` when it cannot start now: then the wake sees to it. */
      const start = (caller: Caller, feedId: FeedId): Effect.Effect<JobId | undefined, StorageUnavailable> =>
        jobs.trigger(onBehalfOf(caller, "redelivery"), feedId, {}).pipe(
          Effect.map(({ id }): JobId | undefined => id),
          Effect.catchIf(
            (error) => error._tag !== "StorageUnavailable",
            (error) =>
              error._tag === "Conflict" && error.code === "SYNC_ALREADY_RUNNING"
                ? Effect.undefined
                : Effect.as(Effect.logWarning("A redelivery could not start a sync", error), undefined)
          ),
          Effect.annotateLogs({ feedId })
        )

      /** Rows with what was delivered. */
      const shown = Effect.fnUntraced(function* (feed: Feed, rows: ReadonlyArray<Delivery>) {
        const empty = rows.filter((row) => row.values === undefined)
        if (empty.length === 0) return rows
        const found = yield* values.delivered(feed, empty)
        return rows.map((row): Delivery =>
          row.values === undefined ? { ...row, values: found.get(row.recordId) ?? {} } : row
        )
      })

      const list: FeedRecords["Service"]["list"] = Effect.fn("FeedRecords.list")(function* (
        caller,
        feedId,
        { cursor: from, jobId: ofJob, limit: asked, ...given }
      ) {
        const feed = yield* feedOf(caller, "listFeedRecords", feedId)
        const bound = { workspaceId: feed.workspaceId, list: `records/${feedId}` }
        if (from === undefined && ofJob !== undefined && !isId("job", ofJob)) {
          return { feed, rows: [], hasMore: false }
        }
        const query =
          from === undefined
            ? { ...given, ...(ofJob === undefined ? {} : { jobId: ofJob as JobId }) }
            : yield* cursors.decode(bound, RecordsCursor, from)
        const limit = sizeOf(limits.page, asked)
        const rows = yield* store.list(feedId, { ...query, limit: limit + 1 })
        const page = yield* shown(feed, rows.slice(0, limit))
        if (rows.length <= limit) return { feed, rows: page, hasMore: false }
        const { jobId, recordId, updatedAt } = page[page.length - 1]!
        const cursor = yield* cursors.encode(bound, "page", { ...query, after: { jobId, updatedAt, recordId } })
        return { feed, rows: page, hasMore: true, cursor }
      })

      const redeliver: FeedRecords["Service"]["redeliver"] = Effect.fn("FeedRecords.redeliver")(
        function* (caller, feedId, which) {
          yield* feedOf(caller, "redeliverFeedRecords", feedId)
          if (which.recordIds === undefined && which.state === undefined) {
            return yield* new InvalidInput({
              code: "INVALID_REQUEST",
              message: "Request is invalid: recordIds or state is required",
              details: [{ field: "recordIds", message: "recordIds or state is required" }]
            })
          }
          let records = 0
          let hasMore = true
          while (hasMore && records < limits.redeliverRows) {
            const limit = Math.min(limits.commitChunk, limits.redeliverRows - records)
            const opened = yield* atomically(
              // Whatever happens to the job of this call, one comes for them.
              Effect.tap(store.reopen(feedId, { ...which, limit }), (count) =>
                count === 0
                  ? Effect.void
                  : feeds.wake(feedId, { reason: "redelivery", type: "manual", afterSeconds: 0, retry: 0 })
              )
            )
            records += opened
            hasMore = opened === limit
          }
          const jobId = records === 0 ? undefined : yield* start(caller, feedId)
          return { records, hasMore, jobId }
        }
      )

      return FeedRecords.of({ list, redeliver })
    })
  )
}
