import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Jobs } from "../Jobs.ts"
import { jobExample } from "./Examples.ts"
import { JobRecord, shown } from "./JobRecord.ts"

export const getJob = operation({
  noun: "jobs",
  id: "getJob",
  get: "/v1/feeds/:feed_id/jobs/:job_id",
  summary: "Get a sync job",
  description: "Returns one sync job with its counts and errors.",
  access: { anyOf: ["jobs:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "jobs get",
  tool: "get_job",
  success: record(JobRecord),
  example: { data: jobExample },
  run: ({ caller, ids }) => Jobs.use((jobs) => Effect.map(jobs.get(caller, ids.feed, ids.job), shown))
})
