import { expect, it } from "@effect/vitest"
import type { WebhookRefused } from "@millrace/core/provider"
import { fakeQuiltt } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { verifyWebhook } from "../../../src/provider/quiltt/QuilttWebhook.ts"

const config = { apiSecret: Redacted.make("api"), connectorId: "c", webhookSecret: Redacted.make("whsec") }
const body = '{"eventTypes":["connection.synced.successful"],"events":[]}'
const signature = "VCVm7HOZRh8BkMCZ/7SuWxh6odk6j2NXXEs2s78KqN0="
const at = 1_767_607_200

const arriving = (change: { readonly now?: number; readonly body?: string; readonly headers?: object } = {}) => ({
  rawBody: new TextEncoder().encode(change.body ?? body),
  headers: { "quiltt-timestamp": String(at), "quiltt-signature": signature, ...change.headers },
  url: "https://millrace.example/v1/webhooks/quiltt:test",
  now: change.now ?? at * 1000
})

const refusal = (effect: Effect.Effect<unknown, WebhookRefused>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

it.effect("believes what is signed as Quiltt signs, for five minutes", () =>
  Effect.gen(function* () {
    const verify = verifyWebhook(config)
    expect(yield* verify(arriving())).toEqual([])
    expect(yield* verify(arriving({ now: (at + 300) * 1000 }))).toEqual([])
    expect(yield* refusal(verify(arriving({ now: (at + 301) * 1000 })))).toContain("five minutes")
    expect(yield* refusal(verify(arriving({ now: (at - 301) * 1000 })))).toContain("five minutes")
    expect(yield* refusal(verify(arriving({ body: `${body} ` })))).toContain("signature")
    expect(yield* refusal(verify(arriving({ headers: { "quiltt-timestamp": String(at + 1) } })))).toContain("signature")
    expect(yield* refusal(verify(arriving({ headers: { "quiltt-timestamp": "" } })))).toContain("when")
    expect(yield* refusal(verify(arriving({ headers: { "quiltt-signature": "" } })))).toContain("signature")
    expect(yield* refusal(verifyWebhook({ ...config, webhookSecret: Redacted.make("other") })(arriving()))).toContain(
      "signature"
    )
    const rotated = { ...config, webhookSecret: Redacted.make("next"), formerWebhookSecret: config.webhookSecret }
    expect(yield* verifyWebhook(rotated)(arriving())).toEqual([])
    expect(yield* refusal(verifyWebhook({ apiSecret: config.apiSecret, connectorId: "c" })(arriving()))).toContain(
      "no webhook secret"
    )
  })
)

it.effect("says what each event is about, and nothing of those that it does not know", () =>
  Effect.gen(function* () {
    const fake = yield* fakeQuiltt()
    const own = { ...config, webhookSecret: Redacted.make(String(fake.config["webhookSecret"])) }
    const pokes = Effect.fnUntraced(function* (event: "dataChanged" | "reauth" | "repaired" | "revoked" | "unknown") {
      const { headers, rawBody, url } = fake.webhooks!.sign(event, {
        connectionRef: "conn_1",
        url: "https://x.example"
      })
      return yield* verifyWebhook(own)({ headers, rawBody, url, now: Number(headers["quiltt-timestamp"]) * 1000 })
    })
    expect(yield* pokes("dataChanged")).toMatchObject([{ connectionRef: "conn_1", health: { status: "connected" } }])
    expect(yield* pokes("reauth")).toMatchObject([{ connectionRef: "conn_1", health: { status: "reauth_required" } }])
    expect(yield* pokes("repaired")).toMatchObject([{ connectionRef: "conn_1", repaired: true }])
    expect(yield* pokes("revoked")).toMatchObject([{ connectionRef: "conn_1", health: { status: "disconnected" } }])
    expect(yield* pokes("unknown")).toEqual([])
  })
)
