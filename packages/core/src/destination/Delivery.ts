/**
 * The delivery ledger: one row per feed and record that says what is, or should be, at the destination
 * (decisions 6.5 and 7.4).
 */
import * as Schema from "effect/Schema"
import { FieldOrigin } from "../enrichment/Provenance.ts"
import type { DataType } from "../record/DataType.ts"
import { Fields } from "../record/FieldValue.ts"
import { CalendarDate } from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"

/** By what a destination knows the row of a record. */
export const rowKey = (dataType: DataType, recordId: string): string => `${dataType}:${recordId}`

export const deliveryStates = ["intended", "sending", "done", "failed", "skipped"] as const
export const DeliveryState = Schema.Literals(deliveryStates)
export type DeliveryState = typeof DeliveryState.Type

/**
 * An attempt that nobody has confirmed: what was sent, and since when. Of an older version, or of this one where a later
 * attempt under the same idempotency key was refused.
 */
export const UnconfirmedAttempt = Schema.Struct({
  version: Schema.Int,
  op: Schema.Literals(["create", "update", "remove"]),
  hash: Schema.String,
  values: Fields,
  attempts: Schema.Int,
  sentAt: Timestamp
})
export type UnconfirmedAttempt = typeof UnconfirmedAttempt.Type

export const Delivery = Schema.Struct({
  feedId: Id("feed"),
  /** Lineage id of the record (balances in append mode: account and instant). */
  recordId: Schema.String,
  accountId: Id("account"),
  /** Day of the record: orders whole files. */
  date: Schema.NullOr(CalendarDate),
  version: Schema.Int,
  op: Schema.Literals(["create", "update", "remove"]),
  state: DeliveryState,
  /** Hash of `values`; another hash is another version. */
  hash: Schema.String,
  jobId: Id("job"),
  /**
   * Destination field -> value, exactly as sent. Absent where the destination tells what it has (`Destination.read`):
   * then it is kept there alone, and `DeliveredValues` finds it.
   */
  values: Schema.optionalKey(Fields),
  /** What enrichments changed on the way, so that every value says who made it; what it follows from is in the history of the record. */
  provenance: Schema.Array(FieldOrigin),
  remoteRef: Schema.optionalKey(Schema.String),
  /**
   * How often this version was given to the destination; sending again what may have arrived is no other attempt. 0 with
   * state failed: it waits for room.
   */
  attempts: Schema.Int,
  lastError: Schema.optionalKey(Schema.String),
  /** Refused permanently: only a new version or an explicit redelivery sends it again. Only with state failed. */
  dead: Schema.Boolean,
  /** Opened again by a redelivery, and not sent since. */
  redeliveryRequested: Schema.Boolean,
  /** When this attempt was first sent, by the store's clock. */
  sentAt: Schema.optionalKey(Timestamp),
  unconfirmedAttempt: Schema.optionalKey(UnconfirmedAttempt),
  updatedAt: Timestamp
})
export type Delivery = typeof Delivery.Type

/** `retry` of what is done or skipped, or refused permanently, is a redelivery that somebody asked for. */
export type DeliveryEvent = "newContent" | "picked" | "acknowledged" | "refused" | "deletedByPerson" | "retry"

export const deliveryTransitions: ReadonlyArray<{
  readonly from: DeliveryState
  readonly event: DeliveryEvent
  readonly to: DeliveryState
}> = [
  { from: "intended", event: "newContent", to: "intended" },
  { from: "intended", event: "picked", to: "sending" },
  // Transactional and whole-file destinations settle in one step.
  { from: "intended", event: "acknowledged", to: "done" },
  { from: "intended", event: "refused", to: "failed" },
  { from: "intended", event: "deletedByPerson", to: "skipped" },
  { from: "sending", event: "newContent", to: "intended" },
  { from: "sending", event: "acknowledged", to: "done" },
  { from: "sending", event: "refused", to: "failed" },
  { from: "sending", event: "deletedByPerson", to: "skipped" },
  { from: "sending", event: "retry", to: "intended" },
  { from: "failed", event: "newContent", to: "intended" },
  { from: "failed", event: "retry", to: "intended" },
  { from: "failed", event: "picked", to: "sending" },
  { from: "done", event: "newContent", to: "intended" },
  { from: "done", event: "deletedByPerson", to: "skipped" },
  { from: "done", event: "retry", to: "intended" },
  { from: "skipped", event: "retry", to: "intended" }
]
