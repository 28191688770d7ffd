/**
 * Connecting: a profile of the workspace, a session of it for the Connector in the person's browser, and the connection
 * that it comes back with.
 *
 * A profile has an id of ours that follows from the reference of the subject, so one that an attempt made before it died
 * is found again. Sessions are few (10 an hour, 20 a day for each profile): one serves all attempts as long as it lasts.
 */
import { createHash } from "node:crypto"
import { Timestamp } from "@millrace/core"
import {
  type BeginConnect,
  type ClientStep,
  type CompleteConnect,
  type CompletedConnection,
  type Institution,
  type InstitutionQuery,
  InvalidConnectPayload,
  type ProviderError,
  type Subject
} from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { shownText } from "../upstream/UpstreamForm.ts"
import type { QuilttConfig } from "./QuilttConfig.ts"
import { bankTypeOf, consentExpiryOf } from "./QuilttAccounts.ts"
import type { ProfileNamed, QuilttClient, QuilttSession } from "./QuilttClient.ts"
import { statusMeaning, upstream } from "./QuilttErrors.ts"
import { lookAt, profileSecret } from "./QuilttSession.ts"

const tokenSecret = "sessionToken"
const expirySecret = "sessionExpiresAt"
/** The reference of the subject in the profile's metadata: callbacks repeat it. */
export const subjectMetadata = "millraceSubject"

/** Milliseconds that a session must still last for a person to connect a bank. */
const shortestSession = 3_600_000
const mostSessions = 1_000
/** Characters of a name that stands for an id. */
const longestId = 128

const namespace = Buffer.from("6f0a4f1e6f0b4f0f9c0d2b7a5d1c8e34", "hex")

/** A UUID of version 5 (RFC 9562) of what the parts say. */
const uuidOf = (...parts: ReadonlyArray<string>): string => {
  const bytes = createHash("sha1").update(namespace).update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x50
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  const hex = bytes.toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}

/** Institutions are known by their names: the search of a connector gives no ids. */
const institutionOf = (name: string, logo?: string): Institution => ({
  id: name,
  name,
  countryCodes: ["US", "CA"],
  status: "ok",
  ...(logo === undefined || !/^https:\/\/[\x21-\x7e]{1,500}$/.test(logo) ? {} : { logo })
})

const alike = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()

export interface QuilttConnect {
  readonly listInstitutions: (query: InstitutionQuery) => Effect.Effect<ReadonlyArray<Institution>, ProviderError>
  readonly beginConnect: (request: BeginConnect) => Effect.Effect<ClientStep, ProviderError>
  readonly completeConnect: (request: CompleteConnect) => Effect.Effect<CompletedConnection, ProviderError>
  readonly removeSubject: (subject: Subject) => Effect.Effect<"done" | "pending", ProviderError>
}

