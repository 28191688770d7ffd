/** Bank connections (specification 2.1, decisions 4.1). */
import * as Schema from "effect/Schema"
import { BankType } from "../provider/BankType.ts"
import { isMadeKind, ProviderKind } from "../provider/ProviderKind.ts"
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
  deletedAt: Schema.optionalKey(Timestamp),
  /** The feed that it was made for, to hold records of a source without accounts of its own. People see nothing of it. */
  madeFor: Schema.optionalKey(Id("feed"))
})
export type Bank = typeof Bank.Type

/**
 * Where what is under a bank comes from. `connected`: a provider. `files`: statements, which name accounts as real as
 * those of a provider; the bank has no connection, and is nothing to people while no statement names one. `made`: a
 * source without accounts, whose records have one that their feed alone knows.
 */
export type BankNature = "connected" | "files" | "made"

/** The one question by which banks are told apart; nothing else asks for their source. */
export const natureOf = ({ madeFor, source }: Pick<Bank, "madeFor" | "source">): BankNature =>
  madeFor !== undefined ? "made" : isMadeKind(source) ? "files" : "connected"
const dayMillis = 86_400_000

/** When a deleted bank is removed for good: the first of a month at 03:00 UTC, a day after it was deleted or later. */
export const purgedAt = (deletedAt: Timestamp): Timestamp => {
  const earliest = toMillis(deletedAt) + dayMillis
  const at = new Date(earliest)
  const first = (months: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1, 3)
  return fromMillis(first(0) >= earliest ? first(0) : first(1))
}

export type BankId = Id<"bank">
