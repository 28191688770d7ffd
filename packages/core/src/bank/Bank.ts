/** Bank connections (specification 2.1, decisions 4.1). */
import * as Schema from "effect/Schema"
import { BankType } from "../provider/BankType.ts"
import { isMadeKind, ProviderKind } from "../provider/ProviderKind.ts"
import { Id } from "../shared/Ids.ts"
import { fromMillis, Timestamp, toMillis } from "../shared/Timestamp.ts"
import { type BankLife, BankRemoval, stateOf } from "./BankRemoval.ts"
import { KeptStatus } from "../provider/ConnectionHealth.ts"

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
  connectionStatus: Schema.optionalKey(KeptStatus),
  institutionId: Schema.optionalKey(Schema.String),
  providerInstanceId: Schema.optionalKey(Schema.String),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  deletedAt: Schema.optionalKey(Timestamp),
  /** Its removal permanently, while that is under way or after it has failed. */
  removal: Schema.optionalKey(BankRemoval),
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

/** The one question by which banks are distinguished; nothing else asks for their source. */
/** Its connection is gone upstream, and cannot be mended there: anyone who reconnects the bank makes another one. */
export const needsAnother = ({ connectionStatus }: Pick<Bank, "connectionStatus">): boolean =>
  connectionStatus?.status === "disconnected"

export const natureOf = ({ madeFor, source }: Pick<Bank, "madeFor" | "source">): BankNature =>
  madeFor !== undefined ? "made" : isMadeKind(source) ? "files" : "connected"

const dayMillis = 86_400_000

/** The first of a month at 03:00 UTC: of the month of that instant, or so many months from it. */
const cleanup = (near: number, months: number): number => {
  const at = new Date(near)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1, 3)
}

/** When a deleted bank is removed permanently: the first of a month at 03:00 UTC, a day after it was deleted or later. */
const purgedAt = (deletedAt: Timestamp): Timestamp => {
  const earliest = toMillis(deletedAt) + dayMillis
  const first = cleanup(earliest, 0)
  return fromMillis(first >= earliest ? first : cleanup(earliest, 1))
}

/** Since when it is in the trash and until when; `undefined` where it is not there, or on its way out. */
export const trashedOf = (bank: BankLife): { readonly deletedAt: Timestamp; readonly purgeAt: Timestamp } | undefined =>
  stateOf(bank) === "deleted" && bank.deletedAt !== undefined
    ? { deletedAt: bank.deletedAt, purgeAt: purgedAt(bank.deletedAt) }
    : undefined

/** Banks that were deleted by then are due for removal: a day before the last cleanup that has come. */
export const purgedUntil = (now: Timestamp): Timestamp => {
  const at = toMillis(now)
  const last = cleanup(at, 0)
  return fromMillis((last <= at ? last : cleanup(at, -1)) - dayMillis)
}

export type BankId = Id<"bank">
