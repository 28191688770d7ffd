/** Writing what a source showed of one account into the ledger: identified, in bounded transactions. */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ActorRef } from "../access/ActorRef.ts"
import type { BankId } from "../bank/Bank.ts"
import type { BankStore } from "../bank/BankStore.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { Rates } from "../enrichment/kinds/Rates.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import { isOfFile, trusted } from "../identity/match/Coverage.ts"
import { HeldIndex } from "../identity/HeldIndex.ts"
import { identify } from "../identity/match/Identify.ts"
import type { IdentityFact } from "../identity/match/IdentityFact.ts"
import { RecordEdits } from "../identity/RecordEdits.ts"
import { IdentityStore, type Recalled } from "../identity/IdentityStore.ts"
import {
  onlyIdDiffers,
  type HeldDetail,
  type MatchConfig,
  type MatchDetails,
  type MatchResult,
  type OpenMatch
} from "../identity/match/Matching.ts"
import { MatchConfigs } from "../identity/MatchConfigs.ts"
import { lateDays } from "../identity/match/LateSettlement.ts"
import { mayChangeCurrency } from "../identity/match/OtherCurrency.ts"
import { forbiddenPairs, withoutForbiddenLinks } from "../identity/match/ForbiddenPairs.ts"
import { oldestPosted, shownFromOf } from "../identity/match/Proof.ts"
import { type Divided, isEntangled, SettledDays } from "../identity/match/SettledDays.ts"
import { ShownRows } from "../identity/match/ShownRows.ts"
import { countHits, fullTrust, trustOf } from "../identity/match/TrustCounter.ts"
import { EventStore } from "../event/EventStore.ts"
import { Fenced, JobStore, type Fence } from "../job/JobStore.ts"
import { makeSafePoints } from "../job/SafePoint.ts"
import { isSnapshotType } from "../record/DataType.ts"
import { type DayHashChanges, noDayHashes } from "../record/DayHashes.ts"
import type { HeldRecord, IndexEntry, RecordWrite } from "../record/LedgerRecord.ts"
import type { NewEvent } from "../event/Event.ts"
import { identityEvents, newTransactions, untrustedEvent } from "../record/RecordEvents.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import type { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease, type LeaseLost } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import {
  believable,
  canSettle,
  isWholeTruth,
  maySettle,
  type SpooledRead,
  type SnapshotOfAccount
} from "./SnapshotOfAccount.ts"
import { IdentityNotes } from "./IdentityNotes.ts"
import { emptyChunk, WritePlan, type Chunk } from "./WritePlan.ts"

/**
 * The right to write to what is under a bank: the fence of a job, which has its lease, or that lease itself; of what was
 * made for a feed, that the transaction holds it (`BankStore.holdMade`).
 */
export type WriteRight = {
  readonly bankId: BankId
  /** Who is behind what is written. */
  readonly cause: ActorRef
} & (
  | { readonly fence: Fence; readonly lease?: undefined; readonly held?: undefined }
  | { readonly lease: Lease; readonly fence?: undefined; readonly held?: undefined }
  | { readonly held: true; readonly fence?: undefined; readonly lease?: undefined }
)

export interface Written {
  /** Observations about which the ledger says nothing else than before. */
  readonly unchanged: number
  readonly changed: number
  readonly gone: number
  /** Records of the rows of a file, in their order. */
  readonly recordIds: ReadonlyArray<string>
  /** As in `MatchResult`. */
  readonly shownFrom: CalendarDate | undefined
  readonly coverageSuspect: boolean
  /** Day of the oldest booked row that the read showed. */
  readonly oldest: CalendarDate | undefined
  /** Booked records that are gone although so many vanished at once: one read alone had shown them. */
  readonly shownOnce: ReadonlyArray<RecordWrite>
  /** Upstream ids of the account are not believed any more, since this read. */
  readonly demoted: boolean
}

const nothingRecalled = Effect.map(Timestamp.now, (now): Recalled => ({
  now,
  trust: fullTrust,
  learnt: [],
  hasAliases: false,
  facts: []
}))

/** Records that people keep, whatever the upstream shows. */
const keptIds = (facts: ReadonlyArray<IdentityFact>): ReadonlySet<string> =>
  new Set(facts.filter(({ kind }) => kind === "keep").map(({ recordId }) => recordId))

