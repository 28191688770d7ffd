/** Events of the ledger (decisions 5.10). */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { eventType, eventTypes } from "../event/EventType.ts"
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

const recordEvents = eventTypes(
  {
    subject: "account",
    outbound: true,
    data: Schema.Struct({
      bankId: Id("bank"),
      accountId: Id("account"),
      dataType: Schema.String,
      count: Schema.Int,
      recordIds: Schema.Array(Schema.String)
    })
  },
  {
    "record.merged":
      "Records of an account turned out to be one event with another record, or another source shows the same.",
    "record.dropped": "Records of an account are gone: their source no longer shows them.",
    "record.revived": "Records of an account that were gone are shown again."
  }
)

const idUntrusted = eventType({
  type: "id.untrusted",
  subject: "account",
  summary: "The upstream ids of an account were caught naming other events: they are not believed from now on.",
  outbound: true,
  data: Schema.Struct({ bankId: Id("bank"), accountId: Id("account"), dataType: Schema.String })
})

/** Told where an enrichment tunes the identity of records. */
export const identityEventTypes = [...Object.values(recordEvents), idUntrusted]

export const recordEventTypes = [transactionsNew, ...identityEventTypes]

interface UntrustedIds {
  readonly workspaceId: WorkspaceId
  readonly bankId: Id<"bank">
  readonly accountId: Id<"account">
  readonly dataType: string
}

/** What became of records of an account; nothing where there are none. */
export const identityEvents = (
  { accountId, bankId, dataType, workspaceId }: UntrustedIds,
  what: "merged" | "dropped" | "revived",
  ids: ReadonlyArray<string>,
  cause: ActorRef
): ReadonlyArray<NewEvent> => {
  if (ids.length === 0) return []
  const recordIds = ids.slice(0, limits.eventIds)
  const data = { bankId, accountId, dataType, count: ids.length, recordIds }
  return [recordEvents[`record.${what}`].of({ workspaceId, subjectId: accountId, cause, data })]
}

export const untrustedEvent = ({ accountId, bankId, dataType, workspaceId }: UntrustedIds, cause: ActorRef): NewEvent =>
  idUntrusted.of({ workspaceId, subjectId: accountId, cause, data: { bankId, accountId, dataType } })

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
