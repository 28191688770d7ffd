/** Whether the plan of a workspace has room for another connection. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { PlanLimitReached } from "../failure/Failure.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { plans } from "../workspace/Plan.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import { natureOf, type Bank } from "./Bank.ts"
import { BankStore } from "./BankStore.ts"

export class BankRoom extends Context.Service<
  BankRoom,
  {
    /** The live banks of the workspace, where its plan has room for another one. */
    readonly need: (workspace: Workspace) => Effect.Effect<ReadonlyArray<Bank>, PlanLimitReached | StorageUnavailable>
  }
>()("@millrace/core/bank/BankRoom") {
  static readonly layer: Layer.Layer<BankRoom, never, BankStore> = Layer.effect(
    BankRoom,
    Effect.map(BankStore, (banks) =>
      BankRoom.of({
        need: Effect.fn("BankRoom.need")(function* (workspace) {
          const all = yield* banks.list([workspace.id])
          const limit = plans[workspace.plan].banks
          if (limit !== undefined && all.filter((bank) => natureOf(bank) === "connected").length >= limit) {
            return yield* new PlanLimitReached({ what: "banks", limit })
          }
          return all
        })
      })
    )
  )
}
