/**
 * Job engines side by side: 3 runners of 10 slots each, processes of their own, on one PostgreSQL with fsync on.
 *
 * All run the same job: pages that are fetched and then written, each in a transaction that is fenced. A short job is
 * one page of 10 rows, so that the engine is what takes time; it is the one that is triggered, queued and waited for.
 * A long one is 20 pages of 500 rows, and the upstream takes 150 ms for each; it is the one that is cancelled, moved
 * and left behind by a runner that is killed.
 *
 * - jobs a second: from the first of 300 triggers, ten in flight, to the end of the last job
 * - transactions a job: over the same jobs, their triggers and the engine's own work included
 * - a lone job: from its trigger in another process to the first line of its handler, median
 * - a job of another workspace: from its trigger to its begin, with 1,000 jobs of 200 ms of one workspace before it;
 *   the peers know no workspaces, and run it when its turn comes
 * - the queue: from the first job's begin to the last one's end, for jobs that were stored before the runners started
 * - a runner that is killed dies right after the commit of a page, before its engine hears of it
 */
import { startPostgres } from "@millrace/verification/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import type { Bench, Overview } from "./harness/Bench.ts"
import { contestant as graphileWorker } from "./jobs/graphileWorker.ts"
import { type Effort, measure, type Measures } from "./jobs/Measures.ts"
import { contestant as millrace } from "./jobs/millrace.ts"
import { contestant as pgBoss } from "./jobs/pgBoss.ts"

const contestants = [millrace, pgBoss, graphileWorker]

/** What is reported each, by the names that goals use; `--quick` has fewer jobs under the same names. */
const told: Readonly<Record<string, (measures: Measures) => number>> = {
  "jobs a second, 300 triggered": (of) => of.jobsPerSecond,
  "transactions a job": (of) => of.transactionsPerJob,
  "lone job begins after, ms": (of) => of.loneStartMillis,
  "another workspace's job begins behind 1,000 after, s": (of) => of.elsewhereSeconds,
  "10,000 queued jobs are done after, s": (of) => of.drainSeconds,
  "share of them done in a minute": (of) => of.drained,
  "peak memory of a runner with them, MB": (of) => of.peakMegabytes,
  "idle statements a second": (of) => of.idleStatementsPerSecond,
  "cancelled run ends after, pages": (of) => of.cancelledPages,
  "moved by SIGTERM after, s": (of) => of.movedSeconds,
  "jobs that SIGTERM waits for": (of) => of.stayed,
  "pages fetched twice by SIGTERM": (of) => of.movedFetchedTwice,
  "picked up after kill -9, s": (of) => of.pickedUpSeconds,
  "rows doubled": (of) => of.rowsDoubled,
  "rows lost": (of) => of.rowsLost
}

export const bench: Bench = {
  name: "jobs",
  title: "Job engines: 3 runners of 10 slots",
  make: ({ quick }) =>
    Effect.gen(function* () {
      const effort: Effort = {
        triggered: quick ? 100 : 300,
        busy: quick ? 300 : 1_000,
        queued: quick ? 300 : 10_000,
        loneStarts: quick ? 5 : 15,
        idleSeconds: quick ? 5 : 10,
        patienceSeconds: quick ? 15 : 40,
        drainSeconds: quick ? 15 : 60
      }
      const server = yield* Effect.acquireRelease(
        Effect.promise(() =>
          startPostgres({
            durable: true,
            settings: { shared_preload_libraries: "pg_stat_statements", max_connections: "200" }
          })
        ),
        ({ stop }) => Effect.promise(stop)
      )
      yield* Effect.promise(async () => {
        const { password, port, username } = server
        const client = new Client({ host: "127.0.0.1", port, user: username, password, database: "postgres" })
        await client.connect()
        await client.query("create extension pg_stat_statements").finally(() => client.end())
      })
      const measured = yield* Effect.cached(
        Effect.forEach(quick ? [millrace] : contestants, (contestant) =>
          Effect.map(
            Effect.promise(() => measure(contestant, server, effort)),
            (measures) => ({ name: contestant.name, measures })
          )
        )
      )
      const overview = Effect.map(measured, (all): Overview => ({
        name: "engine",
        columns: all.map(({ name }) => name),
        rows: Object.entries(told).map(([name, valueOf]) => ({
          name,
          values: all.map(({ measures }) => valueOf(measures))
        }))
      }))
      return {
        comparisons: [],
        overviews: [overview],
        figures: Object.entries(told).map(([name, valueOf]) => ({
          name,
          value: Effect.map(measured, ([ours]) => valueOf(ours!.measures))
        }))
      }
    })
}
