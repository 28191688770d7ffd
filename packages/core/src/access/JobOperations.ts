/** Sync jobs, and what became of each record at a destination (specification 2.3). */
import { entriesOf, reaches, reads, removes } from "./Operation.ts"

const viewing = { scopes: { anyOf: ["jobs:read"] }, role: "viewer", app: "own", idempotency: "read" } as const
const changing = { scopes: { anyOf: ["jobs:write"] }, role: "editor", app: "own" } as const

export const jobOperations = entriesOf("jobs", {
  triggerSync: {
    summary: "Trigger a sync run",
    scopes: { anyOf: ["feeds:write", "jobs:write"] },
    role: "editor",
    app: "own",
    idempotency: "key",
    body: "optional",
    tool: reaches("trigger_sync"),
    command: "feeds sync"
  },
  listJobs: {
    ...viewing,
    summary: "List the sync jobs of a feed, newest first",
    tool: reads("list_jobs"),
    command: "jobs list"
  },
  getJob: { ...viewing, summary: "Get a sync job", tool: reads("get_job"), command: "jobs get" },
  cancelJob: {
    ...changing,
    summary: "Cancel a sync job",
    idempotency: "inherent",
    tool: removes("cancel_job"),
    command: "jobs cancel"
  },
  pauseJob: {
    ...changing,
    summary: "Pause a sync job at the end of the page it is at",
    idempotency: "key",
    tool: reaches("pause_job"),
    command: "jobs pause"
  },
  resumeJob: {
    ...changing,
    summary: "Resume a paused sync job",
    idempotency: "key",
    tool: reaches("resume_job"),
    command: "jobs resume"
  }
})

export const recordOperations = entriesOf("records", {
  listFeedRecords: {
    ...viewing,
    summary: "List what became of the records of a feed, newest first",
    tool: reads("list_feed_records"),
    command: "feeds records"
  },
  redeliverFeedRecords: {
    ...changing,
    summary: "Send records of a feed again",
    idempotency: "key",
    body: "required",
    tool: { absent: "A person decides what a destination gets twice." },
    command: "feeds redeliver"
  }
})
