/** Feeds as people see them: what their jobs, banks, rules and plan say about them (decisions 4.3). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { AccountId } from "../bank/Account.ts"
import type { BankId } from "../bank/Bank.ts"
import { BankStore } from "../bank/BankStore.ts"
import { removedField } from "../destination/Columns.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import * as Recovery from "../failure/Recovery.ts"
import { RecordStore } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { unusableConnection } from "../sync/ReadThrough.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { recordFields, type RowsAsked } from "../feed/Extraction.ts"
import type { Feed, FeedId, FeedState } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { allowsSchedule } from "./FeedValidation.ts"

export interface FeedView {
  readonly feed: Feed
  readonly state: FeedState
  /** Faults that block nothing. */
  readonly warnings: ReadonlyArray<string>
}

type Mapped = RowsAsked & Pick<Feed, "fieldMappings">

/** Source fields of mappings that no record of the type has, with their places. */
export const customFields = ({ fieldMappings, ...feed }: Mapped) => {
  const specs = recordFields(feed)
  return fieldMappings.flatMap(({ sourceField }, at) =>
    sourceField === removedField || Object.hasOwn(specs, sourceField) ? [] : [{ at, sourceField }]
  )
}

/** The fields that the enabled enrichments of a feed write; those of a feed that is not there yet are of all feeds. */
export const writtenFields = (
  enrichments: ReadonlyArray<Enrichment>,
  dataType: Feed["dataType"],
  feedId: FeedId | undefined,
  kinds: Kinds["Service"]
): Pipeline.CompiledPipeline["catalog"] => {
  const own = enrichments.filter(
    ({ allFeeds, feedIds }) => allFeeds || (feedId !== undefined && feedIds.includes(feedId))
  )
  return Pipeline.compile(own, dataType, kinds).catalog
}

export const unwritten = (sourceField: string, dataType: Feed["dataType"]): string =>
  `"${sourceField}" is not a field of ${dataType}, and no enabled rule of this feed writes it`

const earlierOf = (
  a: Timestamp.Timestamp | undefined,
  b: Timestamp.Timestamp | undefined
): Pick<FeedState, "nextRunAt"> => {
  const nextRunAt = a === undefined || (b !== undefined && b < a) ? b : a
  return nextRunAt === undefined ? {} : { nextRunAt }
}

const syncAccounts = ({ sourceConfig }: Feed) => (sourceConfig?.type === "sync" ? sourceConfig.accounts : [])

const none: FeedState = { status: "ready", consecutiveFailures: 0, warnings: [] }

/** Why the feed cannot run until somebody does something. */
const blockOf = (
  workspace: Workspace,
  feed: Feed,
  statuses: ReadonlyMap<BankId, Pick<FeedState, "reason">>
): FeedState["reason"] => {
  for (const { bankId } of syncAccounts(feed)) {
    const reason = statuses.get(bankId)?.reason
    if (reason !== undefined) return reason
  }
  const plan = plans[workspace.plan]
  return feed.schedule?.enabled === true && !allowsSchedule(plan, feed.schedule)
    ? {
        code: "PLAN_LIMIT_REACHED",
        message: `The plan allows schedules that are at most ${plan.fastestSchedule}`,
        recovery: Recovery.contactSupport
      }
    : undefined
}

