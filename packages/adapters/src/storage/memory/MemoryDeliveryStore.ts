/** The delivery ledger in memory. */
import type { Delivery, DeliveryState } from "@millrace/core/destination/Delivery"
import {
  DeliveryStore,
  type DeliveryEntry,
  type Intent,
  type Settlement
} from "@millrace/core/destination/DeliveryStore"
import type { FeedId } from "@millrace/core/feed/Feed"
import type { JobId } from "@millrace/core/job/Job"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { frozen, frozenFields } from "./Frozen.ts"
import { Memory } from "./MemoryTransactor.ts"
import { ascending, byDate, firstIndex } from "./Order.ts"

interface Entry {
  readonly row: Delivery
  /** Whether the destination had, or may have had, a row before what is on its way now. */
  readonly present: boolean
}

type Place = Pick<Delivery, "date" | "recordId">

interface FeedLedger {
  readonly entries: Map<string, Entry>
  /** Places of all rows by day and record id, until one comes, goes or moves. */
  order: ReadonlyArray<Place> | undefined
  /** All rows before this place of `order` are closed. */
  closedBefore: number
}

const byPlace = (a: Place, b: Place): number => byDate(a.date, b.date) || ascending(a.recordId, b.recordId)

const isOpen = (state: DeliveryState): boolean => state === "intended" || state === "sending" || state === "failed"

const isPresent = ({ row, present }: Entry): boolean => present || (row.state === "sending" && row.op !== "remove")

const isWanted = ({ op, state }: Delivery): boolean => op !== "remove" && state !== "skipped"

const intended = (
  feedId: FeedId,
  jobId: JobId,
  intent: Intent,
  before: Entry | undefined,
  now: Timestamp.Timestamp
) => {
  const row: Delivery = {
    feedId,
    recordId: intent.recordId,
    accountId: intent.accountId,
    date: intent.date,
    version: (before?.row.version ?? 0) + 1,
    op: intent.op,
    state: "intended",
    hash: intent.hash,
    jobId,
    values: frozenFields(intent.values),
    provenance: intent.provenance.length === 0 ? [] : frozen(intent.provenance),
    ...(before?.row.remoteRef === undefined ? {} : { remoteRef: before.row.remoteRef }),
    attempts: 0,
    updatedAt: now
  }
  return { row: Object.freeze(row), present: before !== undefined && isPresent(before) }
}

/** What a settlement makes of a row, or `undefined` where it changes nothing. */
const settled = (entry: Entry, settlement: Settlement, jobId: JobId, now: Timestamp.Timestamp): Entry | undefined => {
  const { row, present } = entry
  const reference = settlement.state === "done" ? settlement.remoteRef : undefined
  if (settlement.version !== row.version) {
    if (settlement.version > row.version || reference === undefined) return undefined
    return { row: Object.freeze({ ...row, remoteRef: reference }), present }
  }
  const follows =
    isOpen(row.state) || settlement.state === (row.state === "done" ? ("skipped" as const) : ("intended" as const))
  if (!follows) return undefined
  const { lastError: _, remoteRef: kept, ...rest } = row
  const gone = settlement.state === "done" && row.op === "remove"
  const remoteRef = gone ? undefined : (reference ?? kept)
  const next: Delivery = {
    ...rest,
    jobId,
    state: settlement.state,
    ...(remoteRef === undefined ? {} : { remoteRef }),
    ...(settlement.state === "failed" ? { lastError: settlement.error } : {}),
    updatedAt: now
  }
  return {
    row: Object.freeze(next),
    present: settlement.state === "done" ? !gone : settlement.state === "skipped" ? false : present
  }
}

