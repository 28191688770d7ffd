import { expect, it } from "@effect/vitest"
import { Timestamp } from "@millrace/core"
import { ProviderUnavailable } from "@millrace/core/provider"
import { beginOf, completeOf, keptIn, openFor, testSubject } from "@millrace/testing/fake"
import { fakeSnapTrade } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/snaptrade/SnapTradeProvider.ts"
import { connected, driverOn, local } from "../OnFake.ts"

const start = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
const path = (name: string) => (request: { readonly path: string }) => request.path.endsWith(name)

it.effect(
  "SnapTrade: the secret of a new user is kept before anything else is asked, and used by the next connection",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const fake = yield* fakeSnapTrade()
      const driver = yield* driverOn(factory, fake)
      const askedWhenKept: Array<number> = []
      const kept: Record<string, string> = {}
      const begin = beginOf({
        keepSubject: (secrets) =>
          Effect.andThen(
            Effect.sync(() => askedWhenKept.push(fake.server.requests.length)),
            keptIn(kept)(secrets)
          )
      })
      const step = yield* driver.beginConnect(begin)
      expect(fake.server.requests.map((request) => request.path)).toEqual([
        "/snapTrade/registerUser",
        "/snapTrade/login"
      ])
      expect(askedWhenKept).toEqual([1])
      expect(kept).toEqual({ userId: testSubject.ref, userSecret: expect.stringMatching(/^[0-9a-f]{64}$/) })
      expect(step).toEqual({
        kind: "popup",
        url: expect.stringContaining(fake.server.url),
        expiresAt: "2026-11-21T09:34:50.000Z"
      })
      const again = beginOf({ subject: { ...testSubject, secrets: kept }, institutionId: "PINE", language: "pt-BR" })
      yield* driver.beginConnect({
        ...again,
        redirectUri: "https://app.example/zurück",
        options: { connectionType: "trade" }
      })
      const login = fake.server.requests.at(-1)!
      expect(fake.server.requests.filter(path("registerUser"))).toHaveLength(1)
      expect(JSON.parse(login.body)).toEqual({
        broker: "PINE",
        customRedirect: "https://app.example/zur%C3%BCck",
        immediateRedirect: true,
        connectionType: "trade",
        locale: "pt-BR",
        connectionPortalVersion: "v4"
      })
    }).pipe(Effect.scoped)
)

it.effect("SnapTrade: a user whose secret never arrived is left behind, and the next number is taken", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade()
    const driver = yield* driverOn(factory, fake)
    fake.server.plan({ incident: { kind: "lost" }, only: path("registerUser") })
    expect(yield* Effect.flip(driver.beginConnect(beginOf()))).toBeInstanceOf(ProviderUnavailable)
    const kept: Record<string, string> = {}
    const attempt: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ keepSubject: keptIn(kept), keepAttempt: keptIn(attempt) }))
    expect(kept["userId"]).toBe(`${testSubject.ref}.2`)
    expect(attempt).toEqual(kept)
    const completed = yield* driver.completeConnect(completeOf(fake.signIn(step), { attemptSecrets: attempt }))
    expect(completed.connection.secrets).toEqual(kept)
    expect(fake.connections).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.effect(
  "SnapTrade: a user who was taken away there is replaced, but never under a connection that is to be mended",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const fake = yield* fakeSnapTrade()
      const driver = yield* driverOn(factory, fake)
      const stale = { userId: testSubject.ref, userSecret: "of-before" }
      const subject = { ...testSubject, secrets: stale }
      const kept: Record<string, string> = {}
      const step = yield* driver.beginConnect(beginOf({ subject, keepSubject: keptIn(kept) }))
      expect(step.kind).toBe("popup")
      expect(kept["userSecret"]).not.toBe("of-before")
      const reconnect = { ref: "00000000-0000-4000-8000-000000000000", secrets: stale }
      const error = yield* Effect.flip(driver.beginConnect(beginOf({ subject, reconnect })))
      expect(error._tag).toBe("ConnectionGone")
    }).pipe(Effect.scoped)
)

