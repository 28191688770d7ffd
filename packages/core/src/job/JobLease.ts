/** How long a worker may be silent before its job is taken from it. */
import * as Context from "effect/Context"

/** Seconds that a heartbeat, and with it the leases of a job's connections, stays fresh. */
export const JobLease = Context.Reference<number>("@millrace/core/job/JobLease", { defaultValue: () => 6 })
