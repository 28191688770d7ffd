/** Port: what storage holds of the accounts of a bank beside the bank and the accounts themselves. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { BankId } from "./Bank.ts"

export class BankDataPurge extends Context.Service<
  BankDataPurge,
  {
    /**
     * Destroys a part of it, about `limit` rows: records, what identity and enrichments remember of them, what was noted
     * about their deliveries, how far they were read. Rows at destinations stay. Returns how much there was; 0 when
     * nothing is left. Nothing of other banks is touched, and nobody waits for it who does not work on this one.
     */
    readonly destroySome: (
      workspaceId: WorkspaceId,
      bankId: BankId,
      limit: number
    ) => Effect.Effect<number, StorageUnavailable>
  }
>()("@millrace/core/bank/BankDataPurge") {}
