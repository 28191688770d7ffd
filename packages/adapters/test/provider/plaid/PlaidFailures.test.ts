import { expect, it } from "@effect/vitest"
import { failureOf, type ProviderError, type ProviderSession } from "@millrace/core/provider"
import { beginOf, completeOf, openFor } from "@millrace/testing/fake"
import { Seeded } from "@millrace/testing/model"
import { type Incident, mutatedJson } from "@millrace/testing/upstream"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as TestClock from "effect/testing/TestClock"
import { connect, directly, driverOf, everything, start } from "./PlaidWorld.ts"

const at = Date.parse("2026-11-21T09:30:00.000Z")

const opened = Effect.gen(function* () {
  yield* TestClock.setTime(at)
  const { driver, fake } = yield* start({ rows: 5 })
  const { connection } = yield* connect(fake, driver)
  return { driver, fake, connection, session: yield* openFor(driver, connection) }
})

const pulled = (session: ProviderSession) => session.pull(everything("transactions", []))

const codes: ReadonlyArray<readonly [code: string, tag: ProviderError["_tag"], recovery: string | undefined]> = [
  ["ITEM_LOGIN_REQUIRED", "ReauthRequired", "reconnect"],
  ["ITEM_LOCKED", "ReauthRequired", "reconnect"],
  ["INVALID_CREDENTIALS", "ReauthRequired", "reconnect"],
  ["INVALID_MFA", "ReauthRequired", "reconnect"],
  ["USER_SETUP_REQUIRED", "ReauthRequired", "reconnect"],
  ["INSUFFICIENT_CREDENTIALS", "ReauthRequired", "reconnect"],
  ["USER_INPUT_TIMEOUT", "ReauthRequired", "reconnect"],
  ["ADDITIONAL_CONSENT_REQUIRED", "ConsentRequired", "reconnect"],
  ["ACCESS_NOT_GRANTED", "ConsentRequired", "reconnect"],
  ["NO_ACCOUNTS", "ConsentRequired", "reconnect"],
  ["ITEM_NOT_FOUND", "ConnectionGone", "reconnect"],
  ["INVALID_ACCESS_TOKEN", "ConnectionGone", "reconnect"],
  ["USER_PERMISSION_REVOKED", "ConnectionGone", "reconnect"],
  ["INSTITUTION_DOWN", "InstitutionUnavailable", "retry"],
  ["INSTITUTION_NOT_RESPONDING", "InstitutionUnavailable", "retry"],
  ["INSTITUTION_NOT_AVAILABLE", "InstitutionUnavailable", "retry"],
  ["INSTITUTION_NO_LONGER_SUPPORTED", "InstitutionUnavailable", "contact_support"],
  ["INTERNAL_SERVER_ERROR", "ProviderUnavailable", "retry"],
  ["PLANNED_MAINTENANCE", "ProviderUnavailable", "retry"],
  ["PRODUCT_NOT_READY", "NotReady", "retry"],
  ["PRODUCTS_NOT_SUPPORTED", "Unsupported", undefined],
  ["NO_INVESTMENT_ACCOUNTS", "Unsupported", undefined],
  ["NO_LIABILITY_ACCOUNTS", "Unsupported", undefined],
  ["TRANSACTIONS_SYNC_LIMIT", "RateLimited", "retry"],
  ["SOME_NEW_LIMIT", "RateLimited", "retry"],
  ["TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION", "MutationDuringPagination", "restart_pagination"],
  ["INVALID_FIELD", "Misconfigured", "contact_support"],
  ["INVALID_API_KEYS", "Misconfigured", "contact_support"],
  ["UNAUTHORIZED_ENVIRONMENT", "Misconfigured", "contact_support"],
  ["SANDBOX_ONLY", "Misconfigured", "contact_support"],
  ["SOMETHING_NEW", "Misconfigured", "contact_support"]
]

it.effect("gives every code of Plaid its place, whatever the status is", () =>
  Effect.gen(function* () {
    const { fake, session } = yield* opened
    for (const [code, tag, recovery] of codes) {
      for (const status of [400, 429, 500]) {
        fake.server.plan({ incident: { kind: "code", code, status } })
        const error = yield* Effect.flip(pulled(session))
        expect([code, error._tag, failureOf(error).recovery?.action]).toEqual([code, tag, recovery])
        expect(error).toMatchObject({ providerCode: code, requestId: "HNTDNrA8F1shFEW" })
      }
    }
  }).pipe(Effect.scoped)
)

