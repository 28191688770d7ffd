/**
 * Requests of the API beside the same made by hand with fastify and pg, on one PostgreSQL with fsync on: who asks, the
 * list of banks, and 100 transactions of an account.
 *
 * Each server is a process of its own and is asked in turn. Both look the key up again with each request, count it in the
 * rolling window of its workspace, keep to rows of the workspace and say how fresh they are, and both write a line to a
 * log; before anything is timed, their answers are compared and both are warm. Ours stands before the database as its
 * built-in one does (`MILLRACE_DATABASE_DIRECT`), behind the wall between workspaces, which the one by hand has not. Beside
 * them stands the least that our server could cost: router and client of Effect with the checks of the peer (`bare.ts`).
 *
 * Requests a second are those of a machine that has two processors for server, PostgreSQL and client, and nothing else to
 * do. The processor time of a request is reported as well: a busy machine takes less of it.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServerProcess } from "@millrace/verification/process/ServerProcess"
import type { Bench, Comparison, Contender, Overview } from "./harness/Bench.ts"
import { median } from "./harness/Measure.ts"
import { type Contestants, install, operations } from "./http/Installed.ts"
import { isKnown, ofChildren, ofProcess } from "./http/ProcessorTime.ts"
import { open } from "./http/Traffic.ts"

const connections = 20
const ours = "Millrace"
const peer = "fastify + pg"
const bare = "Effect alone"

/** What one turn of a contender sends. It stays below what a minute allows all workspaces together. */
const requestsOf = (operation: string): number => (operation === "list of 100" ? 400 : 1_000)
/** Turns that are not measured: what is asked often is compiled by then. */
const warmTurns = 3

/** Processor time of a turn, nanoseconds. */
interface Spent {
  readonly server: number
  readonly database: number
}

const spentBy =
  ({ pid }: ServerProcess, { except, main }: Contestants["postgres"]) =>
  (): Spent => ({ server: ofProcess(pid), database: ofChildren(main, except) })

/** A contender, and what its turns have cost. */
interface Measured {
  readonly contender: Contender
  readonly operation: string
  readonly spent: Array<Spent>
}

const measured = (
  name: string,
  server: ServerProcess,
  operation: string,
  { asked, emptyWindows, postgres }: Contestants
): Effect.Effect<Measured, never, Scope.Scope> =>
  Effect.gen(function* () {
    // A server that is asked to stop waits for its connections.
    const traffic = yield* Effect.acquireRelease(
      Effect.sync(() => open(server.port, connections)),
      ({ close }) => Effect.sync(close)
    )
    const requests = asked(operation)
    const amount = requestsOf(operation)
    const begin = Effect.andThen(emptyWindows, Effect.promise(traffic.ready))
    for (let turn = 0; turn < warmTurns; turn++) {
      yield* begin
      yield* Effect.promise(() => traffic.send(requests, amount))
    }
    const spent: Array<Spent> = []
    const now = spentBy(server, postgres)
    let before: Spent = { server: 0, database: 0 }
    const contender: Contender = {
      name,
      expected: amount,
      before: Effect.andThen(
        begin,
        Effect.sync(() => {
          if (isKnown) before = now()
        })
      ),
      run: Effect.map(
        Effect.promise(() => traffic.send(requests, amount)),
        (good) => () => {
          if (!isKnown) return good
          const after = now()
          spent.push({ server: after.server - before.server, database: after.database - before.database })
          return good
        }
      )
    }
    return { contender, operation, spent }
  })

/** Microseconds of a request: of the server, of PostgreSQL, and of both. */
const costOf = ({ operation, spent }: Measured): ReadonlyArray<number> =>
  [
    ({ server }: Spent) => server,
    ({ database }: Spent) => database,
    ({ database, server }: Spent) => server + database
  ].map((part) => median(spent.map(part)) / requestsOf(operation) / 1_000)

const overviewOf = (all: ReadonlyArray<Measured>): Overview => ({
  name: "processor time of a request, microseconds",
  columns: ["server", "PostgreSQL", "both"],
  rows: all.map((each) => ({ name: `${each.operation}: ${each.contender.name}`, values: costOf(each) }))
})

export const bench: Bench = {
  name: "http",
  title: `Requests over ${connections} connections, beside fastify and pg with the same checks`,
  make: ({ quick }) =>
    Effect.gen(function* () {
      const contestants = yield* install(quick ? 8 : 24)
      const all: Array<Measured> = []
      const comparisons: Array<Comparison> = []
      for (const operation of operations) {
        const own = [
          yield* measured(ours, contestants.ours, operation, contestants),
          yield* measured(peer, contestants.peer, operation, contestants),
          ...(operation === "whoami" ? [yield* measured(bare, contestants.bare, operation, contestants)] : [])
        ]
        all.push(...own)
        comparisons.push({
          name: operation,
          amount: requestsOf(operation),
          unit: "requests",
          rounds: quick ? 5 : 15,
          contenders: own.map(({ contender }) => contender),
          ratios: [
            { name: `${operation} to ${peer}`, of: ours, by: peer },
            ...(own.length > 2 ? [{ name: `${operation}, ${bare} to ${peer}`, of: bare, by: peer }] : [])
          ]
        })
      }
      if (!isKnown) {
        yield* Console.log("Processor time is not told: this system has no /proc/self/schedstat.\n")
        return { comparisons }
      }
      const both = (name: string, operation: string): number =>
        costOf(all.find((each) => each.operation === operation && each.contender.name === name)!)[2]!
      return {
        comparisons,
        overviews: [Effect.sync(() => overviewOf(all))],
        figures: operations.map((operation) => ({
          name: `${operation}, processor time of ${peer} in times of ours`,
          value: Effect.sync(() => both(peer, operation) / both(ours, operation))
        }))
      }
    })
}
