/**
 * Requests of the API beside the same made by hand with fastify and pg, on one PostgreSQL with fsync on: who asks, the
 * list of banks, and 100 transactions of an account.
 *
 * Each server is a process of its own and is asked in turn. Both look the key up anew with each request, count it in the
 * rolling window of its workspace, keep to rows of the workspace and say how fresh they are, and both write a line to a
 * log; before anything is timed, their answers are compared. Ours stands before the database as its built-in one does
 * (`MILLRACE_DATABASE_DIRECT`), behind the wall between workspaces, which the one by hand has not.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Bench, Comparison, Contender } from "./harness/Bench.ts"
import { type Contestants, install, operations } from "./http/Installed.ts"
import { open } from "./http/Traffic.ts"

const connections = 20
const peerName = "fastify + pg"

/** What one turn of a contender sends. It stays below what a minute allows all workspaces together. */
const requestsOf = (operation: string): number => (operation === "list of 100" ? 400 : 1_000)

const contenderOf = (
  name: string,
  port: number,
  operation: string,
  { anotherMinute, asked }: Contestants
): Effect.Effect<Contender, never, Scope.Scope> =>
  Effect.gen(function* () {
    // A server that is told to stop waits for its connections.
    const traffic = yield* Effect.acquireRelease(
      Effect.sync(() => open(port, connections)),
      ({ close }) => Effect.sync(close)
    )
    const requests = asked(operation)
    const amount = requestsOf(operation)
    return {
      name,
      before: anotherMinute,
      run: Effect.map(
        Effect.promise(() => traffic.send(requests, amount)),
        (good) => () => good
      )
    }
  })

export const bench: Bench = {
  name: "http",
  title: `Requests over ${connections} connections, beside fastify and pg with the same checks`,
  make: ({ quick }) =>
    Effect.gen(function* () {
      const contestants = yield* install(quick ? 8 : 24)
      const comparisons: Array<Comparison> = []
      for (const operation of operations) {
        const contenders = [
          yield* contenderOf("Millrace", contestants.ours.port, operation, contestants),
          yield* contenderOf(peerName, contestants.peer.port, operation, contestants)
        ]
        comparisons.push({
          name: operation,
          amount: requestsOf(operation),
          unit: "requests",
          rounds: quick ? 5 : 15,
          contenders: contenders.map((each) => ({ ...each, expected: requestsOf(operation) })),
          ratios: [{ name: `${operation} to ${peerName}`, of: "Millrace", by: peerName }]
        })
      }
      return { comparisons }
    })
}
