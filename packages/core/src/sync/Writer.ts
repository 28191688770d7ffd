/** Writing what a source showed of one account into the ledger: identified, in bounded transactions. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BankId } from "../bank/Bank.ts"
import { rowKey } from "../destination/Delivery.ts"
import { isOfFile, trusted } from "../identity/Covered.ts"
import { heldIndex } from "../identity/HeldIndex.ts"
import { identify } from "../identity/Identify.ts"
import type { IdentityFact } from "../identity/IdentityFact.ts"
import { IdentityStore, type Alias, type Recalled } from "../identity/IdentityStore.ts"
import type { LoggedMatch } from "../identity/LoggedMatch.ts"
import type { LoggedSuggestion } from "../identity/LoggedSuggestion.ts"
import {
  defaultMatchConfig,
  onlyIdDiffers,
  type HeldDetail,
  type Match,
  type MatchDetails,
  type MatchResult
} from "../identity/Matching.ts"
import { isWorthLogging, logOf, needsBefore, writeOf } from "../identity/MatchWrites.ts"
import { partedPairs, withoutPartedLinks } from "../identity/Parted.ts"
import { isEntangled, Settling, type Divided } from "../identity/Settled.ts"
import { countHits, fullTrust, trustOf } from "../identity/TrustCounter.ts"
import { Fenced, JobStore, type Fence, type Progress } from "../job/JobStore.ts"
import { pageEnd } from "../job/PageEnd.ts"
import type { ChangeModel, IdTrust } from "../provider/Capabilities.ts"
import type { Coverage } from "../provider/Provider.ts"
import { idKindOf, isSnapshotType } from "../record/DataType.ts"
import type { HeldRecord, IndexEntry, RecordWrite } from "../record/LedgerRecord.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { TableStore } from "../table/TableStore.ts"
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
  /** Nothing is matched but by its id, and what is new stays apart until a person joins it (`skipDedup`). */
  readonly byIdOnly: boolean
}

