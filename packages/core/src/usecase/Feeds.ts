/** Feeds: making, changing and removing them (decisions 5.4 and 7). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { permit, reach, shows } from "../access/Access.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import type { OperationId } from "../access/Operations.ts"
import { userOf } from "../access/Principal.ts"
import type { AccountId } from "../bank/Account.ts"
import type { Bank, BankId } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { columnsOf } from "../destination/Columns.ts"
import { DeliveryStore } from "../destination/DeliveryStore.ts"
import type { BoundColumns } from "../feed/BoundColumns.ts"
import type { ClaimedPlace } from "../destination/Destination.ts"
import { type DestinationNotAvailable, Destinations } from "../destination/Destinations.ts"
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
import { JobEngine } from "../job/JobEngine.ts"
import { JobStore } from "../job/JobStore.ts"
import type { DataType } from "../record/DataType.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { nextOrder } from "../shared/Order.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Feed, FeedId } from "../feed/Feed.ts"
import { type DestinationConfig, type FeedSource, isReserved, typeOf } from "../feed/FeedConfig.ts"
import { feedEvent } from "../feed/FeedEvents.ts"
import { FeedSources, pairFault } from "../feed/FeedSources.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { allowsSchedule, checkAccounts, decodeBlocks, type Decoded } from "./FeedValidation.ts"
import { customFields, FeedViews, unwritten, writtenFields, type FeedView } from "./FeedViews.ts"
import { nextRun } from "../feed/NextRun.ts"

/**
 * Configuration blocks come undecoded: every fault inside them is 422 with all faults at once, so the
 * kernel decodes and judges them itself.
 */
export interface FeedBlocks {
  readonly sourceConfig?: unknown
  readonly destinationConfig?: unknown
  readonly fieldMappings?: unknown
  readonly dataTypeOptions?: unknown
  /** `null` removes the schedule. */
  readonly schedule?: unknown
}

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

const invalid = (details: ReadonlyArray<Detail>, warnings: ReadonlyArray<string>) =>
  new Unprocessable({
    code: "FEED_VALIDATION_FAILED",
    message: "Validation failed",
    details: details.slice(0, limits.errorDetails),
    warnings
  })

