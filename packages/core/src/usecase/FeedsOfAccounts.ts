/** The feeds that name an account, where that account becomes one with another or is parted from it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import type { Account, AccountId, AccountRef } from "../bank/Account.ts"
import type { AccountJoin } from "../bank/AccountJoin.ts"
import { appends } from "../destination/DeliveryRun.ts"
import { type DeliveryEntry, DeliveryStore, type Intent } from "../destination/DeliveryStore.ts"
import { EventStore } from "../event/EventStore.ts"
import { Conflict } from "../failure/Failure.ts"
import type { Feed } from "../feed/Feed.ts"
import type { SourceConfig } from "../feed/FeedConfig.ts"
import { feedEvent } from "../feed/FeedEvents.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { JobId } from "../job/Job.ts"
import { JobStore } from "../job/JobStore.ts"
import type { DataType } from "../record/DataType.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** The records of one type that each of two accounts has, after they were parted. */
export interface Share {
  readonly dataType: DataType
  readonly elder: ReadonlyArray<string>
  readonly younger: ReadonlyArray<string>
}

const namedBy = ({ sourceConfig }: Feed): ReadonlyArray<AccountId> => {
  if (sourceConfig?.type === "sync") return sourceConfig.accounts.map(({ accountId }) => accountId)
  return sourceConfig?.type === "upload" && sourceConfig.accountId !== undefined ? [sourceConfig.accountId] : []
}

/** With other accounts in the place of the first of some; the rest of those is gone. */
const replaced = (config: SourceConfig, old: ReadonlySet<AccountId>, by: ReadonlyArray<AccountRef>): SourceConfig => {
  if (config.type === "upload") {
    return config.accountId !== undefined && old.has(config.accountId) && by[0] !== undefined
      ? { ...config, accountId: by[0].accountId }
      : config
  }
  if (config.type !== "sync") return config
  const at = config.accounts.findIndex(({ accountId }) => old.has(accountId))
  const accounts = config.accounts.flatMap((ref, n) => (n === at ? by : old.has(ref.accountId) ? [] : [ref]))
  return { ...config, accounts }
}

const changedMeanwhile = new Conflict({
  code: "INVALID_STATE",
  message: "A feed of the accounts was changed at the same moment. Try again",
  details: []
})

const make = Effect.gen(function* () {
  const store = yield* FeedStore
  const jobs = yield* JobStore
  const deliveries = yield* DeliveryStore
  const events = yield* EventStore

  const naming = Effect.fnUntraced(function* (workspaceId: WorkspaceId, accountIds: ReadonlyArray<AccountId>) {
    const asked = new Set(accountIds)
    return (yield* store.list([workspaceId], {})).filter((feed) => namedBy(feed).some((id) => asked.has(id)))
  })

  const areRunning = Effect.fnUntraced(function* (feeds: ReadonlyArray<Feed>) {
    for (const { id } of feeds) if (Option.isSome(yield* jobs.active(id))) return true
    return false
  })

  const rewrite = Effect.fnUntraced(function* (before: Feed, sourceConfig: SourceConfig, cause: ActorRef) {
    const feed: Feed = { ...before, sourceConfig, updatedAt: yield* Timestamp.now, version: before.version + 1 }
    if (!(yield* store.update(feed))) return yield* changedMeanwhile
    yield* events.append([feedEvent({ before, after: feed }, cause)])
  })

  /** They name the older account, under the bank where it is read from now on. Returns what they named. */
  const join = Effect.fnUntraced(function* (
    feeds: ReadonlyArray<Feed>,
    pair: readonly [AccountId, AccountId],
    bankId: AccountRef["bankId"],
    cause: ActorRef
  ) {
    const both = new Set(pair)
    const noted: Array<AccountJoin["feeds"][number]> = []
    for (const feed of feeds) {
      if (feed.sourceConfig === undefined) continue
      noted.push({ feedId: feed.id, named: namedBy(feed).filter((id) => both.has(id)) })
      yield* rewrite(feed, replaced(feed.sourceConfig, both, [{ bankId, accountId: pair[0] }]), cause)
    }
    return noted
  })

  /** Rows of records that the feed shows no more go with its next run. */
  const withdraw = Effect.fnUntraced(function* (feed: Feed, accountId: AccountId, recordIds: ReadonlyArray<string>) {
    if (feed.destinationConfig?.onRemoved === "keep" || appends(feed)) return
    for (let at = 0; at < recordIds.length; at += limits.commitChunk) {
      const some = recordIds.slice(at, at + limits.commitChunk)
      const under = [...(yield* deliveries.entriesUnder(feed.id, some)).values()].flat()
      const there: ReadonlyArray<DeliveryEntry> = [...(yield* deliveries.entries(feed.id, some)).values(), ...under]
      const byJob = new Map<JobId, Array<Intent>>()
      for (const { jobId, op, recordId, state } of there) {
        if (op === "remove" || state === "skipped") continue
        const intents = byJob.get(jobId) ?? []
        intents.push({ recordId, accountId, date: null, op: "remove", hash: "", values: {}, provenance: [] })
        byJob.set(jobId, intents)
      }
      for (const [jobId, intents] of byJob) yield* deliveries.intend(feed.id, jobId, intents)
    }
  })

  /** They name again what they named; those that have come to name the older account since go on with it. */
  const part = Effect.fnUntraced(function* (
    feeds: ReadonlyArray<Feed>,
    { feeds: noted }: AccountJoin,
    [elder, younger]: readonly [Account, Account],
    shares: ReadonlyArray<Share>,
    cause: ActorRef
  ) {
    const refs = new Map([elder, younger].map(({ bankId, id }) => [id, { bankId, accountId: id }]))
    for (const feed of feeds) {
      if (feed.sourceConfig === undefined) continue
      const named = noted.find(({ feedId }) => feedId === feed.id)?.named ?? [elder.id]
      const by = named.flatMap((id) => refs.get(id) ?? [])
      yield* rewrite(feed, replaced(feed.sourceConfig, new Set([elder.id]), by), cause)
      const share = shares.find(({ dataType }) => dataType === feed.dataType)
      if (share === undefined) continue
      if (!named.includes(younger.id)) yield* withdraw(feed, younger.id, share.younger)
      if (!named.includes(elder.id)) {
        yield* withdraw(feed, elder.id, share.elder)
        // Joined again it shows them again, though nothing has changed in them.
        yield* store.clearMarks(feed.id)
      }
    }
  })

  return { naming, areRunning, join, part }
})

/** Rewrites feeds inside of the transaction that joins or parts accounts. */
export class FeedsOfAccounts extends Context.Service<FeedsOfAccounts>()("@millrace/core/usecase/FeedsOfAccounts", {
  make
}) {
  static readonly layer: Layer.Layer<FeedsOfAccounts, never, FeedStore | JobStore | DeliveryStore | EventStore> =
    Layer.effect(FeedsOfAccounts, make)
}
