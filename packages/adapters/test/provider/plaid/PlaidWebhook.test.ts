import { expect, it } from "@effect/vitest"
import { beginOf, completeOf, keptIn } from "@millrace/testing/fake"
import { type InboundWebhook, type ProviderDriver } from "@millrace/core/provider"
import type { SignedWebhook } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { isSignedBy, readSignedToken } from "../../../src/provider/plaid/EsSignature.ts"
import { connect, start } from "./PlaidWorld.ts"

const now = Date.parse("2026-11-21T09:30:00.000Z")
const url = "https://millrace.example/v1/webhooks/plaid:us"

const arrived = ({ headers, rawBody }: SignedWebhook, at = now): InboundWebhook => ({ rawBody, headers, url, now: at })

const verify = (driver: ProviderDriver, webhook: InboundWebhook) =>
  driver.verifyWebhook?.(webhook) ?? Effect.die("it has webhooks")

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")

it("checks signatures as RFC 7515, appendix A.3, has them", () => {
  const key = {
    kty: "EC",
    crv: "P-256",
    x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
  }
  const token =
    "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ." +
    "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
  const read = readSignedToken(token)!
  expect(JSON.parse(read.claims)).toMatchObject({ iss: "joe", exp: 1_300_819_380 })
  expect(isSignedBy(read, key)).toBe(true)
  expect(isSignedBy({ ...read, signed: read.signed.replace("joe", "jim") }, key)).toBe(true)
  expect(isSignedBy({ ...read, signed: `${read.signed}x` }, key)).toBe(false)
  expect(isSignedBy({ ...read, algorithm: "none" }, key)).toBe(false)
  expect(isSignedBy({ ...read, signature: read.signature.subarray(1) }, key)).toBe(false)
  expect(isSignedBy(read, { ...key, x: key.y })).toBe(false)
  expect(isSignedBy(read, { ...key, x: "AA" })).toBe(false)
  for (const text of ["", "a.b", "a.b.c.d", "e30.e30.e30", "{}.{}.{}", `${token}\n`]) {
    expect(readSignedToken(text)).toBeUndefined()
  }
})

const events = [
  ["dataChanged", { dataTypes: ["transactions", "balances"] }],
  ["reauth", { health: { status: "reauth_required", errorCode: "REAUTH_REQUIRED" } }],
  ["repaired", { repaired: true }],
  ["consentEnding", { health: { status: "connected", consentExpiresAt: "2026-11-28T09:30:00.000Z" } }],
  ["revoked", { health: { status: "disconnected", errorCode: "CONNECTION_GONE" } }]
] as const

it.effect("reads what happened out of signed webhooks, and asks for their key once", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { driver, fake } = yield* start()
    const { connection } = yield* connect(fake, driver)
    const about = { connectionRef: connection.ref, url }
    const before = fake.server.requests.length
    for (const [event, expected] of events) {
      const pokes = yield* verify(driver, arrived(fake.webhooks.sign(event, about)))
      expect(pokes).toHaveLength(1)
      expect(pokes[0]).toMatchObject({ connectionRef: connection.ref, ...expected })
    }
    expect(yield* verify(driver, arrived(fake.webhooks.sign("unknown", about)))).toEqual([])
    expect(fake.server.requests.length - before).toBe(1)
  }).pipe(Effect.scoped)
)

it.effect("refuses webhooks that were changed, not signed, signed by others or long ago", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { driver, fake } = yield* start()
    const about = { connectionRef: "item1", url }
    for (const forgery of fake.webhooks.forgeries) {
      const webhook = arrived(fake.webhooks.sign("dataChanged", { ...about, forgery }))
      expect([forgery, (yield* Effect.flip(verify(driver, webhook)))._tag]).toEqual([forgery, "WebhookRefused"])
    }
    const good = fake.webhooks.sign("dataChanged", about)
    expect(yield* verify(driver, arrived(good, now + 5 * 60_000))).toHaveLength(1)
    expect((yield* Effect.flip(verify(driver, arrived(good, now + 5 * 60_000 + 1_000))))._tag).toBe("WebhookRefused")
    expect((yield* Effect.flip(verify(driver, arrived(good, now - 61_000))))._tag).toBe("WebhookRefused")
    const [header = "", claims = "", signature = ""] = good.headers["plaid-verification"]!.split(".")
    const forged = [
      `${encoded({ alg: "none", kid: "6c5516e1-92dc-479e-a8ff-5a51992e0001" })}.${claims}.${signature}`,
      `${encoded({ alg: "HS256", kid: "6c5516e1-92dc-479e-a8ff-5a51992e0001" })}.${claims}.${signature}`,
      `${header}.${encoded({ iat: now / 1000, request_body_sha256: "0".repeat(64) })}.${signature}`,
      `${header}.${claims}.${"A".repeat(86)}`
    ]
    for (const token of forged) {
      const webhook = { ...arrived(good), headers: { "plaid-verification": token } }
      expect((yield* Effect.flip(verify(driver, webhook)))._tag).toBe("WebhookRefused")
    }
  }).pipe(Effect.scoped)
)

