/** Feeds: making, changing and removing them (decisions 5.4 and 7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { permit, reach, shows } from "../access/Access.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/catalogue.generated.ts"
import { userOf } from "../access/Principal.ts"
import type { BankId } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { DeliveryStore } from "../destination/DeliveryStore.ts"
import { type DestinationNotAvailable, Destinations } from "../destination/Destinations.ts"
import { feedLearnTask } from "../enrichment/LearnTaskKind.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import { EventStore } from "../event/EventStore.ts"
import {
  Conflict,
  PlanLimitReached,
  PreconditionFailed,
  Unprocessable,
  type Detail,
  type Forbidden,
  type NotFound
} from "../failure/Failure.ts"
import type { IdentityStore } from "../identity/IdentityStore.ts"
import { JobEngine } from "../job/JobEngine.ts"
import { JobStore } from "../job/JobStore.ts"
import type { DataType } from "../record/DataType.ts"
import type { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import type { FeedSource } from "../feed/FeedConfig.ts"
import { feedEvent } from "../feed/FeedEvents.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { nextRun } from "../feed/NextRun.ts"
import { FeedBanks } from "./FeedBanks.ts"
import { FeedJudge, placeOf, same, type FeedBlocks } from "./FeedJudge.ts"
import { FeedPlaces } from "./FeedPlaces.ts"
import type { Decoded } from "./FeedValidation.ts"
import { FeedViews, type FeedView } from "./FeedViews.ts"

export interface NewFeed extends FeedBlocks {
  readonly name: string
  readonly icon?: string
  readonly order?: number
  readonly source: FeedSource
  readonly dataType: DataType
}

export interface FeedChange extends FeedBlocks {
  readonly name?: string
  readonly icon?: string | null
  readonly order?: number
  /** Immutable: anything but the present value is refused. */
  readonly source?: FeedSource
  readonly dataType?: DataType
}

