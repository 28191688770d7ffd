/** The limits of upstream providers in the memory of one process. */
import { Allowance, type Place, Refill, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Turn {
  given: Allowance.Given
  /** Milliseconds. */
  heldUntil: number
}

/** The lines of every instance: those of its connections by their references, and one of all under `wholeLine`. */
export class UpstreamTurns extends Context.Service<UpstreamTurns, Map<string, Map<string, Turn>>>()(
  "@millrace/adapters/rate/MemoryUpstreamBudget/UpstreamTurns"
) {
  static readonly layer: Layer.Layer<UpstreamTurns> = Layer.sync(UpstreamTurns, () => new Map())
}

export const wholeLine = ""

/** Anyone who has not asked for long counts as one who never did: the longest limits are of a month. */
const idleMillis = 31 * 86_400_000

const dropIdle = (lines: Map<string, Turn>, now: number): void => {
  for (const [key, turn] of lines) if (Math.max(turn.given.nextAt, turn.heldUntil) < now - idleMillis) lines.delete(key)
}

export const layer: Layer.Layer<UpstreamBudget, never, UpstreamTurns> = Layer.effect(
  UpstreamBudget,
  Effect.gen(function* () {
    const turns = yield* UpstreamTurns

    const turnOf = ({ connection, instanceId }: Upstream, now: number): Turn => {
      let lines = turns.get(instanceId)
      if (lines === undefined) turns.set(instanceId, (lines = new Map()))
      const key = connection ?? wholeLine
      let turn = lines.get(key)
      if (turn === undefined) {
        if (lines.size > 1_000) dropIdle(lines, now)
        lines.set(key, (turn = { given: Allowance.nothing, heldUntil: -Infinity }))
      }
      return turn
    }

    const heldOf = (lines: ReadonlyArray<Upstream>, now: number): number =>
      Math.max(0, ...lines.map((line) => turnOf(line, now).heldUntil - now)) / 1000

    return UpstreamBudget.of({
      take: (lines, patience) =>
        Effect.map(Clock.currentTimeMillis, (now): Place => {
          const held = heldOf(lines, now)
          if (held > patience) return { granted: false, wait: held }
          const places = lines.flatMap(({ allowance, ...line }) => {
            if (allowance === undefined) return []
            const turn = turnOf(line, now)
            return [{ turn, allowance, from: Allowance.earliest(turn.given, now, allowance) }]
          })
          const wait = Math.max(held, ...places.map(({ from }) => Refill.waitUntil(from, now)))
          const granted = wait <= patience
          if (granted) {
            for (const { allowance, from, turn } of places) {
              turn.given = Allowance.give(turn.given, allowance, from, now + wait * 1000)
            }
          }
          return { granted, wait }
        }),
      held: (lines) => Effect.map(Clock.currentTimeMillis, (now) => heldOf(lines, now)),
      hold: (line, seconds) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const turn = turnOf(line, now)
          turn.heldUntil = Math.max(turn.heldUntil, now + seconds * 1000)
          turn.given = { ...turn.given, nextAt: Math.max(turn.given.nextAt, turn.heldUntil) }
        })
    })
  })
)
