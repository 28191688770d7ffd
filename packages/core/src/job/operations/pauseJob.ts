import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Jobs } from "../Jobs.ts"
import { newJobExample } from "./Examples.ts"
import { JobRecord, shown } from "./JobRecord.ts"

const pausedJobExample = { ...newJobExample, status: "paused", pauseReason: "user", startedAt: exampleTime, attempt: 1 }

export const pauseJob = operation({
  noun: "jobs",
  id: "pauseJob",
  post: "/v1/feeds/:feed_id/jobs/:job_id/pause",
  summary: "Pause a sync job at the end of the page it is at",
  description: "Pauses a job at the end of the page it is at. It keeps the feed for at most 24 hours.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "jobs pause",
  tool: "pause_job",
  hints: { openWorldHint: true },
  success: record(JobRecord),
  example: { data: pausedJobExample },
  audits: audits(Jobs, "pause"),
  run: ({ caller, ids }) => Jobs.use((jobs) => Effect.map(jobs.pause(caller, ids.feed, ids.job), shown))
})
