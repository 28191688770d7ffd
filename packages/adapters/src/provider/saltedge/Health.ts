/** How a connection of Salt Edge is: by its status, its last attempt, and the consent that it stands on. */
import { Timestamp } from "@millrace/core"
import {
  type ConnectionHealth,
  ConsentRequired,
  ConnectionGone,
  NotReady,
  type ProviderError,
  ReauthRequired
} from "@millrace/core/provider"
import { instantOf } from "../upstream/UpstreamForm.ts"
import { meaningOfClass } from "./Errors.ts"
import type { Connection, Consent } from "./Forms.ts"

/** What is known of a connection. */
export interface Known {
  readonly connection: Connection
  /** Absent where Salt Edge tells of none. */
  readonly consent: Consent | undefined
}

/** Seconds until a first reading may be over. */
const notReadySeconds = 30

/** The latest consent of a connection. */
export const latestConsent = (consents: ReadonlyArray<Consent>): Consent | undefined =>
  consents.toSorted((a, b) => ((a.created_at ?? "") < (b.created_at ?? "") ? 1 : -1))[0]

const consentEnd = ({ consent }: Known): Timestamp.Timestamp | undefined => instantOf(consent?.expires_at)

const isEnded = (known: Known, now: number): boolean => {
  const { consent } = known
  if (consent === undefined) return false
  const end = consentEnd(known)
  return (
    consent.status === "expired" ||
    consent.status === "revoked" ||
    consent.status === "denied" ||
    (end !== undefined && Timestamp.toMillis(end) <= now)
  )
}

/** What the last attempt failed on, where nothing was read since. */
const failureOf = ({ connection: { connection_id, id, last_attempt: attempt } }: Known): ProviderError | undefined =>
  typeof attempt?.fail_error_class === "string" && attempt.success_at == null
    ? meaningOfClass(attempt.fail_error_class, id ?? connection_id ?? "")
    : undefined

/** Why nothing of the connection should be read: what is shown would only be what was read long ago. */
export const obstacle = (known: Known, now: number): ProviderError | undefined => {
  const { connection } = known
  if (connection.status === "disabled") {
    return new ConnectionGone({ message: "Salt Edge has closed this connection" })
  }
  if (isEnded(known, now)) return new ConsentRequired({ message: "The consent at the bank has ended" })
  const failure = failureOf(known)
  if (connection.status === "inactive") {
    return failure?._tag === "ConsentRequired"
      ? failure
      : new ReauthRequired({
          message: "The bank asks the person to sign in again",
          ...(failure?.providerCode === undefined ? {} : { providerCode: failure.providerCode })
        })
  }
  return instantOf(connection.last_success_at) === undefined && connection.last_success_at !== undefined
    ? new NotReady({ message: "Salt Edge is still fetching the first data", retryAfter: notReadySeconds })
    : undefined
}

const sentences = {
  reauth_required: ["REAUTH_REQUIRED", "The bank asks the person to sign in again."],
  consent_expired: ["CONSENT_EXPIRED", "The consent at the bank has ended."],
  disconnected: ["CONNECTION_GONE", "Salt Edge does not know this connection any more."],
  degraded: ["INSTITUTION_UNAVAILABLE", "The bank cannot be read at the moment."]
} as const

export const unwell = (status: keyof typeof sentences): ConnectionHealth => ({
  status,
  errorCode: sentences[status][0],
  errorMessage: sentences[status][1]
})

/** The health that an error stands for; `undefined` for one that says nothing about the connection. */
export const healthOf = (error: ProviderError): ConnectionHealth | undefined => {
  switch (error._tag) {
    case "ReauthRequired":
      return unwell("reauth_required")
    case "ConsentRequired":
      return unwell("consent_expired")
    case "ConnectionGone":
      return unwell("disconnected")
    case "InstitutionUnavailable":
      return unwell("degraded")
    case "NotReady":
      return { status: "pending" }
    default:
      return undefined
  }
}

export const healthNow = (known: Known, now: number): ConnectionHealth => {
  const { connection } = known
  const problem = obstacle(known, now) ?? failureOf(known)
  const read = instantOf(connection.last_success_at)
  const next = instantOf(connection.next_refresh_possible_at)
  const end = consentEnd(known)
  return {
    ...((problem === undefined ? undefined : healthOf(problem)) ?? { status: "connected" }),
    ...(end === undefined ? {} : { consentExpiresAt: end }),
    ...(read === undefined ? {} : { lastUpstreamUpdateAt: read }),
    ...(next === undefined ? {} : { nextRefreshPossibleAt: next })
  }
}
