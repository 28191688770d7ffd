/** The ledger of records in memory. */
import type { AccountId } from "@millrace/core/account/Account"
import type { Fields } from "@millrace/core/record/FieldValue"
import type { IndexEntry, LedgerRecord } from "@millrace/core/record/LedgerRecord"
import { RecordStore, type Checkpoint, type RecordScope } from "@millrace/core/record/RecordStore"
import * as Timestamp from "@millrace/core/shared/Timestamp"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccountLedger, newestFirst, type TypeLedger } from "./MemoryAccountLedger.ts"
import { Memory } from "./MemoryTransactor.ts"
import { firstIndex } from "./Order.ts"
import { matches } from "@millrace/core/record/RecordMatch"

const keyOf = ({ bankId, accountId, dataType }: Checkpoint): string => `${bankId} ${accountId ?? ""} ${dataType}`

const candidates = function* (
  ledger: TypeLedger,
  providerIds: ReadonlyArray<string> | undefined
): Iterable<LedgerRecord> {
  if (providerIds === undefined) return yield* ledger.records.values()
  for (const providerId of new Set(providerIds)) {
    if (providerId === "") {
      for (const record of ledger.records.values()) if (record.providerId === "") yield record
    } else {
      for (const id of ledger.byProviderId.get(providerId) ?? []) yield ledger.records.get(id)!
    }
  }
}

export const layer: Layer.Layer<RecordStore, never, Memory> = Layer.effect(
  RecordStore,
  Effect.gen(function* () {
    const memory = yield* Memory
    const { call, set, remove } = memory
    const accounts = new Map<AccountId, AccountLedger>()
    const checkpoints = new Map<string, string>()
    const pulled = new Map<string, Timestamp.Timestamp>()

    const accountOf = (id: AccountId): AccountLedger => {
      let account = accounts.get(id)
      if (account === undefined) accounts.set(id, (account = new AccountLedger(id)))
      return account
    }
    const ledgerOf = (scope: RecordScope): TypeLedger => accountOf(scope.accountId).ofType(scope.dataType)

    return RecordStore.of({
      index: (scope, { from, providerIds }) =>
        call(() => {
          const ledger = ledgerOf(scope)
          const entries: Array<IndexEntry> = []
          for (const { id, providerId, date, pending, state, hash } of candidates(ledger, providerIds)) {
            if (from !== undefined && date !== null && date < from) continue
            entries.push({ id, providerId, date, pending, state, hash, missed: ledger.missed.get(id) ?? 0 })
          }
          return entries
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
      write: (scope, writes) =>
        call((now) => accountOf(scope.accountId).write(memory, scope.dataType, writes, Timestamp.fromMillis(now))),
      setMissed: (scope, ids, missed) =>
        call(() => {
          const ledger = ledgerOf(scope)
          for (const id of ids) if (ledger.records.has(id)) set(ledger.missed, id, missed)
        }),
      lastChange: (accountId) => call(() => accounts.get(accountId)?.lastChange ?? 0),
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
      page: (scope, { filter, limit, before }) =>
        call(() => {
          const live = ledgerOf(scope).livePage()
          const test = matches(filter)
          const found: Array<LedgerRecord> = []
          const start = before === undefined ? 0 : firstIndex(live, (record) => newestFirst(before, record) < 0)
          for (let i = start; i < live.length && found.length < limit; i++) if (test(live[i]!)) found.push(live[i]!)
          return found
        }),
      latestDate: (scope) => call(() => ledgerOf(scope).livePage()[0]?.date ?? null),
      checkpoint: (key) => call(() => checkpoints.get(keyOf(key))),
      saveCheckpoint: (key, value) =>
        call(() => (value === undefined ? remove(checkpoints, keyOf(key)) : set(checkpoints, keyOf(key), value))),
      pulledAt: ({ accountId, dataType }) => call(() => pulled.get(`${accountId} ${dataType}`)),
      setPulled: ({ accountId, dataType }) =>
        call((now) => set(pulled, `${accountId} ${dataType}`, Timestamp.fromMillis(now)))
    })
  })
)