const incidents: ReadonlyArray<readonly [Incident, expected: object]> = [
  [
    { kind: "rateLimited", retryAfter: 60, scope: "endpoint" },
    { _tag: "RateLimited", scope: "endpoint", endpoint: "transactions", retryAfter: 60 }
  ],
  [{ kind: "unauthorized" }, { _tag: "Misconfigured" }],
  [{ kind: "forbidden" }, { _tag: "Misconfigured" }],
  [{ kind: "serverError" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "unavailable" }, { _tag: "ProviderUnavailable", retryAfter: 600 }],
  [{ kind: "dropped" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "lost" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "truncated" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "htmlPage" }, { _tag: "ProviderUnavailable" }],
  [{ kind: "htmlPage", status: 502 }, { _tag: "ProviderUnavailable" }],
  [
    { kind: "answer", status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" },
    { _tag: "ProtocolViolation" }
  ],
  [
    { kind: "answer", status: 200, body: "null" },
    { _tag: "ProtocolViolation", path: "" }
  ],
  [
    { kind: "answer", status: 200, body: {} },
    { _tag: "ProtocolViolation", path: "added" }
  ]
]

it.effect("has an error for whatever goes wrong on the way, asks once, and tells no secret", () =>
  Effect.gen(function* () {
    const { connection, fake, session } = yield* opened
    for (const [incident, expected] of incidents) {
      fake.server.plan({ incident })
      const before = fake.server.requests.length
      const error = yield* Effect.flip(pulled(session))
      expect(error).toMatchObject(expected)
      expect(fake.server.requests.length - before).toBe(1)
      const told = JSON.stringify(error) + String(error)
      expect([...fake.secrets, ...Object.values(connection.secrets)].filter((one) => told.includes(one))).toEqual([])
    }
  }).pipe(Effect.scoped)
)

it.effect("takes words and fields that it has never heard of as they come", () =>
  Effect.gen(function* () {
    const { fake, session } = yield* opened
    const before = (yield* pulled(session)).upserted.map(({ fields, providerId }) => [providerId, fields["amount"]])
    for (const kind of ["unknownEnum", "unknownFields"] as const) {
      fake.server.plan({ incident: { kind } })
      const page = yield* pulled(session)
      expect(page.upserted.map(({ fields, providerId }) => [providerId, fields["amount"]])).toEqual(before)
    }
    fake.server.plan({ incident: { kind: "unknownEnum" } })
    const accounts = yield* session.listAccounts
    expect(new Set(accounts.map(({ type }) => type))).toEqual(new Set(["unknown"]))
  }).pipe(Effect.scoped)
)

const breakages = [
  ["reauth", "ReauthRequired", "reauth_required"],
  ["consentExpired", "ConsentRequired", "consent_expired"],
  ["gone", "ConnectionGone", "disconnected"],
  ["institutionDown", "InstitutionUnavailable", "degraded"]
] as const

it.effect("tells how a connection is broken, and when it is well again", () =>
  Effect.gen(function* () {
    const { connection, fake, session } = yield* opened
    for (const [how, tag, status] of breakages) {
      fake.break(connection.ref, how)
      yield* TestClock.adjust("1 minute")
      expect([(yield* Effect.flip(pulled(session)))._tag, (yield* session.inspect).status]).toEqual([tag, status])
      fake.mend(connection.ref)
      expect((yield* session.inspect).status).toBe("connected")
      expect((yield* session.inspect).lastUpstreamUpdateAt).toBe(yield* TestClockText)
    }
  }).pipe(Effect.scoped)
)

const TestClockText = Effect.map(
  Effect.clockWith((clock) => clock.currentTimeMillis),
  (now) => new Date(now).toISOString()
)

const seeds = process.env["MILLRACE_LONG"] === "1" ? 10_000 : 400

it.effect(`survives ${seeds} answers that were changed at random: an error with a name, or rows that can be read`, () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(at)
    const { fake } = yield* start({ rows: 3 })
    let seed = 0
    let isMutated = false
    const driver = yield* driverOf(
      fake,
      directly(fake, (text) => (isMutated ? mutatedJson(text, new Seeded(seed)) : text))
    )
    const { attemptSecrets, connection } = yield* connect(fake, driver)
    const session = yield* openFor(driver, connection)
    const ids = (yield* session.listAccounts).map(({ providerAccountId }) => providerAccountId)
    isMutated = true
    const tags = new Set<string>()
    for (seed = 0; seed < seeds; seed++) {
      const again = yield* openFor(driver, connection)
      const calls: ReadonlyArray<Effect.Effect<unknown, ProviderError>> = [
        again.pull(everything("transactions", ids)),
        again.pull(everything("holdings", ids)),
        again.pull(everything("trades", ids)),
        again.pull(everything("loans", ids)),
        again.listAccounts,
        again.inspect,
        driver.listInstitutions({ text: "", countryCodes: [], limit: 50 }),
        driver.beginConnect(beginOf()),
        driver.completeConnect(completeOf({ kind: "plaid_public_token", publicToken: "public-x" }, { attemptSecrets }))
      ]
      const exit = yield* Effect.exit(calls[seed % calls.length]!)
      if (Exit.isSuccess(exit)) continue
      const fail = exit.cause.reasons.find(Cause.isFailReason)
      if (fail === undefined) return expect.fail(`seed ${seed}: ${Cause.pretty(exit.cause)}`)
      tags.add(fail.error._tag)
    }
    expect(tags).toContain("ProtocolViolation")
  }).pipe(Effect.scoped)
)
