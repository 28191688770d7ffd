/** Bank connections (specification 2.1, decisions 4.1). */
import * as Schema from "effect/Schema"
import { BankType } from "../provider/BankType.ts"
import { ProviderKind } from "../provider/ProviderKind.ts"
import { Id } from "../shared/Ids.ts"
import { fromMillis, Timestamp, toMillis } from "../shared/Timestamp.ts"
import { ConnectionStatus } from "../provider/ConnectionHealth.ts"

/** A bank as everybody may see it. */
export const Bank = Schema.Struct({
  id: Id("bank"),
  workspaceId: Id("workspace"),
  name: Schema.String,
  source: ProviderKind,
  type: BankType,
  order: Schema.Int,
  icon: Schema.optionalKey(Schema.String),
  /** Absent for banks made of uploaded files: they have no connection. */
  connectionStatus: Schema.optionalKey(ConnectionStatus),
  institutionId: Schema.optionalKey(Schema.String),
  providerInstanceId: Schema.optionalKey(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: Schema.optionalKey(Timestamp)
})
export type Bank = typeof Bank.Type
const dayMillis = 86_400_000

/** When a deleted bank is removed for good: the first of a month at 03:00 UTC, a day after it was deleted or later. */
export const purgedAt = (deletedAt: Timestamp): Timestamp => {
  const earliest = toMillis(deletedAt) + dayMillis
  const at = new Date(earliest)
  const first = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1, 3)
  return fromMillis(first(0) >= earliest ? first(0) : first(1))
}

export type BankId = Id<"bank">
