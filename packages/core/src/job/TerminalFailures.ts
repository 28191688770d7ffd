/** Terminal failures that storage notes on a job, where no run of it is left to tell why (decisions 6.4). */
import { contactSupport } from "../failure/Recovery.ts"
import { limits } from "../shared/Limits.ts"
import type { Timestamp } from "../shared/Timestamp.ts"
import type { JobError } from "./Job.ts"

const internal = { category: "internal", severity: "fatal" } as const

/** Its worker was lost as often as `limits.jobAttempts` allows: trying again could lose the next one. */
export const workerLost = (attempts: number, timestamp: Timestamp): JobError => ({
  ...internal,
  timestamp,
  code: "WORKER_LOST",
  message: `Its worker was lost ${attempts} times, so the job was given up. See the workers' logs, then sync again.`,
  recovery: contactSupport
})

/** It waited in the queue while slots were free. */
export const queueTimeout = (timestamp: Timestamp): JobError => ({
  ...internal,
  timestamp,
  code: "QUEUE_TIMEOUT",
  message: `No worker took it within ${limits.queueMinutes} minutes. See that workers run, then sync again.`,
  recovery: contactSupport
})

/** A person paused it and nobody resumed it: nothing is wrong, so nobody has to be called. */
export const pauseExpired = (timestamp: Timestamp): JobError => ({
  ...internal,
  timestamp,
  code: "PAUSE_EXPIRED",
  message: `Nobody resumed it within ${limits.userPauseHours} hours. Sync again to go on where it stopped.`
})
