/** Putting something around every effect of a service. */
import * as Effect from "effect/Effect"

/** The same service, with `around` applied to the effects that it has or that its methods answer; streams pass. */
export const mapCalls = <S extends object>(
  service: S,
  around: (effect: Effect.Effect<unknown, unknown, unknown>, method: string) => unknown
): S => {
  const mapped: Record<string, unknown> = {}
  for (const [method, member] of Object.entries(service)) {
    mapped[method] =
      typeof member === "function"
        ? (...args: ReadonlyArray<unknown>): unknown => {
            const answer: unknown = Reflect.apply(member, service, args)
            return Effect.isEffect(answer) ? around(answer, method) : answer
          }
        : Effect.isEffect(member)
          ? around(member, method)
          : member
  }
  return mapped as S
}
