/** What memory holds of the accounts of a bank, destroyed at once. */
import type { AccountId } from "@millrace/core/bank"
import { BankDataPurge, BankStore } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { RecordTable } from "./MemoryRecordTable.ts"
import { Memory } from "./MemoryTransactor.ts"

export const layer: Layer.Layer<BankDataPurge, never, Memory | RecordTable | BankStore> = Layer.effect(
  BankDataPurge,
  Effect.gen(function* () {
    const { bankDestroyed, call } = yield* Memory
    const { accounts } = yield* RecordTable
    const banks = yield* BankStore

    return BankDataPurge.of({
      destroySome: (_, bankId) =>
        Effect.flatMap(banks.accounts(bankId), (own) =>
          call(() => {
            const accountIds = new Set<AccountId>(own.map(({ id }) => id))
            const recordIds = new Set<string>()
            for (const id of accountIds) {
              for (const ledger of accounts.get(id)?.types.values() ?? []) {
                for (const recordId of ledger.records.keys()) recordIds.add(recordId)
              }
            }
            const held = { bankId, accountIds, recordIds }
            return bankDestroyed.reduce((found, destroy) => found + destroy(held), 0)
          })
        )
    })
  })
)
