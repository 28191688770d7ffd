/**
 * An upstream as a script drives it, the same for every provider: a person signs in, the bank moves, something breaks,
 * webhooks are sent, and what was asked is read.
 */
import type { ClientStep, Connection, ConnectPayload } from "@millrace/core/provider"
import type { FakeServer } from "./FakeServer.ts"
import type { Breakage } from "./Incident.ts"
import type { TrueLedger } from "./TrueLedger.ts"
import type { TrueInstitution } from "./TrueRecord.ts"

/** What a person does with a step of connecting. */
export interface SignIn {
  /** The institution chosen; the one that the step names, else the fake's first one. */
  readonly institutionId?: string
  /** Who signs in: another person has other accounts. `ada` unless given. */
  readonly person?: string
}

/**
 * Payloads that a driver must refuse. `unknown`: the upstream never gave it out. `foreign`: it is another subject's.
 * `malformed`: it has not the form that the upstream gives out. `otherKind`: it is that of another flow.
 */
export const refusedPayloads = ["unknown", "foreign", "malformed", "otherKind"] as const
export type RefusedPayload = (typeof refusedPayloads)[number]

/** What a webhook tells. */
export type WebhookEvent =
  | "dataChanged"
  | "reauth"
  | "repaired"
  | "consentEnding"
  | "revoked"
  | "connected"
  /** Of a sort that nobody has heard of yet: it is no error. */
  | "unknown"

/**
 * How it is sent. `tampered`: the body was changed after it was signed. `unsigned`: without a signature. `otherKey`:
 * signed by somebody else. `old`: signed well, long ago.
 */
export type WebhookForgery = "tampered" | "unsigned" | "otherKey" | "old"

export interface SignedWebhook {
  readonly rawBody: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  /** The address that it is signed for. */
  readonly url: string
}

/** Webhooks of an upstream that has them. To send one twice, or in another order, is for the sender. */
export interface FakeWebhooks {
  readonly sign: (
    event: WebhookEvent,
    about: { readonly connectionRef: string; readonly url: string; readonly forgery?: WebhookForgery }
  ) => SignedWebhook
  readonly forgeries: ReadonlyArray<WebhookForgery>
  /** What tells of a sign-in names the attempt and the connection: nobody else need come back from it. */
  readonly namesAttempts?: true
  readonly events: ReadonlyArray<WebhookEvent>
}

export interface FakeConnection {
  /** As the driver calls it. */
  readonly ref: string
  readonly institution: TrueInstitution
  readonly ledger: TrueLedger
  /** Whether it was taken back by the driver. */
  readonly isRevoked: boolean
  /** The id under which the connection shows what its ledger calls `id`; absent: that id itself. */
  readonly idOf?: (id: string) => string
  /** Values that must never show up in a log, an error or a dump of the database. */
  readonly secrets: ReadonlyArray<string>
}

/** Somebody whom connections belong to, as the upstream keeps them. */
export interface FakeSubject {
  /** It has our reference in it. */
  readonly ref: string
  /** Whether the upstream was told to take them back. */
  readonly isRemoved: boolean
}

export interface FakeUpstream {
  readonly kind: string
  /** Settings with which an instance of the driver asks this upstream, as JSON; secrets are plain text. */
  readonly config: Readonly<Record<string, unknown>>
  /** Values of the settings that are secret. */
  readonly secrets: ReadonlyArray<string>
  readonly server: FakeServer
  readonly institutions: ReadonlyArray<TrueInstitution>
  /** What a person has at an institution; made when it is first asked for. The first institution and `ada` unless given. */
  readonly ledger: (who?: SignIn) => TrueLedger
  /** Every connection that the upstream has made, oldest first, also those that nobody was told of. */
  readonly connections: ReadonlyArray<FakeConnection>
  /** Everybody whom it has made for us, oldest first; absent where it keeps nobody that connections belong to. */
  readonly subjects?: () => ReadonlyArray<FakeSubject>
  /** The person signs in; what the widget, portal or page then hands to us. Each is good once where the upstream says so. */
  readonly signIn: (step: ClientStep, who?: SignIn) => ConnectPayload
  /** The same for an upstream that is connected without a step, by what a person pastes. */
  readonly paste?: (who?: SignIn) => ConnectPayload
  readonly refused: (step: ClientStep | undefined, how: RefusedPayload) => ConnectPayload | undefined
  /** The person signs in again where a connection is broken. */
  readonly repair: (step: ClientStep, connectionRef: string) => ConnectPayload
  /** A connection like this one that the upstream has never heard of. */
  readonly unknown: (like: Connection) => Connection
  /** The driver asks nothing over a wire, and its bank moves on with the clock alone: what answers can be like does not apply. */
  readonly isOffline?: true
  readonly break: (connectionRef: string, how: Breakage) => void
  /** All is well again, without anybody's doing. */
  readonly mend: (connectionRef: string) => void
  /** Breakages that the upstream can have. */
  readonly breakages: ReadonlyArray<Breakage>
  /** It has lost the customer that connections belong to, and the connections with them; absent where it keeps nobody. */
  readonly loseSubjects?: () => void
  /** Checkpoints that were given out are not accepted any more; absent where the upstream has none. */
  readonly loseCheckpoints?: (connectionRef: string) => void
  /** First data are still being collected, from now on, or no longer; absent where the upstream has no such state. */
  readonly collecting?: (connectionRef: string, isCollecting: boolean) => void
  readonly webhooks?: FakeWebhooks
  /** Secrets of connections that change while they are read; absent where they are given once and for all. */
  readonly rotation?: {
    /** What was given last is good for no reading any more: it has to be exchanged for newer ones. */
    readonly expire: (connectionRef: string) => void
    /** The secret with which the next exchange is made. */
    readonly newest: (connectionRef: string) => string
  }
}
