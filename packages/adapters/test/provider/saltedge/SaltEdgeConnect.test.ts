import { expect, it } from "@effect/vitest"
import { Timestamp } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import { ProviderUnavailable } from "@millrace/core/provider"
import { beginOf, completeOf, keptIn, openFor, testSubject } from "@millrace/testing/fake"
import { fakeSaltEdge, type WebhookEvent, type WebhookForgery } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { factory } from "../../../src/provider/saltedge/SaltEdgeProvider.ts"
import { connected, driverOn, local } from "../OnFake.ts"

const start = Timestamp.toMillis(Timestamp.make("2026-11-21T09:30:00.000Z"))
const url = "https://millrace.example/webhooks/saltedge"

const begun = Effect.fnUntraced(function* (over: Readonly<Record<string, unknown>> = {}) {
  yield* TestClock.setTime(start)
  const fake = yield* fakeSaltEdge({ rows: 3, days: 9 })
  const driver = yield* driverOn(factory, fake, over)
  return { fake, driver }
})

it.effect("Salt Edge: a customer is made once, kept at once, and found again where the answer was lost", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    fake.server.plan({ incident: { kind: "lost" }, only: ({ path }) => path === "/customers" })
    expect(yield* Effect.flip(driver.beginConnect(beginOf()))).toBeInstanceOf(ProviderUnavailable)
    const kept: Record<string, string> = {}
    yield* driver.beginConnect(beginOf({ keepSubject: keptIn(kept) }))
    expect(fake.server.requests.map(({ method, path, rawQuery }) => `${method} ${path}${rawQuery}`)).toEqual([
      "POST /customers",
      "POST /customers",
      `GET /customersidentifier=${testSubject.ref}`,
      "POST /connections/connect"
    ])
    expect(kept).toEqual({ customerId: expect.stringMatching(/^\d{19}$/) })
    yield* driver.beginConnect(beginOf({ subject: { ...testSubject, secrets: kept } }))
    expect(fake.server.requests.filter(({ path }) => path === "/customers")).toHaveLength(3)
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a customer is taken back whether the answer says so once more, is empty, or knows nobody", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const kept: Record<string, string> = {}
    yield* driver.beginConnect(beginOf({ keepSubject: keptIn(kept) }))
    const removed = Effect.suspend(() => driver.removeSubject!({ ...testSubject, secrets: kept }))
    fake.server.plan({
      incident: { kind: "answer", status: 204, body: "" },
      only: ({ method }) => method === "DELETE"
    })
    expect([yield* removed, yield* removed, yield* removed]).toEqual(["done", "done", "done"])
    expect(fake.server.requests.filter(({ method }) => method === "DELETE")).toHaveLength(3)
    // A page of something in between is no answer of theirs.
    fake.server.plan({ incident: { kind: "htmlPage", status: 200 } })
    expect(yield* Effect.flip(removed)).toMatchObject({ _tag: "ProviderUnavailable" })
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: the page is asked for with the consent, the attempt, the way back and the language", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun({ historyDays: 30, includeSandboxes: true })
    const step = yield* driver.beginConnect(
      beginOf({
        institutionId: "banque_du_lac_fr",
        redirectUri: "https://app.example/back",
        language: "fr-FR",
        options: { saltedgeConsentScopes: ["accounts"] }
      })
    )
    expect(step).toMatchObject({ kind: "redirect", expiresAt: "2026-11-21T10:30:00.000Z" })
    expect(JSON.parse(fake.server.requests.at(-1)!.body)).toEqual({
      data: {
        customer_id: expect.stringMatching(/^\d{19}$/),
        consent: { scopes: ["accounts"], from_date: "2026-10-22" },
        attempt: {
          fetch_scopes: ["accounts"],
          custom_fields: { attempt_id: "cat_00000000000000000000000000" },
          return_to: "https://app.example/back",
          locale: "fr"
        },
        provider: { code: "banque_du_lac_fr", include_sandboxes: true },
        return_connection_id: true
      }
    })
    const refused = (institutionId: string) => Effect.flip(driver.beginConnect(beginOf({ institutionId })))
    expect((yield* refused("nobody_xx"))._tag).toBe("InvalidConnectPayload")
    expect((yield* refused("../customers"))._tag).toBe("InvalidConnectPayload")
    expect((yield* refused("closed_bank_de"))._tag).toBe("InstitutionUnavailable")
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a connection of another customer is refused, though the keys would open it", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const { completed, kept, step, subject } = yield* connected(driver, fake)
    expect(completed).toMatchObject({
      institution: { id: "nordhafen_bank_de", name: "Nordhafen Bank", countryCodes: ["DE"] },
      bankType: "bank",
      consentExpiresAt: "2027-02-19T09:30:00.000Z"
    })
    const foreign = fake.refused(step, "foreign")!
    const error = yield* Effect.flip(driver.completeConnect(completeOf(foreign, { attemptSecrets: kept.attempt })))
    expect(error._tag).toBe("InvalidConnectPayload")
    const theirs = foreign.kind === "provider_connection_id" ? foreign.connectionId : ""
    const session = yield* openFor(driver, { ref: theirs, secrets: completed.connection.secrets }, { subject })
    expect((yield* Effect.flip(session.listAccounts))._tag).toBe("ConnectionGone")
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a consent that ends and a sign-in that fails are told, and mended under the same id", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const { completed, open, subject } = yield* connected(driver, fake)
    const { connection } = completed
    const look = Effect.fnUntraced(function* () {
      const session = yield* open()
      const health = yield* session.inspect
      const exit = yield* Effect.match(session.listAccounts, { onFailure: ({ _tag }) => _tag, onSuccess: () => "read" })
      return [health.status, exit]
    })
    expect(yield* look()).toEqual(["connected", "read"])
    fake.break(connection.ref, "consentExpired")
    expect(yield* look()).toEqual(["consent_expired", "ConsentRequired"])
    const step = yield* driver.beginConnect(beginOf({ subject, reconnect: connection }))
    expect(fake.server.requests.at(-1)?.path).toBe(`/connections/${connection.ref}/reconnect`)
    const mended = yield* driver.completeConnect(
      completeOf(fake.repair(step, connection.ref), { subject, reconnect: connection })
    )
    expect(mended.connection).toEqual(connection)
    expect(yield* look()).toEqual(["connected", "read"])
    fake.break(connection.ref, "reauth")
    expect(yield* look()).toEqual(["reauth_required", "ReauthRequired"])
    fake.mend(connection.ref)
    fake.break(connection.ref, "institutionDown")
    expect(yield* look()).toEqual(["degraded", "read"])
    fake.mend(connection.ref)
    fake.collecting!(connection.ref, true)
    expect(yield* look()).toEqual(["pending", "NotReady"])
    fake.break(connection.ref, "gone")
    expect(yield* look()).toEqual(["disconnected", "ConnectionGone"])
    expect(yield* (yield* open()).revoke).toBe("done")
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: banks are found by country and name, from a list that is kept for a while", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const find = (text: string, countryCodes: ReadonlyArray<string>) =>
      Effect.map(driver.listInstitutions({ text, countryCodes, limit: 10 }), (found) => found.map(({ id }) => id))
    expect(yield* find("bank", ["DE"])).toEqual(["closed_bank_de", "nordhafen_bank_de"])
    expect(yield* find("lac", [])).toEqual(["banque_du_lac_fr"])
    const asked = fake.server.requests.length
    expect(yield* find("nordhafen bank", ["DE", "FR"])).toEqual(["nordhafen_bank_de"])
    expect(fake.server.requests.length - asked).toBe(1)
    yield* TestClock.adjust("11 minutes")
    yield* find("x", ["DE"])
    expect(fake.server.requests.length - asked).toBe(2)
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a bank is refreshed when it may be, and the wait is told where it may not", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const { open } = yield* connected(driver, fake)
    expect(yield* (yield* open()).refresh!(["transactions"])).toEqual({ status: "refreshing" })
    const answered = (path: string, body: unknown) =>
      fake.server.plan({
        incident: { kind: "answer", status: 200, body },
        only: (request) => request.path.endsWith(path)
      })
    answered("/refresh", { data: { connect_url: "https://example.com", expires_at: null } })
    expect(yield* (yield* open()).refresh!(["transactions"])).toEqual({ status: "not_supported" })
    fake.server.plan({
      incident: {
        kind: "answer",
        status: 200,
        body: {
          data: {
            id: "1",
            status: "active",
            last_success_at: "2026-11-21T09:00:00Z",
            next_refresh_possible_at: "2026-11-21T10:00:00Z"
          }
        }
      },
      only: ({ endpoint }) => endpoint === "connection"
    })
    const session = yield* open()
    expect(yield* Effect.flip(session.refresh!(["transactions"]))).toMatchObject({
      scope: "endpoint",
      endpoint: "refresh",
      retryAfter: 1_800
    })
    expect((yield* session.inspect).nextRefreshPossibleAt).toBe("2026-11-21T10:00:00.000Z")
  }).pipe(Effect.scoped)
)

