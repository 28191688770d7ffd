/**
 * Drivers against the real upstreams, with the keys of the one who asks. Where a sandbox can be signed in to without a person a
 * bank is connected, read whole and removed; elsewhere institutions are listed, a connection is begun, and one that was made
 * there is read. What is reported are counts and states; no row and no secret is.
 */
import { bundledProviders } from "@millrace/adapters/provider"
import { CalendarDate, Timestamp } from "@millrace/core"
import { Outbound } from "@millrace/core/outbound"
import {
  configured,
  makeJsonClient,
  type ConnectPayload,
  type ProviderDriver,
  type ProviderError,
  type ProviderSession,
  type PullRequest
} from "@millrace/core/provider"
import { beginOf, completeOf, openFor } from "@millrace/testing/fake"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

type Env = Readonly<Record<string, string | undefined>>

/** How a sandbox is reached, and how it is signed in to without a person. */
interface Sandbox {
  /** Environment variables that have to be set. */
  readonly needs: ReadonlyArray<string>
  readonly config: (env: Env) => unknown
  readonly signIn: (env: Env) => Effect.Effect<ConnectPayload, ProviderError, Outbound>
}

const plaidUrl = (env: Env): string => env["PLAID_BASE_URL"] ?? "https://sandbox.plaid.com"

/** The token of the protocol's own page: a person who does not exist. */
const demoToken = "aHR0cHM6Ly9icmlkZ2Uuc2ltcGxlZmluLm9yZy9zaW1wbGVmaW4vY2xhaW0vZGVtbw=="

const sandboxes: Readonly<Record<string, Sandbox>> = {
  plaid: {
    needs: ["PLAID_CLIENT_ID", "PLAID_SECRET"],
    config: (env) => ({
      environment: "sandbox",
      clientId: env["PLAID_CLIENT_ID"],
      secret: Redacted.make(env["PLAID_SECRET"]),
      baseUrl: plaidUrl(env)
    }),
    signIn: Effect.fnUntraced(function* (env) {
      const client = yield* makeJsonClient("Plaid")
      const { public_token } = yield* client.ask(Schema.Struct({ public_token: Schema.String }), {
        url: `${plaidUrl(env)}/sandbox/public_token/create`,
        method: "POST",
        headers: {
          "content-type": "application/json",
          "plaid-version": "2020-09-14",
          "plaid-client-id": env["PLAID_CLIENT_ID"] ?? "",
          "plaid-secret": Redacted.make(env["PLAID_SECRET"] ?? "")
        },
        body: JSON.stringify({
          institution_id: "ins_109508",
          initial_products: ["transactions", "investments", "liabilities"]
        })
      })
      return { kind: "plaid_public_token", publicToken: public_token, institutionId: "ins_109508" }
    })
  },
  simplefin: {
    needs: [],
    config: (env) => (env["SIMPLEFIN_BRIDGE_URL"] === undefined ? {} : { bridgeUrl: env["SIMPLEFIN_BRIDGE_URL"] }),
    signIn: (env) =>
      Effect.succeed({ kind: "provider_connection_id", connectionId: env["SIMPLEFIN_TOKEN"] ?? demoToken })
  }
}

/** Nobody looked, and why. */
export class SmokeSkipped extends Schema.TaggedError<SmokeSkipped>()("SmokeSkipped", { message: Schema.String }) {}

export class SmokeFailure extends Schema.TaggedError<SmokeFailure>()("SmokeFailure", { message: Schema.String }) {}

const mostPages = 500
/** First data take minutes at times. */
const mostWaits = 20

const day = CalendarDate.make

/** All pages of a type; waits where the sandbox is still making its data. */
const readAll = Effect.fnUntraced(function* (session: ProviderSession, request: PullRequest) {
  let rows = 0
  let quarantined = 0
  let position: string | undefined
  for (let pages = 1; pages <= mostPages; pages++) {
    let waits = 0
    const page = yield* session.pull({ ...request, ...(position === undefined ? {} : { position }) }).pipe(
      Effect.tapError((error) =>
        error._tag === "NotReady" ? Effect.sleep(`${error.retryAfter} seconds`) : Effect.void
      ),
      Effect.retry({ while: (error) => error._tag === "NotReady" && ++waits < mostWaits })
    )
    rows += page.upserted.length
    quarantined += page.quarantined.length
    if (page.end.kind === "done") return { rows, quarantined, pages }
    position = page.end.position
  }
  return yield* new SmokeFailure({ message: `${request.dataType} did not end after ${mostPages} pages` })
})

const driverOf = Effect.fnUntraced(function* (kind: string, config: unknown) {
  const made = configured(bundledProviders, [{ id: `${kind}:smoke`, config }])
  if (Result.isFailure(made)) {
    return yield* new SmokeFailure({
      message: made.failure.map(({ field, message }) => `${field} ${message}`).join("; ")
    })
  }
  const making = made.success[0]!
  return Effect.isEffect(making) ? yield* making : making
})

