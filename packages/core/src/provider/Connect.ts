/** Connecting a bank at an upstream: what a driver is given, what the person's browser needs, and what comes of it. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { BankType } from "./BankType.ts"
import type { ProviderError } from "./ProviderError.ts"

/** Names and values; opened for a call, never logged and never shown. They are sealed wherever they are kept. */
export type SecretValues = Readonly<Record<string, string>>

/**
 * The customer that connections belong to at an upstream: one for each workspace and instance. `ref` is ours, chosen before the
 * upstream is asked, and never says anything of a person.
 */
export interface Subject {
  readonly ref: string
  /** What the upstream gave for it: a user secret, a customer id, a profile id. */
  readonly secrets: SecretValues
}

/** A connection as a driver sees it. */
export interface Connection {
  /** The upstream's reference of the connection. */
  readonly ref: string
  readonly secrets: SecretValues
}

/** The person who asks just now, as an interactive request showed them; never made up. */
export interface PsuContext {
  readonly ipAddress: string
  readonly userAgent?: string
}

export interface Institution {
  readonly id: string
  readonly name: string
  readonly countryCodes: ReadonlyArray<string>
  readonly status: "ok" | "degraded" | "down"
  readonly logo?: string
  readonly url?: string
}

export interface InstitutionQuery {
  /** A part of a name; `""` for any. */
  readonly text: string
  /** Two capital letters each; empty: of all countries. */
  readonly countryCodes: ReadonlyArray<string>
  /** Most institutions that are useful to the one who asks. The kernel ranks them, and leaves out what does not match. */
  readonly limit: number
}

/** Keeps secrets sealed, durably, before it returns: named ones replace those of the same name, others stay. */
export type KeepSecrets = (secrets: SecretValues) => Effect.Effect<void, ProviderError>

export interface BeginConnect {
  readonly attemptId: string
  readonly subject: Subject
  readonly email?: string
  /** Of `listInstitutions`. One that the upstream does not know is refused as `InvalidConnectPayload`. */
  readonly institutionId?: string
  readonly countryCodes?: ReadonlyArray<string>
  /** A language tag, such as `en` or `pt-BR`. */
  readonly language?: string
  /** Where the upstream sends the person's browser back to. */
  readonly redirectUri?: string
  /** Where the upstream sends its callbacks; absent where the installation has no public address. */
  readonly webhookUrl?: string
  /** The connection that is to be mended, where it is no new one. */
  readonly reconnect?: Connection
  /** As the driver's own `connectOptions` decoded them; `{}` where it has none. */
  readonly options: Readonly<Record<string, unknown>>
  readonly psu?: PsuContext
  /** To be called right after the upstream made what the secrets open, before anything else is asked. */
  readonly keepSubject: KeepSecrets
  /** The same for what belongs to this attempt; `completeConnect` gets it. */
  readonly keepAttempt: KeepSecrets
}

/** What the person's browser needs to go on; each becomes one flow of the specification's section 2.2. */
export type ClientStep = {
  /** Later than now; the attempt ends then. */
  readonly expiresAt: Timestamp
} & (
  | { readonly kind: "link"; readonly token: string }
  | {
      readonly kind: "authSession"
      readonly authSessionId: string
      /** Where its page is, such as `http://127.0.0.1:9000`; absent: where the upstream's own is. */
      readonly origin?: string
    }
  | {
      readonly kind: "connector"
      readonly sessionToken: string
      readonly connectorId: string
      readonly institutionId?: string
      readonly institutionTargeting?: "id" | "name"
      /** The upstream's, of a connection that is to be mended. */
      readonly connectionId?: string
      /** Where its script is, such as `http://127.0.0.1:9000`; absent: where the upstream's own is. */
      readonly origin?: string
    }
  | { readonly kind: "popup"; readonly url: string }
  | { readonly kind: "redirect"; readonly url: string }
)

/** The step of each flow (`Capabilities.connectFlow`). */
export const stepOfFlow = {
  link: "link",
  authSession: "authSession",
  connector: "connector",
  portal: "popup",
  token: "popup",
  file: "popup",
  redirect: "redirect"
} as const satisfies Readonly<Record<string, ClientStep["kind"]>>

/** What the browser brought back. */
export type ConnectPayload =
  | { readonly kind: "plaid_public_token"; readonly publicToken: string; readonly institutionId?: string }
  | { readonly kind: "provider_connection_id"; readonly connectionId: string; readonly institutionId?: string }

export interface CompleteConnect {
  readonly attemptId: string
  readonly subject: Subject
  /** What `beginConnect` kept for the attempt. */
  readonly attemptSecrets: SecretValues
  readonly payload: ConnectPayload
  /** The connection that was to be mended, where it is no new one. */
  readonly reconnect?: Connection
  readonly psu?: PsuContext
  readonly keepSubject: KeepSecrets
  /**
   * For what another try to complete the attempt has to know: that a token may be used up already, and what its exchange
   * gave, before anything else is asked.
   */
  readonly keepAttempt: KeepSecrets
}

export interface CompletedConnection {
  readonly connection: Connection
  readonly institution: Institution
  readonly bankType: BankType
  readonly consentExpiresAt?: Timestamp
}

/**
 * Fields of a request to start a connection that are this provider's own, such as `saltedgeConsentScopes`. The request is
 * decoded with the Schema; fields of other providers never reach it.
 */
export interface ConnectOptions {
  readonly schema: Schema.Codec<Readonly<Record<string, unknown>>, unknown>
  /** Names of the fields that it reads. */
  readonly fields: ReadonlyArray<string>
}

/** The options of a struct: its fields are those that are read. */
export const connectOptions = <F extends Schema.Struct.Fields>(
  struct: Schema.Struct<F> & Schema.Codec<Readonly<Record<string, unknown>>, unknown>
): ConnectOptions => ({ schema: struct, fields: Object.keys(struct.fields) })
