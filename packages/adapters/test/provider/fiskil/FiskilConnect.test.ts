import { expect, it } from "@effect/vitest"
import { fakeFiskil } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/fiskil/FiskilProvider.ts"
import { connect, driverOn, expectRefusals, Kept, open, tagOf } from "../OnFake.ts"

const setting = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9, 30))
  const fake = yield* fakeFiskil()
  const driver = yield* driverOn(factory, fake)
  return { fake, driver, kept: new Kept() }
})

const asked = (
  fake: { readonly server: { readonly requests: ReadonlyArray<{ readonly method: string; readonly path: string }> } },
  method: string,
  path: string
) => fake.server.requests.filter((request) => request.method === method && request.path === path).length

it.effect("begins with a session of a person who is kept before anything else is asked", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const step = yield* driver.beginConnect(kept.request({ institutionId: "22", email: "ada@example.com" }))
    expect(step).toMatchObject({ kind: "authSession", expiresAt: "2026-11-26T09:30:00.000Z" })
    expect(kept.subject["endUserId"]).toMatch(/^eu_/)
    expect(step.kind === "authSession" && step.authSessionId).toBe(kept.attempt["sessionId"])
    const order = fake.server.requests.map(({ method, path }) => `${method} ${path}`)
    expect(order.slice(-2)).toEqual(["POST /v1/end-users", "POST /v1/auth/session"])
    expect(yield* tagOf(driver.beginConnect(kept.request({ institutionId: "9999" })))).toBe("InvalidConnectPayload")
    const nobody = yield* driverOn(factory, fake, { emailDomain: undefined })
    expect(yield* tagOf(nobody.beginConnect(new Kept("subject-2").request()))).toBe("Misconfigured")
  })
)

it.effect("finds the person again whom a crash kept us from storing", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    kept.failures = 1
    yield* Effect.exit(driver.beginConnect(kept.request()))
    expect(kept.subject).toEqual({})
    expect(fake.connections).toEqual([])
    yield* driver.beginConnect(kept.request())
    expect(asked(fake, "POST", "/v1/end-users")).toBe(1)
    // What the answer of a lost request has made is found as well.
    const other = new Kept("subject-2")
    fake.server.plan({
      incident: { kind: "lost" },
      only: ({ method, path }) => method === "POST" && path === "/v1/end-users"
    })
    expect(yield* tagOf(driver.beginConnect(other.request()))).toBe("ProviderUnavailable")
    yield* driver.beginConnect(other.request())
    expect(asked(fake, "POST", "/v1/end-users")).toBe(2)
    expect(other.subject["endUserId"]).not.toBe(kept.subject["endUserId"])
  })
)

it.effect.each(["v2", "v3"])("completes with the person's own consents, in version %s", (version) =>
  Effect.gen(function* () {
    const { fake, kept } = yield* setting
    const driver = yield* driverOn(factory, fake, { version })
    const first = yield* connect(driver, fake, kept, { institutionId: "40" })
    expect(first).toMatchObject({
      connection: { ref: expect.stringMatching(`^${kept.subject["endUserId"]}/40/[\\w-]{16}$`) },
      institution: { id: "40", name: "Southern Mutual" },
      consentExpiresAt: "2027-11-21T09:30:00.000Z"
    })
    yield* expectRefusals(driver, fake, kept)
    // A redirect brings the session back and no consent: it is the one that was given since.
    const step = yield* driver.beginConnect(kept.request({ institutionId: "22" }))
    const completed = driver.completeConnect({
      attemptId: "attempt-3",
      subject: { ref: kept.ref, secrets: kept.subject },
      attemptSecrets: kept.attempt,
      payload: { kind: "provider_connection_id", connectionId: kept.attempt["sessionId"]!, institutionId: "22" },
      keepSubject: () => Effect.void,
      keepAttempt: () => Effect.void
    })
    expect(yield* tagOf(completed)).toBe("NotReady")
    fake.signIn(step)
    expect((yield* completed).connection.ref).toMatch(`${kept.subject["endUserId"]}/22/`)
  })
)

it.effect("mends a connection by another consent, and keeps its reference and its accounts", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept)
    const accounts = yield* (yield* open(driver, first, kept)).listAccounts
    yield* TestClock.adjust("366 days")
    const lapsed = yield* open(driver, first, kept)
    expect(yield* lapsed.inspect).toMatchObject({ status: "consent_expired", errorCode: "BANK_CONSENT_REQUIRED" })
    expect(yield* tagOf(lapsed.listAccounts)).toBe("ConsentRequired")
    const again = yield* connect(driver, fake, kept, {}, { reconnect: first.connection })
    expect(again.connection.ref).toBe(first.connection.ref)
    expect(again.connection.secrets["arrangementId"]).not.toBe(first.connection.secrets["arrangementId"])
    const mended = yield* open(driver, again, kept)
    expect(yield* mended.inspect).toMatchObject({ status: "connected", consentExpiresAt: again.consentExpiresAt })
    expect(yield* mended.listAccounts).toEqual(accounts)
  })
)

it.effect("ends the consents of a bank, and of no other one", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept, { institutionId: "22" })
    const other = yield* connect(driver, fake, kept, { institutionId: "40" })
    const revoke = Effect.flatMap(open(driver, first, kept), (session) => session.revoke)
    expect(yield* revoke).toBe("done")
    expect(yield* revoke).toBe("done")
    expect(fake.connections.map(({ isRevoked }) => isRevoked)).toEqual([true, false])
    expect((yield* (yield* open(driver, other, kept)).inspect).status).toBe("connected")
    const elsewhere = { connection: { ref: "eu_nobody/22", secrets: {} } }
    expect(yield* (yield* open(driver, elsewhere, kept)).revoke).toBe("done")
    expect((yield* (yield* open(driver, elsewhere, kept)).inspect).status).toBe("disconnected")
  })
)

it.effect("renews its token once for all who wait, before it ends and where it died early", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept)
    const tokens = () => asked(fake, "POST", "/v1/token")
    expect(tokens()).toBe(1)
    yield* TestClock.adjust("14 minutes")
    const looks = Array.from({ length: 5 }, () => Effect.flatMap(open(driver, first, kept), ({ inspect }) => inspect))
    yield* Effect.all(looks, { concurrency: "unbounded" })
    expect(tokens()).toBe(2)
    fake.server.plan({ incident: { kind: "unauthorized" } })
    expect((yield* looks[0]!).status).toBe("connected")
    expect(tokens()).toBe(3)
    fake.server.plan({ incident: { kind: "unauthorized" }, times: 2, only: ({ path }) => path !== "/v1/token" })
    expect(yield* tagOf((yield* open(driver, first, kept)).listAccounts)).toBe("Misconfigured")
  })
)
