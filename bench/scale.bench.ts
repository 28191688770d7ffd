/**
 * How costs grow: a server with its whole engine, a process of its own that starts from a few files with the flags of Node as an
 * installed one does, on PostgreSQL with fsync on.
 *
 * - rows: banks of 10,000, 100,000 and 1,000,000 rows in ten accounts, each delivered to a table and to a file: a first
 *   sync in one pull, a re-sync that finds nothing changed, and one that finds one row in a hundred corrected
 * - feeds: 10, 200 and 2,000 daily feeds over workspaces of twenty: what they cost while none is due, and how all of them
 *   run when they are due at once, with somebody of another workspace who triggers a feed meanwhile
 *
 * What ten times as much costs is reported in times, the worst of two neighbouring sizes, and in processor time of server and
 * database together, which does not grow with what else the machine does; seconds are next to it. Memory is the most that the process
 * of the server held in the step. `--quick` stops at 100,000 rows and 200 feeds, under the same names.
 */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Bench, Overview } from "./harness/Bench.ts"
import { type FeedCosts, feedCosts } from "./scale/FeedGrowth.ts"
import { destinations } from "./scale/Messages.ts"
import { type Cost, growth, type SizeCosts, steps } from "./scale/RowGrowth.ts"
import { tenfold } from "./scale/Tenfold.ts"

const count = (n: number): string => n.toLocaleString("en-US")

const rowOverview = (destination: string, costs: ReadonlyArray<SizeCosts>): Overview => ({
  name: `to a ${destination}`,
  columns: ["s", "processor s", "rows/s", "peak MB", "disk MB", "WAL MB", "statements"],
  rows: costs.flatMap(({ rows, steps: of }) =>
    steps.map((step) => {
      const { diskMegabytes, logMegabytes, peakMegabytes, processorSeconds, seconds, statements } = of[step]
      return {
        name: `${count(rows)} rows, ${step}`,
        values: [seconds, processorSeconds, rows / seconds, peakMegabytes, diskMegabytes, logMegabytes, statements]
      }
    })
  )
})

const feedOverview = (costs: ReadonlyArray<FeedCosts>): Overview => ({
  name: "scheduled feeds",
  columns: costs.map(({ feeds }) => count(feeds)),
  rows: [
    { name: "idle statements a second", values: costs.map((cost) => cost.idleStatementsPerSecond) },
    { name: "all are done after they were due, s", values: costs.map((cost) => cost.burstSeconds) },
    { name: "processor time of that, s", values: costs.map((cost) => cost.processorSeconds) },
    { name: "statements a job", values: costs.map((cost) => cost.statementsPerJob) },
    { name: "jobs that did not complete", values: costs.map((cost) => cost.left) },
    { name: "another workspace's job waits, s", values: costs.map((cost) => cost.elsewhereSeconds) },
    { name: "peak memory of the server, MB", values: costs.map((cost) => cost.peakMegabytes) }
  ]
})

const tenfoldOf = (costs: ReadonlyArray<SizeCosts>, step: (typeof steps)[number], value: (cost: Cost) => number) =>
  tenfold(costs.map(({ rows, steps: of }) => ({ size: rows, cost: value(of[step]) })))

export const bench: Bench = {
  name: "scale",
  title: "Growth: rows of a bank, and feeds of an installation",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const sizes = quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]
      const numbers = quick ? [10, 200] : [10, 200, 2_000]
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startPostgres({
            durable: true,
            settings: {
              shared_preload_libraries: "pg_stat_statements",
              "pg_stat_statements.max": "10000",
              // What was written into the log is read after checkpoints.
              wal_keep_size: "1GB",
              max_connections: "200"
            }
          })
        ),
        ({ stop }) => Effect.promise(stop)
      )
      const toEach = yield* Effect.forEach(destinations, (destination) =>
        Effect.map(
          Effect.cached(
            Effect.tap(
              Effect.promise(() => growth(server, destination, sizes)),
              Effect.forEach(({ refusal, rows }) =>
                refusal === undefined
                  ? Effect.void
                  : Console.log(`to a ${destination}, ${count(rows)} rows were refused: ${refusal}`)
              )
            )
          ),
          (costs) => ({ destination, costs })
        )
      )
      const feeds = yield* Effect.cached(
        Effect.forEach(numbers, (number) => Effect.promise(() => feedCosts(server, number)))
      )
      const most = Effect.map(feeds, (costs) => costs.at(-1)!)
      const ofRows = toEach.flatMap(({ costs, destination }) => {
        const largest = Effect.map(costs, (all) => all.at(-1)!)
        return [
          ...steps.map((step) => ({
            name: `to a ${destination}, ${step}: ten times the rows take, times`,
            value: Effect.map(costs, (all) => tenfoldOf(all, step, ({ processorSeconds }) => processorSeconds))
          })),
          {
            name: `to a ${destination}, first sync: ten times the rows log, times`,
            value: Effect.map(costs, (all) => tenfoldOf(all, "first sync", ({ logMegabytes }) => logMegabytes))
          },
          {
            name: `to a ${destination}: memory of the largest first sync, MB`,
            value: Effect.map(largest, (of) => of.steps["first sync"].peakMegabytes)
          },
          {
            name: `to a ${destination}: rows written by unchanged re-syncs`,
            value: Effect.map(costs, (all) => Math.max(...all.map(({ rewritten }) => rewritten)))
          },
          {
            name: `to a ${destination}: statements for 100,000 rows of the largest unchanged re-sync`,
            value: Effect.map(largest, ({ rows, steps: of }) => (of["unchanged re-sync"].statements * 100_000) / rows)
          }
        ]
      })
      return {
        comparisons: [],
        overviews: [
          ...toEach.map(({ costs, destination }) => Effect.map(costs, (all) => rowOverview(destination, all))),
          Effect.map(feeds, feedOverview)
        ],
        figures: [
          ...ofRows,
          {
            name: "scheduled feeds: idle statements a second",
            value: Effect.map(most, (cost) => cost.idleStatementsPerSecond)
          },
          {
            name: "scheduled feeds: ten times the feeds of a burst take, times",
            value: Effect.map(feeds, (costs) =>
              tenfold(costs.map(({ feeds: size, processorSeconds }) => ({ size, cost: processorSeconds })))
            )
          },
          {
            name: "scheduled feeds: jobs of a burst that do not complete",
            value: Effect.map(feeds, (costs) => Math.max(...costs.map(({ left }) => left)))
          },
          {
            name: "scheduled feeds: another workspace's job waits in a burst, s",
            value: Effect.map(feeds, (costs) => Math.max(...costs.map(({ elsewhereSeconds }) => elsewhereSeconds)))
          }
        ]
      }
    })
}
