import { expect, it } from "@effect/vitest"
import { fakeQuiltt } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/quiltt/QuilttProvider.ts"
import { connect, driverOn, expectRefusals, Kept, open, tagOf } from "../OnFake.ts"

const setting = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 10, 21, 9, 30))
  const fake = yield* fakeQuiltt()
  const driver = yield* driverOn(factory, fake)
  return { fake, driver, kept: new Kept() }
})

const count = (fake: { readonly server: { readonly requests: ReadonlyArray<{ readonly endpoint: string }> } }) =>
  fake.server.requests.filter(({ endpoint }) => endpoint === "sessions").length

it.effect("begins with a session of a profile that is kept before the step is shown", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const step = yield* driver.beginConnect(kept.request({ institutionId: "harbor bank" }))
    expect(step).toMatchObject({
      kind: "connector",
      connectorId: "millrace-test",
      institutionId: "harbor bank",
      institutionTargeting: "name"
    })
    expect(step.kind === "connector" && step.sessionToken).toBe(kept.subject["sessionToken"])
    expect(kept.subject["profileId"]).toMatch(/^p_/)
    expect(yield* tagOf(driver.beginConnect(kept.request({ institutionId: "Bank of Nowhere" })))).toBe(
      "InvalidConnectPayload"
    )
    expect(fake.server.exceeded).toEqual([])
  })
)

it.effect("uses one session for all attempts as long as it lasts, whoever keeps it", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    yield* Effect.forEach(
      Array.from({ length: 30 }, () => kept.request()),
      (request) => driver.beginConnect(request),
      { concurrency: 6 }
    )
    expect(count(fake)).toBe(1)
    // Another process knows what was stored, and asks for none either.
    const other = yield* driverOn(factory, fake)
    yield* other.beginConnect(kept.request())
    expect(count(fake)).toBe(1)
    yield* TestClock.adjust("1410 minutes")
    const step = yield* other.beginConnect(kept.request())
    expect(count(fake)).toBe(2)
    expect(step.kind === "connector" && step.sessionToken).toBe(kept.subject["sessionToken"])
  })
)

it.effect("finds the profile again that a crash kept us from storing", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    kept.failures = 1
    yield* Effect.exit(driver.beginConnect(kept.request()))
    expect(kept.subject).toEqual({})
    const restarted = yield* driverOn(factory, fake)
    yield* restarted.beginConnect(kept.request())
    const profile = kept.subject["profileId"]
    const again = new Kept()
    yield* (yield* driverOn(factory, fake)).beginConnect(again.request())
    expect(again.subject["profileId"]).toBe(profile)
    const another = new Kept("subject-2")
    yield* driver.beginConnect(another.request())
    expect(another.subject["profileId"]).not.toBe(profile)
  })
)

it.effect("makes a new session where the one that is kept was ended", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    yield* driver.beginConnect(kept.request())
    const ended = kept.subject["sessionToken"]!
    yield* Effect.promise(() =>
      fetch(`${fake.server.url}/v1/users/session`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${ended}`, "quiltt-version": "2025-04-01" }
      })
    )
    yield* driver.beginConnect(kept.request())
    expect(kept.subject["sessionToken"]).not.toBe(ended)
  })
)

it.effect("completes with what is the profile's own, as often as it is asked", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept)
    expect(first).toMatchObject({
      institution: { id: "Harbor Bank" },
      bankType: "bank",
      consentExpiresAt: "2027-06-30T12:00:00.000Z"
    })
    expect(first.connection.secrets).toEqual({ profileId: kept.subject["profileId"] })
    expect(yield* connect(driver, fake, kept)).toEqual(first)
    yield* expectRefusals(driver, fake, kept)
  })
)

it.effect("mends a connection under the same ids", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept)
    const accounts = yield* (yield* open(driver, first, kept)).listAccounts
    fake.break(first.connection.ref, "reauth")
    expect((yield* (yield* open(driver, first, kept)).inspect).status).toBe("reauth_required")
    expect(yield* tagOf((yield* open(driver, first, kept)).listAccounts)).toBe("ReauthRequired")
    const again = yield* connect(driver, fake, kept, {}, { reconnect: first.connection })
    expect(again.connection).toEqual(first.connection)
    expect((yield* (yield* open(driver, again, kept)).listAccounts).map(({ stableKeys }) => stableKeys)).toEqual(
      accounts.map(({ stableKeys }) => stableKeys)
    )
  })
)

it.effect("takes a connection apart and says when that is done", () =>
  Effect.gen(function* () {
    const { driver, fake, kept } = yield* setting
    const first = yield* connect(driver, fake, kept)
    const revoke = Effect.flatMap(open(driver, first, kept), (session) => session.revoke)
    expect(yield* revoke).toBe("pending")
    expect(yield* revoke).toBe("pending")
    yield* TestClock.adjust("1 minute")
    expect(yield* revoke).toBe("done")
    expect((yield* (yield* open(driver, first, kept)).inspect).status).toBe("disconnected")
    expect(yield* tagOf((yield* open(driver, first, kept)).listAccounts)).toBe("ConnectionGone")
  })
)
