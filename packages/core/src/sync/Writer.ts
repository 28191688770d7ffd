/** Writing what a source showed of one account into the ledger: identified, in bounded transactions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BankId } from "../bank/Bank.ts"
import { trusted } from "../identity/Covered.ts"
import { identify } from "../identity/Identify.ts"
import { defaultMatchConfig, type HeldDetail, type MatchResult } from "../identity/Matching.ts"
import { Fenced, JobStore, type Fence, type Progress } from "../job/JobStore.ts"
import type { ChangeModel, IdTrust } from "../provider/Capabilities.ts"
import type { Coverage } from "../provider/Provider.ts"
import { idKindOf, isSnapshotType } from "../record/DataType.ts"
import type { IndexEntry, RecordWrite } from "../record/LedgerRecord.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import type { Observation } from "./Ingest.ts"
import { LeaseLost } from "./PullError.ts"

/** The right to write to a connection: its lease, and the job's fence when a job does it. */
export interface WriteRight {
  readonly bankId: BankId
  readonly leaseHolder: string
  readonly fence: Fence | undefined
}

export interface SnapshotOfAccount {
  readonly scope: RecordScope
  readonly observations: ReadonlyArray<Observation>
  readonly removed: ReadonlySet<string>
  /** Upstream ids of rows that could not be read; `""` among them is a row that could be any. */
  readonly unread: ReadonlySet<string>
  readonly coverage: Coverage
  readonly idTrust: IdTrust
  readonly changeModel: ChangeModel
}

export interface Written {
  readonly unchanged: number
  readonly changed: number
  readonly gone: number
  readonly coverageSuspect: boolean
}

/**
 * Snapshot types are what their last read says. A change feed that was read whole, or over a range, is as good
 * as its feed: there will be no second such read to wait for. Everything else must be missing more than once.
 */
const isWholeTruth = ({ changeModel, coverage, scope }: SnapshotOfAccount): boolean =>
  isSnapshotType(scope.dataType) || (changeModel === "delta" && coverage.kind !== "delta")

/** A row that could not be read may be any of those that are missing, unless its id says which one it is. */
const believable = ({ coverage, idTrust, unread }: SnapshotOfAccount): Coverage =>
  coverage.kind === "delta" || unread.size === 0 || (trusted(idTrust) && !unread.has(""))
    ? coverage
    : { ...coverage, complete: false }

/** Ids that the observations name, and which are not in `known`; `""` stands for rows without one. */
const idsNamed = ({ observations, removed }: SnapshotOfAccount, known: ReadonlySet<string>) => {
  const named = new Set(removed)
  for (const { pendingProviderId, providerId } of observations) {
    named.add(providerId)
    if (pendingProviderId !== "") named.add(pendingProviderId)
  }
  return [...named].filter((id) => !known.has(id))
}

/** Days before what is read that a record may be dated and still be meant. */
const reachDays = 14

type WriteError = Fenced | LeaseLost | StorageUnavailable

export class Writer extends Context.Service<
  Writer,
  {
    /** First statement of each writing transaction: stops whoever lost the right to write. */
    readonly guard: (right: WriteRight, progress: Progress) => Effect.Effect<void, WriteError>
    readonly write: (right: WriteRight, snapshot: SnapshotOfAccount) => Effect.Effect<Written, WriteError>
  }