const readConnection = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  session: ProviderSession,
  say: (line: string) => void
) {
  const { status } = yield* session.inspect
  const accounts = yield* session.listAccounts
  say(`${status}, ${accounts.length} accounts: ${accounts.map(({ type }) => type).join(", ")}`)
  const today = day((yield* Timestamp.now).slice(0, 10))
  for (const dataType of ["transactions", "trades", "holdings", "orders", "loans"] as const) {
    const ids = accounts.filter(({ supports }) => supports.includes(dataType)).map((one) => one.providerAccountId)
    const capability = driver.capabilities.dataTypes[dataType]
    if (ids.length === 0 || capability === undefined) continue
    const groups = capability.scope === "account" ? ids.map((id) => [id]) : [ids]
    for (const providerAccountIds of groups) {
      const from = CalendarDate.addDays(today, -Math.min(capability.historyDays, 730))
      const read = yield* readAll(session, { dataType, providerAccountIds, from, to: today })
      say(`${dataType}: ${read.rows} rows in ${read.pages} pages, ${read.quarantined} that could not be read`)
    }
  }
})

/** Every provider that there is a real one of. */
export const smokeKinds: ReadonlyArray<string> = bundledProviders.flatMap(({ kind }) => (kind === "demo" ? [] : [kind]))

/** An object that a variable holds as JSON; `undefined` where it is not set. */
const read = Effect.fnUntraced(function* (env: Env, name: string) {
  const text = env[name] ?? ""
  if (text === "") return undefined
  const value: unknown = yield* Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: () => new SmokeFailure({ message: `${name} is no JSON` })
  })
  if (typeof value === "object" && value !== null) return value as Readonly<Record<string, unknown>>
  return yield* new SmokeFailure({ message: `${name} is no JSON object` })
})

const isConnection = Schema.is(
  Schema.Struct({ ref: Schema.NonEmptyString, secrets: Schema.Record(Schema.String, Schema.String) })
)

/** ConnectionChecks as far as one can without a person who signs in. */
const look = Effect.fnUntraced(function* (kind: string, env: Env, say: (line: string) => void) {
  const name = `MILLRACE_SMOKE_${kind.toUpperCase()}`
  const config = yield* read(env, name)
  if (config === undefined) return yield* new SmokeSkipped({ message: `${name} is not set: settings of an instance` })
  const secrets = Object.entries((yield* read(env, `${name}_SECRETS`)) ?? {}).map(([key, value]) => [
    key,
    Redacted.make(String(value))
  ])
  const driver = yield* driverOf(kind, { ...config, ...Object.fromEntries(secrets) })
  const subject = { ref: `smoke-${Timestamp.toMillis(yield* Timestamp.now)}`, secrets: {} }
  const step = yield* driver.beginConnect(beginOf({ subject, redirectUri: "https://example.com/back" }))
  say(`begun: ${step.kind}`)
  const found = yield* driver.listInstitutions({ text: "a", countryCodes: [], limit: 5 })
  say(`${found.length} institutions whose name has an a`)
  const connection = yield* read(env, `${name}_CONNECTION`)
  if (connection === undefined) return say(`no connection is read: ${name}_CONNECTION is not set`)
  if (!isConnection(connection)) {
    return yield* new SmokeFailure({ message: `${name}_CONNECTION must be {"ref": "...", "secrets": {...}}` })
  }
  yield* readConnection(driver, yield* openFor(driver, connection), say)
})

/** Looks at the real one, and tells each step. */
export const smoke = Effect.fn("Smoke.smoke")(function* (kind: string, env: Env, say: (line: string) => void) {
  if (!smokeKinds.includes(kind)) {
    return yield* new SmokeFailure({ message: `There is no smoke test of ${kind}; there are ${smokeKinds.join(", ")}` })
  }
  const sandbox = sandboxes[kind]
  if (sandbox === undefined) return yield* look(kind, env, say)
  const missing = sandbox.needs.filter((name) => (env[name] ?? "") === "")
  if (missing.length > 0) {
    return yield* new SmokeSkipped({ message: `${missing.join(" and ")} not set: keys of the sandbox` })
  }
  const driver = yield* driverOf(kind, sandbox.config(env))
  const payload = yield* sandbox.signIn(env)
  const { connection, institution } = yield* driver.completeConnect(completeOf(payload))
  say(`connected ${institution.id}`)
  const session = yield* openFor(driver, connection)
  // Whatever happens, no connection stays that nobody knows of.
  yield* Effect.ensuring(
    readConnection(driver, session, say),
    Effect.matchEffect(session.revoke, {
      onSuccess: (how) => Effect.sync(() => say(`removed: ${how}`)),
      onFailure: ({ message }) => Effect.sync(() => say(`NOT removed: ${message}`))
    })
  )
})
