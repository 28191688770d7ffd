/**
 * Consents (CDR arrangements): which are of a connection, and what they say of it.
 *
 * A consent lasts a year at most, and mending a connection is a new one. So a connection is what a person shares at an
 * institution, and its consents come and go. A workspace may have two people at one bank: they are distinguished by the first
 * of the accounts that each consent is about.
 */
import { createHash } from "node:crypto"
import { Timestamp } from "@millrace/core"
import {
  ConnectionGone,
  type ConnectionHealth,
  ConsentRequired,
  ProtocolViolation,
  type ProviderError,
  readRows
} from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import { instantOf } from "../upstream/UpstreamForm.ts"
import { FiskilConsent } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"
import { upstream } from "./FiskilErrors.ts"

/** The secret of a subject, and of a connection: who the person is at Fiskil. */
export const endUserSecret = "endUserId"
/** Secrets of a connection: the consent that was given last, by both of its ids. */
export const consentSecret = "consentId"
export const arrangementSecret = "arrangementId"

export interface Place {
  readonly endUserId: string
  readonly institutionId: string
  /** What stands for an account that the consent was about at first; absent where it was about none yet. */
  readonly accountKey?: string
}

const idForm = /^[A-Za-z0-9_.:-]{1,128}$/

/** Whether text is an id that a reference can be made from. */
export const isIdOfPlace = (text: string): boolean => idForm.test(text)

/** The reference of a connection. */
export const refOf = ({ accountKey, endUserId, institutionId }: Place): string =>
  [endUserId, institutionId, ...(accountKey === undefined ? [] : [accountKey])].join("/")

/** `undefined` for anything that `refOf` has not written. */
export const placeOf = (ref: string): Place | undefined => {
  const [endUserId = "", institutionId = "", accountKey, ...rest] = ref.split("/")
  const parts = [endUserId, institutionId, ...(accountKey === undefined ? [] : [accountKey])]
  return rest.length === 0 && parts.every(isIdOfPlace)
    ? { endUserId, institutionId, ...(accountKey === undefined ? {} : { accountKey }) }
    : undefined
}

export const institutionIdOf = ({ institution_id }: FiskilConsent): string => String(institution_id)

const accountIdsOf = ({ account_ids }: FiskilConsent): ReadonlyArray<string> => account_ids ?? []

const accountKey = (accountId: string): string =>
  createHash("sha256").update(accountId).digest("base64url").slice(0, 16)

/** The reference of what a consent begins: the same for another consent about the same accounts. */
export const refOfConsent = (endUserId: string, consent: FiskilConsent): string => {
  const first = accountIdsOf(consent).toSorted()[0]
  return refOf({
    endUserId,
    institutionId: institutionIdOf(consent),
    ...(first === undefined ? {} : { accountKey: accountKey(first) })
  })
}

/** Whether a consent of the person is one of the connection. */
export const isOfPlace = (place: Place, arrangementId: string | undefined, consent: FiskilConsent): boolean =>
  institutionIdOf(consent) === place.institutionId &&
  (place.accountKey === undefined ||
    consent.arrangement_id === arrangementId ||
    accountIdsOf(consent).some((id) => accountKey(id) === place.accountKey))

/** Whether an account of the institution is shown under one of these consents. */
export const isShared = (
  consents: ReadonlyArray<FiskilConsent>,
  account: { readonly account_id: string; readonly arrangement_id?: string | null }
): boolean =>
  consents.some(
    (consent) => consent.arrangement_id === account.arrangement_id || accountIdsOf(consent).includes(account.account_id)
  )

/** All consents of a person, ended ones too. One that cannot be read could be the one that counts. */
export const consentsOf = Effect.fnUntraced(function* (
  client: FiskilClient,
  endUserId: string,
  connection?: string
): Effect.fn.Return<ReadonlyArray<FiskilConsent>, ProviderError> {
  const list = yield* client.askAll(
    {
      path: "/v1/consent",
      query: { end_user_id: endUserId },
      ...(connection === undefined ? {} : { connection })
    },
    "consents"
  )
  const { quarantined, rows } = readRows(list, FiskilConsent, "arrangement_id")
  const fault = quarantined[0]
  if (fault !== undefined) {
    return yield* new ProtocolViolation({
      message: `${upstream} gave a consent that does not have the agreed form`,
      path: `consents.${fault.reason.split(":")[0]}`
    })
  }
  return rows.filter(
    ({ end_user_id }) => end_user_id === undefined || end_user_id === null || end_user_id === endUserId
  )
})

/** Ends those of a person's consents that are meant and last. */
export const endConsents = Effect.fnUntraced(function* (
  client: FiskilClient,
  endUserId: string,
  isMeant: (consent: FiskilConsent) => boolean,
  connection?: string
): Effect.fn.Return<void, ProviderError> {
  const about = connection === undefined ? {} : { connection }
  for (const consent of yield* consentsOf(client, endUserId, connection)) {
    if (!consent.active || !isMeant(consent)) continue
    yield* client.ask({
      path: `/v1/consent/${encodeURIComponent(consent.arrangement_id)}`,
      method: "DELETE",
      accepts: [404, 410],
      ...about
    })
  }
})

export const expiryOf = (consent: FiskilConsent): Timestamp.Timestamp | undefined => instantOf(consent.expires_at)
export const begunAtOf = (consent: FiskilConsent): number => Date.parse(consent.created_at ?? "") || 0

/** Active, and not over by its own date: what is over is said to be active for a while. */
export const isLive = (consent: FiskilConsent, now: number): boolean => {
  const expiry = expiryOf(consent)
  return consent.active && (expiry === undefined || Timestamp.toMillis(expiry) > now)
}

/** The consent that counts: the one that was given last, of those that are live. */
const leading = (live: ReadonlyArray<FiskilConsent>): FiskilConsent | undefined =>
  live.reduce<FiskilConsent | undefined>(
    (latest, one) => (latest === undefined || begunAtOf(one) > begunAtOf(latest) ? one : latest),
    undefined
  )

const endedMessage = "The person's consent has ended"
const unknownMessage = `${upstream} has no consent of the person for this bank`

export interface ConsentState {
  /** Consents under which something may be read. */
  readonly live: ReadonlyArray<FiskilConsent>
  readonly health: ConnectionHealth
  /** Why nothing may be read, although answers would still come. */
  readonly refusal?: ProviderError
}

/** What the consents of a connection say of it. */
export const consentState = (consents: ReadonlyArray<FiskilConsent>, now: number): ConsentState => {
  const live = consents.filter((consent) => isLive(consent, now))
  const first = leading(live)
  if (first !== undefined) {
    const expiry = expiryOf(first)
    const read = instantOf(first.last_accessed)
    return {
      live,
      health: {
        status: "connected",
        ...(expiry === undefined ? {} : { consentExpiresAt: expiry }),
        ...(read === undefined ? {} : { lastUpstreamUpdateAt: read })
      }
    }
  }
  if (consents.length > 0) {
    const expiry = consents.map(expiryOf).find((at) => at !== undefined)
    return {
      live,
      health: {
        status: "consent_expired",
        errorCode: "BANK_CONSENT_REQUIRED",
        errorMessage: endedMessage,
        ...(expiry === undefined ? {} : { consentExpiresAt: expiry })
      },
      refusal: new ConsentRequired({ message: endedMessage })
    }
  }
  return {
    live,
    health: { status: "disconnected", errorCode: "RECONNECT_REQUIRED", errorMessage: unknownMessage },
    refusal: new ConnectionGone({ message: unknownMessage })
  }
}
