/**
 * Which records of two accounts are the same events, where a person says that the two accounts are one (decisions 12).
 *
 * It is the question that identity answers for every read: what the one account has is taken for a read of the other one, in
 * which every id is new.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { HeldRecord, IndexEntry } from "../record/LedgerRecord.ts"
import type { Observation } from "../record/Observation.ts"
import { type RecordScope, RecordStore } from "../record/RecordStore.ts"
import { limits } from "../shared/Limits.ts"
import { IdentityStore } from "./IdentityStore.ts"
import type { RecordPair } from "./Joining.ts"
import { identify } from "./match/Identify.ts"
import type { HeldDetail, MatchConfig, MatchEvidence, MatchResult } from "./match/Matching.ts"
import { RecordEdits } from "./RecordEdits.ts"

/** Two records that a person has to look at. */
export interface OpenPair {
  readonly recordId: string
  readonly observedId: string
  readonly evidence: MatchEvidence
}

export interface AccountPairs {
  readonly pairs: ReadonlyArray<RecordPair>
  readonly open: ReadonlyArray<OpenPair>
}

/** Under ids that nothing else has: those of the two upstreams say nothing about each other. */
const idOf = (recordId: string): string => `join:${recordId}`
const recordOf = (providerId: string): string => providerId.slice(idOf("").length)

const observed = ({ date, fields, hash, id, pending }: HeldRecord): Observation => ({
  providerId: idOf(id),
  pendingProviderId: "",
  date,
  pending,
  hash,
  fields
})

/** Of balances each account has one, whatever its day. */
const balances = (known: ReadonlyArray<IndexEntry>, shown: ReadonlyArray<IndexEntry>) => {
  const [a, b] = [known, shown].map((all) => all.filter(({ state }) => state === "live"))
  const isOne = a?.length === 1 && b?.length === 1
  return isOne ? [{ knownId: a[0]!.id, shownId: b[0]!.id, evidence: { tier: "equal" as const } }] : []
}

