/** Threads that are used again: they begin when they are first needed, and end with their scope. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { LimitedThread, type ThreadLimits } from "./LimitedThread.ts"

export interface ThreadPoolOptions extends ThreadLimits {
  /** Things that are done at the same time. */
  readonly threads: number
  /** What runs in a thread. */
  readonly entry: URL
}

/** Gives a thread to an effect once one is free. One that died, or was left in the middle of something, is replaced. */
export const makeThreadPool = <Question, Answer extends { readonly kind: string }>(
  options: ThreadPoolOptions
): Effect.Effect<
  <A, E, R>(use: (thread: LimitedThread<Question, Answer>) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const turns = yield* Semaphore.make(options.threads)
    const idle: Array<LimitedThread<Question, Answer>> = []
    const busy = new Set<LimitedThread<Question, Answer>>()
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...idle, ...busy].map((one) => one.end()))))

    /** A thread can die while it has nothing to do. */
    const next = (): LimitedThread<Question, Answer> => {
      const one = idle.pop()
      return one === undefined ? new LimitedThread(options.entry, options) : one.isAlive ? one : next()
    }

    const take = Effect.sync(() => {
      const thread = next()
      busy.add(thread)
      return thread
    })

    const giveBack = (thread: LimitedThread<Question, Answer>) =>
      Effect.suspend(() => {
        busy.delete(thread)
        if (!thread.isAlive || thread.isBusy) return Effect.promise(() => thread.end())
        idle.push(thread)
        return Effect.void
      })

    return (use) => turns.withPermit(Effect.acquireUseRelease(take, use, giveBack))
  })
