/** Events of sync jobs (decisions 5.10 and 6.4). Stores write them with every change of status, no matter who makes it. */
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { NewEvent } from "../event/Event.ts"
import { eventType, type EventType } from "../event/EventType.ts"
import { Id } from "../shared/Ids.ts"
import { Job, type JobStatus } from "./Job.ts"

export interface JobEventData {
  readonly feedId: Job["feedId"]
  readonly job: Job
}

const data: Schema.Codec<JobEventData, Schema.Json> = Schema.Struct({ feedId: Id("feed"), job: Job })

const declare = (type: string, summary: string, outbound = false): EventType<JobEventData> =>
  eventType({ type, subject: "job", summary, outbound, data })

const jobCreated = declare("job.created", "A sync job was made and waits for a worker.")
const jobStarted = declare("job.started", "A worker has taken up a sync job.")
const jobPaused = declare("job.paused", "A sync job was paused; `job.pauseReason` says why.")
const jobResumed = declare("job.resumed", "A paused sync job goes on.")
const jobCancelled = declare("job.cancelled", "A sync job was cancelled.")
const syncCompleted = declare("feed.sync.completed", "A sync job has ended well.", true)
const syncFailed = declare("feed.sync.failed", "A sync job has failed; `job.errors` say why.", true)

export const jobEventTypes = [
  jobCreated,
  jobStarted,
  jobPaused,
  jobResumed,
  jobCancelled,
  syncCompleted,
  syncFailed
] as const

const typeOf = (before: JobStatus | undefined, status: JobStatus): EventType<JobEventData> => {
  switch (status) {
    case "created":
      return jobCreated
    case "in_progress":
      return before === "paused" ? jobResumed : jobStarted
    case "paused":
      return jobPaused
    case "completed":
      return syncCompleted
    case "failed":
      return syncFailed
    case "cancelled":
      return jobCancelled
  }
}

/** What the run of a job does, unless a person or the system is behind it. */
export const causeOf = (job: Pick<Job, "id" | "feedId">): ActorRef => ({
  kind: "sync",
  feedId: job.feedId,
  jobId: job.id
})

/** The event of a job whose status was `before`; of a new job where that is `undefined`. */
export const jobEvent = (before: JobStatus | undefined, job: Job, cause: ActorRef | undefined): NewEvent =>
  typeOf(before, job.status).of({
    workspaceId: job.workspaceId,
    subjectId: job.id,
    cause: cause ?? (before === undefined ? job.startedBy : causeOf(job)),
    data: { feedId: job.feedId, job }
  })

/** Who gives a job up or takes it up again where no person and no run does. */
export const systemCauses = {
  resumeDue: { kind: "system", reason: "resume_due" },
  pauseExpired: { kind: "system", reason: "pause_expired" },
  queueTimeout: { kind: "system", reason: "queue_timeout" },
  workerLost: { kind: "system", reason: "worker_lost" }
} as const satisfies Readonly<Record<string, ActorRef>>
