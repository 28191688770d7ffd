import { expect, it } from "@effect/vitest"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import { bundledProviders } from "@millrace/adapters/provider"
import { Outbound } from "@millrace/core/outbound"
import { type FakeUpstream, startPlaid, startSimpleFin, trials } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { smoke, smokeKinds } from "../../src/smoke/Smoke.ts"

const run = (kind: string, env: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const outbound = yield* OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
    const lines: Array<string> = []
    yield* Effect.provideService(
      smoke(kind, env, (line) => lines.push(line)),
      Outbound,
      outbound
    )
    return lines
  })

it.live("the smoke test of Plaid connects a bank of its sandbox, reads all of it and removes it", () =>
  Effect.gen(function* () {
    const fake = yield* startPlaid({ rows: 10, pageSize: 20 })
    const { clientId, secret } = fake.config
    const keys = { PLAID_CLIENT_ID: clientId, PLAID_SECRET: secret, PLAID_BASE_URL: fake.server.url }
    expect(yield* run("plaid", keys)).toEqual([
      "connected ins_109508",
      "connected, 5 accounts: checking, savings, credit_card, brokerage, mortgage",
      "transactions: 39 rows in 2 pages, 0 that could not be read",
      "trades: 5 rows in 1 pages, 0 that could not be read",
      "holdings: 3 rows in 1 pages, 0 that could not be read",
      "loans: 2 rows in 1 pages, 0 that could not be read",
      "removed: done"
    ])
    expect(fake.connections.map(({ isRevoked }) => isRevoked)).toEqual([true])
    const error = yield* Effect.flip(run("plaid", { PLAID_CLIENT_ID: "x" }))
    expect(error.message).toBe("PLAID_SECRET not set: keys of the sandbox")
  }).pipe(Effect.scoped)
)

it.live("the smoke test of SimpleFIN takes a setup token", () =>
  Effect.gen(function* () {
    const fake = yield* startSimpleFin({ rows: 4 })
    const payload = fake.paste()
    const token = payload.kind === "provider_connection_id" ? payload.connectionId : ""
    const lines = yield* run("simplefin", { SIMPLEFIN_TOKEN: token, SIMPLEFIN_BRIDGE_URL: fake.server.url })
    expect(lines.at(-2)).toBe("holdings: 3 rows in 1 pages, 0 that could not be read")
    expect((yield* Effect.flip(run("acme", {}))).message).toContain("there are fiskil, plaid")
  }).pipe(Effect.scoped)
)

/** The settings of a stand-in as an operator exports them. */
const envOf = (kind: string, { config, secrets }: FakeUpstream) => {
  const entries = Object.entries(config)
  const isSecret = (value: unknown) => typeof value === "string" && secrets.includes(value)
  const name = `MILLRACE_SMOKE_${kind.toUpperCase()}`
  return {
    [name]: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => !isSecret(value)))),
    [`${name}_SECRETS`]: JSON.stringify(Object.fromEntries(entries.filter(([, value]) => isSecret(value))))
  }
}

it.live.each(["fiskil", "quiltt", "saltedge", "snaptrade"])("looks at %s as far as one can without a person", (kind) =>
  Effect.gen(function* () {
    const upstream = yield* trials.get(kind)!
    const told = yield* run(kind, envOf(kind, upstream))
    expect(told[0]).toMatch(/^begun: \w+$/)
    expect(told[1]).toMatch(/^[1-9]\d* institutions/)
    expect(told[2]).toContain("_CONNECTION is not set")
    for (const secret of upstream.secrets) expect(told.join("\n")).not.toContain(secret)
  }).pipe(Effect.scoped)
)

it.effect("looks at every bundled provider but the demo bank, and says of which nobody looked and why", () =>
  Effect.gen(function* () {
    expect(smokeKinds).toEqual(bundledProviders.map(({ kind }) => kind).filter((kind) => kind !== "demo"))
    for (const kind of smokeKinds.filter((one) => one !== "simplefin")) {
      const error = yield* Effect.flip(run(kind, {}))
      expect([kind, error._tag]).toEqual([kind, "SmokeSkipped"])
      expect(error.message).toContain("not set")
    }
  }).pipe(Effect.scoped)
)
