/** Events of the ledger (decisions 5.10). */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { eventType } from "../event/EventType.ts"
import { Id } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"

/** `count` transactions are new; `transactionIds` names the first `limits.eventIds` of them. */
export const transactionsNew = eventType({
  type: "transactions.new",
  subject: "account",
  summary: "Transactions of an account were seen for the first time.",
  outbound: true,
  data: Schema.Struct({
    bankId: Id("bank"),
    accountId: Id("account"),
    count: Schema.Int,
    transactionIds: Schema.Array(Schema.String)
  })
})

export const recordEventTypes = [transactionsNew] as const

/** The event of transactions that one transaction has added to the ledger. */
export const newTransactions = (
  of: { readonly workspaceId: WorkspaceId; readonly bankId: Id<"bank">; readonly accountId: Id<"account"> },
  ids: ReadonlyArray<string>,
  cause: ActorRef
): NewEvent =>
  transactionsNew.of({
    workspaceId: of.workspaceId,
    subjectId: of.accountId,
    cause,
    data: {
      bankId: of.bankId,
      accountId: of.accountId,
      count: ids.length,
      transactionIds: ids.slice(0, limits.eventIds)
    }
  })