export const layer: Layer.Layer<DeliveryStore, never, Memory> = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const { call, set, remove, journal, feedRemoved } = yield* Memory
    const feeds = new Map<FeedId, FeedLedger>()
    feedRemoved.push((id) => remove(feeds, id))

    const ledgerOf = (feedId: FeedId): FeedLedger => {
      let ledger = feeds.get(feedId)
      if (ledger === undefined) set(feeds, feedId, (ledger = { entries: new Map(), order: undefined, closedBefore: 0 }))
      return ledger
    }

    const reorder = (ledger: FeedLedger): void => {
      ledger.order = undefined
      journal(() => {
        ledger.order = undefined
      })
    }

    /** Rows may be open again: at once, or only when this is undone. */
    const reopen = (ledger: FeedLedger, atOnce: boolean): void => {
      if (atOnce) ledger.closedBefore = 0
      journal(() => {
        ledger.closedBefore = 0
      })
    }

    const orderOf = (ledger: FeedLedger): ReadonlyArray<Place> => {
      ledger.order ??= Array.from(ledger.entries.values(), ({ row: { date, recordId } }) => ({
        date,
        recordId
      })).toSorted(byPlace)
      return ledger.order
    }

    const put = (feedId: FeedId, jobId: JobId, intents: ReadonlyArray<Intent>, at: Timestamp.Timestamp): void => {
      const ledger = ledgerOf(feedId)
      let moved = false
      for (const intent of intents) {
        const before = ledger.entries.get(intent.recordId)
        moved ||= before === undefined || before.row.date !== intent.date
        set(ledger.entries, intent.recordId, intended(feedId, jobId, intent, before, at))
      }
      if (moved) reorder(ledger)
      reopen(ledger, true)
    }

    return DeliveryStore.of({
      entries: (feedId, recordIds) =>
        call(() => {
          const { entries } = ledgerOf(feedId)
          const found = new Map<string, DeliveryEntry>()
          for (const recordId of recordIds) {
            const entry = entries.get(recordId)
            if (entry === undefined) continue
            const { hash, op, state } = entry.row
            found.set(recordId, { recordId, hash, op, state, present: isPresent(entry) })
          }
          return found
        }),
      intend: (feedId, jobId, intents) => call((now) => put(feedId, jobId, intents, Timestamp.fromMillis(now))),
      intendSettled: (feedId, jobId, intents, outcomes) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          put(feedId, jobId, intents, at)
          const { entries } = ledgerOf(feedId)
          for (const [n, { recordId }] of intents.entries()) {
            const entry = entries.get(recordId)!
            const next = settled(entry, { recordId, version: entry.row.version, ...outcomes[n]! }, jobId, at)
            if (next !== undefined) set(entries, recordId, next)
          }
        }),
      open: (feedId, { limit, after }) =>
        call(() => {
          const ledger = ledgerOf(feedId)
          const order = orderOf(ledger)
          const rows: Array<Delivery> = []
          const isClosed = (i: number): boolean => !isOpen(ledger.entries.get(order[i]!.recordId)!.row.state)
          while (ledger.closedBefore < order.length && isClosed(ledger.closedBefore)) ledger.closedBefore++
          const start = Math.max(
            ledger.closedBefore,
            after === undefined ? 0 : firstIndex(order, (place) => byPlace(after, place) < 0)
          )
          for (let i = start; i < order.length && rows.length < limit; i++) {
            const { row } = ledger.entries.get(order[i]!.recordId)!
            if (isOpen(row.state)) rows.push(row)
          }
          return rows
        }),
      countOpen: (feedId, jobId) =>
        call(() => {
          let own = 0
          let carried = 0
          for (const { row } of ledgerOf(feedId).entries.values()) {
            if (!isOpen(row.state)) continue
            if (row.jobId !== jobId) carried++
            else if (row.state !== "failed") own++
          }
          return { own, carried }
        }),
      markSending: (feedId, recordIds) =>
        call((now) => {
          const { entries } = ledgerOf(feedId)
          for (const recordId of recordIds) {
            const entry = entries.get(recordId)
            if (entry?.row.state !== "intended") continue
            const { row, present } = entry
            const sending = {
              ...row,
              state: "sending",
              attempts: row.attempts + 1,
              updatedAt: Timestamp.fromMillis(now)
            } as const
            set(entries, recordId, { row: Object.freeze(sending), present })
          }
        }),
      settle: (feedId, jobId, settlements) =>
        call((now) => {
          const ledger = ledgerOf(feedId)
          const { entries } = ledger
          reopen(
            ledger,
            settlements.some(({ state }) => state === "intended")
          )
          for (const settlement of settlements) {
            const entry = entries.get(settlement.recordId)
            const next = entry === undefined ? undefined : settled(entry, settlement, jobId, Timestamp.fromMillis(now))
            if (next !== undefined) set(entries, settlement.recordId, next)
          }
        }),
      current: (feedId) =>
        Stream.fromIterableEffect(
          call(() => {
            const ledger = ledgerOf(feedId)
            return orderOf(ledger)
              .map(({ recordId }) => ledger.entries.get(recordId)!.row)
              .filter(isWanted)
          })
        ),
      list: (feedId, { jobId, state, recordId, limit }) =>
        call(() =>
          Array.from(ledgerOf(feedId).entries.values(), ({ row }) => row)
            .filter(
              (row) =>
                (jobId === undefined || row.jobId === jobId) &&
                (state === undefined || row.state === state) &&
                (recordId === undefined || row.recordId === recordId)
            )
            .toSorted((a, b) => ascending(b.updatedAt, a.updatedAt) || ascending(a.recordId, b.recordId))
            .slice(0, limit)
        ),
      clear: (feedId) => call(() => remove(feeds, feedId))
    })
  })
)
