/** Callbacks of an upstream (decisions 5.9): what arrived, and what a driver reads out of it. */
import * as Schema from "effect/Schema"
import type { SyncDataType } from "../record/DataType.ts"
import type { ConnectionHealth } from "./ConnectionHealth.ts"

/** A request as it arrived, before anything of it is believed. */
export interface InboundWebhook {
  readonly rawBody: Uint8Array
  /** Names in small letters; several values of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** The public address that the operator configured, never one that is made of what the request says. */
  readonly url: string
  /**
   * What the query of the address says is the attempt (`webhookOfAttempt`). No signature covers it: it says which attempt
   * is asked about, and nothing of it is believed.
   */
  readonly attemptId?: string
  /** Milliseconds since 1970 at which it arrived. */
  readonly now: number
}

/** The signature is missing, wrong or too old, or the signed body cannot be read. The message is safe to log. */
export class WebhookRefused extends Schema.TaggedError<WebhookRefused>()("WebhookRefused", {
  message: Schema.String
}) {}

/**
 * Something happened upstream. A poke schedules work: the kernel asks the upstream for the data itself, and a poke that is
 * late, repeated or out of order does no harm.
 */
export interface Poke {
  /** The upstream's id of the event, where it has one: repeats are left out by it, and by the body where there is none. */
  readonly eventId?: string
  /** Whose it is: at least one of the three. */
  readonly connectionRef?: string
  readonly subjectRef?: string
  readonly attemptId?: string
  /** What may have changed; absent: anything. */
  readonly dataTypes?: ReadonlyArray<SyncDataType>
  /** How the connection is, where the upstream says so. */
  readonly health?: ConnectionHealth
  /** How the person's attempt ended. */
  readonly result?: "connected" | "failed" | "cancelled"
  /** The connection was mended outside of us: what it is said to lack is asked for again. */
  readonly repaired?: boolean
}

/** The address for callbacks of an upstream that names an attempt by nothing that we can find it by. */
export const webhookOfAttempt = (webhookUrl: string, attemptId: string): string =>
  `${webhookUrl}?attempt=${encodeURIComponent(attemptId)}`
