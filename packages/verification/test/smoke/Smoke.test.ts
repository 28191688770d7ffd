import { expect, it } from "@effect/vitest"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import { Outbound } from "@millrace/core/outbound"
import { startPlaid, startSimpleFin } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { smoke } from "../../src/smoke/Smoke.ts"

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
    expect(error.message).toBe("Set PLAID_SECRET: keys of the sandbox")
  }).pipe(Effect.scoped)
)

it.live("the smoke test of SimpleFIN takes a setup token", () =>
  Effect.gen(function* () {
    const fake = yield* startSimpleFin({ rows: 4 })
    const payload = fake.paste()
    const token = payload.kind === "provider_connection_id" ? payload.connectionId : ""
    const lines = yield* run("simplefin", { SIMPLEFIN_TOKEN: token })
    expect(lines.at(-2)).toBe("holdings: 3 rows in 1 pages, 0 that could not be read")
    expect((yield* Effect.flip(run("acme", {}))).message).toContain("there are plaid, simplefin")
  }).pipe(Effect.scoped)
)
