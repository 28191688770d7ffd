/** Jobs and what runs them: states and their transitions, the port of an engine, leases of runs. */
export { capacityOf, type Dispatched, runnerSilence, type RunnerSlots } from "../job/Dispatch.ts"
export {
  activeStatuses,
  isActive,
  Job,
  JobCounts,
  JobError,
  type JobId,
  JobStatus,
  jobStatuses,
  noCounts
} from "../job/Job.ts"
export { JobEngine } from "../job/JobEngine.ts"
export { jobEvent, jobEventTypes, systemCauses } from "../job/JobEvents.ts"
export { type JobEvent, jobEvents, jobTransitions, sourcesOf, transition } from "../job/JobLifecycle.ts"
export { lookAgainSeconds, storageFull, tryAgainSeconds } from "../job/RoomWait.ts"
export { RunLease } from "../job/RunLease.ts"
export { pauseExpired, queueTimeout, workerLost } from "../job/TerminalFailures.ts"
