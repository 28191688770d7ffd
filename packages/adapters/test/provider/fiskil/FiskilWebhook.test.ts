import { expect, it } from "@effect/vitest"
import type { WebhookRefused } from "@millrace/core/provider"
import { fakeFiskil, type WebhookEvent } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { verifyWebhook } from "../../../src/provider/fiskil/FiskilWebhook.ts"

const config = {
  clientId: "c",
  clientSecret: Redacted.make("secret"),
  webhookSecret: Redacted.make("c2VjcmV0")
}
const body = '{"message_id":"m1"}'
const signature = "7/W3Jh2gcG9KHo2KVeIedtkopU9fWddD2ew9XUF8534="
const now = Date.UTC(2026, 10, 21, 9, 30)

const arriving = (change: { readonly body?: string; readonly signature?: string } = {}) => ({
  rawBody: new TextEncoder().encode(change.body ?? body),
  headers: { "x-fiskil-signature": change.signature ?? signature },
  url: "https://millrace.example/v1/webhooks/fiskil:test",
  now
})

const refusal = (effect: Effect.Effect<unknown, WebhookRefused>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

it.effect("believes what is signed as Fiskil signs", () =>
  Effect.gen(function* () {
    const verify = verifyWebhook(config)
    expect(yield* verify(arriving())).toEqual([])
    expect(yield* refusal(verify(arriving({ body: `${body}\n` })))).toContain("signature")
    expect(yield* refusal(verify(arriving({ signature: "" })))).toContain("signature")
    expect(
      yield* refusal(verifyWebhook({ ...config, webhookSecret: Redacted.make("b3RoZXI=") })(arriving()))
    ).toContain("signature")
    const rotated = { ...config, webhookSecret: Redacted.make("bmV4dA=="), formerWebhookSecret: config.webhookSecret }
    expect(yield* verifyWebhook(rotated)(arriving())).toEqual([])
    expect(yield* refusal(verifyWebhook({ clientId: "c", clientSecret: config.clientSecret })(arriving()))).toContain(
      "no webhook secret"
    )
  })
)

it.effect("says whose each event is, and nothing of those that it does not know", () =>
  Effect.gen(function* () {
    const fake = yield* fakeFiskil()
    const own = { ...config, webhookSecret: Redacted.make(String(fake.config["webhookSecret"])) }
    const verify = (event: WebhookEvent, forgery?: "old" | "tampered") => {
      const about = {
        connectionRef: "eu_1/22",
        url: "https://x.example",
        ...(forgery === undefined ? {} : { forgery })
      }
      const { headers, rawBody, url } = fake.webhooks!.sign(event, about)
      return verifyWebhook(own)({ headers, rawBody, url, now: 0 })
    }
    expect(yield* verify("dataChanged")).toEqual([
      { eventId: "msg-1", connectionRef: "eu_1/22", dataTypes: ["transactions"] }
    ])
    // The consent that ended may have been taken the place of by another one: only asking tells.
    expect(yield* verify("revoked")).toEqual([{ eventId: "msg-2", connectionRef: "eu_1/22" }])
    expect(yield* verify("unknown")).toEqual([])
    expect(yield* refusal(verify("connected", "old"))).toContain("more than a day ago")
    expect(yield* refusal(verify("connected", "tampered"))).toContain("signature")
  })
)
