/**
 * Drivers that keep to the budget of their upstream: each request asks for a place first, in a line that all
 * processes share. Drivers themselves know nothing of it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Counts, OutboundFailure, type Turns } from "../outbound/Outbound.ts"
import type { RequestBudget } from "../rate/RequestBudget.ts"
import type { Upstream, UpstreamBudget } from "../rate/UpstreamBudget.ts"
import type { ProviderDriver } from "./Provider.ts"
import { ProviderUnavailable, RateLimited, type ProviderError } from "./ProviderError.ts"

/** Seconds that a request to an upstream waits for its place; a run of a job has more patience than a person. */
export const UpstreamPatience = Context.Reference<number>("@millrace/core/provider/UpstreamPatience", {
  defaultValue: () => 5
})

/** Seconds until the next try when the budget itself cannot be asked. */
const storageAway = 5

/**
 * Milliseconds for which a line without a budget is known to be free: pages come by the thousand, and another process
 * that is told to wait is heeded after that time.
 */
const freeMillis = 2_000

/** Lines that are remembered, at most. */
const mostFree = 1_000

const nameOf = ({ connection = "", instanceId }: Upstream): string => `${instanceId} ${connection}`

/** Asks for places; of lines without a budget, where there is always one, now and then only. */
const sparingly = (lines: UpstreamBudget["Service"]): UpstreamBudget["Service"] => {
  const free = new Map<string, number>()
  return {
    ...lines,
    take: Effect.fnUntraced(function* (upstream, budget, patience) {
      if (budget !== undefined) return yield* lines.take(upstream, budget, patience)
      const name = nameOf(upstream)
      const now = yield* Clock.currentTimeMillis
      const until = free.get(name)
      if (until !== undefined && now < until && now >= until - freeMillis) return { granted: true, wait: 0 }
      const place = yield* lines.take(upstream, budget, patience)
      if (free.size >= mostFree) free.clear()
      if (place.granted && place.wait === 0) free.set(name, now + freeMillis)
      else free.delete(name)
      return place
    }),
    // What one connection is told may be meant for all of them.
    hold: (upstream, seconds) =>
      Effect.andThen(
        Effect.sync(() => free.clear()),
        lines.hold(upstream, seconds)
      )
  }
}

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

/** Waits for its turn; refused as `RateLimited` when it would wait for longer than it has patience. */
const turnOf = Effect.fnUntraced(function* (
  driver: ProviderDriver,
  lines: UpstreamBudget["Service"],
  upstream: Upstream,
  budget: RequestBudget | undefined
) {
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
    message: `${driver.name} may not be asked more often`,
    scope: upstream.connection === undefined ? "client" : "connection",
    retryAfter: Math.max(1, Math.ceil(left))
  })
})

/** The line of requests that share a limit of their own. Ids of instances hold no such sign. */
const lineOf = (instanceId: string, { connection, endpoint }: Counts): Upstream => ({
  instanceId: endpoint === undefined ? instanceId : `${instanceId}#${endpoint}`,
  connection
})

/** Seconds that an answer asks to wait; `undefined` where it says nothing of it. */
const retryAfterOf = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined) return undefined
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) : (Date.parse(text) - now) / 1000
  return seconds > 0 ? Math.ceil(seconds) : undefined
}

const refused = (error: ProviderError) =>
  new OutboundFailure({
    reason: "rateLimited",
    message: error.message,
    sent: false,
    ...("retryAfter" in error && error.retryAfter !== undefined ? { retryAfter: error.retryAfter } : {})
  })

/** The turns of a driver's requests. An answer that asks to wait holds the line it is about, for all processes. */
export const turnsOf = (driver: ProviderDriver, lines: UpstreamBudget["Service"]): Turns => {
  const { budget, budgetPer } = driver.capabilities
  const take = (upstream: Upstream, of: RequestBudget | undefined) =>
    Effect.mapError(turnOf(driver, lines, upstream, of), refused)
  return {
    take: Effect.fnUntraced(function* (counts) {
      if (counts.endpoint !== undefined) yield* take(lineOf(driver.instanceId, counts), undefined)
      if (budgetPer === "request") {
        yield* take({ instanceId: driver.instanceId, connection: counts.connection }, budget)
      }
    }),
    heed: Effect.fnUntraced(function* (counts, { headers, status }) {
      if (status !== 429) return
      const seconds = retryAfterOf(headers["retry-after"], yield* Clock.currentTimeMillis)
      if (seconds !== undefined) yield* Effect.ignore(lines.hold(lineOf(driver.instanceId, counts), seconds))
    })
  }
}

/**
 * The driver, each of whose calls waits for its place unless its requests do so themselves; one that would wait too long
 * fails as `RateLimited`.
 */
export const budgeted = (driver: ProviderDriver, shared: UpstreamBudget["Service"]): ProviderDriver => {
  const lines = sparingly(shared)
  const { instanceId } = driver
  const { budget, budgetPer } = driver.capabilities

  const turn = (connection: string | undefined) =>
    budgetPer === "request" ? Effect.void : turnOf(driver, lines, { instanceId, connection }, budget)

  /** What one process is told, all of them heed. */
  const heeded = <A>(connection: string | undefined, request: Effect.Effect<A, ProviderError>) =>
    Effect.tapError(request, (error) =>
      // What one endpoint asks for was heeded by the request itself, which alone knows the endpoint.
      error._tag === "RateLimited" && error.unasked !== true && !(error.scope === "endpoint" && budgetPer === "request")
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
    name: driver.name,
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