const make = Effect.gen(function* () {
  const store = yield* FeedStore
  const banks = yield* BankStore
  const records = yield* RecordStore
  const enrichments = yield* EnrichmentStore
  const kinds = yield* Kinds

  const statusesOf = Effect.fnUntraced(function* (workspace: Workspace) {
    const statuses = new Map<BankId, Pick<FeedState, "reason">>()
    for (const bank of yield* banks.list([workspace.id])) {
      const unusable = unusableConnection(bank.connectionStatus)
      if (unusable?.blocked !== true || unusable.problem === undefined) continue
      const { code, message } = unusable.problem
      statuses.set(bank.id, { reason: { code, message: `${bank.name}: ${message}`, recovery: Recovery.reconnect } })
    }
    return statuses
  })

  /** The newest day of what came in for a feed that reads no connection: its files, and what was pushed. */
  const newestDay = Effect.fnUntraced(function* (feed: Feed) {
    const config = feed.sourceConfig
    const own: Array<AccountId> = config?.type === "upload" && config.accountId !== undefined ? [config.accountId] : []
    const of = (yield* banks.made(feed.id)).map(({ id }) => id)
    if (feed.fileBankId !== undefined) of.push(feed.fileBankId)
    for (const bankId of of) own.push(...(yield* banks.accounts(bankId)).map(({ id }) => id))
    let newest: CalendarDate.CalendarDate | undefined
    for (const accountId of own) {
      const { dataType } = feed
      const date = yield* records.latestDate({ workspaceId: feed.workspaceId, accountId, dataType })
      if (date !== null && (newest === undefined || date > newest)) newest = date
    }
    return newest
  })

  /** The day of the oldest of the reads that the feed has delivered; every account that has the data was read then. */
  const deliveredDay = Effect.fnUntraced(function* (
    workspace: Workspace,
    feed: Feed,
    lastSuccessAt: Timestamp.Timestamp,
    pulled: ReadonlyMap<AccountId, Timestamp.Timestamp>
  ) {
    let at = lastSuccessAt
    for (const { accountId, bankId } of syncAccounts(feed)) {
      const read = pulled.get(accountId)
      if (read !== undefined) {
        if (read < at) at = read
        continue
      }
      const account = (yield* banks.accounts(bankId)).find(({ id }) => id === accountId)
      if (account?.supports.includes(feed.dataType) === true) return undefined
    }
    return CalendarDate.inZone(Timestamp.toMillis(at), workspace.timezone)
  })

  const pulledOf = Effect.fnUntraced(function* (feeds: ReadonlyArray<Feed>) {
    const byType = new Map<string, ReadonlyMap<AccountId, Timestamp.Timestamp>>()
    for (const [dataType, some] of Map.groupBy(feeds, (feed) => feed.dataType)) {
      const ids = new Set(some.flatMap((feed) => syncAccounts(feed).map(({ accountId }) => accountId)))
      byType.set(dataType, yield* records.pulledTimes(dataType, [...ids]))
    }
    return byType
  })

  /** The feeds as people see them, in their order; `warnings` are added to each. */
  const of = Effect.fnUntraced(function* (
    workspace: Workspace,
    feeds: ReadonlyArray<Feed>,
    warnings: ReadonlyArray<string> = []
  ) {
    const states = yield* store.states(feeds.map(({ id }) => id))
    const statuses = yield* statusesOf(workspace)
    const pulled = yield* pulledOf(feeds)
    const custom = feeds.some((feed) => customFields(feed).length > 0)
    const rules = custom ? yield* enrichments.list([workspace.id]) : []
    const views: Array<FeedView> = []
    for (const feed of feeds) {
      const base = states.get(feed.id) ?? none
      const incomplete = feed.sourceConfig === undefined || feed.destinationConfig === undefined
      const idle = base.status === "ready" || base.status === "failing"
      const reason = idle && !incomplete ? blockOf(workspace, feed, statuses) : undefined
      const dataThrough =
        base.lastSuccessAt === undefined
          ? undefined
          : feed.source !== "sync"
            ? yield* newestDay(feed)
            : yield* deliveredDay(workspace, feed, base.lastSuccessAt, pulled.get(feed.dataType) ?? new Map())
      const fields = customFields(feed)
      const written = fields.length === 0 ? undefined : writtenFields(rules, feed.dataType, feed.id, kinds)
      const missing = fields.flatMap(({ at, sourceField }) =>
        written?.has(sourceField) === true
          ? []
          : [`fieldMappings[${at}].sourceField ${unwritten(sourceField, feed.dataType)}: its column stays empty`]
      )
      views.push({
        feed,
        state: {
          ...base,
          status: incomplete && base.status === "ready" ? "incomplete" : base.status,
          ...(reason === undefined ? {} : { status: "blocked", reason }),
          ...(dataThrough === undefined ? {} : { dataThrough }),
          ...earlierOf(feed.nextRunAt, base.nextRunAt),
          warnings: [...base.warnings, ...missing]
        },
        warnings: [...warnings, ...missing]
      })
    }
    return views
  })

  return { of }
})

/** Tells how feeds are doing. */
export class FeedViews extends Context.Service<FeedViews>()("@millrace/core/usecase/FeedViews", { make }) {
  static readonly layer: Layer.Layer<FeedViews, never, FeedStore | BankStore | RecordStore | EnrichmentStore | Kinds> =
    Layer.effect(FeedViews, make)
}