const blocksOf = (decoded: Decoded, now: number): Partial<Feed> => {
  const { dataTypeOptions, destinationConfig, fieldMappings, mappingsDefaulted, schedule, sourceConfig } = decoded
  return {
    fieldMappings,
    mappingsDefaulted,
    dataTypeOptions,
    ...(sourceConfig === undefined ? {} : { sourceConfig }),
    ...(destinationConfig === undefined ? {} : { destinationConfig }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(schedule?.enabled === true ? { nextRunAt: nextRun(schedule, now) } : {})
  }
}

const takenDetail = ({ taken }: ClaimedPlace): Detail => ({
  field: `destinationConfig.${taken.field}`,
  message: taken.message
})

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** A destination without what it says about how to write: where the rows are. */
const placeOf = (config: DestinationConfig | undefined) => {
  if (config === undefined) return undefined
  const { createMissingColumns: _c, onRemoved: _o, ...place } = { createMissingColumns: undefined, ...config }
  return place
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
  }
>()("@millrace/core/usecase/Feeds") {
  static readonly layer: Layer.Layer<
    Feeds,
    never,
    | FeedStore
    | BankStore
    | RecordStore
    | EnrichmentStore
    | JobStore
    | JobEngine
    | DeliveryStore
    | EventStore
    | Destinations
    | Kinds
    | Transactor
    | Ids
  > = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const store = yield* FeedStore
      const banks = yield* BankStore
      const enrichments = yield* EnrichmentStore
      const kinds = yield* Kinds
      const { of: views } = yield* FeedViews
      const jobs = yield* JobStore
      const engine = yield* JobEngine
      const deliveries = yield* DeliveryStore
      const events = yield* EventStore
      const destinations = yield* Destinations
      const { atomically } = yield* Transactor
      const ids = yield* Ids
      const carried = yield* FeedSources

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

      /** Fields that no record has must be written by a rule. A mapping that the feed has already is only warned of. */
      const checkCustom = Effect.fnUntraced(function* (
        workspace: Workspace,
        feed: Pick<Feed, "dataType" | "fieldMappings">,
        before: Feed | undefined,
        details: Array<Detail>
      ) {
        const held = new Set(before?.fieldMappings.map(({ sourceField }) => sourceField))
        const fields = customFields(feed).filter(({ sourceField }) => !held.has(sourceField))
        if (fields.length === 0) return
        const written = writtenFields(yield* enrichments.list([workspace.id]), feed.dataType, before?.id, kinds)
        for (const { at, sourceField } of fields) {
          if (written.has(sourceField)) continue
          const message = unwritten(sourceField, feed.dataType)
          details.push({ field: `fieldMappings[${at}].sourceField`, message })
        }
      })

      /** Decodes and judges everything about a feed; fails with all faults at once. */
      const judge = Effect.fnUntraced(function* (
        workspace: Workspace,
        source: FeedSource,
        dataType: DataType,
        blocks: FeedBlocks,
        before: Feed | undefined,
        details: Array<Detail>
      ) {
        const warnings: Array<string> = []
        const unpaired = pairFault(carried, source, dataType)
        if (unpaired !== undefined) return yield* invalid([{ field: "dataType", message: unpaired }], warnings)
        const type = typeOf(blocks.destinationConfig)
        if (type !== undefined && isReserved(type)) yield* destinations.get(type)
        const decoded = decodeBlocks(source, dataType, blocks, before, destinations.all, details, warnings)
        details.push(
          ...(yield* checkAccounts(decoded.sourceConfig, (bankId, accountId) =>
            banks.account(workspace.id, bankId as BankId, accountId as AccountId)
          ))
        )
        if (decoded.sourceConfig?.type === "upload" && decoded.sourceConfig.accountId !== undefined) {
          if (!(yield* ownsAccount(workspace, decoded.sourceConfig.accountId))) {
            details.push({ field: "sourceConfig.accountId", message: "is not an account of this workspace" })
          }
        }
        yield* checkCustom(workspace, { dataType, fieldMappings: decoded.fieldMappings }, before, details)
        const destination = decoded.destinationConfig
        const claimed =
          blocks.destinationConfig === undefined
            ? undefined
            : yield* claimOf(workspace, destination, before?.id, details)
        let bound: BoundColumns | undefined
        if (
          destination !== undefined &&
          (blocks.destinationConfig !== undefined || blocks.fieldMappings !== undefined)
        ) {
          const driver = yield* destinations.get(destination.type)
          // Names that the feed has mapped already mean what they meant, whatever the columns are called by now.
          const known =
            before !== undefined && same(placeOf(before.destinationConfig), placeOf(destination))
              ? yield* store.boundColumns(before.id)
              : new Map<string, string>()
          const columns = columnsOf({ dataType, fieldMappings: decoded.fieldMappings }, catalogOf(dataType), known)
          const faults = yield* driver.check(workspace.id, destination, columns, decoded.mappingsDefaulted)
          bound = (yield* driver.bind?.(workspace.id, destination, columns) ?? Effect.undefined) ?? new Map()
          details.push(
            ...faults.map(({ field, message }) => ({ field: `destinationConfig.${field}`.replace(/\.$/, ""), message }))
          )
        }
        if (details.length > 0) return yield* invalid(details, warnings)
        const plan = plans[workspace.plan]
        if (decoded.schedule?.enabled === true && !allowsSchedule(plan, decoded.schedule)) {
          return yield* new PlanLimitReached({ what: `schedules are at most ${plan.fastestSchedule}`, limit: 1 })
        }
        return { decoded, warnings, claimed, bound }
      })

      /** The place that the feed is to have for itself; a fault where another feed has it already. */
      const claimOf = Effect.fnUntraced(function* (
        workspace: Workspace,
        config: DestinationConfig | undefined,
        id: FeedId | undefined,
        details: Array<Detail>
      ) {
        if (config === undefined) return undefined
        const driver = yield* destinations.get(config.type)
        const claimed = yield* driver.claim?.(workspace.id, config) ?? Effect.undefined
        if (claimed === undefined) return undefined
        // Feeds that have not run since places are claimed hold theirs by their configuration alone.
        for (const other of yield* store.list([workspace.id], {})) {
          const held = other.destinationConfig
          if (other.id === id || held?.type !== config.type) continue
          if ((yield* driver.claim!(workspace.id, held))?.place !== claimed.place) continue
          details.push(takenDetail(claimed))
          break
        }
        return claimed
      })

      /** Of several that save at the same time one has it; for the transaction that writes the feed down. */
      const take = Effect.fnUntraced(function* (id: FeedId, claimed: ClaimedPlace | undefined) {
        if (yield* store.claimPlace(id, claimed?.place)) return
        if (claimed !== undefined) return yield* invalid([takenDetail(claimed)], [])
      })

      /** For the transaction that writes the feed down. Names that are mapped no more are forgotten. */
      const bind = Effect.fnUntraced(function* (id: FeedId, bound: BoundColumns | undefined) {
        if (bound === undefined) return
        yield* store.unbindColumns(id)
        if (bound.size > 0) yield* store.bindColumns(id, bound)
      })

      const ownsAccount = Effect.fnUntraced(function* (workspace: Workspace, accountId: AccountId) {
        for (const bank of yield* banks.list([workspace.id])) {
          if (Option.isSome(yield* banks.account(workspace.id, bank.id, accountId))) return true
        }
        return false
      })

      /** Statement files are booked under a bank of their own (decisions 7.1). */
      const fileBank = Effect.fnUntraced(function* (workspace: Workspace, name: string, decoded: Decoded) {
        const config = decoded.sourceConfig
        if (config?.type === "upload" && config.accountId !== undefined) return undefined
        const now = yield* Timestamp.now
        const others = yield* banks.list([workspace.id])
        const bank: Bank = {
          id: yield* ids.next("bank"),
          workspaceId: workspace.id,
          name: (config?.type === "upload" ? config.bankName : undefined) ?? name,
          source: "file",
          type: "other",
          order: nextOrder(others),
          createdAt: now,
          updatedAt: now
        }
        return bank
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
        const bank = request.source === "upload" ? yield* fileBank(workspace, request.name, decoded) : undefined
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
        const { destinationConfig: _d, icon: _i, nextRunAt: _n, schedule: _s, sourceConfig: _c, ...kept } = before
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
            if (feed.fileBankId === undefined) return
            // What its files gave stays where it is; a bank of nothing is of no use to anybody.
            const accounts = yield* banks.accounts(feed.fileBankId)
            if (accounts.some(({ state }) => state === "open")) return
            yield* banks.remove(feed.workspaceId, feed.fileBankId)
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
        remove
      })
    })
  ).pipe(Layer.provide(FeedViews.layer))
}
