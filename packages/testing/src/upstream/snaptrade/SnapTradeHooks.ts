/** The webhooks of the fake SnapTrade. */
import { Timestamp } from "@millrace/core"
import type { FakeWebhooks } from "../FakeUpstream.ts"
import { dumps, snapTradeHmac } from "./SnapTradeSigning.ts"
import { consumerKey, snapTradeClientId, type SnapTradeState } from "./SnapTradeState.ts"
import { uuidOf } from "./SnapTradeWorld.ts"

const eventTypes = {
  dataChanged: "ACCOUNT_TRANSACTIONS_UPDATED",
  reauth: "CONNECTION_BROKEN",
  repaired: "CONNECTION_FIXED",
  revoked: "CONNECTION_DELETED",
  connected: "CONNECTION_ADDED",
  unknown: "CONNECTION_PAINTED_BLUE"
} as const

export const webhooksOf = (upstream: SnapTradeState): FakeWebhooks => {
  let sent = 0
  return {
    events: ["dataChanged", "reauth", "repaired", "revoked", "connected", "unknown"],
    forgeries: ["tampered", "unsigned", "otherKey", "old"],
    sign: (event, { connectionRef, forgery, url }) => {
      const one = upstream.connected.find(({ ref }) => ref === connectionRef)
      const at = upstream.now() - (forgery === "old" ? 3 * 86_400_000 : 0)
      const body = {
        webhookId: uuidOf(`webhook ${++sent}`),
        clientId: snapTradeClientId,
        eventTimestamp: Timestamp.fromMillis(at).replace("Z", "123+00:00"),
        userId: one?.userId ?? "nobody",
        eventType: event === "consentEnding" ? eventTypes.unknown : eventTypes[event],
        brokerageAuthorizationId: connectionRef,
        // It is signed in another writing than the one in which it is sent.
        details: { note: "Café ✓" }
      }
      const signature = snapTradeHmac(forgery === "otherKey" ? "somebody else's" : consumerKey, dumps(body))
      const shown = forgery === "tampered" ? { ...body, eventType: "CONNECTION_DELETED", webhookId: uuidOf("x") } : body
      return {
        url,
        rawBody: new TextEncoder().encode(JSON.stringify(shown)),
        headers: { "content-type": "application/json", ...(forgery === "unsigned" ? {} : { signature }) }
      }
    }
  }
}
