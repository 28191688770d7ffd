/** Banks in memory, for every store that asks about them. */
import type { Bank, BankId } from "@millrace/core/bank"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"

export class BankTable extends Context.Service<BankTable, { readonly banks: Map<BankId, Bank> }>()(
  "@millrace/adapters/storage/memory/MemoryBankTable/BankTable"
) {
  static readonly layer: Layer.Layer<BankTable> = Layer.sync(BankTable, () => BankTable.of({ banks: new Map() }))
}
