/** Making one record out of two, by a match that can be taken back, and two out of one. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { carryItems } from "../record/Items.ts"
import type { HeldRecord } from "../record/LedgerRecord.ts"
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

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const facts = yield* DecisionLog
  const ids = yield* Ids

  /**
   * `a` goes on as what `b` is, by a match that can be taken back. What a file says of a record of a connection
   * changes nothing in it.
   */
  const join = Effect.fnUntraced(function* (
    scope: RecordScope,
    a: HeldRecord,
    b: HeldRecord,
    { idsCount, ...how }: Joined
  ) {
    const match: Omit<LoggedMatch, "at"> = {
      id: yield* ids.next("match"),
      ...scope,
      recordId: a.id,
      versionBefore: a.version,
      before: contentOf(a),
      observed: contentOf(b),
      separateId: b.id,
      ...(isOfFile(b) && !isOfFile(a) ? { secondSource: true as const } : {}),
      ...how,
      state: "made"
    }
    yield* identity.logMatches([match])
    const [kept, left] = match.secondSource === true ? [a, b] : [b, a]
    const former = idsCount
      ? [left.providerId, ...(yield* identity.aliasesOf(scope, b.id)).map((one) => one.providerId)]
      : []
    yield* identity.addAliases(
      scope,
      [...new Set(former)]
        .filter((providerId) => providerId !== "" && providerId !== kept.providerId)
        .map((providerId) => ({ providerId, recordId: a.id }))
    )
    yield* records.write(scope, [
      ...(kept === a && a.state === "live"
        ? []
        : [
            {
              ...contentOf(kept),
              id: a.id,
              state: "live" as const,
              fields: how.decided === undefined ? settledFields(kept, a) : carryItems(a.fields, kept.fields)
            }
          ]),
      { ...contentOf(b), id: b.id, state: "removed" }
    ])
    yield* records.merge(scope, b.id, a.id)
    return match.id
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

  return { join, absorb, exchange, part }
})

/** Joins two records and parts them again. */
export class Joining extends Context.Service<Joining>()("@millrace/core/identity/Joining", { make }) {
  static readonly layer: Layer.Layer<Joining, never, RecordStore | IdentityStore | DecisionLog | Ids> = Layer.effect(
    Joining,
    make
  )
}
