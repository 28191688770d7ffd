/** The delivery ledger in memory. */
import type { Delivery, DeliveryState, UnconfirmedAttempt } from "@millrace/core/destination"
import { type DeliveryEntry, DeliveryStore, type Intent, type ListPlace, type Settlement } from "@millrace/core/storage"
import type { FeedId } from "@millrace/core/feed"
import type { JobId } from "@millrace/core/job"
import { limits, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { frozen, frozenFields } from "./Frozen.ts"
import { Memory, removeWhere } from "./MemoryTransactor.ts"
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

const isOpen = ({ dead, state }: Delivery): boolean =>
  state === "intended" || state === "sending" || (state === "failed" && !dead)

const isIn = (row: Delivery, state: DeliveryState | "dead"): boolean =>
  state === "dead" ? row.dead : row.state === state

const entryOf = (entry: Entry): DeliveryEntry => {
  const { dead, hash, jobId, op, recordId, state } = entry.row
  const present = isPresent(entry)
  return { recordId, hash, op, state, dead, jobId, present, acknowledged: present && isAcknowledged(entry.row) }
}

/** What is being sent, or may have arrived, while newer content comes. */
const unconfirmedOf = (row: Delivery): UnconfirmedAttempt | undefined =>
  row.state === "sending" && row.unconfirmedAttempt?.version !== row.version
    ? {
        version: row.version,
        op: row.op,
        hash: row.hash,
        values: row.values ?? {},
        attempts: row.attempts,
        sentAt: row.sentAt ?? row.updatedAt
      }
    : row.unconfirmedAttempt

const isPresent = ({ row, present }: Entry): boolean => present || (row.state === "sending" && row.op !== "remove")

const isAcknowledged = ({ dead, unconfirmedAttempt, remoteRef, state }: Delivery): boolean =>
  remoteRef !== undefined && unconfirmedAttempt === undefined && state !== "sending" && !dead

const isWanted = ({ op, state }: Delivery): boolean => op !== "remove" && state !== "skipped"

const intended = (
  feedId: FeedId,
  jobId: JobId,
  intent: Intent,
  before: Entry | undefined,
  now: Timestamp.Timestamp
) => {
  const unconfirmedAttempt = before === undefined ? undefined : unconfirmedOf(before.row)
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
    dead: false,
    redeliveryRequested: false,
    ...(unconfirmedAttempt === undefined ? {} : { unconfirmedAttempt: Object.freeze(unconfirmedAttempt) }),
    updatedAt: now
  }
  return { row: Object.freeze(row), present: before !== undefined && isPresent(before) }
}

/** A newer version learns where its row is, and that an older one is no longer unconfirmed. */
const settledOlder = (entry: Entry, settlement: Settlement, now: Timestamp.Timestamp): Entry | undefined => {
  const { unconfirmedAttempt, remoteRef: kept, ...rest } = entry.row
  const reference = settlement.state === "done" ? settlement.remoteRef : undefined
  if (unconfirmedAttempt?.version !== settlement.version || settlement.state === "intended") {
    if (reference === undefined) return undefined
    return { row: Object.freeze({ ...entry.row, remoteRef: reference, updatedAt: now }), present: entry.present }
  }
  const done = settlement.state === "done"
  const arrived = done && unconfirmedAttempt.op !== "remove"
  const remoteRef = done && unconfirmedAttempt.op === "remove" ? undefined : (reference ?? kept)
  const row: Delivery = {
    ...rest,
    op: arrived && rest.op === "create" ? "update" : rest.op,
    ...(remoteRef === undefined ? {} : { remoteRef }),
    updatedAt: now
  }
  return { row: Object.freeze(row), present: done ? arrived : settlement.state === "failed" && entry.present }
}

/** A closed row, opened by a redelivery. */
const reopened = ({ row, present }: Entry, now: Timestamp.Timestamp): Entry => {
  const { lastError: _, remoteRef, sentAt: _at, ...rest } = row
  const skipped = row.state === "skipped"
  return {
    row: Object.freeze({
      ...rest,
      version: row.version + 1,
      op: skipped ? "create" : row.state === "done" ? "update" : row.op,
      state: "intended",
      attempts: 0,
      dead: false,
      redeliveryRequested: true,
      ...(skipped || remoteRef === undefined ? {} : { remoteRef }),
      updatedAt: now
    } satisfies Delivery),
    present
  }
}

const byNewest = (a: ListPlace, b: ListPlace): number =>
  ascending(b.jobId, a.jobId) || ascending(b.updatedAt, a.updatedAt) || ascending(a.recordId, b.recordId)