const blocksOf = (decoded: Decoded, now: number): Partial<Feed> => {
  const { dataTypeOptions, destinationConfig, extractionConfig, fieldMappings, mappingsDefaulted } = decoded
  const { schedule, sourceConfig } = decoded
  return {
    fieldMappings,
    mappingsDefaulted,
    dataTypeOptions,
    ...(extractionConfig === undefined ? {} : { extractionConfig }),
    ...(sourceConfig === undefined ? {} : { sourceConfig }),
    ...(destinationConfig === undefined ? {} : { destinationConfig }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(schedule?.enabled === true ? { nextRunAt: nextRun(schedule, now) } : {})
  }
}

export class Feeds extends Context.Service<
  Feeds,
  {
    readonly list: (
      caller: Caller,
      query: { readonly dataType?: DataType; readonly source?: FeedSource }
    ) => Effect.Effect<ReadonlyArray<FeedView>, Forbidden | StorageUnavailable>
    readonly get: (caller: Caller, id: FeedId) => Effect.Effect<FeedView, NotFound | Forbidden | StorageUnavailable>
    readonly create: (
      caller: Caller,
      feed: NewFeed
    ) => Effect.Effect<
      FeedView,
      Unprocessable | PlanLimitReached | DestinationNotAvailable | Forbidden | StorageUnavailable
    >
    readonly update: (
      caller: Caller,
      id: FeedId,
      change: FeedChange,
      /** The version the caller has read, when it said so. */
      ifVersion: number | undefined
    ) => Effect.Effect<
      FeedView,
      | NotFound
      | Unprocessable
      | Conflict
      | PreconditionFailed
      | PlanLimitReached
      | DestinationNotAvailable
      | Forbidden
      | StorageUnavailable
    >
    /** Cancels the active job; rows delivered stay where they are. The bank of its files goes where it is empty. */
    readonly remove: (
      caller: Caller,
      id: FeedId,
      ifVersion: number | undefined
    ) => Effect.Effect<void, NotFound | PreconditionFailed | Forbidden | StorageUnavailable>
    /**
     * What people changed at the destination is read and learnt from at once. Where nothing learns from the feed, nothing
     * comes of it.
     */
    readonly learn: (caller: Caller, id: FeedId) => Effect.Effect<void, NotFound | Forbidden | StorageUnavailable>
  }
>()("@millrace/core/usecase/Feeds") {
  static readonly layer: Layer.Layer<
    Feeds,
    never,
    | FeedStore
    | TaskStore
    | BankStore
    | RecordStore
    | RecordChangeStore
    | EnrichmentStore
    | JobStore
    | JobEngine
    | DeliveryStore
    | EventStore
    | IdentityStore
    | Destinations
    | Kinds
    | Transactor
    | Ids
  > = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const store = yield* FeedStore
      const banks = yield* BankStore
      const ofFeed = yield* FeedBanks
      const { judge } = yield* FeedJudge
      const { bind, take } = yield* FeedPlaces
      const { of: views } = yield* FeedViews
      const jobs = yield* JobStore
      const engine = yield* JobEngine
      const tasks = yield* Tasks
      const deliveries = yield* DeliveryStore
      const events = yield* EventStore
      const { atomically } = yield* Transactor
      const ids = yield* Ids

      const load = Effect.fnUntraced(function* (caller: Caller, operation: OperationId, id: FeedId) {
        return yield* reach(caller, operation, "Feed", yield* store.get(caller.principal.workspace.id, id))
      })

      /** In the order of the feeds, each as its own workspace sees it: days and plans differ between workspaces. */
      const viewsOf = Effect.fnUntraced(function* (caller: Caller, feeds: ReadonlyArray<Feed>) {
        const byId = new Map<FeedId, FeedView>()
        for (const workspace of caller.workspaces) {
          const own = feeds.filter(({ workspaceId }) => workspaceId === workspace.id)
          if (own.length === 0) continue
          for (const view of yield* views(workspace, own)) byId.set(view.feed.id, view)
        }
        return feeds.flatMap(({ id }) => byId.get(id) ?? [])
      })

      const viewed = Effect.fnUntraced(function* (workspace: Workspace, feed: Feed, warnings: ReadonlyArray<string>) {
        return (yield* views(workspace, [feed], warnings))[0]!
      })

      /** A bank that goes at the same moment is seen to have a feed, or the feed is refused. */
      const holdBanks = Effect.fnUntraced(function* ({ sourceConfig, workspaceId }: Feed) {
        const named: Array<{ readonly bankId: BankId; readonly field: string }> = []
        if (sourceConfig?.type === "sync") {
          for (const [at, { bankId }] of sourceConfig.accounts.entries()) {
            named.push({ bankId, field: `sourceConfig.accounts[${at}].bankId` })
          }
        }
        if (sourceConfig?.type === "upload" && sourceConfig.accountId !== undefined) {
          const bankId = yield* ofFeed.bankOf(workspaceId, sourceConfig.accountId)
          if (bankId !== undefined) named.push({ bankId, field: "sourceConfig.accountId" })
        }
        const live = new Set(yield* banks.holdLive(workspaceId, [...new Set(named.map(({ bankId }) => bankId))]))
        const gone = named.filter(({ bankId }) => !live.has(bankId))
        if (gone.length === 0) return
        return yield* new Unprocessable({
          code: "FEED_VALIDATION_FAILED",
          message: "Validation failed",
          details: gone.map(({ field }) => ({ field, message: "is of a bank that is being removed" })),
          warnings: []
        })
      })

      const create: Feeds["Service"]["create"] = Effect.fn("Feeds.create")(function* (caller, request) {
        yield* permit(caller, "createFeed")
        const { workspace } = caller.principal
        const { bound, claimed, decoded, warnings } = yield* judge(
          workspace,
          request.source,
          request.dataType,
          request,
          undefined,
          []
        )
        const existing = yield* store.list([workspace.id], {})
        const limit = plans[workspace.plan].feeds
        if (limit !== undefined && existing.length >= limit)
          return yield* new PlanLimitReached({ what: "feeds", limit })
        const now = yield* Timestamp.now
        const bank =
          request.source === "upload" ? yield* ofFeed.ofFiles(workspace, request.name, decoded.sourceConfig) : undefined
        const feed: Feed = {
          id: yield* ids.next("feed"),
          workspaceId: workspace.id,
          name: request.name,
          ...(request.icon === undefined ? {} : { icon: request.icon }),
          source: request.source,
          dataType: request.dataType,
          fieldMappings: decoded.fieldMappings,
          mappingsDefaulted: decoded.mappingsDefaulted,
          dataTypeOptions: decoded.dataTypeOptions,
          ...blocksOf(decoded, Timestamp.toMillis(now)),
          ...(bank === undefined ? {} : { fileBankId: bank.id }),
          order: request.order ?? nextOrder(existing),
          createdBy: caller.cause,
          createdByUser: userOf(caller.principal),
          createdAt: now,
          updatedAt: now,
          version: 1
        }
        yield* atomically(
          Effect.gen(function* () {
            if (bank !== undefined) yield* banks.insert(bank, undefined)
            yield* holdBanks(feed)
            yield* store.insert(feed)
            yield* take(feed.id, claimed)
            yield* bind(feed.id, bound)
            yield* events.append([feedEvent({ after: feed }, caller.cause)])
          })
        )
        return yield* viewed(workspace, feed, warnings)
      })

      const update: Feeds["Service"]["update"] = Effect.fn("Feeds.update")(function* (caller, id, change, ifVersion) {
        const { workspace } = caller.principal
        const before = yield* load(caller, "updateFeed", id)
        if (ifVersion !== undefined && ifVersion !== before.version) return yield* new PreconditionFailed()
        const details: Array<Detail> = []
        for (const key of ["source", "dataType"] as const) {
          if (change[key] !== undefined && change[key] !== before[key]) {
            details.push({ field: key, message: `cannot be changed; it is "${before[key]}"` })
          }
        }
        const { bound, claimed, decoded, warnings } = yield* judge(
          workspace,
          before.source,
          before.dataType,
          change,
          before,
          details
        )
        const moved = !same(placeOf(before.destinationConfig), placeOf(decoded.destinationConfig))
        if (
          !same(before.destinationConfig, decoded.destinationConfig) ||
          !same(before.sourceConfig, decoded.sourceConfig)
        ) {
          const active = yield* jobs.active(id)
          if (Option.isSome(active)) {
            return yield* new Conflict({
              code: "SYNC_ALREADY_RUNNING",
              message: "Source and destination cannot be changed while a sync job is running",
              details: [{ field: "jobId", message: active.value.id }]
            })
          }
        }
        const { destinationConfig: _d, extractionConfig: _e, icon: _i, nextRunAt: _n, ...rest } = before
        const { schedule: _s, sourceConfig: _c, ...kept } = rest
        const icon = change.icon === undefined ? before.icon : (change.icon ?? undefined)
        const now = yield* Timestamp.now
        const sameSchedule = same(before.schedule, decoded.schedule)
        const feed: Feed = {
          ...kept,
          ...blocksOf(decoded, Timestamp.toMillis(now)),
          ...(sameSchedule && before.nextRunAt !== undefined ? { nextRunAt: before.nextRunAt } : {}),
          ...(icon === undefined ? {} : { icon }),
          name: change.name ?? before.name,
          order: change.order ?? before.order,
          updatedAt: now,
          version: before.version + 1
        }
        yield* atomically(
          Effect.gen(function* () {
            if (!same(before.sourceConfig, feed.sourceConfig)) yield* holdBanks(feed)
            if (!(yield* store.update(feed))) return yield* new PreconditionFailed()
            if (change.destinationConfig !== undefined) yield* take(id, claimed)
            yield* bind(id, bound)
            // Another destination has nothing of this feed yet.
            if (moved) {
              yield* deliveries.clear(id)
              yield* store.clearMarks(id)
            }
            yield* events.append([feedEvent({ before, after: feed }, caller.cause)])
          })
        )
        return yield* viewed(workspace, feed, warnings)
      })

      const remove: Feeds["Service"]["remove"] = Effect.fn("Feeds.remove")(function* (caller, id, ifVersion) {
        const feed = yield* load(caller, "deleteFeed", id)
        if (ifVersion !== undefined && ifVersion !== feed.version) return yield* new PreconditionFailed()
        const active = yield* jobs.active(id)
        yield* atomically(
          Effect.gen(function* () {
            if (Option.isSome(active)) {
              // It may have ended in the meantime, which is as good.
              const cancel = jobs.cancel(active.value.id, "forceCancel", caller.cause)
              yield* Effect.catchTag(cancel, "JobStateConflict", () => Effect.void)
            }
            // Somebody else may have deleted it first, and told of it.
            if (!(yield* store.remove(feed.workspaceId, id))) return
            yield* events.append([feedEvent({ before: feed }, caller.cause)])
            yield* ofFeed.remove(feed)
          })
        )
        if (Option.isSome(active)) yield* engine.interrupt(id, active.value.id)
      })

      return Feeds.of({
        list: Effect.fn("Feeds.list")(function* (caller, query) {
          yield* permit(caller, "listFeeds")
          const found = yield* store.list(readableIds(caller), query)
          return yield* viewsOf(
            caller,
            found.filter((feed) => shows(caller, "listFeeds", feed))
          )
        }),
        get: Effect.fn("Feeds.get")(function* (caller, id) {
          return yield* viewed(caller.principal.workspace, yield* load(caller, "getFeed", id), [])
        }),
        create,
        update,
        remove,
        learn: Effect.fn("Feeds.learn")(function* (caller, id) {
          const { workspaceId } = yield* load(caller, "triggerLearn", id)
          yield* tasks.enqueue(feedLearnTask, { payload: { workspaceId, feedId: id }, workspaceId, key: id })
        })
      })
    })
  ).pipe(
    Layer.provide([FeedViews.layer, FeedBanks.layer, FeedJudge.layer, Tasks.layer]),
    Layer.provide(FeedPlaces.layer)
  )
}
