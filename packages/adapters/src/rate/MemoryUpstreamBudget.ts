/** The limits of upstream providers in the memory of one process. */
import { type Line, type Place, Refill, type Upstream, UpstreamBudget } from "@millrace/core/rate"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

interface Turn {
  /** Milliseconds. */
  nextAt: number
  heldUntil: number
}

/** The lines of every instance: those of its connections by their references, and one of all under `wholeLine`. */
export class UpstreamTurns extends Context.Service<UpstreamTurns, Map<string, Map<string, Turn>>>()(
  "@millrace/adapters/rate/MemoryUpstreamBudget/UpstreamTurns"
) {
  static readonly layer: Layer.Layer<UpstreamTurns> = Layer.sync(UpstreamTurns, () => new Map())
}

export const wholeLine = ""

/** Whoever has not asked for long is as one who never did: the longest limits are of a month. */
const idleMillis = 31 * 86_400_000

const dropIdle = (lines: Map<string, Turn>, now: number): void => {
  for (const [key, turn] of lines) if (Math.max(turn.nextAt, turn.heldUntil) < now - idleMillis) lines.delete(key)
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
        lines.set(key, (turn = { nextAt: -Infinity, heldUntil: -Infinity }))
      }
      return turn
    }

    const heldOf = (lines: ReadonlyArray<Upstream>, now: number): number =>
      Math.max(0, ...lines.map((line) => turnOf(line, now).heldUntil - now)) / 1000

    const placeIn = (line: Line & Required<Pick<Line, "refill">>, now: number, patience: number) => {
      const turn = turnOf(line, now)
      return { turn, ...Refill.place(turn.nextAt, now, line.refill, patience) }
    }

    return UpstreamBudget.of({
      take: (lines, patience) =>
        Effect.map(Clock.currentTimeMillis, (now): Place => {
          const held = heldOf(lines, now)
          if (held > patience) return { granted: false, wait: held }
          const places = lines.flatMap(({ refill, ...line }) =>
            refill === undefined ? [] : [placeIn({ ...line, refill }, now, patience)]
          )
          const granted = places.every((place) => place.granted)
          if (granted) for (const { nextAt, turn } of places) turn.nextAt = nextAt
          return { granted, wait: Math.max(held, ...places.map(({ wait }) => wait)) }
        }),
      held: (lines) => Effect.map(Clock.currentTimeMillis, (now) => heldOf(lines, now)),
      hold: (line, seconds) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const turn = turnOf(line, now)
          turn.heldUntil = Math.max(turn.heldUntil, now + seconds * 1000)
          turn.nextAt = Math.max(turn.nextAt, turn.heldUntil)
        })
    })
  })
)
