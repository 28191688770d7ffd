import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Jobs } from "../Jobs.ts"
import { newJobExample } from "./Examples.ts"
import { JobRecord, shown } from "./JobRecord.ts"

const runningJobExample = { ...newJobExample, status: "in_progress", startedAt: exampleTime, attempt: 1 }

export const resumeJob = operation({
  noun: "jobs",
  id: "resumeJob",
  post: "/v1/feeds/:feed_id/jobs/:job_id/resume",
  summary: "Resume a paused sync job",
  description: "Lets a paused job go on.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "jobs resume",
  tool: "resume_job",
  hints: { openWorldHint: true },
  success: record(JobRecord),
  example: { data: runningJobExample },
  audits: audits(Jobs, "resume"),
  run: ({ caller, ids }) => Jobs.use((jobs) => Effect.map(jobs.resume(caller, ids.feed, ids.job), shown))
})
