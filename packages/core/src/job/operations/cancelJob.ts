import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { Jobs } from "../Jobs.ts"
import { newJobExample } from "./Examples.ts"
import { JobRecord, shown } from "./JobRecord.ts"

const cancelledJobExample = { ...newJobExample, status: "cancelled", completedAt: exampleTime }

export const cancelJob = operation({
  noun: "jobs",
  id: "cancelJob",
  delete: "/v1/feeds/:feed_id/jobs/:job_id",
  summary: "Cancel a sync job",
  description: "Cancels a job that waits or runs. What was delivered stays; the next sync goes on from there.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "jobs cancel",
  tool: "cancel_job",
  success: record(JobRecord),
  errors: ["Conflict"],
  example: { data: cancelledJobExample },
  audits: audits(Jobs, "cancel"),
  run: ({ caller, ids }) => Jobs.use((jobs) => Effect.map(jobs.cancel(caller, ids.feed, ids.job), shown))
})
