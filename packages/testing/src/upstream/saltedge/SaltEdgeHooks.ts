/** The callbacks of the fake Salt Edge. */
import { createSign } from "node:crypto"
import type { FakeWebhooks } from "../FakeUpstream.ts"
import { keys, type SaltEdgeState, second } from "./SaltEdgeState.ts"

export const webhooksOf = (upstream: SaltEdgeState): FakeWebhooks => ({
  events: ["dataChanged", "reauth", "repaired", "revoked", "connected", "unknown"],
  namesAttempts: true,
  forgeries: ["tampered", "unsigned", "otherKey", "old"],
  sign: (event, { connectionRef, forgery, url }) => {
    const one = upstream.connected.find(({ ref }) => ref === connectionRef)
    const at = upstream.now() - (forgery === "old" ? 3 * 86_400_000 : 0)
    const told =
      event === "reauth"
        ? { error_class: "InvalidCredentials", error_message: "Invalid credentials." }
        : event === "unknown"
          ? { stage: "something_new" }
          : event === "revoked" || event === "consentEnding"
            ? {}
            : { stage: "finish" }
    const fields = event === "connected" ? { attempt_id: one?.attemptId ?? "" } : {}
    const body = JSON.stringify({
      data: { connection_id: connectionRef, customer_id: one?.customerId ?? "1", custom_fields: fields, ...told },
      meta: { version: "6", time: second(at) }
    })
    const { client, upstream: own } = keys()
    const key = forgery === "otherKey" ? client.privateKey : own.privateKey
    const signature = createSign("sha256").update(`${url}|${body}`).sign(key, "base64")
    return {
      url,
      rawBody: new TextEncoder().encode(forgery === "tampered" ? body.replace("data", "data ") : body),
      headers: { "content-type": "application/json", ...(forgery === "unsigned" ? {} : { signature }) }
    }
  }
})
