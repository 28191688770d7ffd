/** How Plaid signs webhooks: a token with the hash of the body, by a key that it gives out under its id. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import type { SignedWebhook, WebhookEvent, WebhookForgery } from "../FakeUpstream.ts"
import { problemBody } from "./PlaidItem.ts"

const keyId = "6c5516e1-92dc-479e-a8ff-5a51992e0001"

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const makeKeys = () => generateKeyPairSync("ec", { namedCurve: "P-256" })

const tokenOf = (privateKey: KeyObject, rawBody: Uint8Array, signedAt: number): string => {
  const hash = createHash("sha256").update(rawBody).digest("hex")
  const signed = `${base64url({ alg: "ES256", kid: keyId, typ: "JWT" })}.${base64url({
    iat: Math.floor(signedAt / 1000),
    request_body_sha256: hash
  })}`
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" })
  return `${signed}.${signature.toString("base64url")}`
}

const bodies: Readonly<Partial<Record<WebhookEvent, Readonly<Record<string, unknown>>>>> = {
  dataChanged: {
    webhook_type: "TRANSACTIONS",
    webhook_code: "SYNC_UPDATES_AVAILABLE",
    initial_update_complete: true,
    historical_update_complete: true
  },
  reauth: { webhook_type: "ITEM", webhook_code: "ERROR", error: problemBody({ code: "ITEM_LOGIN_REQUIRED" }) },
  repaired: { webhook_type: "ITEM", webhook_code: "LOGIN_REPAIRED" },
  revoked: { webhook_type: "ITEM", webhook_code: "USER_PERMISSION_REVOKED" },
  unknown: { webhook_type: "FUTURE_PRODUCT", webhook_code: "SOMETHING_NEW" }
}

/** Webhooks about an item, and the key that checks them. */
export class PlaidSigning {
  private readonly keys = makeKeys()
  private readonly others = makeKeys()
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** The public key of an id, as Plaid gives it out. */
  keyWire(id: unknown) {
    return id === keyId
      ? {
          ...this.keys.publicKey.export({ format: "jwk" }),
          alg: "ES256",
          kid: keyId,
          use: "sig",
          created_at: 1_560_466_150,
          expired_at: null
        }
      : undefined
  }

  sign(
    event: WebhookEvent,
    about: { readonly connectionRef: string; readonly url: string; readonly forgery?: WebhookForgery }
  ): SignedWebhook {
    const ending = new Date(this.now() + 7 * 86_400_000).toISOString()
    const body =
      event === "consentEnding"
        ? { webhook_type: "ITEM", webhook_code: "PENDING_EXPIRATION", consent_expiration_time: ending }
        : (bodies[event] ?? bodies["unknown"])
    return this.signBody({ ...body, item_id: about.connectionRef, environment: "sandbox" }, about)
  }

  /** A webhook with that body. */
  signBody(body: object, about: { readonly url: string; readonly forgery?: WebhookForgery }): SignedWebhook {
    const text = JSON.stringify(body)
    const rawBody = new TextEncoder().encode(text)
    const key = about.forgery === "otherKey" ? this.others.privateKey : this.keys.privateKey
    const signedAt = about.forgery === "old" ? this.now() - 6 * 60_000 : this.now()
    return {
      rawBody: about.forgery === "tampered" ? new TextEncoder().encode(text.replace("sandbox", "Sandbox")) : rawBody,
      headers: {
        "content-type": "application/json",
        ...(about.forgery === "unsigned" ? {} : { "plaid-verification": tokenOf(key, rawBody, signedAt) })
      },
      url: about.url
    }
  }
}
