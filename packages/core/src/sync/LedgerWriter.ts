/** Writing what a source showed of one account into the ledger: identified, in bounded transactions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DecisionLog } from "../identity/DecisionLog.ts"
import type { ActorRef } from "../access/ActorRef.ts"
import type { BankId } from "../bank/Bank.ts"
import { isOfFile, trusted } from "../identity/match/Coverage.ts"
import { HeldIndex } from "../identity/HeldIndex.ts"
import { identify } from "../identity/match/Identify.ts"
import type { IdentityFact } from "../identity/match/IdentityFact.ts"
import { RecordEdits } from "../identity/RecordEdits.ts"
import { IdentityStore, type Recalled } from "../identity/IdentityStore.ts"
import {
  defaultMatchConfig,
  onlyIdDiffers,
  type HeldDetail,
  type MatchDetails,
  type MatchResult,
  type Suggestion
} from "../identity/match/Matching.ts"
import { Joining } from "../identity/Joining.ts"
import type { LoggedSuggestion } from "../identity/LoggedSuggestion.ts"
import { lateDays } from "../identity/match/LateSettlement.ts"
import { forbiddenPairs, withoutForbiddenLinks } from "../identity/match/ForbiddenPairs.ts"
import { oldestPosted, shownFromOf } from "../identity/match/Proof.ts"
import { isEntangled, DayDigests, type Divided } from "../identity/match/DayDigests.ts"
import { countHits, fullTrust, trustOf } from "../identity/match/TrustCounter.ts"
import { EventStore } from "../event/EventStore.ts"
import type { JobId } from "../job/Job.ts"
import { Fenced, JobStore, type Fence } from "../job/JobStore.ts"
import { safePoint } from "../job/SafePoint.ts"
import { isSnapshotType } from "../record/DataType.ts"
import type { HeldRecord, IndexEntry, RecordWrite } from "../record/LedgerRecord.ts"
import { newTransactions } from "../record/RecordEvents.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import { Leases, type Lease, type LeaseLost } from "../storage/Lease.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { believable, canSettle, isWholeTruth, type SnapshotOfAccount } from "./SnapshotOfAccount.ts"
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
  /** Observations of which the ledger says nothing else than before. */
  readonly unchanged: number
  readonly changed: number
  readonly gone: number
  /** As in `MatchResult`. */
  readonly shownFrom: CalendarDate | undefined
  readonly coverageSuspect: boolean
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

type WriteError = Fenced | LeaseLost | StorageUnavailable

export class LedgerWriter extends Context.Service<
  LedgerWriter,
  {
    /**
     * A statement of each writing transaction: stops whoever lost the right to write, whose transaction leaves nothing then.
     * Others wait for it from there to the end of the transaction, so it comes last where much is written. Returns whether the
     * job is to pause (`JobStore.fence`).
     */
    readonly guard: (right: WriteRight) => Effect.Effect<boolean, WriteError>
    readonly write: (right: WriteRight, snapshot: SnapshotOfAccount) => Effect.Effect<Written, WriteError>
  }
