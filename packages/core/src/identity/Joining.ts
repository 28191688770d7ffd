/** Making one record out of two, by a match that can be taken back, and two out of one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { carryItems } from "../record/Items.ts"
import type { HeldRecord, RecordState, RecordWrite } from "../record/LedgerRecord.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { isOfFile } from "./match/Coverage.ts"
import { DecisionLog } from "./DecisionLog.ts"
import type { IdentityFact } from "./match/IdentityFact.ts"
import { IdentityStore, type LogQuery } from "./IdentityStore.ts"
import type { Decided, LoggedMatch, MatchId, RecordContent } from "./LoggedMatch.ts"
import type { MatchEvidence } from "./match/Matching.ts"
import { contentOf, settledFields } from "./MatchWrites.ts"

/** Between just these two records, whichever was named first. */
const parts = (fact: IdentityFact, a: string, b: string): boolean =>
  fact.kind === "forbid" && ((fact.recordId === a && fact.otherId === b) || (fact.recordId === b && fact.otherId === a))

const pairOf = ({ key, otherId, otherKey, recordId }: IdentityFact) => ({
  recordId,
  ...(key === undefined ? {} : { key }),
  ...(otherId === undefined ? {} : { otherId }),
  ...(otherKey === undefined ? {} : { otherKey })
})

/** How two records came to be one. */
export interface Joined extends Pick<LoggedMatch, "evidence" | "decided" | "coverage" | "jobId"> {
  /** Whether the ids of the source say anything, so that the former one is noted. */
  readonly idsCount: boolean
}

/** A match of two records. */
type MatchOfTwo = LoggedMatch & { readonly separateId: string }
const isOfTwo = (match: LoggedMatch): match is MatchOfTwo => match.separateId !== undefined