>()("@millrace/core/sync/Writer") {
  static readonly layer: Layer.Layer<Writer, never, RecordStore | JobStore | Transactor | Ids> = Layer.effect(
    Writer,
    Effect.gen(function* () {
      const records = yield* RecordStore
      const jobs = yield* JobStore
      const { atomically } = yield* Transactor
      const ids = yield* Ids

      const guard = Effect.fnUntraced(function* (right: WriteRight, progress: Progress) {
        if (right.fence !== undefined) yield* jobs.fence(right.fence, progress)
        if (!(yield* jobs.holdsLease(right.bankId, right.leaseHolder))) {
          return yield* new LeaseLost({ bankId: right.bankId })
        }
      })

      const heldFor = Effect.fnUntraced(function* (snapshot: SnapshotOfAccount) {
        const { coverage, idTrust, scope } = snapshot
        const byId = trusted(idTrust)
        if (coverage.kind === "full" || (coverage.kind === "delta" && !byId)) return yield* records.index(scope, {})
        if (coverage.kind === "delta") {
          const named = idsNamed(snapshot, new Set())
          if (named.length === 0) return []
          const found = yield* records.index(scope, { providerIds: named })
          const known = new Set(found.map((entry) => entry.providerId))
          // What comes under a new id may settle a pending record, or may be known from another source.
          const from = snapshot.observations
            .flatMap(({ date, providerId }) => (date === null || known.has(providerId) ? [] : date))
            .reduce<CalendarDate.CalendarDate | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined)
          if (from === undefined) return found
          const held = new Set(found.map((entry) => entry.id))
          const around = yield* records.index(scope, { from: CalendarDate.addDays(from, -reachDays) })
          return [...found, ...around.filter((entry) => !held.has(entry.id))]
        }
        // Rows may have been booked some days before the window they are now seen in; with an id that counts
        // they are found wherever they were.
        const near = yield* records.index(scope, { from: CalendarDate.addDays(coverage.from, -reachDays) })
        const far = byId ? idsNamed(snapshot, new Set(near.map((entry) => entry.providerId)).add("")) : []
        if (far.length === 0) return near
        const held = new Set(near.map((entry) => entry.id))
        return [...near, ...(yield* records.index(scope, { providerIds: far })).filter((entry) => !held.has(entry.id))]
      })

      const identified = Effect.fnUntraced(function* (snapshot: SnapshotOfAccount) {
        const { scope } = snapshot
        const now = yield* Timestamp.now
        const open = identify({
          dataType: scope.dataType,
          observations: snapshot.observations,
          held: yield* heldFor(snapshot),
          aliases: new Map(),
          idTrust: snapshot.idTrust,
          coverage: believable(snapshot),
          removed: snapshot.removed,
          unread: snapshot.unread,
          atOnce: isWholeTruth(snapshot),
          byIdOnly: false,
          config: defaultMatchConfig,
          now
        })
        const fields = open.wanted.length === 0 ? undefined : yield* records.fields(scope, open.wanted)
        const details = new Map<string, HeldDetail>()
        for (const [id, content] of fields ?? []) {
          details.set(id, { fields: content, missedSince: null, missedAt: null, updatedAt: now, edited: false })
        }
        return open.finish({ records: details, isForbidden: () => false })
      })

      const writesOf = Effect.fnUntraced(function* (snapshot: SnapshotOfAccount, result: MatchResult) {
        const isNew = result.changed.filter((match) => match.entry === undefined)
        const fresh = yield* ids.batch(idKindOf[snapshot.scope.dataType], isNew.length)
        let next = 0
        const writes: Array<RecordWrite> = result.changed.map(({ entry, observation }) => ({
          id: entry?.id ?? fresh[next++]!,
          providerId: observation.providerId,
          date: observation.date,
          pending: observation.pending,
          state: "live",
          hash: observation.hash,
          fields: observation.fields
        }))
        return writes
      })

      // A tombstone keeps the content it had: it may come back, and the destination may still show it.
      const tombstones = Effect.fnUntraced(function* (scope: RecordScope, gone: ReadonlyArray<IndexEntry>) {
        if (gone.length === 0) return []
        const fields = yield* records.fields(
          scope,
          gone.map((entry) => entry.id)
        )
        return gone.map((entry): RecordWrite => ({
          id: entry.id,
          providerId: entry.providerId,
          date: entry.date,
          pending: entry.pending,
          state: "removed",
          hash: entry.hash,
          fields: fields.get(entry.id) ?? {}
        }))
      })

      const noteMissed = Effect.fnUntraced(function* (scope: RecordScope, result: MatchResult) {
        const byCount = new Map<number, Array<string>>()
        if (result.seenAgain.length > 0)
          byCount.set(
            0,
            result.seenAgain.map((entry) => entry.id)
          )
        for (const { entry, missed } of result.missed) {
          const list = byCount.get(missed)
          if (list === undefined) byCount.set(missed, [entry.id])
          else list.push(entry.id)
        }
        for (const [missed, list] of byCount) yield* records.setMissed(scope, list, missed)
      })

      const write = Effect.fn("Writer.write")(function* (right: WriteRight, snapshot: SnapshotOfAccount) {
        const { scope } = snapshot
        const result = yield* identified(snapshot)
        const writes = [...(yield* writesOf(snapshot, result)), ...(yield* tombstones(scope, result.gone))]
        for (let at = 0; at < writes.length; at += limits.commitChunk) {
          const chunk = writes.slice(at, at + limits.commitChunk)
          yield* atomically(Effect.andThen(guard(right, {}), records.write(scope, chunk)))
        }
        if (result.missed.length > 0 || result.seenAgain.length > 0) {
          yield* atomically(Effect.andThen(guard(right, {}), noteMissed(scope, result)))
        }
        return {
          unchanged: result.unchanged,
          changed: result.changed.length,
          gone: result.gone.length,
          coverageSuspect: result.coverageSuspect
        }
      })

      return Writer.of({ guard, write })
    })
  )
}
