/**
 * Tasks whose effects can be counted after the processes that ran them were killed: one kind for each way in which a
 * handler may have its effect once.
 */
import { appendFileSync } from "node:fs"
import { handleTask, taskKind, Tasks } from "@millrace/core/task"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"

const options = {
  payload: Schema.Struct({ n: Schema.Int }),
  concurrency: 8,
  // A kill counts as a try, and nothing here is to be given up.
  attempts: Infinity,
  backoff: { firstSeconds: 0.1, mostSeconds: 1 }
}

/** Writes a mark in the transaction that ends the task. */
export const Inside = taskKind("killed_inside", options)
/** Tells a place outside of storage, with the id of the task. */
export const Outside = taskKind("killed_outside", options)
/** As `Inside`, with few keys: what comes while a task runs is done again. */
export const Keyed = taskKind("killed_keyed", options)
/** What the others write; nobody runs it. */
export const Mark = taskKind("killed_mark", { payload: Schema.Struct({ kind: Schema.String, n: Schema.Int }) })

/** Some milliseconds, so that a kill finds tasks anywhere in their work. */
const work = Effect.flatMap(Random.nextIntBetween(1, 120), (millis) => Effect.sleep(millis))

/** Handlers of these kinds; what goes outside is a line of the file. */
export const killedWork = (file: string) =>
  Effect.map(Tasks, (tasks) => {
    const mark = (kind: string, n: number) => tasks.enqueue(Mark, { payload: { kind, n }, afterSeconds: 1e6 })
    return {
      // It waits inside of the transaction as well, so that kills find it there.
      inside: handleTask(Inside, ({ finish, payload: { n } }) =>
        Effect.andThen(work, finish(Effect.andThen(mark(Inside.name, n), work)))
      ),
      outside: handleTask(Outside, ({ id, payload: { n } }) =>
        work.pipe(Effect.andThen(Effect.sync(() => appendFileSync(file, `${id} ${n}\n`))), Effect.andThen(work))
      ),
      keyed: handleTask(Keyed, ({ finish, payload: { n } }) => Effect.andThen(work, finish(mark(Keyed.name, n))))
    }
  })