/** A record, and the one that becomes part of it. */
export interface RecordPair {
  readonly record: HeldRecord
  readonly from: HeldRecord
  readonly evidence: MatchEvidence
  /** `record` stays as it tells it itself: the other is a second source of it. */
  readonly keepsWords: boolean
  /** What happens to it; `live` unless given. */
  readonly state?: RecordState
}

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const facts = yield* DecisionLog
  const ids = yield* Ids

  /**
   * Records go on as what others are, by matches that can be taken back; nobody is in two pairs. Returns their matches in the
   * order of the pairs.
   */
  const joinAll = Effect.fnUntraced(function* (
    scope: RecordScope,
    pairs: ReadonlyArray<RecordPair>,
    {
      idsCount,
      ofOtherUpstream = false,
      ...how
    }: Omit<Joined, "evidence"> & {
      /** Ids of the two say nothing about each other: only those of the one that is reported from now on lead to the record. */
      readonly ofOtherUpstream?: boolean
    }
  ) {
    const matchIds = yield* ids.batch("match", pairs.length)
    const { hasAliases } = yield* identity.recall(scope)
    const matches: Array<Omit<LoggedMatch, "at">> = []
    const aliases = new Map<string, string>()
    const writes: Array<RecordWrite> = []
    for (const [n, { evidence, from, keepsWords, record: a, state = "live" }] of pairs.entries()) {
      matches.push({
        id: matchIds[n]!,
        ...scope,
        recordId: a.id,
        versionBefore: a.version,
        before: contentOf(a),
        observed: contentOf(from),
        separateId: from.id,
        ...(keepsWords ? { secondSource: true as const } : {}),
        evidence,
        ...how,
        state: "made"
      })
      const [kept, left] = keepsWords ? [a, from] : [from, a]
      if (idsCount && !(ofOtherUpstream && kept === a)) {
        const former = hasAliases ? yield* identity.aliasesOf(scope, from.id) : []
        const last = ofOtherUpstream ? [] : [left.providerId]
        for (const providerId of [...last, ...former.map((one) => one.providerId)]) {
          if (providerId !== "" && providerId !== kept.providerId) aliases.set(providerId, a.id)
        }
      }
      if (kept !== a || a.state !== state) {
        const fields = how.decided === undefined ? settledFields(kept, a) : carryItems(a.fields, kept.fields)
        writes.push({ ...contentOf(kept), id: a.id, state, fields })
      }
      writes.push({ ...contentOf(from), id: from.id, state: "removed" })
    }
    yield* identity.logMatches(matches)
    yield* identity.addAliases(
      scope,
      Array.from(aliases, ([providerId, recordId]) => ({ providerId, recordId }))
    )
    yield* records.write(scope, writes)
    yield* records.merge(
      scope,
      pairs.map(({ from, record }) => ({ id: from.id, into: record.id }))
    )
    return matchIds
  })

  /**
   * `a` goes on as what `b` is, by a match that can be taken back. What a file says of a record of a connection
   * changes nothing in it.
   */
  const join = Effect.fnUntraced(function* (
    scope: RecordScope,
    a: HeldRecord,
    b: HeldRecord,
    { evidence, ...how }: Joined
  ) {
    const keepsWords = isOfFile(b) && !isOfFile(a)
    const [id] = yield* joinAll(scope, [{ record: a, from: b, evidence, keepsWords }], how)
    return id!
  })

  /** The same by a person. */
  const absorb = Effect.fnUntraced(function* (
    scope: RecordScope,
    decided: Decided,
    a: HeldRecord,
    b: HeldRecord,
    evidence: MatchEvidence
  ) {
    const others = yield* facts.lift(scope, decided, (fact) => parts(fact, a.id, b.id))
    // What must not be taken for the one must not be taken for the other.
    for (const fact of others) {
      if (fact.kind !== "forbid") continue
      if (fact.recordId === b.id) yield* facts.decide(scope, decided, "forbid", { ...pairOf(fact), recordId: a.id })
      if (fact.otherId === b.id) yield* facts.decide(scope, decided, "forbid", { ...pairOf(fact), otherId: a.id })
    }
    return yield* join(scope, a, b, { evidence, decided, idsCount: true })
  })

  /** Each of two records goes on as what the other one was. */
  const exchange = (scope: RecordScope, a: HeldRecord, b: HeldRecord) =>
    records.write(scope, [
      { ...contentOf(b), id: a.id },
      { ...contentOf(a), id: b.id }
    ])

  /**
   * Takes back matches that were made of whole accounts: the records get back what they said before, and what they say now
   * goes on under the ids of those that were part of them, with what was noted of them since. Records that are part of others
   * by now, and matches that somebody took back, stay as they are.
   */
  const partAll = Effect.fnUntraced(function* (scope: RecordScope, matchIds: ReadonlyArray<MatchId>) {
    const query = { ids: matchIds, state: "made" as const, limit: matchIds.length }
    const made = matchIds.length === 0 ? [] : (yield* identity.matches(scope, query)).filter(isOfTwo)
    const held = new Map(
      (yield* records.held(
        scope,
        made.map(({ recordId }) => recordId)
      )).map((record) => [record.id, record])
    )
    const parted = made.filter(({ recordId }) => held.has(recordId))
    const writes = parted.flatMap(({ before, observed, recordId, secondSource, separateId }): Array<RecordWrite> => {
      const record = held.get(recordId)!
      // What a person has deleted since is deleted in both.
      const since = record.state === "deleted" && before.state !== "deleted" && observed.state !== "deleted"
      const stateOf = (own: RecordState): RecordState => (since || own === "deleted" ? "deleted" : own)
      const now = record.state === "deleted" ? "live" : record.state
      if (secondSource === true) {
        const other = { ...observed, id: separateId, state: stateOf(observed.state) }
        return before.state === record.state || since
          ? [other]
          : [{ ...contentOf(record), id: record.id, state: before.state }, other]
      }
      return [
        { ...before, id: recordId, state: stateOf(before.state), fields: carryItems(record.fields, before.fields) },
        { ...contentOf(record), id: separateId, state: stateOf(observed.state === "live" ? now : observed.state) }
      ]
    })
    yield* identity.handBack(scope, parted)
    yield* records.write(scope, writes)
    return parted
  })

  const allMatches = Effect.fnUntraced(function* (scope: RecordScope, recordId: string) {
    const all: Array<LoggedMatch> = []
    for (;;) {
      const last = all[all.length - 1]
      const query: LogQuery<LoggedMatch["state"], MatchId> = { recordId, limit: limits.page.max }
      const rows = yield* identity.matches(scope, last === undefined ? query : { ...query, before: last.id })
      all.push(...rows)
      if (rows.length < limits.page.max) return all
    }
  })

  /** Two records out of one: returns what each of them says now. */
  const part = Effect.fnUntraced(function* (
    scope: RecordScope,
    match: LoggedMatch,
    record: HeldRecord,
    separateId: string
  ) {
    if (match.secondSource === true) {
      yield* records.write(scope, [{ ...match.observed, id: separateId }])
      // What a person joined had former ids of its own.
      const own = match.decided === undefined ? [] : yield* identity.aliasesOf(scope, record.id)
      const since = own.filter((alias) => alias.lastSeen >= match.at && isOfFile(alias))
      yield* identity.moveAliases(
        scope,
        [match.observed.providerId, ...since.map((alias) => alias.providerId)],
        separateId
      )
      return { before: contentOf(record), after: match.observed }
    }
    // A correction under one id: what is observed under it from now on is the other record's.
    const providerId = match.before.providerId === record.providerId ? "" : match.before.providerId
    const fields = carryItems(record.fields, match.before.fields)
    const before: RecordContent = { ...match.before, providerId, fields }
    const after = contentOf(record)
    yield* records.write(scope, [
      { ...before, id: record.id },
      { ...after, id: separateId }
    ])
    const later = (yield* identity.aliasesOf(scope, record.id)).filter(
      (alias) => alias.lastSeen >= match.at && alias.providerId !== match.before.providerId
    )
    yield* identity.moveAliases(
      scope,
      later.map((alias) => alias.providerId),
      separateId
    )
    for (const next of yield* allMatches(scope, record.id)) {
      if (next.id > match.id) yield* identity.setMatch({ ...next, recordId: separateId })
    }
    return { before, after }
  })

  return { join, joinAll, absorb, exchange, part, partAll }
})

/** Joins two records and parts them again. */
export class Joining extends Context.Service<Joining>()("@millrace/core/identity/Joining", { make }) {
  static readonly layer: Layer.Layer<Joining, never, RecordStore | IdentityStore | DecisionLog | Ids> = Layer.effect(
    Joining,
    make
  )
}
