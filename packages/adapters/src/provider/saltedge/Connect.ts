/** Connecting at Salt Edge: the customer of a workspace, the page of Salt Edge, and what it gave back. */
import { CalendarDate, Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  connectOptions,
  type Institution,
  InstitutionUnavailable,
  InvalidConnectPayload,
  type KeepSecrets,
  ProtocolViolation,
  type ProviderError,
  type SecretValues,
  type Subject,
  UserCancelled,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { wordsOf } from "../upstream/Texts.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"
import type { SaltEdgeClient } from "./Client.ts"
import { isDuplicateCustomer, meaningOfClass } from "./Errors.ts"
import * as Forms from "./Forms.ts"
import { latestConsent } from "./Health.ts"
import { idOf, isId } from "./Ids.ts"
import type { Banks } from "./Institutions.ts"

const scopes = ["holder_info", "accounts", "transactions"] as const
const usualScopes: ReadonlyArray<(typeof scopes)[number]> = ["accounts", "transactions"]

/** Fields of a start of a connection that are Salt Edge's. */
export const options = connectOptions(
  Schema.Struct({
    saltedgeConsentScopes: Schema.optionalKey(
      Schema.Array(Schema.Literals(scopes)).check(Schema.isMinLength(1), Schema.isMaxLength(scopes.length))
    )
  })
)

/** For how long the page may be opened where Salt Edge does not say it. */
const pageMillis = 30 * 60_000

/** Languages of the page; others are English there. */
const languages = /^(bg|cs|de|el|en|es|et|fi|fr|he|hr|hu|it|lt|lv|nl|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|zh)\b/i

export const customerIn = ({ customerId }: SecretValues): string | undefined =>
  customerId !== undefined && isId(customerId) ? customerId : undefined

const isScopes = (value: unknown): value is ReadonlyArray<(typeof scopes)[number]> =>
  Array.isArray(value) && value.length > 0

export const makeConnecting = (
  client: SaltEdgeClient,
  banks: Banks,
  { historyDays, includeSandboxes }: { readonly historyDays: number; readonly includeSandboxes: boolean }
) => {
  const lookUp = Effect.fnUntraced(function* (ref: string) {
    const { data } = yield* client.ask({
      answer: Forms.List,
      path: "/customers",
      query: { identifier: ref },
      counts: { endpoint: "customers" }
    })
    return readRows(data, Forms.Customer, "customer_id").rows.find(({ identifier }) => identifier === ref)
  })

  /** The customer of a workspace: made, or found again where it was made and never kept. */
  const customerOf = Effect.fnUntraced(function* (subject: Subject, keep: KeepSecrets) {
    const known = customerIn(subject.secrets)
    if (known !== undefined) return known
    const made = yield* client
      .ask({
        answer: Forms.Customer,
        method: "POST",
        path: "/customers",
        body: { identifier: subject.ref },
        counts: { endpoint: "customers" }
      })
      .pipe(
        Effect.map(({ data }): Forms.Customer | undefined => data),
        Effect.catchIf(isDuplicateCustomer, () => lookUp(subject.ref))
      )
    const customerId = idOf(made?.customer_id, made?.id)
    if (customerId === undefined) {
      return yield* new ProtocolViolation({ message: "Salt Edge gave no customer", path: "data.customer_id" })
    }
    yield* keep({ customerId })
    return customerId
  })

  const checkBank = Effect.fnUntraced(function* (institutionId: string) {
    const bank = yield* banks.find(institutionId)
    if (bank === undefined) {
      return yield* new InvalidConnectPayload({ message: "Salt Edge has no institution of this id" })
    }
    if (bank.status === "down") {
      return yield* new InstitutionUnavailable({
        message: "Salt Edge takes no new connections to this bank at the moment"
      })
    }
  })

  const begin = Effect.fn("SaltEdge.beginConnect")(function* (
    request: BeginConnect
  ): Effect.fn.Return<ClientStep, ProviderError> {
    const { attemptId, institutionId, language, reconnect, redirectUri } = request
    if (redirectUri !== undefined && !URL.canParse(redirectUri)) {
      return yield* new InvalidConnectPayload({ message: "redirectUri is no address" })
    }
    if (institutionId !== undefined && reconnect === undefined) yield* checkBank(institutionId)
    const wanted = request.options["saltedgeConsentScopes"]
    const asked = isScopes(wanted) ? wanted : usualScopes
    const now = yield* Clock.currentTimeMillis
    const today = CalendarDate.make(Timestamp.fromMillis(now).slice(0, 10))
    const session = {
      consent: { scopes: asked, from_date: CalendarDate.addDays(today, -historyDays) },
      attempt: {
        fetch_scopes: asked,
        // Comes back with every callback about it.
        custom_fields: { attempt_id: attemptId },
        ...(redirectUri === undefined ? {} : { return_to: redirectUri }),
        ...(language !== undefined && languages.test(language) ? { locale: language.slice(0, 2).toLowerCase() } : {})
      },
      return_connection_id: true
    }
    const connectAs = Effect.fnUntraced(function* (subject: Subject) {
      const customerId = yield* customerOf(subject, request.keepSubject)
      yield* request.keepAttempt({ customerId })
      return yield* client.ask({
        answer: Forms.Session,
        method: "POST",
        path: "/connections/connect",
        body: {
          customer_id: customerId,
          ...session,
          provider: {
            ...(institutionId === undefined ? {} : { code: institutionId }),
            ...(includeSandboxes ? { include_sandboxes: true } : {})
          }
        },
        counts: { endpoint: "connect" }
      })
    })
    const { subject } = request
    if (reconnect !== undefined) {
      const customerId = customerIn(reconnect.secrets) ?? customerIn(subject.secrets)
      if (customerId !== undefined) yield* request.keepAttempt({ customerId })
    }
    const { data } = yield* reconnect === undefined
      ? // A customer that Salt Edge does not know any more is made again.
        Effect.catchTag(connectAs(subject), "ConnectionGone", () => connectAs({ ref: subject.ref, secrets: {} }))
      : isId(reconnect.ref)
        ? client.ask({
            answer: Forms.Session,
            method: "POST",
            path: `/connections/${reconnect.ref}/reconnect`,
            body: session,
            counts: { connection: reconnect.ref, endpoint: "connect" }
          })
        : new InvalidConnectPayload({ message: "This is no connection of Salt Edge" })
    const url = wordsOf(data.connect_url)
    if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      return yield* new ProtocolViolation({
        message: "Salt Edge gave no address of its page",
        path: "data.connect_url"
      })
    }
    const ends = instantOf(data.expires_at)
    const usual = Timestamp.fromMillis(now + pageMillis)
    return { kind: "redirect", url, expiresAt: ends !== undefined && Timestamp.toMillis(ends) > now ? ends : usual }
  })

  const complete = Effect.fn("SaltEdge.completeConnect")(function* (
    request: CompleteConnect
  ): Effect.fn.Return<CompletedConnection, ProviderError> {
    const { attemptSecrets, payload, reconnect, subject } = request
    if (payload.kind !== "provider_connection_id") {
      return yield* new InvalidConnectPayload({ message: "Salt Edge is completed with a connectionId" })
    }
    const id = payload.connectionId.trim()
    const customerId = customerIn(attemptSecrets) ?? customerIn(subject.secrets)
    const foreign = new InvalidConnectPayload({ message: "Salt Edge has no such connection of this workspace" })
    if (!isId(id) || customerId === undefined) return yield* foreign
    if (reconnect !== undefined && reconnect.ref !== id) {
      return yield* new InvalidConnectPayload({ message: "This is another connection than the one to be mended" })
    }
    const { data } = yield* client
      .ask({ answer: Forms.Connection, path: `/connections/${id}`, counts: { connection: id, endpoint: "connection" } })
      .pipe(Effect.catchTag("ConnectionGone", () => Effect.fail(foreign)))
    // The App-id sees connections of all workspaces: this one must be ours.
    if (idOf(data.id, data.connection_id) !== id || data.customer_id !== customerId) return yield* foreign
    if (data.status !== "active" && instantOf(data.last_success_at) === undefined) {
      const failure = meaningOfClass(data.last_attempt?.fail_error_class ?? "", id)
      return yield* failure instanceof UserCancelled
        ? failure
        : new InvalidConnectPayload({ message: "The sign-in at the bank did not succeed" })
    }
    const listed = yield* client
      .ask({
        answer: Forms.List,
        path: "/consents",
        query: { connection_id: id },
        counts: { connection: id, endpoint: "consents" }
      })
      .pipe(Effect.catchTag("ConsentRequired", () => Effect.succeed({ data: [] })))
    const consent = latestConsent(readRows(listed.data, Forms.Consent, "id").rows)
    const ends = instantOf(consent?.expires_at)
    const country = wordsOf(data.country_code)?.toUpperCase()
    const institution: Institution = {
      id: wordsOf(data.provider_code) ?? payload.institutionId ?? "saltedge",
      name: wordsOf(data.provider_name) ?? wordsOf(data.provider_code) ?? "Bank",
      countryCodes: country !== undefined && /^[A-WYZ][A-Z]$/.test(country) ? [country] : [],
      status: "ok"
    }
    return {
      connection: { ref: id, secrets: { customerId } },
      institution,
      bankType: "bank",
      ...(ends === undefined ? {} : { consentExpiresAt: ends })
    }
  })

  /** Takes the customer of a workspace back; Salt Edge revokes all consents with it. */
  const removeSubject = Effect.fn("SaltEdge.removeSubject")(function* ({
    ref,
    secrets
  }: Subject): Effect.fn.Return<"done", ProviderError> {
    const found = customerIn(secrets) === undefined ? yield* lookUp(ref) : undefined
    const customerId = customerIn(secrets) ?? idOf(found?.customer_id, found?.id)
    if (customerId !== undefined) {
      yield* client
        .ask({
          answer: Forms.Anything,
          method: "DELETE",
          path: `/customers/${customerId}`,
          counts: { endpoint: "customers" }
        })
        .pipe(Effect.catchTag("ConnectionGone", () => Effect.void))
    }
    return "done"
  })

  return { begin, complete, removeSubject }
}