const make = Effect.gen(function* () {
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const edits = yield* RecordEdits
  const analysis = yield* AnalysisStore

  const heldOf = Effect.fnUntraced(function* (scope: RecordScope, ids: ReadonlyArray<string>) {
    const held = new Map<string, HeldRecord>()
    for (let at = 0; at < ids.length; at += limits.commitChunk) {
      for (const record of yield* records.held(scope, ids.slice(at, at + limits.commitChunk)))
        held.set(record.id, record)
    }
    return held
  })

  /** Those on which people wrote, in rows of tables or as words of their own. */
  const editedAmong = Effect.fnUntraced(function* (scope: RecordScope, ids: ReadonlyArray<string>) {
    const found = new Set<string>()
    for (let at = 0; at < ids.length; at += limits.commitChunk) {
      const some = ids.slice(at, at + limits.commitChunk)
      for (const id of yield* edits.among(scope, some)) found.add(id)
      for (const { otherId, recordId } of yield* analysis.facts(scope, { recordIds: some })) {
        for (const id of [recordId, otherId]) if (id !== undefined) found.add(id)
      }
    }
    return found
  })

  const identified = Effect.fnUntraced(function* (
    known: RecordScope,
    shown: RecordScope,
    knownIndex: ReadonlyArray<IndexEntry>,
    shownIndex: ReadonlyArray<IndexEntry>,
    config: MatchConfig
  ) {
    const rows = yield* heldOf(
      shown,
      shownIndex.map(({ id }) => id)
    )
    const { learnt, now } = yield* identity.recall(known)
    const open = identify({
      dataType: known.dataType,
      observations: [...rows.values()].map(observed),
      held: knownIndex,
      aliases: new Map(),
      learnt,
      // Ids are of one connection each, and the younger account shows all that it has.
      idTrust: "session",
      coverage: { kind: "full", complete: true },
      removed: new Set(),
      unread: new Set(),
      atOnce: false,
      byIdOnly: false,
      config,
      now
    })
    const wanted = yield* heldOf(known, open.wanted)
    const edited = yield* editedAmong(known, open.wanted)
    const details = new Map(
      Array.from(wanted, ([id, record]): [string, HeldDetail] => [
        id,
        { ...record, edited: edited.has(id), alone: record.apart }
      ])
    )
    const result: MatchResult = open.finish({ records: details, isForbidden: () => false })
    const found = [...result.changed, ...result.absorbed, ...result.confirmed].flatMap(
      ({ entry, evidence, observation }) =>
        entry === undefined
          ? []
          : [{ knownId: entry.id, shownId: recordOf(observation.providerId), evidence: evidence ?? { tier: "equal" } }]
    )
    const unsure = result.suggestions.flatMap(({ evidence, observed: row, recordId }) =>
      "id" in row ? [] : [{ recordId, observedId: recordOf(row.providerId), evidence }]
    )
    return { found, unsure }
  })

  /**
   * What `known` and `shown` have both; `shown` is the one whose upstream goes on. Of two records the one of `lasting` goes on,
   * unless the other one alone carries what people wrote. Where both do, or it is not certain, nothing is paired and a person is
   * asked. A copy that a person deleted while both were there was one too many: the other one stays.
   */
  const between = Effect.fnUntraced(function* (
    known: RecordScope,
    shown: RecordScope,
    lasting: RecordScope["accountId"],
    config: MatchConfig
  ) {
    const [knownIndex, shownIndex] = [yield* records.index(known, {}), yield* records.index(shown, {})]
    const rows = shownIndex.filter(({ state }) => state !== "removed")
    if (knownIndex.length === 0 || rows.length === 0) return { pairs: [], open: [] } satisfies AccountPairs
    const { found, unsure } =
      known.dataType === "balances"
        ? { found: balances(knownIndex, rows), unsure: [] }
        : yield* identified(known, shown, knownIndex, rows, config)
    const ofKnown = yield* heldOf(
      known,
      found.map(({ knownId }) => knownId)
    )
    const ofShown = yield* heldOf(
      shown,
      found.map(({ shownId }) => shownId)
    )
    const edited = yield* editedAmong(known, [...ofKnown.keys(), ...ofShown.keys()])
    const deletedAt = new Map(
      (yield* identity.facts(known))
        .filter(({ kind }) => kind === "delete")
        .map(({ at, recordId }) => [recordId, at] as const)
    )
    const pairs: Array<RecordPair> = []
    const open: Array<OpenPair> = [...unsure]
    for (const { evidence, knownId, shownId } of found) {
      const [a, b] = [ofKnown.get(knownId)!, ofShown.get(shownId)!]
      if (a.state === "deleted" && b.state === "deleted") continue
      if (edited.has(a.id) && edited.has(b.id)) {
        const [one, other] = a.accountId === lasting ? [a, b] : [b, a]
        open.push({ recordId: one.id, observedId: other.id, evidence })
        continue
      }
      const wasGone = a.state === "deleted" && (deletedAt.get(a.id) ?? a.updatedAt) < b.createdAt
      const first = a.accountId === lasting ? a : b
      const second = first === a ? b : a
      const [record, from] = edited.has(second.id) ? [second, first] : [first, second]
      pairs.push({
        record,
        from,
        evidence,
        keepsWords: record === b,
        ...(wasGone ? { state: "deleted" as const } : {})
      })
    }
    return { pairs, open } satisfies AccountPairs
  })

  return { between }
})

/** Finds what two accounts have both. */
export class AccountPairing extends Context.Service<AccountPairing>()("@millrace/core/identity/AccountPairing", {
  make
}) {
  static readonly layer: Layer.Layer<AccountPairing, never, RecordStore | IdentityStore | RecordEdits | AnalysisStore> =
    Layer.effect(AccountPairing, make)
}
