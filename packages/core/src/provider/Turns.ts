/** Places of requests under the limits of their upstream: in lines that all processes share. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type Counts, OutboundFailure, type Turns } from "../outbound/Outbound.ts"
import { allowanceOf, lateness } from "../rate/Allowance.ts"
import { type Line, type Upstream, UpstreamBudget } from "../rate/UpstreamBudget.ts"
import type { RequestLimit } from "./Capabilities.ts"
import type { PsuContext } from "./Connect.ts"
import { hintSeconds, longestHint, retryAfterSeconds } from "./Hint.ts"
import type { ProviderDriver } from "./Provider.ts"

/** Seconds that a request to an upstream waits for its place; a run of a job has more patience than a person. */
export const UpstreamPatience = Context.Reference<number>("@millrace/core/provider/UpstreamPatience", {
  defaultValue: () => 5
})

/** The person who waits for what is asked just now; `undefined` in the background. Set by anyone who has a person's request. */
export const CurrentPsu = Context.Reference<PsuContext | undefined>("@millrace/core/provider/CurrentPsu", {
  defaultValue: () => undefined
})

/** Seconds until the next try when the budget itself cannot be asked. */
const storageAway = 5

/**
 * Milliseconds for which lines without a limit are known to be free: pages come by the thousand, and another process
 * that is asked to wait is heeded after that time.
 */
const freeMillis = 2_000

/** Lines that are remembered, at most. */
const mostFree = 1_000

const nameOf = ({ connection = "", instanceId }: Upstream): string => `${instanceId} ${connection}`

/** Asks for places; of lines without a limit, where there is always one, now and then only. */
export const sparingly = (lines: UpstreamBudget["Service"]): UpstreamBudget["Service"] => {
  const free = new Map<string, number>()
  return {
    ...lines,
    take: Effect.fnUntraced(function* (wanted, patience) {
      if (wanted.some(({ allowance }) => allowance !== undefined)) return yield* lines.take(wanted, patience)
      const name = wanted.map(nameOf).join("\n")
      const now = yield* Clock.currentTimeMillis
      const until = free.get(name)
      if (until !== undefined && now < until && now >= until - freeMillis) return { granted: true, wait: 0 }
      const place = yield* lines.take(wanted, patience)
      if (free.size >= mostFree) free.clear()
      if (place.granted && place.wait === 0) free.set(name, now + freeMillis)
      else free.delete(name)
      return place
    }),
    // What one connection hears may be meant for all of them.
    hold: (line, seconds) =>
      Effect.andThen(
        Effect.sync(() => free.clear()),
        lines.hold(line, seconds)
      )
  }
}

const isWhole = ({ endpoint, per }: RequestLimit): boolean => endpoint === undefined && per !== "account"

const accountLine = ({ account, connection = "" }: Counts): string => `${connection}/${account ?? ""}`

/**
 * The line of a limit. The first limit of all requests of an instance, or of a connection, is the line that the upstream
 * holds as well, which anyone who hands out jobs looks at. Ids of instances hold no `#`.
 */
const lineOfLimit = (
  { capabilities: { limits = [] }, instanceId }: ProviderDriver,
  limit: RequestLimit,
  counts: Counts
): Upstream => {
  const isFirst = isWhole(limit) && limits.find((one) => isWhole(one) && one.per === limit.per) === limit
  return {
    instanceId: isFirst && limit.backgroundOnly !== true ? instanceId : `${instanceId}#limit:${limit.name}`,
    connection:
      limit.per === "instance" ? undefined : limit.per === "connection" ? counts.connection : accountLine(counts)
  }
}

const isCounted = (limit: RequestLimit, counts: Counts, isBackground: boolean): boolean =>
  (limit.endpoint === undefined || limit.endpoint === counts.endpoint) &&
  (limit.per !== "connection" || counts.connection !== undefined) &&
  (limit.per !== "account" || counts.account !== undefined) &&
  (limit.backgroundOnly !== true || isBackground)

/** The line of what an upstream wants to be left alone with: as narrow as what is reported of it. */
export const heldLine = (instanceId: string, { connection, endpoint }: Counts): Upstream => ({
  instanceId: endpoint === undefined ? instanceId : `${instanceId}#${endpoint}`,
  connection
})