/** What a settlement makes of a row, or `undefined` where it changes nothing. */
const settled = (entry: Entry, settlement: Settlement, jobId: JobId, now: Timestamp.Timestamp): Entry | undefined => {
  const { row, present } = entry
  const reference = settlement.state === "done" ? settlement.remoteRef : undefined
  if (settlement.version < row.version) return settledOlder(entry, settlement, now)
  const open = row.state === "intended" || row.state === "sending" || row.state === "failed"
  const follows =
    settlement.version === row.version &&
    (open || settlement.state === (row.state === "done" ? ("skipped" as const) : ("intended" as const)))
  if (!follows) return undefined
  const { unconfirmedAttempt, lastError: _, remoteRef: kept, values, ...rest } = row
  const readable = settlement.state === "done" && settlement.readable === true && row.op !== "remove"
  const gone = settlement.state === "done" && row.op === "remove"
  const remoteRef = gone ? undefined : (reference ?? kept)
  const back = settlement.state === "intended"
  const waits = settlement.state === "failed" && settlement.waits === true
  const isUnknown = settlement.state === "failed" && settlement.unknown === true
  const unconfirmed = isUnknown ? unconfirmedOf(row) : back ? unconfirmedAttempt : undefined
  const attempts = waits ? 0 : row.attempts + ((row.state === "intended" || row.state === "failed") && !back ? 1 : 0)
  const next: Delivery = {
    ...rest,
    jobId,
    state: settlement.state,
    ...(values === undefined || readable ? {} : { values }),
    attempts,
    dead: settlement.state === "failed" && !waits && (settlement.final === true || attempts >= limits.deliveryAttempts),
    redeliveryRequested: row.redeliveryRequested && back,
    ...(unconfirmed === undefined ? {} : { unconfirmedAttempt: Object.freeze(unconfirmed) }),
    ...(remoteRef === undefined ? {} : { remoteRef }),
    ...(settlement.state === "failed" ? { lastError: settlement.error } : {}),
    updatedAt: now
  }
  return {
    row: Object.freeze(next),
    present:
      settlement.state === "done"
        ? !gone
        : settlement.state === "skipped"
          ? false
          : // Nobody knows whether what is given up while it is sent has arrived.
            settlement.state === "failed" && (settlement.final === true || isUnknown)
            ? isPresent(entry)
            : present
  }
}

