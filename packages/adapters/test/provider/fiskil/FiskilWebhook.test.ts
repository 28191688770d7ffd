import { expect, it } from "@effect/vitest"
import type { ProviderDriver, ProviderError, WebhookRefused } from "@millrace/core/provider"
import { fakeFiskil, type WebhookEvent } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"
import { connect, driverOn, Kept } from "../OnFake.ts"

const body = '{"message_id":"m1"}'
const signature = "7/W3Jh2gcG9KHo2KVeIedtkopU9fWddD2ew9XUF8534="

const arriving = (change: { readonly body?: string; readonly signature?: string } = {}) => ({
  rawBody: new TextEncoder().encode(change.body ?? body),
  headers: { "x-fiskil-signature": change.signature ?? signature },
  url: "https://millrace.example/v1/webhooks/fiskil:test",
  now: Date.UTC(2026, 10, 21, 9, 30)
})

const refusal = (effect: Effect.Effect<unknown, ProviderError | WebhookRefused>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const verifying = ({ verifyWebhook }: ProviderDriver) =>
  verifyWebhook ?? expect.fail("a driver with a secret has webhooks")

it.effect("believes what is signed as Fiskil signs", () =>
  Effect.gen(function* () {
    const fake = yield* fakeFiskil()
    const on = (secret: string, former?: string) =>
      Effect.map(
        driverOn(factory, fake, {
          webhookSecret: Redacted.make(secret),
          ...(former === undefined ? {} : { formerWebhookSecret: Redacted.make(former) })
        }),
        verifying
      )
    const verify = yield* on("c2VjcmV0")
    expect(yield* verify(arriving())).toEqual([])
    expect(yield* refusal(verify(arriving({ body: `${body}\n` })))).toContain("signature")
    expect(yield* refusal(verify(arriving({ signature: "" })))).toContain("signature")
    expect(yield* refusal((yield* on("b3RoZXI="))(arriving()))).toContain("signature")
    expect(yield* (yield* on("bmV4dA==", "c2VjcmV0"))(arriving())).toEqual([])
    const without = yield* driverOn(factory, fake, { webhookSecret: undefined })
    expect([without.capabilities.webhooks, without.verifyWebhook]).toEqual([false, undefined])
  })
)

it.effect("says whose each event is, and nothing of those that it does not know", () =>
  Effect.gen(function* () {
    const fake = yield* fakeFiskil()
    const driver = yield* driverOn(factory, fake)
    const kept = new Kept()
    const [ada, bob] = [yield* connect(driver, fake, kept), yield* connect(driver, fake, kept, { person: "bob" })]
    expect(ada.connection.ref).not.toBe(bob.connection.ref)
    const verify = (event: WebhookEvent, connectionRef: string, forgery?: "old" | "tampered") => {
      const about = { connectionRef, url: "https://x.example", ...(forgery === undefined ? {} : { forgery }) }
      const { headers, rawBody, url } = fake.webhooks!.sign(event, about)
      return verifying(driver)({ headers, rawBody, url, now: 0 })
    }
    for (const { connection } of [ada, bob]) {
      // Their consents come and go: the workspace is who stays.
      expect(yield* verify("dataChanged", connection.ref)).toEqual([
        { eventId: expect.any(String), subjectRef: kept.ref, dataTypes: ["transactions"] }
      ])
    }
    expect(yield* verify("dataChanged", "eu_elsewhere/22")).toEqual([])
    // The consent that ended may have been taken the place of by another one: only asking tells.
    expect((yield* verify("revoked", ada.connection.ref))[0]!.health).toBeUndefined()
    expect(yield* verify("unknown", ada.connection.ref)).toEqual([])
    expect(yield* refusal(verify("connected", ada.connection.ref, "old"))).toContain("more than a day ago")
    expect(yield* refusal(verify("connected", ada.connection.ref, "tampered"))).toContain("signature")
  })
)