>()("@millrace/core/sync/LedgerWriter") {
  static readonly layer: Layer.Layer<
    LedgerWriter,
    never,
    RecordStore | IdentityStore | RecordEdits | JobStore | Leases | EventStore | Transactor | Ids | Digest
  > = Layer.effect(
    LedgerWriter,
    Effect.gen(function* () {
      const records = yield* RecordStore
      const identity = yield* IdentityStore
      const edits = yield* RecordEdits
      const jobs = yield* JobStore
      const events = yield* EventStore
      const leases = yield* Leases
      const { atomically } = yield* Transactor
      const ids = yield* Ids
      const { contentHash } = yield* Digest
      const { around } = yield* HeldIndex
      const { plan: planned } = yield* WritePlan
      const { join } = yield* Joining

      const guard = Effect.fnUntraced(function* (right: WriteRight) {
        if (right.fence !== undefined) return yield* jobs.fenceBank(right.fence, right.bankId)
        if (right.lease !== undefined) yield* leases.fence(right.lease)
        return false
      })

      const detailsOf = Effect.fnUntraced(function* (
        scope: RecordScope,
        wanted: ReadonlyArray<string>,
        facts: ReadonlyArray<IdentityFact>
      ) {
        const decided = new Set(facts.flatMap(({ otherId, recordId }) => [recordId, otherId ?? ""]))
        const details = new Map<string, HeldDetail & HeldRecord>()
        for (let at = 0; at < wanted.length; at += limits.commitChunk) {
          const some = wanted.slice(at, at + limits.commitChunk)
          const edited = yield* edits.among(scope, some)
          for (const record of yield* records.held(scope, some)) {
            details.set(record.id, {
              ...record,
              edited: edited.has(record.id),
              alone: record.apart || decided.has(record.id)
            })
          }
        }
        return details
      })

      /** Returns whether the read was matched as it was divided. */
      const identified = Effect.fnUntraced(function* (
        snapshot: SnapshotOfAccount,
        recalled: Recalled,
        digests: DayDigests | undefined
      ) {
        const { scope } = snapshot
        const nearOf = ({ days, open }: Divided) =>
          around({ ...snapshot, observations: open, days }, recalled.hasAliases)
        let divided = digests?.divide()
        let near = divided === undefined ? undefined : yield* nearOf(divided)
        const also = near === undefined ? [] : lateDays(snapshot.idTrust, near.held, divided!.open)
        if (also.length > 0) {
          divided = digests!.divide(also)
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
          coverage: believable(snapshot),
          historyFrom: snapshot.historyFrom,
          none: snapshot.none ?? false,
          ...(snapshot.period === undefined ? {} : { period: snapshot.period }),
          removed: snapshot.removed,
          unread: snapshot.unread,
          atOnce: isWholeTruth(snapshot),
          byIdOnly: snapshot.byIdOnly,
          ...(snapshot.keyed === undefined ? {} : { keyed: snapshot.keyed }),
          config: defaultMatchConfig,
          now: recalled.now
        })
        const details = yield* detailsOf(scope, open.wanted, recalled.facts)
        const isForbidden: MatchDetails["isForbidden"] = (recordId, observation) => {
          const record = details.get(recordId)
          const staysApart = record?.apart === true && record.providerId !== observation.providerId
          return staysApart || isForbiddenPair(recordId, observation)
        }
        return { result: open.finish({ records: details, isForbidden }), aliases, held, details, isDivided }
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

      /** Records that are joined are few, and each of them is a step of its own. */
      const noteJoined = Effect.fnUntraced(function* (
        { coverage, idTrust, scope }: SnapshotOfAccount,
        joined: MatchResult["joined"],
        jobId: JobId | undefined
      ) {
        const both = yield* records.held(
          scope,
          joined.flatMap(({ booked, entry }) => [entry.id, booked.id])
        )
        const now = new Map(both.map((record) => [record.id, record]))
        for (const { booked, entry, evidence } of joined) {
          const [a, b] = [now.get(entry.id)!, now.get(booked.id)!]
          const job = jobId === undefined ? {} : { jobId }
          yield* join(scope, a, b, { evidence, coverage, ...job, idsCount: trusted(idTrust) })
        }
      })

      const noteSuggested = Effect.fnUntraced(function* (
        scope: RecordScope,
        suggestions: ReadonlyArray<Suggestion>,
        jobId: JobId | undefined
      ) {
        const made: Array<Omit<LoggedSuggestion, "at" | "state">> = []
        for (const { evidence, observed, recordId } of suggestions) {
          if (!("id" in observed)) continue
          const job = jobId === undefined ? {} : { jobId }
          made.push({
            id: yield* ids.next("suggestion"),
            ...scope,
            recordId,
            observedId: observed.id,
            evidence,
            ...job
          })
        }
        yield* identity.suggest(made)
      })

      /** A job that dies in between reads the same rows again and finds what was written unchanged. */
      const put = Effect.fnUntraced(function* (
        right: WriteRight,
        { byIdOnly, scope }: SnapshotOfAccount,
        chunk: Chunk,
        dayDigests: string | undefined
      ) {
        const asked = yield* atomically(
          Effect.gen(function* () {
            yield* identity.logMatches(chunk.matches)
            yield* identity.addAliases(scope, [...chunk.aliases.values()])
            yield* records.rename(scope, chunk.renames)
            yield* records.write(scope, chunk.writes, { apart: byIdOnly, dayDigests })
            yield* identity.suggest(chunk.suggestions)
            // Of accounts that nobody can see there is nothing to tell.
            if (scope.dataType === "transactions" && chunk.created.length > 0 && right.held !== true) {
              yield* events.append([newTransactions({ ...scope, bankId: right.bankId }, chunk.created, right.cause)])
            }
            return yield* guard(right)
          })
        )
        if (right.fence !== undefined) yield* safePoint(jobs, right.fence, asked)
      })

      const write = Effect.fn("LedgerWriter.write")(function* (right: WriteRight, asked: SnapshotOfAccount) {
        const { scope } = asked
        // Of snapshots nothing is remembered: they are what their last read says.
        const recalled = isSnapshotType(scope.dataType) ? yield* nothingRecalled : yield* identity.recall(scope)
        // What a file is called says nothing about the ids of the connection.
        const ofFile = asked.observations.some(isOfFile)
        const idTrust = ofFile ? asked.idTrust : trustOf(asked.idTrust, recalled.trust)
        const snapshot: SnapshotOfAccount = { ...asked, idTrust }
        const digests =
          !ofFile && canSettle(snapshot, recalled)
            ? new DayDigests(yield* records.dayDigests(scope), asked.observations, asked, contentHash)
            : undefined
        if (digests?.isUnchanged === true) {
          const shownFrom = shownFromOf(
            { ...snapshot, coverage: believable(snapshot) },
            oldestPosted(asked.observations),
            false
          )
          const unchanged = asked.observations.length
          return { unchanged, changed: 0, gone: 0, shownFrom, coverageSuspect: false, demoted: false }
        }
        const { aliases, details, held, isDivided, result: found } = yield* identified(snapshot, recalled, digests)
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
        digests?.follow(isDivided, held, result)
        let isSettled = digests === undefined
        /** Follows a transaction. What is settled by the last one is written with it. */
        const digestsAfter = (isLast: boolean, { renames, writes }: Chunk): string | undefined => {
          digests?.write(renames, writes)
          if (!isLast) return undefined
          isSettled = true
          return digests?.text
        }

        for (let at = 0; at < matches.length; at += limits.commitChunk) {
          const some = matches.slice(at, at + limits.commitChunk)
          const chunk = yield* planned(snapshot, { result, aliases, details }, some, right.fence?.jobId)
          if (chunk.writes.length + chunk.renames.length + chunk.aliases.size === 0) continue
          const isLast = at + some.length === matches.length && result.gone.length === 0 && !isNoted
          yield* put(right, snapshot, chunk, digestsAfter(isLast, chunk))
        }
        const gone = yield* tombstones(scope, result.gone)
        for (let at = 0; at < gone.length; at += limits.commitChunk) {
          const chunk = { ...emptyChunk(), writes: gone.slice(at, at + limits.commitChunk) }
          const isLast = at + chunk.writes.length === gone.length && !isNoted
          yield* put(right, snapshot, chunk, digestsAfter(isLast, chunk))
        }
        // What was joined is open until the next read has shown it as one.
        if (isNoted)
          digests?.write(
            [],
            result.joined.map(({ booked }) => ({ ...booked, state: "removed", fields: {} }))
          )
        const dayDigests = isSettled ? undefined : digests?.text
        if (isNoted || dayDigests !== undefined) {
          yield* atomically(
            Effect.gen(function* () {
              yield* guard(right)
              yield* noteMissed(scope, result)
              yield* noteJoined(snapshot, result.joined, right.fence?.jobId)
              yield* noteSuggested(scope, lateSuggestions, right.fence?.jobId)
              if (trust !== recalled.trust) yield* identity.setTrust(scope, trust)
              if (result.learnt !== recalled.learnt) yield* identity.setLearnt(scope, result.learnt)
              if (dayDigests !== undefined) yield* records.keepDayDigests(scope, dayDigests)
            })
          )
        }
        // An id that is another now is news to nobody but us.
        const renamed = result.changed.filter(onlyIdDiffers).length
        return {
          unchanged: result.unchanged + renamed,
          changed: result.changed.length - renamed + result.joined.length,
          gone: result.gone.length,
          shownFrom: result.shownFrom,
          coverageSuspect: result.coverageSuspect,
          demoted: trust.demoted && !recalled.trust.demoted
        }
      })

      return LedgerWriter.of({ guard, write })
    })
  ).pipe(Layer.provide([HeldIndex.layer, WritePlan.layer, Joining.layer.pipe(Layer.provide(DecisionLog.layer))]))
}
