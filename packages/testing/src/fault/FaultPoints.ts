/**
 * Points at which a run can die: before and after every call of a port.
 *
 * A crash is an interruption of the fiber at just that place. What was committed stays, what was not is gone,
 * and nobody cleans up: as when the process is killed.
 */
import * as Effect from "effect/Effect"

export class FaultPoints {
  /** Points passed since `arm`. */
  passed = 0
  /** Calls of ports by name, since `arm`. */
  calls = new Map<string, number>()
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
    this.calls = new Map()
    this.at = at
    this.action = action
    this.only = only
    this.fired = undefined
  }

  private point(name: string): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      if (!name.startsWith(this.only) || ++this.passed !== this.at) return Effect.void
      this.fired = name
      // A typed error of the port, or a crash: the caller's types know of both.
      return this.action as Effect.Effect<unknown>
    })
  }

  private around<A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
      return Effect.tap(Effect.andThen(this.point(`${name} begins`), effect), () => this.point(`${name} ends`))
    })
  }

  /** The same service, with points around the effects that its methods answer; streams pass as they are. */
  wrap<S extends object>(name: string, service: S): S {
    return new Proxy(service, {
      get: (target, key, receiver) => {
        const member: unknown = Reflect.get(target, key, receiver)
        if (typeof member !== "function") return member
        return (...args: ReadonlyArray<unknown>): unknown => {
          const answer: unknown = Reflect.apply(member, target, args)
          return Effect.isEffect(answer) ? this.around(`${name}.${String(key)}`, answer) : answer
        }
      }
    })
  }
}
