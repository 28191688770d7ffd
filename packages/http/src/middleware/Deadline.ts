/**
 * Time limits whose answer is in time. A plain timeout waits until what took too long has stopped, and a statement on
 * a connection that is cut off takes seconds for that.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Bounds a part of the work: it may take as long as was said for each part. */
export type Timed = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** The time of the part that is under way. What lies between two parts is not bounded. */
class Watch {
  private timer: ReturnType<typeof setTimeout> | undefined
  /** What is done when a part takes too long. */
  late: () => void = () => undefined
  private readonly millis: number

  constructor(millis: number) {
    this.millis = millis
  }

  readonly stop = (): void => clearTimeout(this.timer)

  readonly timed: Timed = (part) =>
    Effect.suspend(() => {
      this.timer = setTimeout(() => this.late(), this.millis)
      return Effect.onExit(part, () => {
        this.stop()
        return Effect.void
      })
    })
}

/**
 * The work, or `orElse` when a part that it bounds takes longer: then it is asked to stop, and nobody waits until it has. The
 * work is one fiber, however many parts it has.
 */
export const inTime = <A, E, R, B, E2, R2>(
  duration: Duration.Input,
  work: (timed: Timed) => Effect.Effect<A, E, R>,
  orElse: () => Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> =>
  Effect.uninterruptibleMask((restore) => {
    const watch = new Watch(Duration.toMillis(Duration.fromInputUnsafe(duration)))
    return Effect.flatMap(Effect.forkDetach(restore(work(watch.timed)), { startImmediately: true }), (fiber) => {
      const done = fiber.pollUnsafe()
      if (done !== undefined) return done
      return restore(
        Effect.callback<A | B, E | E2, R | R2>((resume) => {
          watch.late = () => {
            // The first answer counts, and one that stops at once would answer that it was stopped.
            resume(orElse())
            fiber.interruptUnsafe()
          }
          fiber.addObserver(resume)
          return Effect.suspend(() => {
            watch.stop()
            return Fiber.interrupt(fiber)
          })
        })
      )
    })
  })

/** The effect, or `orElse` when it takes longer. */
export const within =
  <B, E2, R2>(duration: Duration.Input, orElse: () => Effect.Effect<B, E2, R2>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A | B, E | E2, R | R2> =>
    inTime(duration, (timed) => timed(effect), orElse)
