/**
 * Webhooks of Plaid: a token in a header signs the hash of the body, with a key that Plaid gives out by its id.
 *
 * They say that something may have changed, at least once and in any order; the data are asked for.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import {
  type ConnectionHealth,
  type InboundWebhook,
  type Poke,
  type ProviderError,
  ProviderUnavailable,
  WebhookRefused
} from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { instantOf, maybe, UpstreamId } from "../upstream/UpstreamForm.ts"
import { isSignedBy, readSignedToken } from "./EsSignature.ts"
import type { PlaidClient } from "./PlaidClient.ts"
import { hostedId } from "./PlaidConnect.ts"
import { KeyAnswer, type PlaidKey, PlaidProblem } from "./PlaidForm.ts"
import { healthOfProblem } from "./PlaidHealth.ts"

/** Milliseconds for which a webhook is fresh, and by which clocks may differ. */
const oldest = 5 * 60_000
const skew = 60_000
/** Milliseconds for which a key is believed, and for which an unknown one is not asked for again. */
const keyLife = 24 * 3_600_000
const unknownLife = 10 * 60_000
const mostKeys = 50

const Claims = SchemaParser.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      iat: Schema.Finite,
      request_body_sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/i))
    })
  )
)

const Body = SchemaParser.decodeUnknownResult(
  Schema.fromJsonString(
    Schema.Struct({
      webhook_type: Schema.String,
      webhook_code: Schema.String,
      item_id: maybe(UpstreamId),
      error: maybe(PlaidProblem),
      consent_expiration_time: maybe(Schema.String),
      disconnect_time: maybe(Schema.String)
    })
  )
)
type Body = Result.Result.Success<ReturnType<typeof Body>>

const refused = (message: string) => new WebhookRefused({ message })

/** Ids that Plaid does not know, asked for within a minute: anyone who makes them up costs no more than these. */
const mostMisses = 10
const missMillis = 60_000

/**
 * The keys of Plaid, each asked for once and remembered; ids that Plaid does not know are remembered apart from them, so that a
 * flood of these neither puts a key out nor spends what may be asked of Plaid.
 */
export const plaidKeys = (client: PlaidClient) => {
  const known = new Map<string, { readonly key: PlaidKey | undefined; readonly until: number }>()
  const unknown: typeof known = new Map()
  let misses: ReadonlyArray<number> = []
  return Effect.fnUntraced(function* (id: string, now: number): Effect.fn.Return<PlaidKey | undefined, ProviderError> {
    const found = known.get(id) ?? unknown.get(id)
    if (found !== undefined && now < found.until) return found.key
    misses = misses.filter((at) => at > now - missMillis)
    if (misses.length >= mostMisses) {
      return yield* new ProviderUnavailable({ message: "Too many webhooks name keys that Plaid does not know" })
    }
    // Counted before it is asked: many may ask at once.
    misses = [...misses, now]
    const key = yield* client.ask("/webhook_verification_key/get", KeyAnswer, { key_id: id }).pipe(
      Effect.map((answer) => (answer.key.kid === id ? answer.key : undefined)),
      // Plaid refuses an id that it never gave out as a request that is wrong.
      Effect.catchTag("Misconfigured", (error) =>
        error.providerCode === "INVALID_API_KEYS" ? Effect.fail(error) : Effect.sync((): undefined => undefined)
      )
    )
    const kept = key === undefined ? unknown : known
    if (key !== undefined) misses = misses.toSpliced(misses.lastIndexOf(now), 1)
    if (kept.size >= mostKeys) kept.clear()
    kept.set(id, { key, until: now + (key === undefined ? unknownLife : keyLife) })
    return key
  })
}

const hashesAlike = (rawBody: Uint8Array, claimed: string): boolean =>
  timingSafeEqual(createHash("sha256").update(rawBody).digest(), Buffer.from(claimed, "hex"))