it.effect("asks for a key that Plaid does not know once, however often it is named", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { driver, fake } = yield* start()
    const good = fake.webhooks.sign("dataChanged", { connectionRef: "item1", url })
    const [, claims = "", signature = ""] = good.headers["plaid-verification"]!.split(".")
    const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: "0d2f7b6c-unknown" })).toString("base64url")
    const webhook = { ...arrived(good), headers: { "plaid-verification": `${header}.${claims}.${signature}` } }
    for (let n = 0; n < 5; n++) expect((yield* Effect.flip(verify(driver, webhook)))._tag).toBe("WebhookRefused")
    expect(fake.server.requests).toHaveLength(1)
    // Where Plaid does not answer nobody knows, and the sender has to come again.
    fake.server.plan({ incident: { kind: "serverError" } })
    expect((yield* Effect.flip(verify(driver, arrived(good))))._tag).toBe("ProviderUnavailable")
    expect(yield* verify(driver, arrived(good))).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.effect("keeps its keys, and asks Plaid for few, however many ids are made up", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { driver, fake } = yield* start()
    const good = fake.webhooks.sign("dataChanged", { connectionRef: "item1", url })
    expect(yield* verify(driver, arrived(good))).toHaveLength(1)
    const [, claims = "", signature = ""] = good.headers["plaid-verification"]!.split(".")
    const asked = fake.server.requests.length
    for (let n = 0; n < 200; n++) {
      const header = Buffer.from(JSON.stringify({ alg: "ES256", kid: `made-up-${n}` })).toString("base64url")
      const webhook = { ...arrived(good), headers: { "plaid-verification": `${header}.${claims}.${signature}` } }
      expect(["WebhookRefused", "ProviderUnavailable"]).toContain((yield* Effect.flip(verify(driver, webhook)))._tag)
    }
    expect(fake.server.requests.length - asked).toBe(10)
    expect(yield* verify(driver, arrived(good))).toHaveLength(1)
    expect(fake.server.requests.length - asked).toBe(10)
  }).pipe(Effect.scoped)
)

it.effect("completes the attempt of a person who has finished on a page of Plaid, and tells how it ended", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const { driver, fake } = yield* start({ hostedLink: true })
    const attemptId = "cat_00000000000000000000000007"
    for (const isSuccess of [true, false]) {
      const attemptSecrets: Record<string, string> = {}
      const asked = beginOf({ attemptId, webhookUrl: url, keepAttempt: keptIn(attemptSecrets) })
      const step = yield* driver.beginConnect(asked)
      if (isSuccess) fake.signIn(step)
      else fake.stop(step)
      const sent = fake.sessionFinished(step)
      expect(sent.url).toBe(`${url}?attempt=${attemptId}`)
      const [poke, ...more] = yield* verify(driver, { ...arrived(sent), attemptId })
      expect([poke, more]).toEqual([{ attemptId, connectionRef: "hosted-link", result: "connected" }, []])
      // What follows from it: the attempt is completed as if the browser had come back.
      const payload = { kind: "provider_connection_id", connectionId: poke!.connectionRef! } as const
      const ended = yield* Effect.result(driver.completeConnect(completeOf(payload, { attemptSecrets })))
      if (Result.isSuccess(ended))
        expect([isSuccess, ended.success.connection.ref]).toEqual([true, fake.connections[0]!.ref])
      else expect([isSuccess, ended.failure._tag]).toEqual([false, "UserCancelled"])
      // An address that names none leads to none.
      expect(yield* verify(driver, arrived(sent))).toEqual([])
    }
  }).pipe(Effect.scoped)
)
