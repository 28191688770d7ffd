/**
 * Connecting: a person at Fiskil for the workspace, a session in which they consent at their bank, and the consent that
 * comes of it.
 *
 * Fiskil makes another person for every request, whatever their address, so one that was made is kept at once, and looked
 * for by our reference where a crash came first.
 */
import { Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  InvalidConnectPayload,
  Misconfigured,
  NotReady,
  ProtocolViolation,
  type ProviderError,
  type Subject,
  readRows
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { shownText } from "../upstream/UpstreamForm.ts"
import { AuthSession, type FiskilConsent, FiskilEndUser, NewEndUser } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"
import type { FiskilConfig } from "./FiskilConfig.ts"
import {
  arrangementSecret,
  begunAtOf,
  consentSecret,
  consentsOf,
  endConsents,
  endUserSecret,
  expiryOf,
  institutionIdOf,
  isLive,
  placeOf,
  refOf,
  refOfConsent
} from "./FiskilConsents.ts"
import { upstream } from "./FiskilErrors.ts"
import type { FiskilInstitutions } from "./FiskilInstitutions.ts"

/** The address with which a person was asked for: a crash may have come before the answer. `yes`: it is not known. */
const askedSecret = "endUserAsked"
/** Secrets of an attempt. */
const sessionSecret = "sessionId"
const begunSecret = "begunAt"

/** Milliseconds that clocks may differ, and that a session lasts where it does not say so. */
const clockSkew = 60_000
const sessionMillis = 600_000
const longestSession = 5 * 86_400_000

export interface FiskilConnect {
  readonly beginConnect: (request: BeginConnect) => Effect.Effect<ClientStep, ProviderError>
  readonly completeConnect: (request: CompleteConnect) => Effect.Effect<CompletedConnection, ProviderError>
  readonly removeSubject: (subject: Subject) => Effect.Effect<"done", ProviderError>
}

/** As if nobody had been made at Fiskil yet. */
const withoutEndUser = (request: BeginConnect): BeginConnect => {
  const { [endUserSecret]: _lost, ...secrets } = request.subject.secrets
  return { ...request, subject: { ...request.subject, secrets } }
}

const expiryOfSession = (said: number | string | null | undefined, now: number): Timestamp.Timestamp => {
  const at = typeof said === "string" ? Date.parse(said) : (said ?? 0) * 1000
  return Timestamp.fromMillis(at > now && at <= now + longestSession + clockSkew ? at : now + sessionMillis)
}

export const makeConnect = (
  client: FiskilClient,
  institutions: FiskilInstitutions,
  config: FiskilConfig
): FiskilConnect => {
  const addressOf = ({ email, subject: { ref } }: Pick<BeginConnect, "email" | "subject">): string | undefined =>
    email ?? (config.emailDomain === undefined ? undefined : `${ref.toLowerCase()}@${config.emailDomain}`)

  /** People that attempts before have made and could not keep. They can be looked for by their address alone. */
  const lostEndUsers = Effect.fnUntraced(function* (email: string, { ref, secrets }: Subject) {
    const { [askedSecret]: asked } = secrets
    if (asked === undefined) return []
    const query = { email: asked === "yes" ? email : asked }
    const list = yield* client.askAll({ path: "/v1/end-users", query }, "end_users")
    return readRows(list, FiskilEndUser, "id")
      .rows.filter(({ name }) => name === ref)
      .map(({ id }) => id)
  })

  const endUserOf = Effect.fnUntraced(function* (request: BeginConnect): Effect.fn.Return<string, ProviderError> {
    const { keepSubject, subject } = request
    const kept = subject.secrets[endUserSecret]
    if (kept !== undefined) return kept
    const email = addressOf(request)
    if (email === undefined) {
      return yield* new Misconfigured({
        message: `${upstream} needs an address to send receipts of consents to: give the person's, or set emailDomain`
      })
    }
    const [lost] = yield* lostEndUsers(email, subject)
    if (lost === undefined) yield* keepSubject({ [askedSecret]: email })
    const made = lost === undefined ? yield* newEndUser(email, subject.ref) : lost
    yield* keepSubject({ [endUserSecret]: made })
    return made
  })

  const newEndUser = Effect.fnUntraced(function* (
    email: string,
    name: string
  ): Effect.fn.Return<string, ProviderError> {
    const answer = yield* client.askJson(
      { path: "/v1/end-users", method: "POST", body: { email, name }, endpoint: "end-users" },
      NewEndUser
    )
    const id = answer.end_user_id ?? answer.id
    if (id !== undefined && id !== null && placeOf(refOf({ endUserId: id, institutionId: "0" })) !== undefined)
      return id
    return yield* new ProtocolViolation({
      message: `${upstream} made a person and does not say under which id`,
      path: "end_user_id"
    })
  })

  /** The consent that the payload names: by either of its ids, or by the session that it was given in. */
  const consentOf = Effect.fnUntraced(function* (
    { attemptSecrets, payload, reconnect }: CompleteConnect,
    consents: ReadonlyArray<FiskilConsent>
  ): Effect.fn.Return<FiskilConsent, ProviderError> {
    const notOurs = new InvalidConnectPayload({ message: "connectionId is no consent of this workspace" })
    if (payload.kind !== "provider_connection_id") return yield* notOurs
    const { connectionId } = payload
    const named = consents.find(
      ({ arrangement_id, consent_id }) => arrangement_id === connectionId || consent_id === connectionId
    )
    if (named !== undefined) return named
    if (attemptSecrets[sessionSecret] !== connectionId) return yield* notOurs
    const begunAt = Number(attemptSecrets[begunSecret] ?? 0)
    const institutionId = reconnect === undefined ? payload.institutionId : placeOf(reconnect.ref)?.institutionId
    const since = consents
      .filter((consent) => begunAtOf(consent) >= begunAt - clockSkew)
      .filter((consent) => institutionId === undefined || institutionIdOf(consent) === institutionId)
      .toSorted((a, b) => begunAtOf(b) - begunAtOf(a))[0]
    if (since !== undefined) return since
    return yield* new NotReady({ message: `${upstream} has no consent of this sign-in yet`, retryAfter: 5 })
  })

  return {
    beginConnect: Effect.fn("Fiskil.beginConnect")(function* (request) {
      const { institutionId, keepAttempt, reconnect, redirectUri } = request
      const mended = reconnect === undefined ? undefined : placeOf(reconnect.ref)
      const chosen = mended?.institutionId ?? institutionId
      if (
        institutionId !== undefined &&
        mended === undefined &&
        (yield* institutions.find(institutionId)) === undefined
      ) {
        return yield* new InvalidConnectPayload({ message: `institutionId is no institution of ${upstream}` })
      }
      const now = yield* Clock.currentTimeMillis
      const sessionFor = (endUserId: string): Effect.Effect<typeof AuthSession.Type, ProviderError> =>
        client.askJson(
          {
            path: "/v1/auth/session",
            method: "POST",
            body: {
              end_user_id: endUserId,
              ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri, cancel_uri: redirectUri }),
              ...(chosen === undefined ? {} : { institution_id: chosen })
            },
            endpoint: "sessions"
          },
          AuthSession
        )
      const session = yield* mended === undefined
        ? endUserOf(request).pipe(
            Effect.flatMap(sessionFor),
            Effect.catchTag("ConnectionGone", () => Effect.flatMap(endUserOf(withoutEndUser(request)), sessionFor))
          )
        : sessionFor(mended.endUserId)
      yield* keepAttempt({ [sessionSecret]: session.session_id, [begunSecret]: String(now) })
      return {
        kind: "authSession",
        authSessionId: session.session_id,
        ...(config.authUrl === undefined ? {} : { origin: config.authUrl }),
        expiresAt: expiryOfSession(session.expires_at, now)
      }
    }),

    completeConnect: Effect.fn("Fiskil.completeConnect")(function* (request) {
      const { payload, reconnect, subject } = request
      const mended = reconnect === undefined ? undefined : placeOf(reconnect.ref)
      const endUserId = mended?.endUserId ?? subject.secrets[endUserSecret]
      if (payload.kind !== "provider_connection_id" || endUserId === undefined) {
        return yield* new InvalidConnectPayload({
          message:
            endUserId === undefined
              ? `Nobody of this workspace is known to ${upstream}: start the connection first`
              : `${upstream} is completed with the connectionId it gave`
        })
      }
      const consents = yield* consentsOf(client, endUserId)
      const consent = yield* consentOf(request, consents)
      if (!isLive(consent, yield* Clock.currentTimeMillis)) {
        return yield* new InvalidConnectPayload({ message: "The consent has ended: begin another sign-in" })
      }
      const institutionId = institutionIdOf(consent)
      const expiry = expiryOf(consent)
      const name = shownText(consent.institution_name)
      return {
        connection: {
          // A consent for another bank is another connection: the kernel refuses it.
          ref: mended?.institutionId === institutionId ? reconnect!.ref : refOfConsent(endUserId, consent),
          secrets: {
            [endUserSecret]: endUserId,
            [arrangementSecret]: consent.arrangement_id,
            ...(consent.consent_id === undefined || consent.consent_id === null
              ? {}
              : { [consentSecret]: consent.consent_id })
          }
        },
        institution: {
          id: institutionId,
          name: name ?? "Bank",
          countryCodes: ["AU"],
          status: "ok"
        },
        bankType: "bank",
        ...(expiry === undefined ? {} : { consentExpiresAt: expiry })
      }
    }),

    removeSubject: Effect.fn("Fiskil.removeSubject")(function* (subject) {
      const { [endUserSecret]: kept } = subject.secrets
      const endUserIds = kept === undefined ? yield* lostEndUsers(addressOf({ subject }) ?? "", subject) : [kept]
      for (const endUserId of endUserIds) {
        const person = {
          path: `/v1/end-users/${encodeURIComponent(endUserId)}`,
          endpoint: "end-users",
          accepts: [404, 410]
        } as const
        const { status } = yield* client.ask(person)
        if (person.accepts.some((gone) => gone === status)) continue
        // Also consents that no attempt lived to tell of end at their banks.
        yield* endConsents(client, endUserId, () => true)
        yield* client.ask({ ...person, method: "DELETE" })
      }
      return "done" as const
    })
  }
}