export interface Written {
  /** Observations of which the ledger says nothing else than before. */
  readonly unchanged: number
  readonly changed: number
  readonly gone: number
  readonly coverageSuspect: boolean
  /** Upstream ids of the account are not believed any more, since this read. */
  readonly demoted: boolean
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

/** What the matches of one transaction come to. */
interface Chunk {
  readonly matches: Array<Omit<LoggedMatch, "at">>
  readonly aliases: Map<string, Alias>
  readonly renames: Array<{ readonly id: string; readonly providerId: string }>
  readonly writes: Array<RecordWrite>
  readonly suggestions: Array<Omit<LoggedSuggestion, "at" | "state">>
}

const emptyChunk = (): Chunk => ({ matches: [], aliases: new Map(), renames: [], writes: [], suggestions: [] })

const nothingRecalled = Effect.map(Timestamp.now, (now): Recalled => ({
  now,
  trust: fullTrust,
  hasAliases: false,
  facts: []
}))

/** Records that people keep, whatever the upstream shows. */
const keptIds = (facts: ReadonlyArray<IdentityFact>): ReadonlySet<string> =>
  new Set(facts.filter(({ kind }) => kind === "keep").map(({ recordId }) => recordId))

/**
 * Whether rows can be settled: found by their ids in a read of all there is. What people parted depends on records that
 * would not be looked at.
 */
const canSettle = ({ byIdOnly, coverage, idTrust, scope }: SnapshotOfAccount, { facts }: Recalled): boolean =>
  scope.dataType === "transactions" &&
  coverage.kind === "full" &&
  !byIdOnly &&
  trusted(idTrust) &&
  !facts.some(({ kind }) => kind === "forbid")

type WriteError = Fenced | LeaseLost | StorageUnavailable

export class Writer extends Context.Service<
  Writer,
  {
    /**
     * First statement of each writing transaction: stops whoever lost the right to write. Answers whether the
     * job is to pause (`JobStore.fence`).
     */
    readonly guard: (right: WriteRight, progress: Progress) => Effect.Effect<boolean, WriteError>
    readonly write: (right: WriteRight, snapshot: SnapshotOfAccount) => Effect.Effect<Written, WriteError>
  }
>()("@millrace/core/sync/Writer") {
  static readonly layer: Layer.Layer<
    Writer,
    never,
    RecordStore | IdentityStore | TableStore | JobStore | Transactor | Ids | Digest
  > = Layer.effect(
    Writer,
    Effect.gen(function* () {
      const records = yield* RecordStore
      const identity = yield* IdentityStore
      const tables = yield* TableStore
      const jobs = yield* JobStore
      const { atomically } = yield* Transactor
      const ids = yield* Ids
      const { contentHash } = yield* Digest
      const { around } = heldIndex(records, identity)

      const guard = Effect.fnUntraced(function* (right: WriteRight, progress: Progress) {
        const asked = right.fence !== undefined && (yield* jobs.fence(right.fence, progress))
        if (!(yield* jobs.holdsLease(right.bankId, right.leaseHolder))) {
          return yield* new LeaseLost({ bankId: right.bankId })
        }
        return asked
      })

      const detailsOf = Effect.fnUntraced(function* (scope: RecordScope, wanted: ReadonlyArray<string>) {
        const details = new Map<string, HeldDetail & HeldRecord>()
        for (let at = 0; at < wanted.length; at += limits.commitChunk) {
          const some = wanted.slice(at, at + limits.commitChunk)
          const edited = yield* tables.heldKeys(
            scope.workspaceId,
            some.map((id) => rowKey(scope.dataType, id))
          )
          for (const record of yield* records.held(scope, some)) {
            details.set(record.id, { ...record, edited: edited.has(rowKey(scope.dataType, record.id)) })
          }
        }
        return details
      })

      /** Answers whether the read was matched as it was divided. */
      const identified = Effect.fnUntraced(function* (
        snapshot: SnapshotOfAccount,
        recalled: Recalled,
        divided: Divided | undefined
      ) {
        const { scope } = snapshot
        const near =
          divided === undefined
            ? undefined
            : yield* around({ ...snapshot, observations: divided.open, days: divided.days }, recalled.hasAliases)
        const isDivided = near !== undefined && !isEntangled(divided!, near.held)
        const { aliases, held } = isDivided ? near : yield* around(snapshot, recalled.hasAliases)
        const shown = isDivided ? divided!.open : snapshot.observations
        const parted = partedPairs(recalled.facts, held, trusted(snapshot.idTrust))
        const observations = recalled.facts.some(({ kind }) => kind === "forbid")
          ? withoutPartedLinks(shown, held, aliases, parted)
          : shown
        const open = identify({
          dataType: scope.dataType,
          observations,
          ...(isDivided ? { settled: divided!.settled } : {}),
          held,
          aliases,
          idTrust: snapshot.idTrust,
          coverage: believable(snapshot),
          removed: snapshot.removed,
          unread: snapshot.unread,
          atOnce: isWholeTruth(snapshot),
          byIdOnly: snapshot.byIdOnly,
          config: defaultMatchConfig,
          now: recalled.now
        })
        const details = yield* detailsOf(scope, open.wanted)
        const isForbidden: MatchDetails["isForbidden"] = (recordId, observation) => {
          const record = details.get(recordId)
          const staysApart = record?.apart === true && record.providerId !== observation.providerId
          return staysApart || parted(recordId, observation)
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

      /** Works out what is written for some matches, in their order. */
      const planned = Effect.fnUntraced(function* (
        right: WriteRight,
        snapshot: SnapshotOfAccount,
        result: MatchResult,
        aliases: ReadonlyMap<string, string>,
        details: ReadonlyMap<string, HeldRecord>,
        matches: ReadonlyArray<Match>
      ) {
        const { scope } = snapshot
        const idsCount = trusted(snapshot.idTrust)
        const chunk = emptyChunk()
        const job = right.fence === undefined ? {} : { jobId: right.fence.jobId }
        const fresh = yield* ids.batch(
          idKindOf[scope.dataType],
          matches.reduce((count, { entry }) => (entry === undefined ? count + 1 : count), 0)
        )
        const confirmed = new Set(result.confirmed)
        const asked = matches.filter((match) => confirmed.has(match) || needsBefore(scope.dataType, match))
        const before = new Map<string, HeldRecord>()
        const unread: Array<string> = []
        for (const { entry } of asked) {
          const record = details.get(entry!.id)
          if (record === undefined) unread.push(entry!.id)
          else before.set(record.id, record)
        }
        for (const record of yield* records.held(scope, unread)) before.set(record.id, record)
        const matchIds = yield* ids.batch("match", before.size)
        const suggested = new Map(result.suggestions.map((one) => [one.observation, one]))

        const log = (match: Match, secondSource: boolean) => {
          const record = before.get(match.entry!.id)
          if (record === undefined || !(secondSource || isWorthLogging(match, record))) return
          const id = matchIds[chunk.matches.length]!
          chunk.matches.push({
            id,
            ...scope,
            ...logOf(match, record),
            ...(secondSource ? { secondSource } : {}),
            coverage: snapshot.coverage,
            ...job,
            state: "made"
          })
        }
        /** Notes an id that the record does not have any more, where ids say anything. */
        const forget = (entry: IndexEntry, providerId: string) => {
          if (entry.providerId === "" || entry.providerId === providerId) return
          if (idsCount || isOfFile(entry)) {
            chunk.aliases.set(entry.providerId, { providerId: entry.providerId, recordId: entry.id })
          }
        }

        let next = 0
        for (const match of matches) {
          const { entry, observation } = match
          const { providerId } = observation
          if (entry === undefined) {
            const id = fresh[next++]!
            chunk.writes.push(writeOf(id, observation, undefined))
            const suggestion = suggested.get(observation)
            if (suggestion !== undefined) {
              chunk.suggestions.push({
                id: yield* ids.next("suggestion"),
                ...scope,
                recordId: suggestion.recordId,
                observedId: id,
                evidence: suggestion.evidence,
                ...job
              })
            }
          } else if (confirmed.has(match)) {
            chunk.aliases.set(providerId, { providerId, recordId: entry.id })
            log(match, true)
          } else if (entry.state === "deleted") {
            if (isOfFile(observation) && !isOfFile(entry)) {
              if (aliases.get(providerId) !== entry.id) {
                chunk.aliases.set(providerId, { providerId, recordId: entry.id })
              }
              continue
            }
            const isRenamed = (idsCount || isOfFile(entry)) && entry.providerId !== providerId
            if (isRenamed) forget(entry, providerId)
            if (entry.hash !== observation.hash || entry.pending !== observation.pending) {
              chunk.writes.push(writeOf(entry.id, observation, before.get(entry.id), "deleted"))
            } else if (isRenamed) chunk.renames.push({ id: entry.id, providerId })
          } else {
            forget(entry, providerId)
            if (onlyIdDiffers(match)) chunk.renames.push({ id: entry.id, providerId })
            else {
              log(match, false)
              chunk.writes.push(writeOf(entry.id, observation, before.get(entry.id)))
            }
          }
        }
        return chunk
      })

      /** A job that dies in between reads the same rows again and finds what was written unchanged. */
      const put = Effect.fnUntraced(function* (
        right: WriteRight,
        { byIdOnly, scope }: SnapshotOfAccount,
        chunk: Chunk,
        settled: string | undefined
      ) {
        const asked = yield* atomically(
          Effect.gen(function* () {
            const pause = yield* guard(right, {})
            yield* identity.logMatches(chunk.matches)
            yield* identity.addAliases(scope, [...chunk.aliases.values()])
            yield* records.rename(scope, chunk.renames)
            yield* records.write(scope, chunk.writes, { apart: byIdOnly, settled })
            yield* identity.suggest(chunk.suggestions)
            return pause
          })
        )
        if (right.fence !== undefined) yield* pageEnd(jobs, right.fence, asked)
      })

      const write = Effect.fn("Writer.write")(function* (right: WriteRight, asked: SnapshotOfAccount) {
        const { scope } = asked
        // Of snapshots nothing is remembered: they are what their last read says.
        const recalled = isSnapshotType(scope.dataType) ? yield* nothingRecalled : yield* identity.recall(scope)
        // What a file is called says nothing about the ids of the connection.
        const ofFile = asked.observations.some(isOfFile)
        const idTrust = ofFile ? asked.idTrust : trustOf(asked.idTrust, recalled.trust)
        const snapshot: SnapshotOfAccount = { ...asked, idTrust }
        const settling =
          !ofFile && canSettle(snapshot, recalled)
            ? new Settling(yield* records.settled(scope), asked.observations, contentHash)
            : undefined
        if (settling?.isUnchanged === true) {
          return { unchanged: asked.observations.length, changed: 0, gone: 0, coverageSuspect: false, demoted: false }
        }
        const {
          aliases,
          details,
          held,
          isDivided,
          result: found
        } = yield* identified(snapshot, recalled, settling?.divide())
        const kept = keptIds(recalled.facts)
        const result: MatchResult =
          kept.size === 0
            ? found
            : {
                ...found,
                gone: found.gone.filter(({ id }) => !kept.has(id)),
                missed: found.missed.filter(({ entry }) => !kept.has(entry.id))
              }

        const matches = [...result.changed, ...result.confirmed, ...result.absorbed]
        const isNews = matches.length > 0 || result.idContradictions > 0
        const trust =
          isNews && !ofFile ? countHits(recalled.trust, result.idHits, result.idContradictions) : recalled.trust
        const isNoted = result.missed.length > 0 || result.seenAgain.length > 0 || trust !== recalled.trust
        settling?.follow(isDivided, held, result)
        let isSettled = settling === undefined
        /** Follows a transaction. What is settled by the last one is written with it. */
        const settledBy = (isLast: boolean, { renames, writes }: Chunk): string | undefined => {
          settling?.write(renames, writes)
          if (!isLast) return undefined
          isSettled = true
          return settling?.text
        }

        for (let at = 0; at < matches.length; at += limits.commitChunk) {
          const some = matches.slice(at, at + limits.commitChunk)
          const chunk = yield* planned(right, snapshot, result, aliases, details, some)
          if (chunk.writes.length + chunk.renames.length + chunk.aliases.size === 0) continue
          const isLast = at + some.length === matches.length && result.gone.length === 0 && !isNoted
          yield* put(right, snapshot, chunk, settledBy(isLast, chunk))
        }
        const gone = yield* tombstones(scope, result.gone)
        for (let at = 0; at < gone.length; at += limits.commitChunk) {
          const chunk = { ...emptyChunk(), writes: gone.slice(at, at + limits.commitChunk) }
          const isLast = at + chunk.writes.length === gone.length && !isNoted
          yield* put(right, snapshot, chunk, settledBy(isLast, chunk))
        }
        if (isNoted) settling?.write([], [])
        const settled = isSettled ? undefined : settling?.text
        if (isNoted || settled !== undefined) {
          yield* atomically(
            Effect.gen(function* () {
              yield* guard(right, {})
              yield* noteMissed(scope, result)
              if (trust !== recalled.trust) yield* identity.setTrust(scope, trust)
              if (settled !== undefined) yield* records.settle(scope, settled)
            })
          )
        }
        // An id that is another now is news to nobody but us.
        const renamed = result.changed.filter(onlyIdDiffers).length
        return {
          unchanged: result.unchanged + renamed,
          changed: result.changed.length - renamed,
          gone: result.gone.length,
          coverageSuspect: result.coverageSuspect,
          demoted: trust.demoted && !recalled.trust.demoted
        }
      })

      return Writer.of({ guard, write })
    })
  )
}
