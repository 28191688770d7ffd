/**
 * Drivers that keep to the budget of their upstream: each request asks for a place first, in a line that all
 * processes share. Drivers themselves know nothing of it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { UpstreamBudget } from "../rate/UpstreamBudget.ts"
import type { ProviderDriver } from "./Provider.ts"
import { ProviderUnavailable, RateLimited, type ProviderError } from "./ProviderError.ts"

/** Seconds that a request to an upstream waits for its place; a run of a job has more patience than a person. */
export const UpstreamPatience = Context.Reference<number>("@millrace/core/provider/UpstreamPatience", {
  defaultValue: () => 5
})

/** Seconds until the next try when the budget itself cannot be asked. */
const storageAway = 5

const byConnection = new Set<RateLimited["scope"]>(["connection", "account"])

const unasked = <A>(ask: Effect.Effect<A, unknown>): Effect.Effect<A, ProviderError> =>
  Effect.mapError(
    ask,
    () =>
      new ProviderUnavailable({
        message: "Whether the provider may be asked could not be found out",
        retryAfter: storageAway
      })
  )

/** The driver, each of whose requests waits for its place; one that would wait too long fails as `RateLimited`. */
export const budgeted = (driver: ProviderDriver, lines: UpstreamBudget["Service"]): ProviderDriver => {
  const { instanceId, name } = driver
  const { budget } = driver.capabilities

  /** Waits for its turn; refused when it would wait for longer than it has patience. */
  const turn = Effect.fnUntraced(function* (connection: string | undefined) {
    const upstream = { instanceId, connection }
    const patience = yield* UpstreamPatience
    const begun = yield* Clock.currentTimeMillis
    const { granted, wait } = yield* unasked(lines.take(upstream, budget, patience))
    let left = wait
    let mayWait = granted
    while (mayWait && left > 0) {
      yield* Effect.sleep(left * 1000)
      // While it waited, another request may have been told to wait.
      left = yield* unasked(lines.held(upstream))
      mayWait = left <= patience - ((yield* Clock.currentTimeMillis) - begun) / 1000
    }
    if (mayWait) return
    return yield* new RateLimited({
      message: `${name} may not be asked more often`,
      scope: connection === undefined ? "client" : "connection",
      retryAfter: Math.max(1, Math.ceil(left))
    })
  })

  /** What one process is told, all of them heed. */
  const heeded = <A>(connection: string | undefined, request: Effect.Effect<A, ProviderError>) =>
    Effect.tapError(request, (error) =>
      error._tag === "RateLimited"
        ? Effect.ignore(
            lines.hold(
              { instanceId, connection: byConnection.has(error.scope) ? connection : undefined },
              error.retryAfter
            )
          )
        : Effect.void
    )

  const inTurn = <A>(connection: string | undefined, request: Effect.Effect<A, ProviderError>) =>
    Effect.andThen(turn(connection), heeded(connection, request))

  return {
    kind: driver.kind,
    instanceId,
    name,
    countryCodes: driver.countryCodes,
    capabilities: driver.capabilities,
    listInstitutions: (query) => inTurn(undefined, driver.listInstitutions(query)),
    beginConnect: (request) => inTurn(request.reconnect?.ref, driver.beginConnect(request)),
    completeConnect: (request) => inTurn(undefined, driver.completeConnect(request)),
    inspect: (connection) => inTurn(connection.ref, driver.inspect(connection)),
    listAccounts: (connection) => inTurn(connection.ref, driver.listAccounts(connection)),
    pull: (connection, request) => inTurn(connection.ref, driver.pull(connection, request)),
    revoke: (connection) => inTurn(connection.ref, driver.revoke(connection))
  }
}
