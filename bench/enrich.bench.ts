/** What enrichments cost: every record through all kinds that look at records, many rules among them. */
import { CalendarDate, Decimal } from "@millrace/core"
import { Pipeline, RunWork } from "@millrace/core/enrichment"
import * as Effect from "effect/Effect"
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import { recordPipeline, rulesAlone } from "./enrich/Enrichments.ts"
import { microsecondsPerText, nearestNames } from "./enrich/Merchants.ts"
import { changed, costOf } from "./enrich/SetStages.ts"
import { feeMicroseconds, transferComparisons } from "./enrich/Transfers.ts"
import { wholePipelines } from "./enrich/WholePipeline.ts"
import { generate } from "./generate.ts"
import { type Bench, type Comparison, contender } from "./harness/Bench.ts"
import { median } from "./harness/Measure.ts"
import { runtimeOf } from "./sync/Installation.ts"
import { statementFiles } from "./sync/StatementFile.ts"
import { ofFiles } from "./sync/Statements.ts"
import { type Transaction, transactions } from "./transactions.ts"

const rules = 500
const context = { today: CalendarDate.make("2026-03-14") }

interface Ran {
  readonly changes: number
  readonly rows: number
  /** The sum of what is delivered and hidden, which is that of the rows. */
  readonly sum: Decimal.Decimal
}

/** Every row as a feed would see it, with its lines. */
const ran = (pipeline: Pipeline.CompiledPipeline, all: ReadonlyArray<Transaction>): Ran => {
  let changes = 0
  let rows = 0
  const amounts: Array<Decimal.Decimal> = []
  const work = new RunWork()
  for (const row of all) {
    const { lines, record, shown } = Pipeline.runWithLines(
      pipeline,
      { recordId: row.id, fields: row },
      { ...context, work }
    )
    for (const one of shown ? [record, ...lines.values()] : lines.values()) {
      changes += one.changes.length
      rows++
      amounts.push(Decimal.make(String(one.fields["amount"])))
    }
  }
  return { changes, rows, sum: Decimal.sum(amounts) }
}

/** Of one thread's processor, so that it is the same on a machine that does other things. */
const perSecond = (work: () => unknown, amount: number): number => {
  work()
  return median(
    Array.from({ length: 5 }, () => {
      const before = process.threadCpuUsage()
      work()
      const { system, user } = process.threadCpuUsage(before)
      return amount / ((system + user) / 1e6)
    })
  )
}

const comparison = (all: ReadonlyArray<Transaction>): Comparison => {
  const whole = recordPipeline(rules)
  const alone = rulesAlone(rules)
  return {
    name: `all kinds that look at records, ${rules} rules`,
    amount: all.length,
    unit: "transactions",
    contenders: [
      contender(
        "all kinds",
        () => ran(whole, all),
        ({ sum }) => sum
      ),
      contender(
        "the rules alone",
        () => ran(alone, all),
        ({ sum }) => sum
      )
    ],
    ratios: [{ name: "all kinds against the rules alone", of: "all kinds", by: "the rules alone" }]
  }
}

export const bench: Bench = {
  name: "enrich",
  title: "Enrichments: records through rules, lookups, splits and filters",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startPostgres({ durable: true })),
        ({ stop }) => Effect.promise(stop)
      )
      const runtime = yield* runtimeOf(
        server,
        ofFiles(statementFiles(generate({ seed: 1, transactions: 1, accounts: 1 }))).driver
      )
      const sizes = quick ? ([10_000, 50_000] as const) : ([10_000, 1_000_000] as const)
      const costs = yield* Effect.cached(
        Effect.forEach(sizes, (size) => Effect.promise(() => runtime.runPromise(costOf(size))))
      )
      const all = transactions({ seed: 21, count: quick ? 20_000 : 100_000 })
      const whole = recordPipeline(rules)
      return {
        comparisons: [
          comparison(all),
          nearestNames(),
          ...transferComparisons(quick ? 200_000 : 1_000_000),
          // One merchant in five of them: a partition of recurring payments holds 20,000 records.
          ...(yield* wholePipelines(quick ? 10_000 : 80_000, rules))
        ],
        overviews: [
          Effect.map(costs, (each) => ({
            name: `transfers and budgets: seconds, first for all records and then for ${changed} that changed`,
            columns: ["all records", `${changed} changed`],
            rows: each.map(({ incremental, whole: first }, n) => ({
              name: `${sizes[n]!.toLocaleString("en-US")} records`,
              values: [first, incremental]
            }))
          }))
        ],
        figures: [
          {
            name: "microseconds of one processor for a text that is new to the local classifier",
            value: Effect.sync(microsecondsPerText)
          },
          {
            name: "fees, microseconds a record",
            value: Effect.sync(() => feeMicroseconds(20_000))
          },
          {
            name: "transactions through all kinds in a second of one processor",
            value: Effect.sync(() => perSecond(() => ran(whole, all), all.length))
          },
          {
            name: `${changed} changed records on the larger ledger, in times of the smaller`,
            value: Effect.map(costs, ([small, large]) => large!.incremental / small!.incremental)
          }
        ]
      }
    })
}
