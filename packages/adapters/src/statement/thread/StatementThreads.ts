/**
 * Reads statement files in threads beside the one that answers requests, under a limit of time and memory. A file that
 * breaks a limit, or its thread, is refused; the next one has a new thread.
 */
import { type Statement, type StatementFault, type StatementOptions, StatementReader } from "@millrace/core/upload"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { isBuilt, Reading, type ThreadLimits } from "./Reading.ts"

export interface ThreadOptions extends ThreadLimits {
  /** Files that are read at the same time. */
  readonly threads: number
  /** What runs in a thread. */
  readonly entry: URL
}

const ordinary: ThreadOptions = {
  threads: 2,
  seconds: 60,
  megabytes: 512,
  entry: new URL(isBuilt ? "ReadingThread.js" : "ReadingThread.ts", import.meta.url)
}

/** The reader of `StatementReader.layer`, in threads. They begin with the first file. */
export const layer = (changed: Partial<ThreadOptions> = {}): Layer.Layer<StatementReader> =>
  Layer.effect(
    StatementReader,
    Effect.gen(function* () {
      const options = { ...ordinary, ...changed }
      const turns = yield* Semaphore.make(options.threads)
      const idle: Array<Reading> = []
      const busy = new Set<Reading>()
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...idle, ...busy].map((one) => one.end()))))

      /** A thread can die while it has nothing to do. */
      const next = (): Reading => {
        const one = idle.pop()
        return one === undefined ? new Reading(options.entry, options) : one.isAlive ? one : next()
      }

      const readIn = (bytes: Uint8Array, statementOptions: StatementOptions) =>
        Effect.callback<Statement, StatementFault>((resume) => {
          const reading = next()
          busy.add(reading)
          reading.read(bytes, statementOptions, ({ exit, failure }) => {
            busy.delete(reading)
            if (reading.isAlive) idle.push(reading)
            resume(
              failure === undefined
                ? exit
                : Effect.andThen(Effect.logError("A statement file could not be read", failure), exit)
            )
          })
          // Nobody waits for the file any more.
          return Effect.suspend(() => {
            busy.delete(reading)
            return Effect.promise(() => reading.end())
          })
        })

      return StatementReader.of({
        read: Effect.fn("StatementReader.read")((bytes: Uint8Array, statementOptions: StatementOptions) =>
          turns.withPermit(readIn(bytes, statementOptions))
        )
      })
    })
  )
