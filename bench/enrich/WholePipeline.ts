/** A first sync through every kind that looks at records, from the bank to the table, beside COPY of the same rows. */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { generate } from "../generate.ts"
import type { Comparison } from "../harness/Bench.ts"
import * as Contenders from "../sync/Contenders.ts"
import * as Copy from "../sync/Copy.ts"
import { connectWith, runtimeOf, type Services } from "../sync/Installation.ts"
import { ofFiles } from "../sync/Statements.ts"
import { everyRecordKind } from "./Enrichments.ts"

export const wholePipeline = Effect.fnUntraced(function* (count: number, rules: number) {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startPostgres({ durable: true })),
    ({ stop }) => Effect.promise(stop)
  )
  const connection = yield* Copy.client(server)
  const upstream = ofFiles(generate({ seed: 11, transactions: count, accounts: 20 }))
  const runtime = yield* runtimeOf(server, upstream.driver)
  const on = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.promise(() => runtime.runPromise(effect))
  const sync = Contenders.wholeJob(on, yield* on(connectWith(everyRecordKind(rules))), upstream)
  const { copies } = yield* Contenders.taken(connection, sync)
  return {
    name: `a first sync through all kinds that look at records, ${rules} rules`,
    amount: count,
    unit: "transactions",
    rounds: 3,
    contenders: [
      Contenders.copy(connection, copies),
      // Others come out: lines, and rows that are hidden.
      { ...Contenders.firstSync(connection, sync), run: Effect.map(sync.run, () => () => undefined) }
    ],
    ratios: [{ name: "first sync through all kinds to COPY", of: "first sync", by: "COPY of the same rows" }]
  } satisfies Comparison as Comparison
})
