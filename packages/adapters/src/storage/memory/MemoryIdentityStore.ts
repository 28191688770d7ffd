/** What is remembered about the identity of records, in memory. */
import {
  fullTrust,
  type IdentityFact,
  type LearntText,
  type LoggedMatch,
  type LoggedSuggestion,
  type TrustCounter
} from "@millrace/core/identity"
import { type Alias, IdentityStore, type LogQuery, type RecordScope } from "@millrace/core/storage"
import { limits, Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { frozen } from "./Frozen.ts"
import { exchangeKeys, Memory, removeWhere } from "./MemoryTransactor.ts"
import { ascending } from "./Order.ts"

interface KeptAlias extends Alias {
  readonly lastSeen: Timestamp.Timestamp
  /** Distinguishes what was noted in the same millisecond. */
  readonly seq: number
}

const dayMillis = 86_400_000

const keyOf = ({ accountId, dataType }: Pick<RecordScope, "accountId" | "dataType">): string =>
  `${accountId} ${dataType}`

const newestFirst = (a: KeptAlias, b: KeptAlias): number => ascending(b.lastSeen, a.lastSeen) || b.seq - a.seq

interface Logged extends Pick<RecordScope, "workspaceId" | "accountId" | "dataType"> {
  readonly id: string
  readonly recordId: string
  readonly state: string
}

const inScope = (scope: RecordScope, it: Pick<Logged, "workspaceId" | "accountId" | "dataType">): boolean =>
  it.accountId === scope.accountId && it.dataType === scope.dataType && it.workspaceId === scope.workspaceId

const selected = <A extends Logged>(
  all: ReadonlyMap<string, A>,
  scope: RecordScope,
  { before, ids, limit, recordId, state }: LogQuery<string, string>
): ReadonlyArray<A> =>
  [...all.values()]
    .filter(
      (it) =>
        inScope(scope, it) &&
        (ids === undefined || ids.includes(it.id)) &&
        (recordId === undefined || it.recordId === recordId) &&
        (state === undefined || it.state === state) &&
        (before === undefined || it.id < before)
    )
    .toSorted((a, b) => ascending(b.id, a.id))
    .slice(0, limit)

export const layer: Layer.Layer<IdentityStore, never, Memory> = Layer.effect(
  IdentityStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, set, remove } = memory
    const trusts = new Map<string, TrustCounter>()
    const texts = new Map<string, ReadonlyArray<LearntText>>()
    const aliases = new Map<string, Map<string, KeptAlias>>()
    const matches = new Map<string, LoggedMatch>()
    const suggestions = new Map<string, LoggedSuggestion>()
    const facts = new Map<string, IdentityFact>()
    let seq = 0

    const aliasesIn = (scope: RecordScope): Map<string, KeptAlias> => {
      let kept = aliases.get(keyOf(scope))
      if (kept === undefined) aliases.set(keyOf(scope), (kept = new Map()))
      return kept
    }
    const ofRecord = (scope: RecordScope, recordId: string): ReadonlyArray<KeptAlias> =>
      [...aliasesIn(scope).values()].filter((alias) => alias.recordId === recordId).toSorted(newestFirst)

    const isDeleted = (accountId: string, recordId: string): boolean =>
      [...facts.values()].some(
        (fact) =>
          fact.kind === "delete" &&
          fact.lifted === undefined &&
          fact.accountId === accountId &&
          fact.recordId === recordId
      )

    const holding = (scope: RecordScope): ReadonlyArray<IdentityFact> =>
      [...facts.values()].filter((fact) => fact.lifted === undefined && inScope(scope, fact))

    memory.bankDestroyed.push(({ accountIds }) => {
      let found = 0
      for (const map of [trusts, texts, aliases] as ReadonlyArray<Map<string, unknown>>) {
        found += removeWhere(memory, map, (_, key) => accountIds.has(key.split(" ")[0]!))
      }
      for (const map of [matches, suggestions, facts] as ReadonlyArray<Map<string, { readonly accountId: string }>>) {
        found += removeWhere(memory, map, ({ accountId }) => accountIds.has(accountId))
      }
      return found
    })

    memory.accountHooks.forgotten.push((ids) => {
      for (const id of ids) remove(matches, id)
    })
    memory.accountHooks.exchanged.push((one, other) => {
      exchangeKeys(memory, trusts, 0, one, other)
      exchangeKeys(memory, texts, 0, one, other)
      exchangeKeys(memory, aliases, 0, one, other)
    })
    memory.accountHooks.moved.push(({ dataType, from, ids, to, workspaceId }) => {
      const source = { accountId: from, dataType, workspaceId }
      for (const map of [matches, facts] as ReadonlyArray<Map<string, Logged>>) {
        for (const [id, one] of Array.from(map)) {
          if (inScope(source, one) && ids.has(one.recordId)) set(map, id, frozen({ ...one, accountId: to }))
        }
      }
      for (const [id, one] of Array.from(suggestions)) {
        if (!inScope(source, one)) continue
        const [isFirst, isSecond] = [ids.has(one.recordId), ids.has(one.observedId)]
        if (isFirst !== isSecond) remove(suggestions, id)
        else if (isFirst) set(suggestions, id, frozen({ ...one, accountId: to }))
      }
    })

    return IdentityStore.of({
      recall: (scope) =>
        call((now) => ({
          now: Timestamp.fromMillis(now),
          trust: trusts.get(keyOf(scope)) ?? fullTrust,
          learnt: texts.get(keyOf(scope)) ?? [],
          hasAliases: aliasesIn(scope).size > 0,
          facts: holding(scope).filter(({ kind }) => kind !== "delete")
        })),
      setTrust: (scope, trust) => call(() => set(trusts, keyOf(scope), frozen(trust))),
      setLearnt: (scope, learnt) => call(() => set(texts, keyOf(scope), frozen(learnt))),
      forgetTrust: (_, accountIds) =>
        call(() => {
          const accounts = new Set<string>(accountIds)
          for (const key of Array.from(trusts.keys())) if (accounts.has(key.split(" ")[0]!)) remove(trusts, key)
        }),
      forget: (_, accountId) =>
        call(() => {
          for (const map of [trusts, texts, aliases]) {
            for (const key of Array.from(map.keys())) {
              if (key.split(" ")[0] === accountId) remove(map as Map<string, unknown>, key)
            }
          }
          for (const map of [matches, suggestions, facts]) {
            for (const one of Array.from<{ readonly id: string; readonly accountId: string }>(map.values())) {
              if (one.accountId === accountId) remove(map as Map<string, unknown>, one.id)
            }
          }
        }),

      aliases: (scope, providerIds) =>
        call(() => {
          const kept = aliasesIn(scope)
          const found = new Map<string, string>()
          for (const providerId of providerIds) {
            const alias = kept.get(providerId)
            if (alias !== undefined) found.set(providerId, alias.recordId)
          }
          return found
        }),
      aliasesOf: (scope, recordId) =>
        call(() => ofRecord(scope, recordId).map(({ lastSeen, providerId }) => ({ providerId, recordId, lastSeen }))),
      formerIds: (scope, recordIds) =>
        call(() => {
          const wanted = new Set(recordIds)
          const own = [...aliasesIn(scope).values()].filter(({ recordId }) => wanted.has(recordId))
          const found = Map.groupBy(own.toSorted(newestFirst).toReversed(), ({ recordId }) => recordId)
          return new Map(Array.from(found, ([id, some]) => [id, some.map(({ providerId }) => providerId)]))
        }),
      addAliases: (scope, added) =>
        call((now) => {
          const kept = aliasesIn(scope)
          const lastSeen = Timestamp.fromMillis(now)
          for (const { providerId, recordId } of added) {
            set(kept, providerId, { providerId, recordId, lastSeen, seq: seq++ })
          }
          for (const recordId of new Set(added.map((alias) => alias.recordId))) {
            for (const alias of ofRecord(scope, recordId).slice(limits.aliasesPerRecord)) remove(kept, alias.providerId)
          }
        }),
      moveAliases: (scope, providerIds, to) =>
        call(() => {
          const kept = aliasesIn(scope)
          for (const providerId of providerIds) {
            const alias = kept.get(providerId)
            if (alias !== undefined) set(kept, providerId, { ...alias, recordId: to })
          }
        }),

      handBack: (scope, parted) =>
        call(() => {
          const kept = aliasesIn(scope)
          const byRecord = new Map(parted.map((match) => [match.recordId, match]))
          for (const alias of Array.from(kept.values())) {
            const match = byRecord.get(alias.recordId)
            if (match === undefined || alias.lastSeen < match.at || alias.providerId === match.before.providerId)
              continue
            set(kept, alias.providerId, { ...alias, recordId: match.separateId })
          }
          const own = new Set<string>(parted.map(({ id }) => id))
          for (const [id, one] of Array.from(matches)) {
            const match = byRecord.get(one.recordId)
            if (match === undefined || !inScope(scope, one) || own.has(id) || id < match.id) continue
            set(matches, id, frozen({ ...one, recordId: match.separateId }))
          }
        }),

      logMatches: (made) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          for (const match of made) set(matches, match.id, frozen({ ...match, at }))
        }),
      match: (scope, id) =>
        call(() => Option.fromUndefinedOr(matches.get(id)).pipe(Option.filter((match) => inScope(scope, match)))),
      matches: (scope, query) => call(() => selected(matches, scope, query)),
      setMatch: ({ before, decided, id, observed, recordId, separateId, state }) =>
        call(() => {
          const match = matches.get(id)
          if (match === undefined) return
          const { separateId: _, decided: _decided, ...rest } = match
          const changed: LoggedMatch = {
            ...rest,
            recordId,
            before,
            observed,
            state,
            ...(separateId === undefined ? {} : { separateId }),
            ...(decided === undefined ? {} : { decided })
          }
          set(matches, id, frozen(changed))
        }),

      suggest: (made) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          for (const one of made) {
            const known = [...suggestions.values()].some(
              (other) => inScope(one, other) && other.recordId === one.recordId && other.observedId === one.observedId
            )
            if (!known) set(suggestions, one.id, frozen({ ...one, at, state: "open" as const }))
          }
        }),
      suggestion: (scope, id) =>
        call(() => Option.fromUndefinedOr(suggestions.get(id)).pipe(Option.filter((one) => inScope(scope, one)))),
      suggestions: (scope, query) => call(() => selected(suggestions, scope, query)),
      decideSuggestion: ({ id }, state, decided) =>
        call(() => {
          const suggestion = suggestions.get(id)
          if (suggestion === undefined) return
          const { decided: _, ...rest } = suggestion
          set(suggestions, id, frozen({ ...rest, state, ...(decided === undefined ? {} : { decided }) }))
        }),

      facts: (scope) => call(() => holding(scope)),
      addFact: (fact) => call(() => set(facts, fact.id, frozen(fact))),
      liftFacts: (accountId, ids, lifted) =>
        call(() => {
          for (const id of ids) {
            const fact = facts.get(id)
            if (fact?.accountId === accountId && fact.lifted === undefined) set(facts, id, frozen({ ...fact, lifted }))
          }
        }),
      countFacts: (workspaceId) =>
        call(
          () =>
            [...facts.values()].filter((fact) => fact.workspaceId === workspaceId && fact.lifted === undefined).length
        ),

      purge: (limit) =>
        call((now) => {
          let aliasesGone = 0
          for (const [key, kept] of aliases) {
            const accountId = key.split(" ")[0]!
            for (const alias of Array.from(kept.values())) {
              const old = Timestamp.toMillis(alias.lastSeen) < now - limits.aliasDays * dayMillis
              if (aliasesGone < limit && old && !isDeleted(accountId, alias.recordId)) {
                remove(kept, alias.providerId)
                aliasesGone++
              }
            }
          }
          let gone = aliasesGone
          for (const log of [matches, suggestions]) {
            const before = now - limits.matchDays * dayMillis
            const old = [...log.values()].filter(({ at }) => Timestamp.toMillis(at) < before).slice(0, limit)
            for (const { id } of old) remove(log as Map<string, unknown>, id)
            gone += old.length
          }
          return gone
        })
    })
  })
)
