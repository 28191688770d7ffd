/** Callbacks: the signature first, over the raw bytes; pokes carry no data. */
import { expect } from "@effect/vitest"
import { type Poke, type ProviderError, WebhookRefused } from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SignedWebhook, WebhookForgery } from "../upstream/FakeUpstream.ts"
import type { UpstreamCase } from "./UpstreamCase.ts"
import { type ConnectedWorld, connected, expectNoSecrets, subjectOf } from "./UpstreamUnderTest.ts"

const url = "https://app.example.com/v1/webhooks/suite"
const forgeries: ReadonlyArray<WebhookForgery> = ["tampered", "unsigned", "otherKey", "old"]

type Lacks = NonNullable<UpstreamCase["lacks"]>

const withoutWebhooks: Lacks = ({ fake, hasVerify }) =>
  fake.webhooks === undefined || !hasVerify ? "its upstream has no webhooks" : undefined

const verified = (world: ConnectedWorld, { headers, rawBody, url: signedFor }: SignedWebhook) =>
  Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<ReadonlyArray<Poke>, ProviderError | WebhookRefused> =>
    world.driver.verifyWebhook!({ rawBody, headers, url: signedFor, now })
  )

const expectAbout = (world: ConnectedWorld, pokes: ReadonlyArray<Poke>): void => {
  for (const poke of pokes) {
    const { ref, secrets } = subjectOf(world)
    const ours = new Set([world.connection().ref, ref, ...Object.values(secrets)])
    const named = [poke.connectionRef, poke.subjectRef, poke.attemptId].filter((one) => one !== undefined)
    expect(named.length).toBeGreaterThan(0)
    expect(
      poke.attemptId !== undefined ||
        named.some((one) => [...ours].some((own) => own.includes(one) || one.includes(own)))
    ).toBe(true)
    // Nothing of an account or a row is in it.
    expect(Object.keys(poke).filter((key) => !known.has(key))).toEqual([])
  }
}

const known = new Set([
  "eventId",
  "connectionRef",
  "subjectRef",
  "attemptId",
  "dataTypes",
  "health",
  "result",
  "repaired"
])

const forged = (forgery: WebhookForgery): UpstreamCase => ({
  title: `refuses a webhook that is ${forgery}`,
  lacks: (facts) =>
    withoutWebhooks(facts) ??
    (facts.fake.webhooks!.forgeries.includes(forgery) ? undefined : "its signatures know no such thing"),
  run: Effect.fnUntraced(function* (options) {
    const world = yield* connected(options)
    const { events, sign } = world.fake.webhooks!
    for (const event of events) {
      const webhook = sign(event, { connectionRef: world.connection().ref, url, forgery })
      const error = yield* Effect.flip(verified(world, webhook))
      expect([event, error._tag]).toEqual([event, "WebhookRefused"])
    }
    expectNoSecrets(world)
  })
})

export const webhookCases: ReadonlyArray<UpstreamCase> = [
  {
    title: "says truthfully whether it has webhooks",
    run: Effect.fnUntraced(function* (options) {
      const { driver } = yield* connected(options)
      expect(driver.capabilities.webhooks).toBe(driver.verifyWebhook !== undefined)
    })
  },
  {
    title: "makes pokes of webhooks, about what they are about, and the same of the same twice",
    lacks: withoutWebhooks,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const { events, sign } = world.fake.webhooks!
      for (const event of events) {
        const webhook = sign(event, { connectionRef: world.connection().ref, url })
        const pokes = yield* verified(world, webhook)
        if (event !== "unknown") expect([event, pokes.length > 0]).toEqual([event, true])
        expectAbout(world, pokes)
        expect(yield* verified(world, webhook)).toEqual(pokes)
        if (event === "reauth") {
          expect(pokes.some(({ health }) => health !== undefined && health.status !== "connected")).toBe(true)
        }
        if (event === "repaired") {
          expect(pokes.some(({ health, repaired }) => repaired === true || health?.status === "connected")).toBe(true)
        }
      }
      expectNoSecrets(world)
    })
  },
  ...forgeries.map(forged),
  {
    title: "refuses webhooks with any byte of body or headers changed, and never dies of them",
    lacks: withoutWebhooks,
    run: Effect.fnUntraced(function* (options) {
      const world = yield* connected(options)
      const webhook = world.fake.webhooks!.sign("dataChanged", { connectionRef: world.connection().ref, url })
      const { headers, rawBody } = webhook
      for (let at = 0; at < rawBody.length; at += Math.max(1, Math.floor(rawBody.length / 25))) {
        const changed = Uint8Array.from(rawBody, (byte, n) => (n === at ? byte ^ 1 : byte))
        expect((yield* Effect.flip(verified(world, { ...webhook, rawBody: changed })))._tag).toBe("WebhookRefused")
      }
      for (const body of ["", "null", "[]", "{", '{"a":"\ud800"}']) {
        const error = yield* Effect.flip(verified(world, { ...webhook, rawBody: new TextEncoder().encode(body) }))
        expect(error._tag).toBe("WebhookRefused")
      }
      const signed = Object.keys(headers).filter((name) => /signature|verification|timestamp/iu.test(name))
      expect(signed.length).toBeGreaterThan(0)
      for (const name of signed) {
        for (const value of ["", "x", "a.b.c", "%00", "A".repeat(5_000)]) {
          const error = yield* Effect.flip(verified(world, { ...webhook, headers: { ...headers, [name]: value } }))
          expect([name, error._tag]).toEqual([name, "WebhookRefused"])
        }
      }
      expectNoSecrets(world)
    })
  }
]
