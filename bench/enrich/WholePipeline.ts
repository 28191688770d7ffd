/** First syncs through enrichments, from the bank to the table, beside COPY of the same rows. */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { generate } from "../generate.ts"
import type { Comparison } from "../harness/Bench.ts"
import * as Contenders from "../sync/Contenders.ts"
import * as Copy from "../sync/Copy.ts"
import { type Configured, connectWith, runtimeOf, type Services } from "../sync/Installation.ts"
import { statementFiles } from "../sync/StatementFile.ts"
import { ofFiles } from "../sync/Statements.ts"
import { everyKind, everyRecordKind, rulesAndMatches } from "./Enrichments.ts"

/** What enrichments write besides, row by row: why each value is what it is, and where each record stands. */
const besides = ["record_history", "analysis_entry", "analysis_partition", "annotation", "record_link"]
const all = "COPY of all that is written"

const pipelineOf = Effect.fnUntraced(function* (what: string, count: number, enrichments: ReadonlyArray<Configured>) {
  const server = yield* Effect.acquireRelease(
    Effect.promise(() => startPostgres({ durable: true })),
    ({ stop }) => Effect.promise(stop)
  )
  const connection = yield* Copy.client(server)
  const upstream = ofFiles(statementFiles(generate({ seed: 11, transactions: count, accounts: 20 })))
  const runtime = yield* runtimeOf(server, upstream.driver)
  const on = <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.promise(() => runtime.runPromise(effect))
  const sync = Contenders.wholeJob(on, yield* on(connectWith(enrichments)), upstream)
  const { copies } = yield* Contenders.taken(connection, sync)
  const more = yield* Copy.take(connection, besides)
  return {
    name: `a first sync through ${what}`,
    amount: count,
    unit: "transactions",
    rounds: 3,
    contenders: [
      Contenders.copy(connection, copies),
      { ...Contenders.copy(connection, [...copies, ...more]), name: all },
      // Others come out: lines, and rows that are hidden.
      { ...Contenders.firstSync(connection, sync), run: Effect.map(sync.run, () => () => undefined) }
    ],
    ratios: [
      { name: `first sync through ${what} to COPY`, of: "first sync", by: "COPY of the same rows" },
      { name: `first sync through ${what} to ${all}`, of: "first sync", by: all }
    ]
  } satisfies Comparison as Comparison
})

/**
 * COPY of the same rows is the limit of a sync that enriches nothing: the ledger, what is delivered and the table. What
 * enrichments write besides has a limit of its own. By processor time of PostgreSQL, COPY of all that is written came to 0.65 of it
 * with rules and matches, and to 0.55 with all sixteen, while each row had a history of its own.
 */
export const wholePipelines = (count: number, rules: number) =>
  Effect.forEach(
    [
      ["rules, dedupe and transfer_match", rulesAndMatches(rules)],
      ["all kinds that look at records", everyRecordKind(rules)],
      ["all kinds", everyKind(rules)]
    ] as const,
    ([what, enrichments]) => pipelineOf(what, count, enrichments)
  )
