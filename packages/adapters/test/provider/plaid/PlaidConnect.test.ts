import { expect, it } from "@effect/vitest"
import { isUsable } from "@millrace/core/provider"
import { beginOf, completeOf, keptIn, openFor } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { connect, start } from "./PlaidWorld.ts"

const at = Date.parse("2026-11-21T09:30:00.000Z")

it.effect("connects: the link token is kept before it is shown, and says whose it is and how far back it reaches", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { attemptSecrets, bankType, connection, institution, step } = yield* connect(fake, driver)
    expect(step).toEqual({
      kind: "link",
      token: attemptSecrets["linkToken"],
      expiresAt: "2026-11-21T13:30:00.000Z"
    })
    const asked = JSON.parse(fake.server.requests[0]!.body)
    expect(asked).toMatchObject({
      client_name: "Millrace",
      language: "en",
      country_codes: ["US"],
      user: { client_user_id: "ws_00000000000000000000000000" },
      products: ["transactions"],
      optional_products: ["investments", "liabilities"],
      transactions: { days_requested: 730 }
    })
    expect(institution).toMatchObject({ id: "ins_109508", name: "First Platypus Bank", countryCodes: ["US"] })
    expect(bankType).toBe("bank")
    expect(Object.keys(connection.secrets)).toEqual(["accessToken"])
    expect(fake.connections.map(({ ref }) => ref)).toEqual([connection.ref])
    // Secrets leave in headers alone, and no address names any.
    expect(fake.server.requests.every(({ body, path }) => !(body + path).includes(fake.config.secret))).toBe(true)
    const session = yield* openFor(driver, connection)
    expect(isUsable((yield* session.inspect).status)).toBe(true)
  }).pipe(Effect.scoped)
)

it.effect("refuses tokens that were used, that nobody gave out, and those of another attempt", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { attemptSecrets, payload } = yield* connect(fake, driver)
    const refused = [
      payload,
      ...(["unknown", "foreign", "malformed", "otherKind"] as const).map((how) => fake.refused(undefined, how))
    ]
    for (const one of refused) {
      const error = yield* Effect.flip(driver.completeConnect(completeOf(one, { attemptSecrets })))
      expect([one, error._tag]).toEqual([one, "InvalidConnectPayload"])
    }
    expect(fake.connections).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.effect("mends a connection in place: the same secrets, the same accounts, nothing exchanged", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection } = yield* connect(fake, driver)
    const session = yield* openFor(driver, connection)
    const before = yield* session.listAccounts
    fake.break(connection.ref, "reauth")
    expect(yield* session.inspect).toMatchObject({ status: "reauth_required", errorCode: "REAUTH_REQUIRED" })
    const attemptSecrets: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ reconnect: connection, keepAttempt: keptIn(attemptSecrets) }))
    const payload = fake.repair(step, connection.ref)
    const mended = yield* driver.completeConnect(completeOf(payload, { attemptSecrets, reconnect: connection }))
    expect(mended.connection).toEqual(connection)
    const again = yield* openFor(driver, mended.connection)
    expect((yield* again.inspect).status).toBe("connected")
    expect(yield* again.listAccounts).toEqual(before)
    const paths = fake.server.requests.map(({ path }) => path)
    expect(paths.filter((path) => path.endsWith("/exchange"))).toHaveLength(1)
    expect(JSON.parse(fake.server.requests[paths.lastIndexOf("/link/token/create")]!.body)["products"]).toBeUndefined()
  }).pipe(Effect.scoped)
)

it.effect("connects on a page of Plaid, for whoever has no widget: asked until the person has finished", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start({ hostedLink: true })
    expect(driver.capabilities.connectFlow).toBe("portal")
    const attemptSecrets: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(attemptSecrets) }))
    expect(step.kind).toBe("popup")
    const payload = { kind: "provider_connection_id", connectionId: "hosted-link" } as const
    const early = yield* Effect.flip(driver.completeConnect(completeOf(payload, { attemptSecrets })))
    expect(early).toMatchObject({ _tag: "NotReady", retryAfter: 3 })
    expect(fake.signIn(step)).toEqual(payload)
    const { connection } = yield* driver.completeConnect(completeOf(payload, { attemptSecrets }))
    expect(fake.connections.map(({ ref }) => ref)).toEqual([connection.ref])
  }).pipe(Effect.scoped)
)

it.effect("lets nobody begin at an institution that is unknown or down", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver } = yield* start()
    const begin = (institutionId: string) => Effect.flip(driver.beginConnect(beginOf({ institutionId })))
    expect((yield* begin("ins_0"))._tag).toBe("InvalidConnectPayload")
    expect((yield* begin("ins_132241"))._tag).toBe("InstitutionUnavailable")
    const found = yield* driver.listInstitutions({ text: "gingham", countryCodes: [], limit: 50 })
    expect(found.map(({ id }) => id)).toEqual(["ins_109509"])
    expect(yield* driver.listInstitutions({ text: "", countryCodes: ["FR"], limit: 50 })).toEqual([])
    expect(yield* driver.listInstitutions({ text: "", countryCodes: ["US"], limit: 2 })).toHaveLength(2)
  }).pipe(Effect.scoped)
)

it.effect("keeps what the exchange gave when nothing after it answers", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    fake.server.plan({
      incident: { kind: "dropped" },
      only: ({ path }) => path === "/accounts/get",
      times: 9
    })
    const { connection, institution } = yield* connect(fake, driver)
    expect(connection.secrets["accessToken"]).toBe(fake.items[0]!.accessToken)
    expect(institution).toMatchObject({ id: "ins_109508", name: "First Platypus Bank" })
  }).pipe(Effect.scoped)
)

it.effect("revokes as often as it is asked to, and knows nothing of the connection afterwards", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const { connection } = yield* connect(fake, driver)
    const session = yield* openFor(driver, connection)
    expect([yield* session.revoke, yield* session.revoke]).toEqual(["done", "done"])
    expect((yield* session.inspect).status).toBe("disconnected")
    expect((yield* Effect.flip(session.listAccounts))._tag).toBe("ConnectionGone")
    expect(fake.connections[0]!.isRevoked).toBe(true)
  }).pipe(Effect.scoped)
)

it.effect("says that the answer to an exchange was lost, and of a token that was never good only that", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { driver, fake } = yield* start()
    const attemptSecrets: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(attemptSecrets) }))
    const payload = fake.signIn(step)
    fake.server.plan({ incident: { kind: "lost" }, only: ({ path }) => path.endsWith("/exchange"), times: 1 })
    /** As after a restart: from what was kept. */
    const complete = Effect.suspend(() =>
      Effect.flip(
        driver.completeConnect(
          completeOf(payload, { attemptSecrets: { ...attemptSecrets }, keepAttempt: keptIn(attemptSecrets) })
        )
      )
    )
    expect((yield* complete)._tag).toBe("ProviderUnavailable")
    const told = yield* complete
    expect(told).toMatchObject({ _tag: "InvalidConnectPayload", providerCode: "INVALID_PUBLIC_TOKEN" })
    expect(told.message).toContain("was lost")
    // One that was used up by somebody else, or is too old, was not lost by us.
    delete attemptSecrets["exchanged"]
    expect((yield* complete).message).not.toContain("was lost")
  }).pipe(Effect.scoped)
)
