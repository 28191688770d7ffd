/** The records of two accounts that become one, and of one that becomes two again; inside of the transaction that does it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Account } from "../bank/Account.ts"
import type { AccountJoin, AccountJoinId } from "../bank/AccountJoin.ts"
import { AccountJoinStore } from "../bank/AccountJoinStore.ts"
import type { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import type { FeedStore } from "../feed/FeedStore.ts"
import type { BankStore } from "../bank/BankStore.ts"
import { AccountPairing } from "../identity/AccountPairing.ts"
import { DecisionLog } from "../identity/DecisionLog.ts"
import { IdentityStore } from "../identity/IdentityStore.ts"
import { Joining } from "../identity/Joining.ts"
import type { Decided, MatchId } from "../identity/LoggedMatch.ts"
import { MatchConfigs } from "../identity/MatchConfigs.ts"
import { isOfFile } from "../identity/match/Coverage.ts"
import type { RecordEdits } from "../identity/RecordEdits.ts"
import { type DataType, syncDataTypes, type SyncDataType } from "../record/DataType.ts"
import { RecordStore, type RecordScope } from "../record/RecordStore.ts"
import { Ids } from "../shared/Ids.ts"
import type { Share } from "./FeedsOfAccounts.ts"

type OfTypes = AccountJoin["matches"]

const ofType = (all: OfTypes, type: DataType): ReadonlyArray<string> =>
  all.find(({ dataType }) => dataType === type)?.ids ?? []

const listed = (all: OfTypes): OfTypes => all.filter(({ ids }) => ids.length > 0)

/** Begins the ids of records whose upstream is not read while their account is part of another one. */
const asidePrefix = (id: AccountJoinId): string => `aside:${id}:`

