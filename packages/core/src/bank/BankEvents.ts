/** Events of banks, their connections and accounts (decisions 5.10 and 6.2). */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { eventType, eventTypes } from "../event/EventType.ts"
import { ConnectionStatus, HealthStatus } from "../provider/ConnectionHealth.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp, toMillis } from "../shared/Timestamp.ts"
import { type Account, isOwnAccount } from "./Account.ts"
import { Bank } from "./Bank.ts"
import { BankRemoval } from "./BankRemoval.ts"

export const bankConnected = eventType({
  type: "bank.connected",
  subject: "bank",
  summary: "A bank was connected for the first time.",
  data: Schema.Struct({ bank: Bank })
})

export const bankReconnected = eventType({
  type: "bank.reconnected",
  subject: "bank",
  summary: "A known bank was connected again.",
  data: Schema.Struct({ bankId: Id("bank") })
})

export const connectionStatusChanged = eventType({
  type: "connection.status.changed",
  subject: "bank",
  summary: "The health of a connection is another one.",
  outbound: true,
  data: Schema.Struct({ bankId: Id("bank"), from: HealthStatus, to: HealthStatus, connectionStatus: ConnectionStatus })
})

const attentionReasons = ["reauth", "consent_expired", "consent_expiring", "error"] as const

export const connectionRequiresAttention = eventType({
  type: "connection.requires.attention",
  subject: "bank",
  summary: "A person has to do something about a connection, or soon will have to; `reason` says what.",
  outbound: true,
  data: Schema.Struct({
    bankId: Id("bank"),
    reason: Schema.Literals(attentionReasons),
    expiresAt: Schema.optionalKey(Timestamp)
  })
})

export const bankDeleted = eventType({
  type: "bank.deleted",
  subject: "bank",
  summary: "A bank was deleted; it can be restored until it is removed permanently.",
  data: Schema.Struct({ bankId: Id("bank") })
})

export const bankRestored = eventType({
  type: "bank.restored",
  subject: "bank",
  summary: "A bank that was deleted, or whose removal had failed, is back.",
  data: Schema.Struct({ bankId: Id("bank") })
})

export const bankRemoved = eventType({
  type: "bank.removed",
  subject: "bank",
  summary: "A bank was removed permanently, with all that was known of it.",
  outbound: true,
  data: Schema.Struct({ bankId: Id("bank") })
})

export const bankRemovalFailed = eventType({
  type: "bank.removal.failed",
  subject: "bank",
  summary:
    "The removal of a bank has failed: `stage` says whether it is still connected (`provider`) or not (`local`).",
  outbound: true,
  data: Schema.Struct({ bankId: Id("bank"), stage: BankRemoval.fields.stage, reason: Schema.String })
})

const accountLists = eventTypes(
  { subject: "account", data: Schema.Struct({ bankId: Id("bank"), accountId: Id("account") }) },
  {
    "account.added": "A bank lists an account for the first time.",
    "account.missing": "A bank lists an account no longer.",
    "account.returned": "A bank lists an account again that it had not listed."
  }
)

const joinData = Schema.Struct({ bankId: Id("bank"), accountId: Id("account"), joinedId: Id("account") })

export const accountJoined = eventType({
  type: "account.joined",
  subject: "account",
  summary: "A person said that `joinedId` is the same account as `accountId`, which goes on as both.",
  data: joinData
})

export const accountParted = eventType({
  type: "account.parted",
  subject: "account",
  summary: "A person took back that `joinedId` is the same account as `accountId`.",
  data: joinData
})

export const accountJoinSuggested = eventType({
  type: "account.join.suggested",
  subject: "account",
  summary:
    "A new account looks like one that is known, and nothing tells for certain: `listAccountJoins` says why, and a person can join the two.",
  data: Schema.Struct({ bankId: Id("bank"), accountId: Id("account"), likeIds: Schema.Array(Id("account")) })
})

export const bankEventTypes = [
  bankConnected,
  bankReconnected,
  connectionStatusChanged,
  connectionRequiresAttention,
  bankDeleted,
  bankRestored,
  bankRemoved,
  bankRemovalFailed,
  ...Object.values(accountLists),
  accountJoined,
  accountParted,
  accountJoinSuggested
]

/** Days before the end of a consent at which a person is informed. */
const warningDays = [14, 7, 1]
const dayMillis = 86_400_000

const reasonOf = ({ status }: ConnectionStatus): (typeof attentionReasons)[number] | undefined => {
  switch (status) {
    case "reauth_required":
    case "disconnected":
      return "reauth"
    case "consent_expired":
      return "consent_expired"
    case "error":
      return "error"
    default:
      return undefined
  }
}

/** Whether the end of the consent came within 14, 7 or 1 days between two looks. */
const isExpiring = (before: ConnectionStatus, after: ConnectionStatus): boolean => {
  const { consentExpiresAt: expires, lastCheckedAt: now } = after
  if (!after.connected || expires === undefined || now === undefined) return false
  const left = toMillis(expires) - toMillis(now)
  const since = before.lastCheckedAt
  // The same end, seen from the look before; another one is seen for the first time.
  const leftBefore =
    since === undefined || before.consentExpiresAt !== expires ? Infinity : toMillis(expires) - toMillis(since)
  return left > 0 && warningDays.some((days) => left <= days * dayMillis && leftBefore > days * dayMillis)
}

/** What a look at a connection has to tell. */
export const statusEvents = (
  bank: Pick<Bank, "id" | "workspaceId">,
  before: ConnectionStatus,
  after: ConnectionStatus,
  cause: ActorRef
): ReadonlyArray<NewEvent> => {
  const of = { workspaceId: bank.workspaceId, subjectId: bank.id, cause }
  const events: Array<NewEvent> = []
  if (before.status !== after.status) {
    events.push(
      connectionStatusChanged.of({
        ...of,
        data: { bankId: bank.id, from: before.status, to: after.status, connectionStatus: after }
      })
    )
  }
  const reason = before.status === after.status ? undefined : reasonOf(after)
  const expiring = isExpiring(before, after)
  if (reason !== undefined || expiring) {
    const { consentExpiresAt: expiresAt } = after
    events.push(
      connectionRequiresAttention.of({
        ...of,
        data: {
          bankId: bank.id,
          reason: reason ?? "consent_expiring",
          ...(expiresAt === undefined ? {} : { expiresAt })
        }
      })
    )
  }
  return events
}

/** What a list of accounts has to tell, given the accounts that were held before it. */
export const accountEvents = (
  held: ReadonlyArray<Account>,
  accounts: ReadonlyArray<Account>,
  cause: ActorRef
): ReadonlyArray<NewEvent> => {
  const before = new Map(held.map((account) => [account.id, account]))
  return accounts.filter(isOwnAccount).flatMap(({ bankId, id, state, workspaceId }) => {
    const known = before.get(id)
    if (known?.state === state) return []
    const type = known === undefined ? "account.added" : state === "open" ? "account.returned" : "account.missing"
    return [accountLists[type].of({ workspaceId, subjectId: id, cause, data: { bankId, accountId: id } })]
  })
}