export const makeConnect = (
  client: QuilttClient,
  instanceId: string,
  { connectorId, connectorUrl }: Pick<QuilttConfig, "connectorId" | "connectorUrl">
): QuilttConnect => {
  const oneAtATime = Semaphore.makeUnsafe(1)
  const held = new Map<string, QuilttSession>()

  const isUsable = Effect.fnUntraced(function* (session: QuilttSession | undefined) {
    if (session === undefined) return false
    const left = session.expiresAt - (yield* Clock.currentTimeMillis)
    return left >= shortestSession && (yield* client.isAlive(session.token))
  })

  /** A session that lasts, of those that are known or a new one; anyone who asks meanwhile gets the same. */
  const sessionOf = (key: string, known: QuilttSession | undefined, profile: ProfileNamed, unknown: ProfileNamed) =>
    oneAtATime.withPermits(1)(
      Effect.gen(function* () {
        for (const session of [held.get(key), known]) {
          if (session !== undefined && (yield* isUsable(session))) return session
        }
        const issued = yield* client
          .issueSession(profile)
          .pipe(Effect.catchTag("ConnectionGone", () => client.issueSession(unknown)))
        if (held.size >= mostSessions) held.clear()
        held.set(key, issued)
        return issued
      })
    )

  const searching = (): ProfileNamed => ({
    uuid: uuidOf(instanceId, "institutions"),
    metadata: { [subjectMetadata]: "institutions" }
  })

  const search = Effect.fnUntraced(function* (text: string) {
    const session = yield* sessionOf("institutions", undefined, searching(), searching())
    const found = yield* client.searchInstitutions(session.token, text)
    const institutions = new Map<string, Institution>()
    for (const { logoUrl, name } of found) {
      const plain = shownText(name, longestId)
      if (plain !== undefined) institutions.set(plain, institutionOf(plain, logoUrl ?? undefined))
    }
    return [...institutions.values()]
  })

  /** The session of the subject's profile, which is made where there is none; kept before it is used. */
  const subjectSession = Effect.fnUntraced(function* ({ email, keepSubject, subject }: BeginConnect) {
    const { [expirySecret]: expiry = "0", [profileSecret]: profileId, [tokenSecret]: token } = subject.secrets
    const known =
      profileId === undefined || token === undefined ? undefined : { profileId, token, expiresAt: Number(expiry) || 0 }
    const own: ProfileNamed = {
      uuid: uuidOf(instanceId, subject.ref),
      ...(email === undefined ? {} : { email }),
      metadata: { [subjectMetadata]: subject.ref }
    }
    const named = profileId === undefined ? own : { userId: profileId }
    const session = yield* sessionOf(`subject ${subject.ref}`, known, named, own)
    if (session.token !== token || session.profileId !== profileId) {
      yield* keepSubject({
        [profileSecret]: session.profileId,
        [tokenSecret]: session.token,
        [expirySecret]: String(session.expiresAt)
      })
    }
    return session
  })

  return {
    listInstitutions: Effect.fn("Quiltt.listInstitutions")(function* ({ countryCodes, limit, text }) {
      if (countryCodes.length > 0 && !countryCodes.some((code) => code === "US" || code === "CA")) return []
      return (yield* search(text)).slice(0, limit)
    }),

    beginConnect: Effect.fn("Quiltt.beginConnect")(function* (request) {
      const { institutionId, reconnect, subject } = request
      if (institutionId !== undefined && reconnect === undefined) {
        const found = yield* search(institutionId)
        if (!found.some(({ id }) => alike(id, institutionId))) {
          return yield* new InvalidConnectPayload({ message: `institutionId is no institution of ${upstream}` })
        }
      }
      // A connection may be of a profile that was here before: it is mended in a session of that one.
      const other = reconnect?.secrets[profileSecret]
      const session =
        other === undefined || other === subject.secrets[profileSecret]
          ? yield* subjectSession(request)
          : yield* sessionOf(`profile ${other}`, undefined, { userId: other }, { userId: other })
      return {
        kind: "connector",
        sessionToken: session.token,
        connectorId,
        ...(institutionId === undefined || reconnect !== undefined
          ? {}
          : { institutionId, institutionTargeting: "name" as const }),
        ...(reconnect === undefined ? {} : { connectionId: reconnect.ref }),
        ...(connectorUrl === undefined ? {} : { origin: connectorUrl }),
        expiresAt: Timestamp.fromMillis(session.expiresAt)
      }
    }),

    completeConnect: Effect.fn("Quiltt.completeConnect")(function* ({ payload, reconnect, subject }) {
      if (payload.kind !== "provider_connection_id" || !/^[A-Za-z0-9_-]{1,128}$/.test(payload.connectionId)) {
        return yield* new InvalidConnectPayload({ message: `${upstream} is completed with the connectionId it gave` })
      }
      const { connectionId } = payload
      const profiles = [reconnect?.secrets[profileSecret], subject.secrets[profileSecret]]
      const profileId = (connectionId === reconnect?.ref ? profiles : profiles.toReversed()).find(
        (profile) => profile !== undefined
      )
      const notOurs = new InvalidConnectPayload({ message: "connectionId is no connection of this workspace" })
      if (profileId === undefined) return yield* notOurs
      const connection = yield* lookAt(client, profileId, connectionId).pipe(
        Effect.catchTag("ConnectionGone", () => notOurs)
      )
      if (statusMeaning(connection.status).health.status === "disconnected") {
        return yield* new InvalidConnectPayload({ message: "The connection was taken apart before it was completed" })
      }
      const name = shownText(connection.institution?.name, longestId)
      const expiry = consentExpiryOf(connection)
      return {
        connection: { ref: connection.id, secrets: { [profileSecret]: profileId } },
        institution: institutionOf(name ?? "Bank"),
        bankType: bankTypeOf(connection),
        ...(expiry === undefined ? {} : { consentExpiresAt: expiry })
      }
    }),

    removeSubject: Effect.fn("Quiltt.removeSubject")(function* ({ ref, secrets }) {
      // Of a profile whose id we never heard the session tells it.
      const profileId =
        secrets[profileSecret] ??
        (yield* client.issueSession({ userId: uuidOf(instanceId, ref) }).pipe(
          Effect.map((session): string | undefined => session.profileId),
          Effect.catchTag("ConnectionGone", () => Effect.succeed(undefined))
        ))
      held.delete(`subject ${ref}`)
      return profileId === undefined ? "done" : yield* client.removeProfile(profileId)
    })
  }
}