it.effect("SnapTrade: what is completed is what our own user has, and what the portal says when there is nothing", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade()
    const driver = yield* driverOn(factory, fake)
    const { completed, kept, step } = yield* connected(driver, fake)
    expect(completed).toMatchObject({
      institution: { id: "HARBOR", name: "Harbor Invest", status: "ok", url: "https://harbor.example" },
      bankType: "brokerage"
    })
    const refused = Effect.fnUntraced(function* (how: "unknown" | "foreign" | "malformed" | "otherKind") {
      const before = fake.server.requests.length
      const payload = fake.refused(step, how)!
      const error = yield* Effect.flip(driver.completeConnect(completeOf(payload, { attemptSecrets: kept.attempt })))
      return [error._tag, fake.server.requests.length - before]
    })
    expect(yield* refused("unknown")).toEqual(["InvalidConnectPayload", 1])
    expect(yield* refused("foreign")).toEqual(["InvalidConnectPayload", 1])
    expect(yield* refused("malformed")).toEqual(["InvalidConnectPayload", 0])
    expect(yield* refused("otherKind")).toEqual(["InvalidConnectPayload", 0])
    for (const connectionId of ["ABANDONED", "CLOSED", "CLOSE_MODAL"]) {
      const left = { kind: "provider_connection_id", connectionId } as const
      const error = yield* Effect.flip(driver.completeConnect(completeOf(left, { attemptSecrets: kept.attempt })))
      expect(error._tag).toBe("UserCancelled")
    }
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: a broken connection is mended under its id; another one in its place is refused", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade()
    const driver = yield* driverOn(factory, fake)
    const { completed, open, subject } = yield* connected(driver, fake)
    const { connection } = completed
    fake.break(connection.ref, "reauth")
    const broken = yield* open()
    expect((yield* broken.inspect).status).toBe("reauth_required")
    expect((yield* Effect.flip(broken.listAccounts))._tag).toBe("ReauthRequired")
    const step = yield* driver.beginConnect(beginOf({ subject, reconnect: connection, institutionId: "HARBOR" }))
    expect(JSON.parse(fake.server.requests.at(-1)!.body)).toMatchObject({ reconnect: connection.ref })
    const payload = fake.repair(step, connection.ref)
    const mended = yield* driver.completeConnect(completeOf(payload, { subject, reconnect: connection }))
    expect(mended.connection).toEqual(connection)
    expect((yield* (yield* open()).inspect).status).toBe("connected")
    const other = { ref: "00000000-0000-4000-8000-000000000000", secrets: connection.secrets }
    const error = yield* Effect.flip(driver.completeConnect(completeOf(payload, { subject, reconnect: other })))
    expect(error._tag).toBe("InvalidConnectPayload")
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: institutions are ranked, and those that take no connections are not begun with", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade()
    const driver = yield* driverOn(factory, fake)
    const found = yield* driver.listInstitutions({ text: "broker", countryCodes: [], limit: 10 })
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      ["CLOSEDBROKER", "down"],
      ["SLOWBROKER", "degraded"]
    ])
    expect(yield* driver.listInstitutions({ text: "", countryCodes: [], limit: 2 })).toHaveLength(2)
    expect(fake.server.requests).toHaveLength(1)
    const begun = (institutionId: string) => Effect.flip(driver.beginConnect(beginOf({ institutionId })))
    expect((yield* begun("CLOSEDBROKER"))._tag).toBe("InstitutionUnavailable")
    expect((yield* begun("NOBODY"))._tag).toBe("InvalidConnectPayload")
  }).pipe(Effect.scoped)
)

it.effect("SnapTrade: a personal key has no users, and no request names one", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const fake = yield* fakeSnapTrade({ isPersonal: true })
    const driver = yield* driverOn(factory, fake)
    const { completed, kept, open } = yield* connected(driver, fake)
    expect([kept.subject, kept.attempt, completed.connection.secrets]).toEqual([{}, {}, {}])
    expect(yield* (yield* open()).listAccounts).toHaveLength(4)
    expect(fake.server.requests.filter(({ query }) => query.has("userId") || query.has("userSecret"))).toEqual([])
    expect(driver.capabilities.limits?.map(({ name, per }) => [name, per])).toEqual([
      ["client", "instance"],
      ["account", "account"]
    ])
  }).pipe(Effect.scoped)
)

it.effect(
  "SnapTrade: removal is queued, is done once nobody knows the connection, and needs a user to ask for it",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const fake = yield* fakeSnapTrade()
      const driver = yield* driverOn(factory, fake)
      const { completed, open } = yield* connected(driver, fake)
      expect(yield* (yield* open()).revoke).toBe("pending")
      expect(yield* (yield* open()).revoke).toBe("pending")
      yield* TestClock.adjust("1 minute")
      expect(yield* (yield* open()).revoke).toBe("done")
      expect((yield* (yield* open()).inspect).status).toBe("disconnected")
      expect(fake.connections.map(({ isRevoked }) => isRevoked)).toEqual([true])
      const nobodys = yield* openFor(driver, { ref: completed.connection.ref, secrets: {} })
      expect((yield* Effect.flip(nobodys.listAccounts))._tag).toBe("ConnectionGone")
    }).pipe(Effect.scoped)
)

it.live(
  "SnapTrade: who tries it signs in on a page that says that it is a trial, and comes back with the connection",
  () =>
    Effect.gen(function* () {
      const fake = yield* fakeSnapTrade({ mark: "(trial)" })
      const driver = yield* driverOn(factory, fake)
      const client = yield* local
      const kept: Record<string, string> = {}
      const step = yield* driver.beginConnect(
        beginOf({ redirectUri: "https://app.example/back", keepAttempt: keptIn(kept) })
      )
      const url = step.kind === "popup" ? step.url : expect.fail(step.kind)
      const text = new TextDecoder().decode((yield* client.request({ url })).body)
      expect(text).toContain("Trial: no real bank")
      const press = (broker: string) =>
        Effect.map(
          client.request({
            url,
            method: "POST",
            body: new URLSearchParams({ token: new URL(url).searchParams.get("token")!, broker }).toString()
          }),
          ({ headers }) => new URL(headers["location"]!).searchParams
        )
      expect((yield* press("")).get("status")).toBe("ABANDONED")
      const connectionId = (yield* press("PINE")).get("connection_id")!
      const payload = { kind: "provider_connection_id", connectionId } as const
      const completed = yield* driver.completeConnect(completeOf(payload, { attemptSecrets: kept }))
      expect(completed.institution.name).toBe("Pine Trading (trial)")
    }).pipe(Effect.scoped)
)
