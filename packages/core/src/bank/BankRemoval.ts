/**
 * How banks go (decisions 6.1): deleted so that they can come back, or removed permanently, in two stages.
 *
 * The table below drives the use case and the tests, and is what the reference shows: a pair that is not listed is refused.
 */
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { Conflict, NotFound } from "../failure/Failure.ts"
import type { Timestamp } from "../shared/Timestamp.ts"

const stages = ["provider", "local"] as const

/**
 * What is under way, or has failed. `provider`: the connection is given back there. `local`: what we hold is destroyed, and
 * the customer that the connection belonged to is taken back at the provider, where nothing else needs them.
 */
export const BankRemoval = Schema.Struct({
  state: Schema.Literals(["removing", "failed"]),
  stage: Schema.Literals(stages),
  /** Why the last try failed: one sentence without secrets. */
  reason: Schema.optionalKey(Schema.String),
  /** Tries of the stage that failed. */
  tries: Schema.Int,
  /** Who asked for it. */
  cause: ActorRef
})
export type BankRemoval = typeof BankRemoval.Type

/** Seconds before each further try of a stage; after the last one it has failed. */
export const removalWaits: ReadonlyArray<number> = [60, 300, 1_800, 7_200, 21_600]

export const bankStates = ["live", "deleted", "removing", "failed_provider", "failed_local", "gone"] as const
export type BankState = (typeof bankStates)[number]

export const bankEvents = [
  "delete",
  "deletePermanently",
  /** The monthly cleanup. */
  "purge",
  "restore",
  /** A person connects the same upstream connection again, or again. */
  "reconnect",
  "providerFailed",
  "localFailed",
  "destroyed"
] as const
export type BankChange = (typeof bankEvents)[number]

export const bankTransitions: ReadonlyArray<{
  readonly from: BankState
  readonly event: BankChange
  readonly to: BankState
}> = [
  { from: "live", event: "delete", to: "deleted" },
  { from: "live", event: "deletePermanently", to: "removing" },
  { from: "live", event: "reconnect", to: "live" },
  { from: "deleted", event: "restore", to: "live" },
  { from: "deleted", event: "reconnect", to: "live" },
  { from: "deleted", event: "purge", to: "removing" },
  { from: "deleted", event: "deletePermanently", to: "removing" },
  { from: "removing", event: "deletePermanently", to: "removing" },
  { from: "removing", event: "providerFailed", to: "failed_provider" },
  { from: "removing", event: "localFailed", to: "failed_local" },
  { from: "removing", event: "destroyed", to: "gone" },
  { from: "failed_provider", event: "restore", to: "live" },
  { from: "failed_provider", event: "reconnect", to: "live" },
  { from: "failed_provider", event: "deletePermanently", to: "removing" },
  { from: "failed_local", event: "deletePermanently", to: "removing" }
]

/** What of a bank says in which state it is. */
export interface BankLife {
  readonly deletedAt?: Timestamp
  readonly removal?: BankRemoval
}

export const stateOf = ({ deletedAt, removal }: BankLife): BankState => {
  if (removal?.state === "removing") return "removing"
  if (removal !== undefined) return removal.stage === "provider" ? "failed_provider" : "failed_local"
  return deletedAt === undefined ? "live" : "deleted"
}

/** Whether it is there, to be read and written: neither deleted nor on its way out. */
export const isLive = (bank: BankLife): boolean => stateOf(bank) === "live"

/** The state after an event, or `undefined` where the pair is refused. */
export const nextBankState = (from: BankState, event: BankChange): BankState | undefined =>
  bankTransitions.find((row) => row.from === from && row.event === event)?.to

const removing = new Conflict({ code: "BANK_REMOVING", message: "The bank is being removed", details: [] })
const failed = new Conflict({
  code: "BANK_REMOVAL_FAILED",
  message: "The removal of the bank has failed. Restore the bank, or remove it permanently again",
  details: []
})
const notReversible = new Conflict({
  code: "BANK_REMOVAL_NOT_REVERSIBLE",
  message: "The bank is disconnected and its removal has begun. Remove it permanently again",
  details: []
})

/** What is answered where `nextBankState` refuses what a person asked for. */
export const bankRefusal = (from: BankState, event: BankChange): Conflict | NotFound => {
  switch (from) {
    case "removing":
      return removing
    case "failed_provider":
      return failed
    case "failed_local":
      return event === "delete" ? failed : notReversible
    case "live":
      return new Conflict({ code: "INVALID_STATE", message: "Bank is live", details: [] })
    default:
      return new NotFound({ resource: "Bank" })
  }
}

/** What is answered where something is to be done with a bank that is not there to be used. */
export const unusableBank = (bank: BankLife): Conflict | NotFound | undefined => {
  const state = stateOf(bank)
  if (state === "live") return undefined
  return state === "deleted" || state === "gone" ? new NotFound({ resource: "Bank" }) : removing
}