it.effect("Salt Edge: a signed callback says which connection or attempt it is about; a forged one is refused", () =>
  Effect.gen(function* () {
    const { driver, fake } = yield* begun()
    const { completed } = yield* connected(driver, fake)
    const connectionRef = completed.connection.ref
    const arrived = (event: WebhookEvent, forgery?: WebhookForgery, at = url) => {
      const signed = fake.webhooks!.sign(event, { connectionRef, url, ...(forgery === undefined ? {} : { forgery }) })
      return driver.verifyWebhook!({ ...signed, url: at, now: start })
    }
    expect(yield* arrived("dataChanged")).toEqual([{ connectionRef, repaired: true }])
    expect(yield* arrived("connected")).toEqual([
      { connectionRef, attemptId: "attempt-1", result: "connected", repaired: true }
    ])
    expect(yield* arrived("reauth")).toMatchObject([{ connectionRef, health: { status: "reauth_required" } }])
    expect(yield* arrived("revoked")).toEqual([{ connectionRef }])
    expect(yield* arrived("unknown")).toEqual([{ connectionRef }])
    for (const forgery of fake.webhooks!.forgeries) {
      expect((yield* Effect.flip(arrived("reauth", forgery)))._tag).toBe("WebhookRefused")
    }
    const elsewhere = arrived("reauth", undefined, "https://other.example/webhooks/saltedge")
    expect((yield* Effect.flip(elsewhere))._tag).toBe("WebhookRefused")
  }).pipe(Effect.scoped)
)