/** Every line in which a request takes a place, each once. */
const linesOf = (driver: ProviderDriver, counts: Counts, isBackground: boolean): ReadonlyArray<Line> => {
  const { instanceId } = driver
  const { connection, endpoint } = counts
  const found = new Map<string, Line>()
  const add = (line: Line) => {
    const name = nameOf(line)
    if (line.allowance !== undefined || !found.has(name)) found.set(name, line)
  }
  for (const of of endpoint === undefined ? [undefined] : [undefined, endpoint]) {
    for (const ref of connection === undefined ? [undefined] : [undefined, connection]) {
      add(
        heldLine(instanceId, {
          ...(of === undefined ? {} : { endpoint: of }),
          ...(ref === undefined ? {} : { connection: ref })
        })
      )
    }
  }
  for (const limit of driver.capabilities.limits ?? []) {
    if (!isCounted(limit, counts, isBackground)) continue
    add({ ...lineOfLimit(driver, limit, counts), allowance: allowanceOf(limit.requests, limit.seconds, limit.burst) })
  }
  return [...found.values()]
}

/** The lines, with the limits of those whose places are past after so many seconds; `undefined` where none is. */
const restAfter = (lines: ReadonlyArray<Line>, seconds: number): ReadonlyArray<Line> | undefined => {
  const rest = lines.map(({ allowance, ...line }): Line =>
    allowance === undefined || lateness(allowance) >= seconds ? line : { ...line, allowance }
  )
  return rest.some(({ allowance }) => allowance !== undefined) ? rest : undefined
}

const unasked = <A>(ask: Effect.Effect<A, unknown>): Effect.Effect<A, OutboundFailure> =>
  Effect.mapError(
    ask,
    () =>
      new OutboundFailure({
        reason: "unreachable",
        message: "Whether the provider may be asked could not be found out",
        sent: false,
        retryAfter: storageAway
      })
  )

/** The turns of a driver's requests. An answer that asks to wait holds the line it is about, for all processes. */
export const makeTurns = (driver: ProviderDriver): Effect.Effect<Turns, never, UpstreamBudget> =>
  Effect.map(UpstreamBudget, (lines) => ({
    take: Effect.fnUntraced(function* (counts) {
      const wanted = linesOf(driver, counts, (yield* CurrentPsu) === undefined)
      const patience = yield* UpstreamPatience
      const begun = yield* Clock.currentTimeMillis
      let { granted, wait } = yield* unasked(lines.take(wanted, patience))
      while (granted && wait > 0) {
        yield* Effect.sleep(wait * 1000)
        // While it waited, another request may have been told to wait.
        wait = yield* unasked(lines.held(wanted))
        if (wait === 0) break
        const left = patience - ((yield* Clock.currentTimeMillis) - begun) / 1000
        const rest = restAfter(wanted, wait)
        if (wait > left || rest === undefined) granted = wait <= left
        else ({ granted, wait } = yield* unasked(lines.take(rest, left)))
      }
      if (granted) return
      return yield* new OutboundFailure({
        reason: "rateLimited",
        message: `${driver.name} may not be asked more often`,
        sent: false,
        retryAfter: Math.min(longestHint, Math.max(1, Math.ceil(wait)))
      })
    }),
    heed: Effect.fnUntraced(function* (counts, answer) {
      const now = yield* Clock.currentTimeMillis
      const { limits = [] } = driver.capabilities
      let told = false
      for (const { limit: name, remaining, resetSeconds } of driver.readLimits?.(answer, now) ?? []) {
        const limit = limits.find((one) => one.name === name)
        if (limit === undefined || !isCounted(limit, counts, true) || remaining > 0) continue
        told = true
        yield* Effect.ignore(lines.hold(lineOfLimit(driver, limit, counts), hintSeconds(resetSeconds)))
      }
      if (told || answer.status !== 429) return
      const seconds = retryAfterSeconds(answer.headers, now)
      if (seconds !== undefined) yield* Effect.ignore(lines.hold(heldLine(driver.instanceId, counts), seconds))
    })
  }))
