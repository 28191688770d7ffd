import { expect, it } from "@effect/vitest"
import { Timestamp } from "@millrace/core"
import { testSubject } from "@millrace/testing/fake"
import { fakeSnapTrade, type WebhookEvent, type WebhookForgery } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"
import { connected, driverOn } from "../OnFake.ts"

const start = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
const url = "https://millrace.example/webhooks/snaptrade"

it.effect("SnapTrade: a signed event says whom to look at; a forged one is refused", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade()
    const driver = yield* driverOn(factory, fake)
    const { completed } = yield* connected(driver, fake)
    const connectionRef = completed.connection.ref
    const arrived = (event: WebhookEvent, forgery?: WebhookForgery) => {
      const about = { connectionRef, url, ...(forgery === undefined ? {} : { forgery }) }
      return driver.verifyWebhook!({ ...fake.webhooks!.sign(event, about), now: start })
    }
    const common = { eventId: expect.any(String), connectionRef, subjectRef: testSubject.ref }
    expect(yield* arrived("dataChanged")).toEqual([{ ...common, dataTypes: ["trades", "transactions"] }])
    expect(yield* arrived("reauth")).toMatchObject([{ ...common, health: { status: "reauth_required" } }])
    expect(yield* arrived("repaired")).toEqual([{ ...common, repaired: true }])
    expect(yield* arrived("revoked")).toMatchObject([{ ...common, health: { status: "disconnected" } }])
    expect(yield* arrived("connected")).toEqual([{ ...common, result: "connected" }])
    expect(yield* arrived("unknown")).toEqual([common])
    for (const forgery of fake.webhooks!.forgeries) {
      expect((yield* Effect.flip(arrived("reauth", forgery)))._tag).toBe("WebhookRefused")
    }
    const signed = fake.webhooks!.sign("reauth", { connectionRef, url })
    // Its third try comes hours later, and is as good as the first.
    expect(yield* driver.verifyWebhook!({ ...signed, now: start + 4 * 3_600_000 })).toHaveLength(1)
    const early = Effect.flip(driver.verifyWebhook!({ ...signed, now: start - 3_600_000 }))
    expect((yield* early)._tag).toBe("WebhookRefused")
  }).pipe(Effect.scoped)
)
