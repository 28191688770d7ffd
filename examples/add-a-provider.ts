/**
 * A provider of your own: one driver, one line where the kernel is put together.
 *
 * This one reads transactions from a list; a real one calls an upstream and translates its answers. What a
 * driver must promise is in `@millrace/core/provider/Provider`, and the suite in
 * `@millrace/testing/suite/ProviderSuite` checks it. Run it with `node examples/add-a-provider.ts`.
 */
import type { Connection, ProviderDriver } from "@millrace/core/provider/Provider"
import { CheckpointInvalid, ConnectionGone } from "@millrace/core/provider/ProviderError"
import * as Currency from "@millrace/core/shared/Currency"
import * as Decimal from "@millrace/core/shared/Decimal"
import * as Effect from "effect/Effect"
import { sync } from "./syncOnce.ts"

/** What the upstream knows, oldest first. Amounts are text from the first moment on: never a float. */
const upstream = [
  { id: "1", date: "2026-01-05", text: "Salary", amount: "2100.00" },
  { id: "2", date: "2026-01-06", text: "Bakery", amount: "-4.80" },
  { id: "3", date: "2026-01-09", text: "Rent", amount: "-950.00" }
] as const

const ref = "list"
const eur = Currency.make("EUR")

const known = (connection: Connection) =>
  connection.ref === ref ? Effect.void : Effect.fail(new ConnectionGone({ message: "There is no such connection" }))

/** A checkpoint says how many rows were read; it is the driver's own, so it is checked when it comes back. */
const readFrom = (checkpoint: string | undefined) => {
  const read = checkpoint === undefined ? 0 : Number(/^v1:(\d+)$/.exec(checkpoint)?.[1] ?? Number.NaN)
  return read <= upstream.length
    ? Effect.succeed(read)
    : Effect.fail(new CheckpointInvalid({ message: "The checkpoint is not one of ours" }))
}

export const listProvider: ProviderDriver = {
  kind: "demo",
  instanceId: "demo:list",
  name: "A list",
  countryCodes: ["DE"],
  capabilities: {
    connectFlow: "token",
    dataTypes: {
      transactions: { changeModel: "delta", scope: "connection", idTrust: "stable", historyDays: 3_650, overlapDays: 0 }
    },
    removal: "local",
    freshnessSeconds: 300,
    webhooks: false
  },
  listInstitutions: () => Effect.succeed([]),
  beginConnect: () => Effect.die("this provider is connected by token only"),
  completeConnect: () =>
    Effect.succeed({
      connection: { ref, secrets: {} },
      institution: { id: "list", name: "Bank of the List", countryCodes: ["DE"], status: "ok" },
      bankType: "bank"
    }),
  inspect: (connection) => Effect.as(known(connection), { status: "connected" as const }),
  listAccounts: (connection) =>
    Effect.as(known(connection), [
      {
        providerAccountId: "main",
        stableKeys: ["main"],
        number: "0001",
        name: "Main account",
        type: "checking" as const,
        currency: eur,
        balance: Decimal.sum(upstream.map((row) => Decimal.make(row.amount))),
        supports: ["transactions" as const]
      }
    ]),
  pull: Effect.fnUntraced(function* (connection, { checkpoint }) {
    yield* known(connection)
    const read = yield* readFrom(checkpoint)
    return {
      upserted: upstream.slice(read).map((row) => ({
        providerAccountId: "main",
        providerId: row.id,
        pending: false,
        fields: {
          date: row.date,
          description: row.text,
          originalDescription: row.text,
          amount: Decimal.make(row.amount),
          currency: eur
        }
      })),
      removed: [],
      quarantined: [],
      coverage: { kind: "delta" },
      end: { kind: "done", checkpoint: `v1:${upstream.length}` }
    }
  }),
  revoke: () => Effect.succeed("done")
}

/** Syncs the list into a table and answers the rows. */
export const program = sync([listProvider], "demo:list")

if (import.meta.main) {
  const rows = await Effect.runPromise(program)
  for (const { values } of rows) {
    process.stdout.write(`${String(values["date"])} ${String(values["amount"])} ${String(values["description"])}\n`)
  }
}