const make = Effect.gen(function* () {
  const joins = yield* AccountJoinStore
  const records = yield* RecordStore
  const identity = yield* IdentityStore
  const ids = yield* Ids
  const matching = yield* MatchConfigs
  const { between } = yield* AccountPairing
  const { joinAll, partAll } = yield* Joining

  /** Ids of all records of a type, tombstones and merged ones too; and which became part of another. */
  const recordsOf = Effect.fnUntraced(function* (scope: RecordScope) {
    const index = yield* records.index(scope, {})
    const merged = yield* records.merged(scope)
    return { ids: [...index.map(({ id }) => id), ...merged.keys()], index, merged }
  })

  /** Their upstream is read no more: its ids say nothing about the rows of the other one. */
  const setAside = Effect.fnUntraced(function* (scope: RecordScope, prefix: string, of: ReadonlyArray<string>) {
    const asked = new Set(of)
    const named = (yield* records.index(scope, {})).filter(
      (entry) => asked.has(entry.id) && entry.providerId !== "" && !isOfFile(entry)
    )
    yield* records.rename(
      scope,
      named.map(({ id, providerId }) => ({ id, providerId: `${prefix}${providerId}` }))
    )
  })

  /** Takes that back. */
  const bringBack = Effect.fnUntraced(function* (scope: RecordScope, prefix: string) {
    const named = (yield* records.index(scope, {})).filter(({ providerId }) => providerId.startsWith(prefix))
    yield* records.rename(
      scope,
      named.map(({ id, providerId }) => ({ id, providerId: providerId.slice(prefix.length) }))
    )
  })

  /** What the two have of a type, and what of it is the same; asked while each still has its own upstream. */
  const find = Effect.fnUntraced(function* (
    dataType: SyncDataType,
    elder: Account,
    younger: Account,
    exchanged: boolean
  ) {
    const { workspaceId } = elder
    const into: RecordScope = { workspaceId, accountId: elder.id, dataType }
    const from: RecordScope = { workspaceId, accountId: younger.id, dataType }
    const owned = (yield* recordsOf(into)).ids
    const came = (yield* recordsOf(from)).ids
    const { config } = yield* matching.of({ ...into, bankId: elder.bankId })
    const [known, shown] = exchanged ? [into, from] : [from, into]
    return { into, owned, came, ...(yield* between(known, shown, into.accountId, config)) }
  })

  /**
   * The records of the younger account go to the older one, and those that both have become one. Where `exchanged`, the two
   * exchange their upstreams. Returns what is kept of it.
   */
  const join = Effect.fnUntraced(function* (
    id: AccountJoinId,
    elder: Account,
    younger: Account,
    exchanged: boolean,
    decided: Decided
  ) {
    const { workspaceId } = elder
    const found = yield* Effect.forEach(syncDataTypes, (dataType) => find(dataType, elder, younger, exchanged))
    if (exchanged) yield* joins.exchange(workspaceId, elder.id, younger.id, decided.at)
    const matches: Array<OfTypes[number]> = []
    let suggested = 0
    for (const { came, into, open, owned, pairs } of found) {
      const { dataType } = into
      yield* joins.move({ workspaceId, from: younger.id, to: elder.id, dataType, ids: came })
      yield* setAside(into, asidePrefix(id), exchanged ? owned : came)
      if (pairs.length > 0) {
        matches.push({ dataType, ids: yield* joinAll(into, pairs, { decided, idsCount: true, ofOtherUpstream: true }) })
      }
      const suggestionIds = yield* ids.batch("suggestion", open.length)
      yield* identity.suggest(open.map((pair, n) => ({ ...pair, ...into, id: suggestionIds[n]! })))
      suggested += open.length
    }
    return {
      matches,
      suggested,
      owned: listed(found.map(({ into: { dataType }, owned }) => ({ dataType, ids: owned }))),
      came: listed(found.map(({ came, into: { dataType } }) => ({ dataType, ids: came })))
    }
  })

  /**
   * Which records of the older account stay, and which go to the younger one: what came from there and, where the two exchanged
   * their upstreams, what was read since. Files were uploaded for the account as people see it. What became one with a record
   * stays with it.
   */
  const shared = Effect.fnUntraced(function* (kept: AccountJoin, scope: RecordScope) {
    const owned = new Set(ofType(kept.owned, scope.dataType))
    const came = new Set(ofType(kept.came, scope.dataType))
    const { ids: held, index, merged } = yield* recordsOf(scope)
    const files = new Set(index.filter(isOfFile).map(({ id }) => id))
    const rootOf = (id: string): string => {
      const into = merged.get(id)
      return into === undefined ? id : rootOf(into)
    }
    const isElders = (id: string): boolean =>
      owned.has(id) || (!came.has(id) && (!kept.exchanged || files.has(rootOf(id))))
    const roots = new Set(held.filter(isElders).map(rootOf))
    const stays = (id: string): boolean => isElders(id) || roots.has(rootOf(id))
    return { going: held.filter((id) => !stays(id)), staying: held.filter(stays) }
  })

  /** Takes a join back. Returns which records each account has then. */
  const part = Effect.fnUntraced(function* (kept: AccountJoin, at: AccountJoin["at"]) {
    const { accountId, exchanged, joinedId, workspaceId } = kept
    const scopes = syncDataTypes.map((dataType): RecordScope => ({ workspaceId, accountId, dataType }))
    for (const scope of scopes) {
      yield* partAll(scope, ofType(kept.matches, scope.dataType) as ReadonlyArray<MatchId>)
    }
    if (exchanged) yield* joins.exchange(workspaceId, accountId, joinedId, at)
    const shares: Array<Share> = []
    for (const scope of scopes) {
      const { dataType } = scope
      const { going, staying } = yield* shared(kept, scope)
      // What was read of the former upstream meanwhile, and nobody was shown.
      const aside = exchanged ? (yield* recordsOf({ ...scope, accountId: joinedId })).ids : []
      yield* joins.move({ workspaceId, dataType, from: accountId, to: joinedId, ids: going })
      yield* joins.move({ workspaceId, dataType, from: joinedId, to: accountId, ids: aside })
      for (const one of [accountId, joinedId]) yield* bringBack({ ...scope, accountId: one }, asidePrefix(kept.id))
      shares.push({ dataType, elder: [...staying, ...aside], younger: going })
    }
    return shares
  })

  return { join, part }
})

/** Joins the records of two accounts, and parts them again. */
export class JoinedRecords extends Context.Service<JoinedRecords>()("@millrace/core/usecase/JoinedRecords", { make }) {
  static readonly layer: Layer.Layer<
    JoinedRecords,
    never,
    | AccountJoinStore
    | RecordStore
    | IdentityStore
    | AnalysisStore
    | EnrichmentStore
    | FeedStore
    | BankStore
    | RecordEdits
    | Ids
  > = Layer.effect(JoinedRecords, make).pipe(
    Layer.provide([MatchConfigs.layer, AccountPairing.layer, Joining.layer]),
    Layer.provide(DecisionLog.layer)
  )
}
