/** Tells the operator of the installation of tasks that do not get on: by the log, and by metrics. */
import { TaskStore } from "@millrace/core/storage"
import { recurringTask, type TaskHandler, type TaskOverview } from "@millrace/core/task"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

/** Seconds between two looks. */
const everySeconds = 60
/** Seconds after which a task that is due and runs nowhere is late. */
const lateSeconds = 300

const tasks = Metric.gauge("millrace_tasks", { description: "Tasks of a kind in a state" })
const lateness = Metric.gauge("millrace_tasks_late_seconds", {
  description: "Seconds since the oldest task of a kind that runs nowhere could have been taken up"
})

/** What to say of a kind; `undefined` where nothing is wrong. */
export const complaintOf = (kind: TaskOverview, isHandled: boolean): string | undefined => {
  if (kind.lateSeconds < lateSeconds) return undefined
  const since = `the oldest has waited for ${Math.round(kind.lateSeconds)} s since it was due`
  return isHandled
    ? `Tasks of the kind ${kind.kind} come too slowly: ${since}, ${kind.waiting} wait and ${kind.running} run. ` +
        "Start more processes, or see what those that run wait for."
    : `Nobody runs tasks of the kind ${kind.kind}: ${since}. Start the program that has this kind, ` +
        "or withdraw them if it is gone permanently."
}

const measure = ({ failed, kind, lateSeconds: late, retrying, running, waiting }: TaskOverview) =>
  Effect.gen(function* () {
    for (const [state, count] of Object.entries({ running, waiting, retrying, failed })) {
      yield* Metric.update(Metric.withAttributes(tasks, { kind, state }), count)
    }
    yield* Metric.update(Metric.withAttributes(lateness, { kind }), late)
  })

/**
 * Looks at all tasks about once a minute; every runner has it. A kind is complained of once, and again when it has got on
 * in between.
 */
export const makeTaskWatch = Effect.fnUntraced(function* (handled: ReadonlyMap<string, TaskHandler>) {
  const store = yield* TaskStore
  const told = new Set<string>()
  const look = (kind: TaskOverview) => {
    const complaint = complaintOf(kind, handled.has(kind.kind))
    if (complaint === undefined) {
      return told.delete(kind.kind) ? Effect.logInfo(`Tasks of the kind ${kind.kind} get on again`) : Effect.void
    }
    if (told.has(kind.kind)) return Effect.void
    told.add(kind.kind)
    return Effect.annotateLogs(Effect.logWarning(complaint), { ...kind })
  }
  return recurringTask(
    "task_watch",
    everySeconds,
    Effect.gen(function* () {
      for (const kind of yield* store.overview) {
        yield* measure(kind)
        yield* look(kind)
      }
      return 0
    })
  )
})
