/** What is written for matches: records, former ids, and the log that lets a match be taken back. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isOfFile, trusted } from "../identity/match/Coverage.ts"
import type { Alias } from "../identity/IdentityStore.ts"
import type { LoggedMatch } from "../identity/LoggedMatch.ts"
import type { LoggedSuggestion } from "../identity/LoggedSuggestion.ts"
import { onlyIdDiffers, type Match, type MatchResult, type Suggestion } from "../identity/match/Matching.ts"
import { isWorthLogging, logOf, needsBefore, writeOf } from "../identity/MatchWrites.ts"
import type { JobId } from "../job/Job.ts"
import { idKindOf } from "../record/DataType.ts"
import type { HeldRecord, IndexEntry, RecordWrite } from "../record/LedgerRecord.ts"
import { RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import type { SnapshotOfAccount } from "./SnapshotOfAccount.ts"

/** What the matches of one transaction come to. */
export interface Chunk {
  readonly matches: Array<Omit<LoggedMatch, "at">>
  readonly aliases: Map<string, Alias>
  readonly renames: Array<{ readonly id: string; readonly providerId: string }>
  readonly writes: Array<RecordWrite>
  readonly suggestions: Array<Omit<LoggedSuggestion, "at" | "state">>
  /** Ids of the records that are new with it. */
  readonly created: Array<string>
}

export const emptyChunk = (): Chunk => ({
  matches: [],
  aliases: new Map(),
  renames: [],
  writes: [],
  suggestions: [],
  created: []
})

/** What identity made of a read. */
export interface Identified {
  readonly result: MatchResult
  readonly aliases: ReadonlyMap<string, string>
  readonly details: ReadonlyMap<string, HeldRecord>
}

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const ids = yield* Ids

  /** Works out what is written for some matches of a read, in their order. */
  const plan = Effect.fnUntraced(function* (
    snapshot: SnapshotOfAccount,
    { aliases, details, result }: Identified,
    matches: ReadonlyArray<Match>,
    jobId: JobId | undefined
  ) {
    const { scope } = snapshot
    const idsCount = trusted(snapshot.idTrust)
    const chunk = emptyChunk()
    const job = jobId === undefined ? {} : { jobId }
    const fresh = yield* ids.batch(
      idKindOf[scope.dataType],
      matches.reduce((count, { entry }) => (entry === undefined ? count + 1 : count), 0)
    )
    const confirmed = new Set(result.confirmed)
    const suggested = new Map<unknown, Suggestion>(result.suggestions.map((one) => [one.observed, one]))
    const asked = matches.filter(
      (match) =>
        match.entry !== undefined &&
        (confirmed.has(match) || suggested.has(match.observation) || needsBefore(scope.dataType, match))
    )
    const before = new Map<string, HeldRecord>()
    const unread: Array<string> = []
    for (const { entry } of asked) {
      const record = details.get(entry!.id)
      if (record === undefined) unread.push(entry!.id)
      else before.set(record.id, record)
    }
    for (const record of yield* records.held(scope, unread)) before.set(record.id, record)
    const matchIds = yield* ids.batch("match", before.size)

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

    const suggest = Effect.fnUntraced(function* ({ evidence, recordId }: Suggestion, observedId: string) {
      chunk.suggestions.push({ id: yield* ids.next("suggestion"), ...scope, recordId, observedId, evidence, ...job })
    })

    let next = 0
    for (const match of matches) {
      const { entry, observation } = match
      const { providerId } = observation
      const suggestion = suggested.get(observation)
      if (entry === undefined) {
        const id = fresh[next++]!
        chunk.writes.push(writeOf(id, observation, undefined))
        chunk.created.push(id)
        if (suggestion !== undefined) yield* suggest(suggestion, id)
        continue
      }
      // The row was taken for the record, and may be another one.
      if (suggestion !== undefined) yield* suggest(suggestion, entry.id)
      if (confirmed.has(match)) {
        if (entry.providerId !== providerId) chunk.aliases.set(providerId, { providerId, recordId: entry.id })
        if (entry.hash !== observation.hash || suggestion !== undefined) log(match, true)
      } else if (entry.state === "deleted") {
        if (isOfFile(observation) && entry.providerId !== providerId) {
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

  return { plan }
})

/** Plans what a read writes into the ledger. */
export class WritePlan extends Context.Service<WritePlan>()("@millrace/core/sync/WritePlan", { make }) {
  static readonly layer: Layer.Layer<WritePlan, never, RecordStore | Ids> = Layer.effect(WritePlan, make)
}
