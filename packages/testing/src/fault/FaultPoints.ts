/**
 * Points at which a run can die: before and after every call of a port.
 *
 * A crash is an interruption of the fiber at just that place. What was committed stays, what was not is gone,
 * and nobody cleans up: as when the process is killed.
 */
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { mapCalls } from "./Calls.ts"

export type Edge = "begins" | "ends"

/** What happens at a point besides what is armed: `undefined` lets the call pass. */
export type Strike = (
  call: string,
  edge: Edge,
  fiber: Fiber.Fiber<unknown, unknown>
) => Effect.Effect<unknown, unknown> | undefined

export class FaultPoints {
  /** Points passed since something was armed. */
  passed = 0
  /** Asked at every point that is not the armed one. */
  strike: Strike | undefined = undefined
  private at = Infinity
  private only = ""
  private action: Effect.Effect<unknown, unknown> = Effect.void
  /** Where it happened. */
  fired: string | undefined = undefined

  /**
   * At the nth point from now, from 1, and never with `Infinity`: dies, or does `action` instead. `only`
   * counts the points of ports whose names begin so.
   */
  arm(at: number, action: Effect.Effect<unknown, unknown> = Effect.interrupt, only = ""): void {
    this.passed = 0
    this.at = at
    this.action = action
    this.only = only
    this.fired = undefined
  }

  // A typed error of the port, or a crash: the caller's types know of both.
  private point(call: string, edge: Edge, fiber: Fiber.Fiber<unknown, unknown>): Effect.Effect<unknown> | undefined {
    if (call.startsWith(this.only) && ++this.passed === this.at) {
      this.fired = `${call} ${edge}`
      return this.action as Effect.Effect<unknown>
    }
    return this.strike?.(call, edge, fiber) as Effect.Effect<unknown> | undefined
  }

  private around<A, E, R>(call: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.withFiber((fiber) => {
      // Most calls of a simulation are made while nothing is armed.
      if (this.at === Infinity && this.strike === undefined) return effect
      const before = this.point(call, "begins", fiber)
      const body = before === undefined ? effect : Effect.andThen(before, effect)
      return Effect.flatMap(body, (answer) => {
        const after = this.point(call, "ends", fiber)
        return after === undefined ? Effect.succeed(answer) : Effect.as(after, answer)
      })
    })
  }

  /** The same service, with points around the effects that it has or answers; streams pass as they are. */
  wrap<S extends object>(name: string, service: S): S {
    return mapCalls(service, (effect, method) => this.around(`${name}.${method}`, effect))
  }
}