const make = (config: Readonly<Record<string, unknown>>) =>
  factory
    .make({ instanceId: "saltedge:eu", config: { appId: "a", secret: Redacted.make("s"), ...config } })
    .pipe(Effect.provideService(Outbound, Outbound.of({ request: () => Effect.die("nobody is asked") })), Effect.flip)

it.effect("Salt Edge: a key that is none stops the instance before anything is asked", () =>
  Effect.gen(function* () {
    expect(yield* make({ privateKey: Redacted.make("not a key") })).toMatchObject({
      _tag: "Misconfigured",
      message: "saltedge:eu: privateKey is no RSA key in PEM"
    })
    expect(yield* make({ callbackKey: "not a key" })).toMatchObject({ _tag: "Misconfigured" })
  })
)

it.live(
  "Salt Edge: who tries it signs in on a page that says that it is a trial, and comes back with the connection",
  () =>
    Effect.gen(function* () {
      const fake = yield* fakeSaltEdge({ mark: "(trial)", rows: 2 })
      const driver = yield* driverOn(factory, fake)
      const client = yield* local
      const kept: Record<string, string> = {}
      const step = yield* driver.beginConnect(
        beginOf({ redirectUri: "https://app.example/back", keepAttempt: keptIn(kept) })
      )
      const address = step.kind === "redirect" ? step.url : expect.fail(step.kind)
      const text = new TextDecoder().decode((yield* client.request({ url: address })).body)
      expect(text).toContain("Trial: no real bank")
      const press = (provider: string) =>
        Effect.map(
          client.request({
            url: address,
            method: "POST",
            body: new URLSearchParams({ token: new URL(address).searchParams.get("token")!, provider }).toString()
          }),
          ({ headers }) => new URL(headers["location"]!).searchParams
        )
      expect((yield* press("")).get("error_class")).toBe("AuthorizationCancelled")
      const connectionId = (yield* press("banque_du_lac_fr")).get("connection_id")!
      const payload = { kind: "provider_connection_id", connectionId } as const
      const completed = yield* driver.completeConnect(completeOf(payload, { attemptSecrets: kept }))
      expect(completed.institution.name).toBe("Banque du Lac (trial)")
    }).pipe(Effect.scoped)
)
