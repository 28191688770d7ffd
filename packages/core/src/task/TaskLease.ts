/** How long a process may be silent before its tasks are taken from it. */
import * as Context from "effect/Context"

/** Seconds that a claim of a task lasts without a beat. */
export const TaskLease = Context.Reference<number>("@millrace/core/task/TaskLease", { defaultValue: () => 10 })
