/** The records of accounts in memory, for every store that asks about them. */
import type { AccountId } from "@millrace/core/bank"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { AccountLedger } from "./MemoryAccountLedger.ts"

export class RecordTable extends Context.Service<RecordTable, { readonly accounts: Map<AccountId, AccountLedger> }>()(
  "@millrace/adapters/storage/memory/MemoryRecordTable/RecordTable"
) {
  static readonly layer: Layer.Layer<RecordTable> = Layer.sync(RecordTable, () =>
    RecordTable.of({ accounts: new Map() })
  )
}