/** A read of an account, wherever its rows are. */
interface AnyRead extends Omit<SpooledRead, "shown"> {
  readonly ofFile: () => boolean
  readonly shown: () => ShownRows
}

type WriteError = Fenced | LeaseLost | StorageUnavailable

export class LedgerWriter extends Context.Service<
  LedgerWriter,
  {
    /**
     * A statement of each writing transaction: stops a run that lost the right to write, whose transaction leaves nothing then.
     * Others wait for it from there to the end of the transaction, so it comes last where much is written. Returns whether the
     * job is to pause (`JobStore.fence`).
     */
    readonly guard: (right: WriteRight) => Effect.Effect<boolean, WriteError>
    readonly write: (right: WriteRight, snapshot: SnapshotOfAccount) => Effect.Effect<Written, WriteError>
    /** The same. Rows are loaded only if the hash of a day differs. */
    readonly writeSpooled: (right: WriteRight, read: SpooledRead) => Effect.Effect<Written, WriteError>
  }
>()("@millrace/core/sync/LedgerWriter") {
  static readonly layer: Layer.Layer<
    LedgerWriter,
    never,
    | RecordStore
    | IdentityStore
    | RecordEdits
    | JobStore
    | Leases
    | EventStore
    | EnrichmentStore
    | FeedStore
    | BankStore
    | Transactor
    | Ids
    | Digest
  > = Layer.effect(
    LedgerWriter,
    Effect.gen(function* () {
      const records = yield* RecordStore
      const identity = yield* IdentityStore
      const edits = yield* RecordEdits
      const jobs = yield* JobStore
      const { safePoint } = yield* makeSafePoints
      const events = yield* EventStore
      const leases = yield* Leases
      const { atomically } = yield* Transactor
      const { contentHash } = yield* Digest
      const { around } = yield* HeldIndex
      const { plan: planned } = yield* WritePlan
      const notes = yield* IdentityNotes
      const matching = yield* MatchConfigs
      const rateSource = yield* Rates

      const guard = Effect.fnUntraced(function* (right: WriteRight) {
        if (right.fence !== undefined) return yield* jobs.fenceBank(right.fence, right.bankId)
        if (right.lease !== undefined) yield* leases.fence(right.lease)
        return false
      })

      const detailsOf = Effect.fnUntraced(function* (
        scope: RecordScope,
        { editsCount, wanted }: OpenMatch,
        facts: ReadonlyArray<IdentityFact>
      ) {
        const decided = new Set(facts.flatMap(({ otherId, recordId }) => [recordId, otherId ?? ""]))
        const details = new Map<string, HeldDetail & HeldRecord>()
        const edited = new Set<string>()
        const askEdits = Effect.fnUntraced(function* (some: ReadonlyArray<string>) {
          for (const id of yield* edits.among(scope, some)) edited.add(id)
        })
        // Together where it is known to count what people wrote; most reads that correct a few rows need not ask.
        const isAsked = editsCount()
        for (const some of Arr.chunksOf(wanted, limits.commitChunk)) {
          const [held] = yield* Effect.all([records.held(scope, some), isAsked ? askEdits(some) : Effect.void], {
            concurrency: "unbounded"
          })
          for (const record of held) {
            details.set(record.id, { ...record, edited: false, alone: record.apart || decided.has(record.id) })
          }
        }
        if (!isAsked && editsCount(details)) yield* Effect.forEach(Arr.chunksOf(wanted, limits.commitChunk), askEdits)
        for (const id of edited) {
          const detail = details.get(id)
          if (detail !== undefined) details.set(id, { ...detail, edited: true })
        }
        return details
      })

      /** What is known of the account besides the records that a file may mean: other files, ids, days of the connection. */
      const besides = Effect.fnUntraced(function* (
        { earlier = [], file = {}, scope }: SnapshotOfAccount,
        held: ReadonlyArray<IndexEntry>,
        hasAliases: boolean
      ) {
        const formerIds = new Map<string, ReadonlyArray<string>>()
        for (const some of hasAliases ? Arr.chunksOf(held, limits.commitChunk) : []) {
          const found = yield* identity.formerIds(
            scope,
            some.map(({ id }) => id)
          )
          for (const [recordId, ids] of found) formerIds.set(recordId, ids)
        }
        const [steps, pulledAt] = yield* Effect.all([
          Effect.map(records.shown(scope.dataType, [scope.accountId]), (shown) => shown.get(scope.accountId) ?? []),
          records.pulledAt(scope)
        ])
        const [from, at] = [steps.at(-1)?.from, pulledAt ?? steps[0]?.at]
        const to = at?.slice(0, 10) as CalendarDate | undefined
        const shownDays = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
        return { earlier, file, formerIds, shownDays }
      })

      /** Returns whether the read was matched as it was divided. */
      const identified = Effect.fnUntraced(function* (
        snapshot: SnapshotOfAccount,
        recalled: Recalled,
        settledDays: SettledDays | undefined,
        config: MatchConfig
      ) {
        const { scope } = snapshot
        const nearOf = ({ days, open }: Divided) =>
          around({ ...snapshot, observations: open, days }, recalled.hasAliases)
        let divided = settledDays?.divide()
        let near = divided === undefined ? undefined : yield* nearOf(divided)
        const also = near === undefined ? [] : lateDays(snapshot.idTrust, near.held, divided!.open)
        if (also.length > 0) {
          divided = settledDays!.divide(also)
          near = yield* nearOf(divided!)
        }
        const isDivided = near !== undefined && !isEntangled(divided!, near.held)
        const { aliases, held } = isDivided ? near! : yield* around(snapshot, recalled.hasAliases)
        const shown = isDivided ? divided!.open : snapshot.observations
        const isForbiddenPair = forbiddenPairs(recalled.facts, held, trusted(snapshot.idTrust))
        const observations = recalled.facts.some(({ kind }) => kind === "forbid")
          ? withoutForbiddenLinks(shown, held, aliases, isForbiddenPair)
          : shown
        const open = identify({
          dataType: scope.dataType,
          observations,
          ...(isDivided ? { settled: divided!.settled } : {}),
          held,
          aliases,
          learnt: recalled.learnt,
          idTrust: snapshot.idTrust,
          ...believable(snapshot),
          historyFrom: snapshot.historyFrom,
          none: snapshot.none ?? false,
          ...(snapshot.file === undefined ? {} : yield* besides(snapshot, held, recalled.hasAliases)),
          removed: snapshot.removed,
          unread: snapshot.unread,
          ...(snapshot.shownBefore === undefined ? {} : { shownBefore: snapshot.shownBefore }),
          ...(snapshot.reset === undefined ? {} : { reset: snapshot.reset }),
          atOnce: isWholeTruth(snapshot),
          byIdOnly: snapshot.byIdOnly,
          ...(snapshot.keyed === undefined ? {} : { keyed: snapshot.keyed }),
          config,
          now: recalled.now
        })
        const details = yield* detailsOf(scope, open, recalled.facts)
        const isForbidden: MatchDetails["isForbidden"] = (recordId, observation) => {
          const record = details.get(recordId)
          const staysApart = record?.apart === true && record.providerId !== observation.providerId
          return staysApart || isForbiddenPair(recordId, observation)
        }
        const rates = mayChangeCurrency(observations, details.values()) ? yield* rateSource.read : undefined
        return { result: open.finish({ records: details, isForbidden, rates }), aliases, held, details, isDivided }
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

      /** A job that dies in between reads the same rows again and finds what was written unchanged. */
      const put = Effect.fnUntraced(function* (
        right: WriteRight,
        { byIdOnly, scope }: SnapshotOfAccount,
        chunk: Chunk,
        dayHashes: DayHashChanges | undefined,
        told: ReadonlyArray<NewEvent>
      ) {
        const asked = yield* atomically(
          Effect.gen(function* () {
            yield* identity.logMatches(chunk.matches)
            yield* identity.addAliases(scope, [...chunk.aliases.values()])
            yield* records.rename(scope, chunk.renames)
            const areNew = chunk.created.length === chunk.writes.length
            yield* records.write(scope, chunk.writes, { apart: byIdOnly, areNew })
            if (dayHashes !== undefined) yield* records.keepDayHashes(scope, dayHashes)
            yield* identity.suggest(chunk.suggestions)
            // Of accounts that nobody can see there is nothing to tell.
            if (scope.dataType === "transactions" && chunk.created.length > 0 && right.held !== true) {
              yield* events.append([newTransactions({ ...scope, bankId: right.bankId }, chunk.created, right.cause)])
            }
            if (told.length > 0) yield* events.append(told)
            return yield* guard(right)
          })
        )
        if (right.fence !== undefined) yield* safePoint(right.fence, asked)
      })

      const writeRead = Effect.fnUntraced(function* (right: WriteRight, { rows, shown: shownOf, ...asked }: AnyRead) {
        const { scope } = asked
        // Of snapshots nothing is remembered: they are what their last read says.
        const ofFile = asked.ofFile()
        // One wait for all three, no matter which answers first.
        const [recalled, { config, isTuned, key }, hashesBefore] = yield* Effect.all(
          [
            isSnapshotType(scope.dataType) ? nothingRecalled : identity.recall(scope),
            matching.of({ ...scope, bankId: right.bankId }, asked.dedupes),
            !ofFile && maySettle(asked) ? records.dayHashes(scope) : Effect.succeed(noDayHashes)
          ],
          { concurrency: "unbounded" }
        )
        // What a file is called says nothing about the ids of the connection.
        const idTrust = ofFile ? asked.idTrust : trustOf(asked.idTrust, recalled.trust)
        const read = { ...asked, idTrust }
        const shown = !ofFile && canSettle(read, recalled) ? shownOf() : undefined
        const settledDays =
          shown === undefined ? undefined : new SettledDays(hashesBefore, shown, asked, { contentHash, key })
        const told = (what: "merged" | "dropped" | "revived", which: ReadonlyArray<string>) =>
          isTuned && right.held !== true
            ? identityEvents({ ...scope, bankId: right.bankId }, what, which, right.cause)
            : []
        if (settledDays?.isUnchanged === true) {
          const { count, oldest } = shown!
          const shownFrom = shownFromOf({ ...read, ...believable(read) }, oldest, false)
          return {
            unchanged: count,
            changed: 0,
            gone: 0,
            recordIds: [],
            shownFrom,
            oldest,
            coverageSuspect: false,
            shownOnce: [],
            demoted: false
          }
        }
        const snapshot: SnapshotOfAccount = { ...read, observations: yield* rows }
        settledDays?.show(snapshot.observations)
        const {
          aliases,
          details,
          held,
          isDivided,
          result: found
        } = yield* identified(snapshot, recalled, settledDays, config)
        const kept = keptIds(recalled.facts)
        const result: MatchResult =
          kept.size === 0
            ? found
            : {
                ...found,
                // What a person keeps is not counted as missed.
                shownFrom: [...found.gone, ...found.missed.map(({ entry }) => entry)].some(({ id }) => kept.has(id))
                  ? undefined
                  : found.shownFrom,
                gone: found.gone.filter(({ id }) => !kept.has(id)),
                missed: found.missed.filter(({ entry }) => !kept.has(entry.id))
              }

        const matches = [...result.changed, ...result.confirmed, ...result.absorbed]
        const isNews = matches.length > 0 || result.idContradictions > 0
        const trust =
          isNews && !ofFile ? countHits(recalled.trust, result.idMatches, result.idContradictions) : recalled.trust
        const lateSuggestions = result.suggestions.filter(({ observed }) => "id" in observed)
        const isNoted =
          result.missed.length + result.seenAgain.length + result.joined.length + lateSuggestions.length > 0 ||
          trust !== recalled.trust ||
          result.learnt !== recalled.learnt
        settledDays?.follow(isDivided, held, result)
        let isSettled = settledDays === undefined
        /** Follows a transaction. The last one writes the hashes of days too. */
        const hashesAfter = (isLast: boolean, { created, renames, writes }: Chunk): DayHashChanges | undefined => {
          settledDays?.write(renames, writes, created.length === writes.length)
          if (!isLast) return undefined
          isSettled = true
          return settledDays?.changes
        }

        const created: Array<string> = []
        const chunkRecords = Math.min(limits.syncedChunk, limits.commitChunk)
        for (let at = 0; at < matches.length; at += chunkRecords) {
          const some = matches.slice(at, at + chunkRecords)
          const chunk = yield* planned(snapshot, { result, aliases, details }, some, right.fence?.jobId)
          created.push(...chunk.created)
          if (chunk.writes.length + chunk.renames.length + chunk.aliases.size === 0) continue
          const isLast = at + some.length === matches.length && result.gone.length === 0 && !isNoted
          const back = some.flatMap(({ entry }) => (entry?.state === "removed" ? [entry.id] : []))
          const confirmed = new Set(result.confirmed)
          const same = some.flatMap((match) => (confirmed.has(match) ? [match.entry!.id] : []))
          const news = [...told("revived", back), ...told("merged", same)]
          yield* put(right, snapshot, chunk, hashesAfter(isLast, chunk), news)
        }
        const gone = yield* tombstones(scope, result.gone)
        for (let at = 0; at < gone.length; at += limits.commitChunk) {
          const chunk = { ...emptyChunk(), writes: gone.slice(at, at + limits.commitChunk) }
          const isLast = at + chunk.writes.length === gone.length && !isNoted
          const news = told(
            "dropped",
            chunk.writes.map(({ id }) => id)
          )
          yield* put(right, snapshot, chunk, hashesAfter(isLast, chunk), news)
        }
        // What was joined is open until the next read has shown it as one.
        if (isNoted)
          settledDays?.write(
            [],
            result.joined.map(({ booked }) => ({ ...booked, state: "removed", fields: {} }))
          )
        const dayHashes = isSettled ? undefined : settledDays?.changes
        if (isNoted || dayHashes !== undefined) {
          yield* atomically(
            Effect.gen(function* () {
              yield* guard(right)
              yield* notes.missed(scope, result)
              yield* notes.joined(snapshot, result.joined, right.fence?.jobId)
              yield* notes.suggested(scope, lateSuggestions, right.fence?.jobId)
              yield* events.append(
                told(
                  "merged",
                  result.joined.map(({ entry }) => entry.id)
                )
              )
              if (isTuned && right.held !== true && trust.demoted && !recalled.trust.demoted) {
                yield* events.append([untrustedEvent({ ...scope, bankId: right.bankId }, right.cause)])
              }
              if (trust !== recalled.trust) yield* identity.setTrust(scope, trust)
              if (result.learnt !== recalled.learnt) yield* identity.setLearnt(scope, result.learnt)
              if (dayHashes !== undefined) yield* records.keepDayHashes(scope, dayHashes)
            })
          )
        }
        let next = 0
        // An id that is another now is news to nobody but us.
        const renamed = result.changed.filter(onlyIdDiffers).length
        return {
          unchanged: result.unchanged + renamed,
          changed: result.changed.length - renamed + result.joined.length,
          gone: result.gone.length,
          recordIds: result.paired.map((id) => id ?? created[next++]!),
          shownFrom: result.shownFrom,
          coverageSuspect: result.coverageSuspect,
          oldest: oldestPosted(snapshot.observations),
          shownOnce: result.coverageSuspect ? gone.filter(({ pending }) => !pending) : [],
          demoted: trust.demoted && !recalled.trust.demoted
        }
      })

      const write = Effect.fn("LedgerWriter.write")((right: WriteRight, snapshot: SnapshotOfAccount) => {
        const { observations, ...asked } = snapshot
        return writeRead(right, {
          ...asked,
          ofFile: () => observations.some(isOfFile),
          shown: () => {
            const shown = new ShownRows(contentHash)
            for (const observation of observations) shown.add(observation)
            return shown
          },
          rows: Effect.succeed(observations)
        })
      })

      const writeSpooled = Effect.fn("LedgerWriter.writeSpooled")(
        (right: WriteRight, { shown, ...read }: SpooledRead) =>
          writeRead(right, { ...read, ofFile: () => shown.hasFileRows, shown: () => shown })
      )

      return LedgerWriter.of({ guard, write, writeSpooled })
    })
  ).pipe(Layer.provide([HeldIndex.layer, MatchConfigs.layer, WritePlan.layer, IdentityNotes.layer]))
}
