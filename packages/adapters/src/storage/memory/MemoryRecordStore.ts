/** The ledger of records in memory. */
import type { AccountId } from "@millrace/core/bank"
import {
  type DayHash,
  type DayHashes,
  type Fields,
  type HeldRecord,
  type IndexEntry,
  type LedgerRecord,
  matches,
  noDayHashes,
  type RecordDay,
  type ShownStep
} from "@millrace/core/record"
import { type Checkpoint, type IndexQuery, type PageQuery, type RecordScope, RecordStore } from "@millrace/core/storage"
import { Timestamp } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountLedger, newestFirst, type TypeLedger } from "./MemoryAccountLedger.ts"
import { RecordTable } from "./MemoryRecordTable.ts"
import { frozen } from "./Frozen.ts"
import { exchangeKeys, Memory, removeWhere } from "./MemoryTransactor.ts"
import { firstIndex } from "./Order.ts"

const keyOf = ({ bankId, accountId, dataType }: Checkpoint): string => `${bankId} ${accountId ?? ""} ${dataType}`

const typeKey = ({ accountId, dataType }: Pick<RecordScope, "accountId" | "dataType">): string =>
  `${accountId} ${dataType}`

const withIds = function* ({ records }: TypeLedger, ids: ReadonlyArray<string>): Iterable<LedgerRecord> {
  for (const id of new Set(ids)) {
    const record = records.get(id)
    if (record !== undefined) yield record
  }
}

const candidates = function* (ledger: TypeLedger, { ids, providerIds }: IndexQuery): Iterable<LedgerRecord> {
  if (providerIds === undefined) {
    if (ids === undefined) return yield* ledger.records.values()
    return yield* withIds(ledger, ids)
  }
  for (const providerId of new Set(providerIds)) {
    if (providerId === "") {
      for (const record of ledger.records.values()) if (record.providerId === "") yield record
    } else {
      for (const id of ledger.byProviderId.get(providerId) ?? []) yield ledger.records.get(id)!
    }
  }
}

const isWithin = (days: NonNullable<IndexQuery["days"]>, date: LedgerRecord["date"]): boolean =>
  date === null || days.some(({ from, to }) => date >= from && date <= to)

interface StoredDayHashes {
  readonly hashes: ReadonlyMap<RecordDay, DayHash>
  /** Change number of the newest record at that time; `undefined` once the hashes do not hold any more. */
  readonly changeNo: number | undefined
}

