/**
 * The provider of `add-a-provider.ts` in a program that embeds the kernel, with an upstream on this machine.
 *
 * Run it with `node --conditions=@millrace/source examples/run-a-provider.ts`.
 */
import { privateHosts } from "@millrace/adapters"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { listbank } from "./add-a-provider.ts"
import { serve } from "./LocalUpstream.ts"
import { sync } from "./syncOnce.ts"

/** What the upstream shows. */
const list = {
  accounts: [
    {
      id: "DE-0001",
      name: "Main account",
      currency: "EUR",
      balance: 1145.2,
      historyFrom: "2026-01-01",
      rows: [
        { id: "1", date: "2026-01-05", text: "Salary", amount: "2100.00" },
        { id: "2", date: "2026-01-06", text: "Bakery", amount: -4.8 },
        { id: "3", date: "2026-01-09", text: "Rent", amount: "-950.00" }
      ]
    }
  ]
}

/** Syncs the list into a table and returns the rows. */
export const program = Effect.gen(function* () {
  const url = yield* serve(({ authorization }) =>
    authorization === "Bearer s3cret" ? [200, list] : [401, { error: "who is this?" }]
  )
  const instance = listbank.make({ instanceId: "listbank:main", config: { url, token: Redacted.make("s3cret") } })
  // The upstream is on this machine, which has to be allowed.
  return yield* sync([instance], "listbank:main", Result.getOrThrow(privateHosts(["127.0.0.1"])))
}).pipe(Effect.scoped)

if (import.meta.main) {
  const rows = await Effect.runPromise(program)
  for (const { values } of rows) {
    process.stdout.write(`${String(values["date"])} ${String(values["amount"])} ${String(values["description"])}\n`)
  }
}