export const layer: Layer.Layer<DeliveryStore, never, Memory> = Layer.effect(
  DeliveryStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, set, remove, journal, feedRemoved } = memory
    const feeds = new Map<FeedId, FeedLedger>()
    const files = new Map<FeedId, string>()
    feedRemoved.push((id) => {
      remove(feeds, id)
      remove(files, id)
    })

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

    memory.bankDestroyed.push(({ recordIds }) => {
      let found = 0
      for (const ledger of feeds.values()) {
        const ofRecord = (id: string) => recordIds.has(id) || recordIds.has(id.split(":")[0]!)
        const own = removeWhere(memory, ledger.entries, (_, id) => ofRecord(id))
        if (own > 0) reorder(ledger)
        found += own
      }
      return found
    })

    const openAfter = (feedId: FeedId, limit: number, after: Place | undefined, waiting = false) => {
      const ledger = ledgerOf(feedId)
      const order = orderOf(ledger)
      const rows: Array<Delivery> = []
      const isClosed = (i: number): boolean => !isOpen(ledger.entries.get(order[i]!.recordId)!.row)
      while (ledger.closedBefore < order.length && isClosed(ledger.closedBefore)) ledger.closedBefore++
      const start = Math.max(
        ledger.closedBefore,
        after === undefined ? 0 : firstIndex(order, (place) => byPlace(after, place) < 0)
      )
      for (let i = start; i < order.length && rows.length < limit; i++) {
        const { row } = ledger.entries.get(order[i]!.recordId)!
        if (isOpen(row) && !(waiting && row.state === "failed")) rows.push(row)
      }
      return rows
    }

    return DeliveryStore.of({
      entries: (feedId, recordIds) =>
        call(() => {
          const { entries } = ledgerOf(feedId)
          const found = new Map<string, DeliveryEntry>()
          for (const recordId of recordIds) {
            const entry = entries.get(recordId)
            if (entry === undefined) continue
            found.set(recordId, entryOf(entry))
          }
          return found
        }),
      entriesUnder: (feedId, ids) =>
        call(() => {
          const wanted = new Set(ids)
          const found = new Map<string, Array<DeliveryEntry>>()
          for (const [recordId, entry] of [...ledgerOf(feedId).entries].toSorted(([a], [b]) => ascending(a, b))) {
            for (let end = recordId.indexOf(":"); end !== -1; end = recordId.indexOf(":", end + 1)) {
              const under = recordId.slice(0, end)
              if (end === recordId.length - 1 || !wanted.has(under)) continue
              const some = found.get(under) ?? []
              found.set(under, some)
              some.push(entryOf(entry))
            }
          }
          return found
        }),
      intend: (feedId, jobId, intents) => call((now) => put(feedId, jobId, intents, Timestamp.fromMillis(now))),
      intendSettled: (feedId, jobId, intents, outcomes, areNew = false) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          const { entries } = ledgerOf(feedId)
          if (areNew && intents.some(({ recordId }) => entries.has(recordId))) throw new Error("a row is there")
          put(feedId, jobId, intents, at)
          for (const [n, { recordId }] of intents.entries()) {
            const entry = entries.get(recordId)!
            const next = settled(entry, { recordId, version: entry.row.version, ...outcomes[n]! }, jobId, at)
            if (next !== undefined) set(entries, recordId, next)
          }
        }),
      open: (feedId, { limit, after, waiting }) => call(() => openAfter(feedId, limit, after, waiting)),
      countOpen: (feedId, jobId) =>
        call(() => {
          let own = 0
          let carried = 0
          for (const { row } of ledgerOf(feedId).entries.values()) {
            if (!isOpen(row)) continue
            if (row.jobId !== jobId || row.redeliveryRequested) carried++
            else if (row.state !== "failed") own++
          }
          return { own, carried }
        }),
      markSending: (feedId, jobId, rows) =>
        call((now) => {
          const { entries } = ledgerOf(feedId)
          const at = Timestamp.fromMillis(now)
          const missed = new Set<string>()
          for (const { recordId, version } of rows) {
            const entry = entries.get(recordId)
            if (entry === undefined || entry.row.version !== version || !isOpen(entry.row)) {
              missed.add(recordId)
              continue
            }
            const { row, present } = entry
            const again = row.state === "sending"
            const sending: Delivery = {
              ...row,
              jobId,
              state: "sending",
              redeliveryRequested: false,
              attempts: row.attempts + (again ? 0 : 1),
              sentAt: again ? (row.sentAt ?? row.updatedAt) : at,
              updatedAt: at
            }
            set(entries, recordId, { row: Object.freeze(sending), present })
          }
          return missed
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
      settleNext: (feedId, jobId, { limit, after, remoteRef }) =>
        call((now) => {
          const rows = openAfter(feedId, limit, after)
          const ledger = ledgerOf(feedId)
          reopen(ledger, false)
          const arrived = { created: 0, updated: 0, removed: 0, carried: 0 }
          for (const { op, recordId, version, ...row } of rows) {
            const entry = ledger.entries.get(recordId)!
            const next = settled(
              entry,
              { recordId, version, state: "done", remoteRef },
              jobId,
              Timestamp.fromMillis(now)
            )!
            set(ledger.entries, recordId, next)
            arrived[op === "create" ? "created" : op === "update" ? "updated" : "removed"]++
            if (row.jobId !== jobId || row.state === "failed" || row.redeliveryRequested) arrived.carried++
          }
          return { ...arrived, last: rows.at(-1) }
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
      list: (feedId, { jobId, state, recordId, limit, after }) =>
        call(() =>
          Array.from(ledgerOf(feedId).entries.values(), ({ row }) => row)
            .filter(
              (row) =>
                (jobId === undefined || row.jobId === jobId) &&
                (state === undefined || isIn(row, state)) &&
                (recordId === undefined || row.recordId === recordId) &&
                (after === undefined || byNewest(after, row) < 0)
            )
            .toSorted(byNewest)
            .slice(0, limit)
        ),
      clear: (feedId) =>
        call(() => {
          remove(feeds, feedId)
          remove(files, feedId)
        }),
      reopen: (feedId, { recordIds, state, limit }) =>
        call((now) => {
          const ledger = ledgerOf(feedId)
          const { entries } = ledger
          const wanted = recordIds === undefined ? undefined : new Set(recordIds)
          const chosen = [...entries.values()]
            .filter(
              ({ row }) =>
                (row.state === "failed" ||
                  ((row.state === "done" || row.state === "skipped") && row.op !== "remove")) &&
                (state === undefined || isIn(row, state)) &&
                (wanted === undefined || wanted.has(row.recordId))
            )
            .slice(0, limit)
          for (const entry of chosen) set(entries, entry.row.recordId, reopened(entry, Timestamp.fromMillis(now)))
          reopen(ledger, true)
          return chosen.length
        }),
      fill: (feedId, fillings) =>
        call(() => {
          const { entries } = ledgerOf(feedId)
          for (const { hash, provenance, recordId, values, version } of fillings) {
            const entry = entries.get(recordId)
            if (entry?.row.version !== version || entry.row.values !== undefined || !isOpen(entry.row)) continue
            const row: Delivery = {
              ...entry.row,
              hash,
              values: frozenFields(values),
              provenance: provenance.length === 0 ? [] : frozen(provenance)
            }
            set(entries, recordId, { ...entry, row: Object.freeze(row) })
          }
        }),
      keep: (feedId, intents) =>
        call((now) => {
          const ledger = ledgerOf(feedId)
          for (const { date, hash, op, provenance, recordId, values } of intents) {
            const entry = ledger.entries.get(recordId)
            if (entry?.row.state !== "skipped") continue
            const row: Delivery = {
              ...entry.row,
              date,
              op,
              hash,
              version: entry.row.version + 1,
              values: frozenFields(values),
              provenance: provenance.length === 0 ? [] : frozen(provenance),
              updatedAt: Timestamp.fromMillis(now)
            }
            set(ledger.entries, recordId, { ...entry, row: Object.freeze(row) })
          }
          reorder(ledger)
        }),
      fileMark: (feedId) => call(() => Option.fromUndefinedOr(files.get(feedId))),
      noteFile: (feedId, mark) => call(() => set(files, feedId, mark))
    })
  })
)