export const layer: Layer.Layer<RecordStore, never, Memory | RecordTable> = Layer.effect(
  RecordStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, set, remove } = memory
    const { accounts } = yield* RecordTable
    const checkpoints = new Map<string, string>()
    const pulled = new Map<string, Timestamp.Timestamp>()
    const shown = new Map<string, ReadonlyArray<ShownStep>>()
    const dayHashes = new Map<string, StoredDayHashes>()

    const accountOf = (id: AccountId): AccountLedger => {
      let account = accounts.get(id)
      if (account === undefined) accounts.set(id, (account = new AccountLedger(id)))
      return account
    }
    const ledgerOf = (scope: RecordScope): TypeLedger => accountOf(scope.accountId).ofType(scope.dataType)
    const newestOf = (scope: RecordScope): number => ledgerOf(scope).log.at(-1)?.changeNo ?? 0
    const isCurrent = (scope: RecordScope): boolean => dayHashes.get(typeKey(scope))?.changeNo === newestOf(scope)
    const outdate = (scope: Pick<RecordScope, "accountId" | "dataType">): void => {
      const stored = dayHashes.get(typeKey(scope))
      if (stored !== undefined) set(dayHashes, typeKey(scope), { ...stored, changeNo: undefined })
    }

    memory.bankDestroyed.push(({ accountIds, bankId }) => {
      let found = removeWhere(memory, accounts, ({ lastChange }, id) => accountIds.has(id) && lastChange > 0)
      for (const map of [pulled, shown, dayHashes] as ReadonlyArray<Map<string, unknown>>) {
        found += removeWhere(memory, map, (_, key) => accountIds.has(key.split(" ")[0]!))
      }
      return found + removeWhere(memory, checkpoints, (_, key) => key.split(" ")[0] === bankId)
    })

    memory.accountHooks.moved.push(({ dataType, from, ids, to }) => {
      for (const accountId of [from, to]) outdate({ accountId, dataType })
      accountOf(from).move(memory, dataType, ids, accountOf(to))
    })
    memory.accountHooks.exchanged.push((one, other) => {
      exchangeKeys(memory, pulled, 0, one, other)
      exchangeKeys(memory, shown, 0, one, other)
      exchangeKeys(memory, checkpoints, 1, one, other)
    })

    const pageOf = (scope: RecordScope, { before, filter, limit }: PageQuery): ReadonlyArray<LedgerRecord> => {
      const ordered = ledgerOf(scope).inOrder(filter.state ?? "live")
      const test = matches(filter)
      const found: Array<LedgerRecord> = []
      const start = before === undefined ? 0 : firstIndex(ordered, (record) => newestFirst(before, record) < 0)
      for (let i = start; i < ordered.length && found.length < limit; i++) {
        if (test(ordered[i]!)) found.push(ordered[i]!)
      }
      return found
    }

    return RecordStore.of({
      index: (scope, only) =>
        call(() => {
          const ledger = ledgerOf(scope)
          const wanted = only.ids === undefined ? undefined : new Set(only.ids)
          const entries: Array<IndexEntry> = []
          for (const { id, providerId, date, pending, state, hash, mergedInto } of candidates(ledger, only)) {
            if (only.from !== undefined && date !== null && date < only.from) continue
            if (mergedInto !== undefined || wanted?.has(id) === false) continue
            if (only.days !== undefined && state === "live" && !isWithin(only.days, date)) continue
            entries.push({ id, providerId, date, pending, state, hash, missed: ledger.missed.get(id)?.count ?? 0 })
          }
          return entries
        }),
      held: (scope, ids) =>
        call(() => {
          const ledger = ledgerOf(scope)
          return [...withIds(ledger, ids)]
            .filter(({ mergedInto }) => mergedInto === undefined)
            .map((record): HeldRecord => {
              const missed = ledger.missed.get(record.id)
              return {
                ...record,
                missed: missed?.count ?? 0,
                missedSince: missed?.since ?? null,
                missedAt: missed?.at ?? null,
                apart: ledger.apart.has(record.id)
              }
            })
        }),
      fields: (scope, ids) =>
        call(() => {
          const { records } = ledgerOf(scope)
          const found = new Map<string, Fields>()
          for (const id of ids) {
            const record = records.get(id)
            if (record !== undefined) found.set(id, record.fields)
          }
          return found
        }),
      write: (scope, writes, options) =>
        call((now) => {
          const at = Timestamp.fromMillis(now)
          const { records } = ledgerOf(scope)
          if (options?.areNew === true && writes.some(({ id }) => records.has(id))) throw new Error("a record is there")
          accountOf(scope.accountId).write(memory, scope.dataType, writes, at, options?.apart ?? false)
        }),
      rename: (scope, ids) =>
        call(() => {
          const account = accountOf(scope.accountId)
          if (ids.length > 0) outdate(scope)
          for (const { id, providerId } of ids) {
            account.amend(memory, scope.dataType, id, { providerId })
            remove(ledgerOf(scope).missed, id)
          }
        }),
      touch: (scope, ids) =>
        call(() => {
          const account = accountOf(scope.accountId)
          const stored = isCurrent(scope) ? dayHashes.get(typeKey(scope)) : undefined
          const before = account.lastChange
          account.touch(memory, scope.dataType, ids)
          if (stored !== undefined) set(dayHashes, typeKey(scope), { ...stored, changeNo: newestOf(scope) })
          return { before, after: account.lastChange }
        }),
      merge: (scope, parts) =>
        call(() => {
          if (parts.length > 0) outdate(scope)
          for (const { id, into } of parts) {
            accountOf(scope.accountId).amend(memory, scope.dataType, id, { mergedInto: into })
          }
        }),
      merged: (scope) =>
        call(() => {
          const merged = new Map<string, string>()
          for (const { id, mergedInto } of ledgerOf(scope).records.values()) {
            if (mergedInto !== undefined) merged.set(id, mergedInto)
          }
          return merged
        }),
      setMissed: (scope, ids, count) =>
        call((now) => {
          const { missed, records } = ledgerOf(scope)
          if (ids.length > 0) outdate(scope)
          const at = Timestamp.fromMillis(now)
          for (const id of ids) {
            if (count === 0) remove(missed, id)
            else if (records.has(id) && missed.get(id)?.count !== count) {
              set(missed, id, { count, since: missed.get(id)?.since ?? at, at })
            }
          }
        }),
      keepDayHashes: (scope, { put, removed }) =>
        call(() => {
          const hashes = new Map([...(dayHashes.get(typeKey(scope))?.hashes ?? []), ...put])
          for (const day of removed) hashes.delete(day)
          set(dayHashes, typeKey(scope), { hashes, changeNo: newestOf(scope) })
        }),
      dayHashes: (scope) =>
        call((): DayHashes => {
          const stored = dayHashes.get(typeKey(scope))
          return stored === undefined ? noDayHashes : { isCurrent: isCurrent(scope), hashes: stored.hashes }
        }),
      lastChange: (accountId) => call(() => accounts.get(accountId)?.lastChange ?? 0),
      lastChanges: (accountIds) =>
        call(
          () =>
            new Map(
              accountIds.flatMap((id) => {
                const last = accounts.get(id)?.lastChange ?? 0
                return last === 0 ? [] : [[id, last]]
              })
            )
        ),
      changes: (scope, { after, upTo, limit }) =>
        call(() => {
          const { log, records } = ledgerOf(scope)
          const changed: Array<LedgerRecord> = []
          for (let i = firstIndex(log, ({ changeNo }) => changeNo > after); i < log.length; i++) {
            const record = log[i]!
            if (record.changeNo > upTo || changed.length >= limit) break
            if (records.get(record.id) === record) changed.push(record)
          }
          return changed
        }),
      publicChanges: (scope, { after, upTo, limit }) =>
        call(() =>
          [...ledgerOf(scope).records.values()]
            .filter(({ publicChangeNo }) => publicChangeNo > after && publicChangeNo <= upTo)
            .toSorted((a, b) => a.publicChangeNo - b.publicChangeNo)
            .slice(0, limit)
        ),
      page: (scope, query) => call(() => pageOf(scope, query)),
      shownPage: (scope, query) =>
        call(() => pageOf(scope, query).map(({ date, fields, id }) => ({ id, date, fields }))),
      forget: (_, accountId) =>
        call(() => {
          const ofAccount = ({ accountId: id }: { readonly accountId: string | undefined }) => id === accountId
          remove(accounts, accountId)
          for (const map of [pulled, shown, dayHashes]) {
            for (const key of Array.from(map.keys())) {
              if (ofAccount({ accountId: key.split(" ")[0] })) remove(map as Map<string, unknown>, key)
            }
          }
          for (const key of Array.from(checkpoints.keys())) {
            if (ofAccount({ accountId: key.split(" ")[1] })) remove(checkpoints, key)
          }
        }),
      latestDate: (scope) =>
        call(() =>
          [...ledgerOf(scope).records.values()].reduce<LedgerRecord["date"]>(
            (latest, { date }) => (date !== null && (latest === null || date > latest) ? date : latest),
            null
          )
        ),
      checkpoint: (key) => call(() => checkpoints.get(keyOf(key))),
      saveCheckpoint: (key, value) =>
        call(() => (value === undefined ? remove(checkpoints, keyOf(key)) : set(checkpoints, keyOf(key), value))),
      pulledTimes: (dataType, accountIds) =>
        call(
          () =>
            new Map(
              accountIds.flatMap((accountId) => {
                const at = pulled.get(typeKey({ accountId, dataType }))
                return at === undefined ? [] : [[accountId, at] as const]
              })
            )
        ),
      pulledAt: (scope) => call(() => pulled.get(typeKey(scope))),
      shown: (dataType, accountIds) =>
        call(
          () =>
            new Map(
              accountIds.flatMap((accountId) => {
                const steps = shown.get(typeKey({ accountId, dataType }))
                return steps === undefined ? [] : [[accountId, steps] as const]
              })
            )
        ),
      setPulled: (scopes) =>
        call((now) => {
          for (const scope of scopes) {
            set(pulled, typeKey(scope), Timestamp.fromMillis(now))
            if (scope.shown !== undefined) set(shown, typeKey(scope), frozen(scope.shown))
          }
        })
    })
  })
)
