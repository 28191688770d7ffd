/** How long a worker may be silent before its job is taken from it. */
import * as Context from "effect/Context"

/** Seconds that a heartbeat, and with it the leases of a job's connections, stays fresh. */
export const JobLease = Context.Reference<number>("@millrace/core/job/JobLease", { defaultValue: () => 6 })

/** Seconds that a job which was handed out has to be claimed in: then it is handed out again. */
export const pokeLease = 2.5