const changedBy: Readonly<Record<string, ReadonlyArray<SyncDataType>>> = {
  "TRANSACTIONS/SYNC_UPDATES_AVAILABLE": ["transactions", "balances"],
  "HOLDINGS/DEFAULT_UPDATE": ["holdings", "balances"],
  "INVESTMENTS_TRANSACTIONS/DEFAULT_UPDATE": ["trades"],
  "INVESTMENTS_TRANSACTIONS/HISTORICAL_UPDATE": ["trades"],
  "LIABILITIES/DEFAULT_UPDATE": ["loans", "balances"],
  "ITEM/NEW_ACCOUNTS_AVAILABLE": ["balances"],
  "ITEM/USER_ACCOUNT_REVOKED": ["balances"]
}

const endingOf = (time: string | null | undefined): Pick<ConnectionHealth, "consentExpiresAt"> => {
  const consentExpiresAt = instantOf(time)
  return consentExpiresAt === undefined ? {} : { consentExpiresAt }
}

const healthIn = (body: Body): ConnectionHealth | undefined => {
  switch (`${body.webhook_type}/${body.webhook_code}`) {
    case "ITEM/ERROR":
      return body.error === undefined || body.error === null ? undefined : healthOfProblem(body.error)
    case "ITEM/PENDING_EXPIRATION":
      return { status: "connected", ...endingOf(body.consent_expiration_time) }
    case "ITEM/PENDING_DISCONNECT":
      return { status: "connected", ...endingOf(body.disconnect_time) }
    case "ITEM/USER_PERMISSION_REVOKED":
      return {
        status: "disconnected",
        errorCode: "CONNECTION_GONE",
        errorMessage: "The person took the permission back"
      }
    default:
      return undefined
  }
}

const pokesOf = (body: Body, attemptId: string | undefined): ReadonlyArray<Poke> => {
  if (`${body.webhook_type}/${body.webhook_code}` === "LINK/SESSION_FINISHED") {
    // Whether it was a success is asked for with the link token of the attempt, as when the browser comes back.
    return attemptId === undefined ? [] : [{ attemptId, connectionRef: hostedId, result: "connected" }]
  }
  const connectionRef = body.item_id
  if (connectionRef === undefined || connectionRef === null) return []
  const name = `${body.webhook_type}/${body.webhook_code}`
  if (name === "ITEM/LOGIN_REPAIRED") return [{ connectionRef, repaired: true }]
  const dataTypes = Object.hasOwn(changedBy, name) ? changedBy[name] : undefined
  const health = healthIn(body)
  // Former codes say the same again, and new ones say nothing that we know.
  if (dataTypes === undefined && health === undefined) return []
  return [
    {
      connectionRef,
      ...(dataTypes === undefined ? {} : { dataTypes }),
      ...(health === undefined ? {} : { health })
    }
  ]
}

export const verifyWebhook = Effect.fnUntraced(function* (
  keyOf: ReturnType<typeof plaidKeys>,
  { attemptId, headers, now, rawBody }: InboundWebhook
): Effect.fn.Return<ReadonlyArray<Poke>, ProviderError | WebhookRefused> {
  const token = readSignedToken(headers["plaid-verification"] ?? "")
  if (token === undefined || token.algorithm !== "ES256") return yield* refused("The webhook carries no signature")
  if (token.keyId === undefined || !/^[\w-]{8,64}$/.test(token.keyId)) {
    return yield* refused("The signature names no key of Plaid")
  }
  const key = yield* keyOf(token.keyId, now)
  if (key === undefined) return yield* refused("The signature names no key of Plaid")
  if (typeof key.expired_at === "number" && key.expired_at * 1000 <= now) {
    return yield* refused("The key of the signature has expired")
  }
  if (key.alg !== "ES256" || !isSignedBy(token, key)) return yield* refused("The signature is wrong")
  const claims = Claims(token.claims)
  if (Result.isFailure(claims)) return yield* refused("The signature says nothing about the body")
  const signedAt = claims.success.iat * 1000
  if (signedAt < now - oldest || signedAt > now + skew) return yield* refused("The signature is too old")
  if (!hashesAlike(rawBody, claims.success.request_body_sha256)) {
    return yield* refused("The body is not the one that was signed")
  }
  const body = Body(new TextDecoder().decode(rawBody))
  if (Result.isFailure(body)) return yield* refused("The body cannot be read")
  return pokesOf(body.success, attemptId)
})
