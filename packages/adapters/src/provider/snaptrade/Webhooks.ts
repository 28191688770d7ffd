/** Callbacks of SnapTrade: what was signed, and what it says of whom. */
import { Timestamp } from "@millrace/core"
import { type InboundWebhook, type Poke, readJson, WebhookRefused } from "@millrace/core/provider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Forms from "./Forms.ts"
import type { Settings } from "./Settings.ts"
import { isSignedBody } from "./Signature.ts"
import { wordsOf } from "../upstream/Texts.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"

/**
 * How old a signed event may be. SnapTrade tries again three times from half an hour on, with the instant of the event as
 * it was; what came already is known by its id.
 */
const oldestMillis = 24 * 3_600_000
/** How far its clock may be before ours. */
const aheadMillis = 300_000

type Meaning = (event: Forms.Event) => Omit<Poke, "eventId" | "connectionRef" | "subjectRef">

const holdings = ["holdings", "balances", "orders"] as const
const activities = ["trades", "transactions"] as const

/** What each event means. One that is new is a reason to look at the connection. */
const meanings: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["CONNECTION_ADDED", () => ({ result: "connected" })],
  [
    "CONNECTION_ATTEMPTED",
    ({ connectionAttemptedResult: result }) =>
      result === undefined || result === null || result === "SUCCESS" ? {} : { result: "failed" }
  ],
  ["CONNECTION_FAILED", () => ({ result: "failed" })],
  [
    "CONNECTION_BROKEN",
    () => ({
      health: {
        status: "reauth_required",
        errorCode: "REAUTH_REQUIRED",
        errorMessage: "The broker asks the person to sign in again."
      }
    })
  ],
  ["CONNECTION_FIXED", () => ({ repaired: true })],
  [
    "CONNECTION_DELETED",
    () => ({
      health: {
        status: "disconnected",
        errorCode: "CONNECTION_GONE",
        errorMessage: "The connection was removed at SnapTrade."
      }
    })
  ],
  ["ACCOUNT_TRANSACTIONS_INITIAL_UPDATE", () => ({ dataTypes: activities })],
  ["ACCOUNT_TRANSACTIONS_UPDATED", () => ({ dataTypes: activities })],
  ["ACCOUNT_HOLDINGS_UPDATED", () => ({ dataTypes: holdings })],
  ["TRADE_DETECTION", () => ({ dataTypes: ["orders", "holdings", "balances"] })]
])

const refused = (message: string) => Effect.fail(new WebhookRefused({ message }))

export const verify = (settings: Settings) =>
  Effect.fn("SnapTrade.verifyWebhook")(function* ({ headers, now, rawBody }: InboundWebhook) {
    const signature = headers["signature"]?.trim()
    if (signature === undefined || signature === "") return yield* refused("The webhook has no signature")
    if (!isSignedBody(settings.consumerKey, rawBody, signature)) {
      return yield* refused("The signature of the webhook is not SnapTrade's")
    }
    const read = readJson("SnapTrade", Forms.Event, { status: 200, headers: {}, body: rawBody })
    if (Result.isFailure(read)) return yield* refused("The webhook does not have the agreed form")
    const event = read.success
    if (wordsOf(event.clientId) !== undefined && event.clientId !== settings.clientId) {
      return yield* refused("The webhook is about another client")
    }
    const at = instantOf(event.eventTimestamp)
    if (at === undefined) return yield* refused("The webhook does not say when it happened")
    const age = now - Timestamp.toMillis(at)
    if (age > oldestMillis || age < -aheadMillis) return yield* refused("The webhook is not of today")
    const connectionRef = wordsOf(event.brokerageAuthorizationId) ?? wordsOf(event.connectionId)
    const subjectRef = wordsOf(event.userId)
    // Users that come and go are our own doing.
    if (connectionRef === undefined && (subjectRef === undefined || event.eventType.startsWith("USER_"))) return []
    const eventId = wordsOf(event.webhookId)
    return [
      {
        ...(eventId === undefined ? {} : { eventId }),
        ...(connectionRef === undefined ? {} : { connectionRef }),
        // Later users of a workspace have a number behind its reference.
        ...(subjectRef === undefined ? {} : { subjectRef: subjectRef.replace(/\.\d{1,2}$/, "") }),
        ...meanings.get(event.eventType)?.(event)
      }
    ] satisfies ReadonlyArray<Poke>
  })
