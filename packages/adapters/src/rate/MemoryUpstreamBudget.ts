/** The budgets of upstream providers in the memory of one process. */
import { type Place, Refill, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Line {
  /** Milliseconds. */
  nextAt: number
  heldUntil: number
}

/** The lines of every instance: those of its connections by their references, and one of all under `wholeLine`. */
export class UpstreamTurns extends Context.Service<UpstreamTurns, Map<string, Map<string, Line>>>()(
  "@millrace/adapters/rate/MemoryUpstreamBudget/UpstreamTurns"
) {
  static readonly layer: Layer.Layer<UpstreamTurns> = Layer.sync(UpstreamTurns, () => new Map())
}

export const wholeLine = ""

/** Whoever has not asked for long is as one who never did. */
const dropIdle = (lines: Map<string, Line>, now: number): void => {
  for (const [key, line] of lines) if (Math.max(line.nextAt, line.heldUntil) < now - 60_000) lines.delete(key)
}

const keysOf = ({ connection }: Upstream): ReadonlyArray<string> =>
  connection === undefined ? [wholeLine] : [wholeLine, connection]

export const layer: Layer.Layer<UpstreamBudget, never, UpstreamTurns> = Layer.effect(
  UpstreamBudget,
  Effect.gen(function* () {
    const turns = yield* UpstreamTurns

    const lineOf = (instanceId: string, key: string, now: number): Line => {
      let lines = turns.get(instanceId)
      if (lines === undefined) turns.set(instanceId, (lines = new Map()))
      let line = lines.get(key)
      if (line === undefined) {
        if (lines.size > 1_000) dropIdle(lines, now)
        lines.set(key, (line = { nextAt: -Infinity, heldUntil: -Infinity }))
      }
      return line
    }

    const heldOf = (upstream: Upstream, now: number): number =>
      Math.max(0, ...keysOf(upstream).map((key) => lineOf(upstream.instanceId, key, now).heldUntil - now)) / 1000

    return UpstreamBudget.of({
      take: (upstream, budget, patience) =>
        Effect.map(Clock.currentTimeMillis, (now): Place => {
          const held = heldOf(upstream, now)
          if (held > patience) return { granted: false, wait: held }
          const given = keysOf(upstream).flatMap((key) => {
            const perMinute = key === wholeLine ? budget?.perMinute : budget?.perConnectionPerMinute
            if (perMinute === undefined) return []
            const line = lineOf(upstream.instanceId, key, now)
            const own = Refill.place(line.nextAt, now, Refill.refillOf(perMinute), patience)
            line.nextAt = own.nextAt
            return [own]
          })
          return {
            granted: given.every(({ granted }) => granted),
            wait: Math.max(held, ...given.map(({ wait }) => wait))
          }
        }),
      held: (upstream) => Effect.map(Clock.currentTimeMillis, (now) => heldOf(upstream, now)),
      hold: ({ connection, instanceId }, seconds) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const line = lineOf(instanceId, connection ?? wholeLine, now)
          line.heldUntil = Math.max(line.heldUntil, now + seconds * 1000)
          line.nextAt = Math.max(line.nextAt, line.heldUntil)
        })
    })
  })
)
