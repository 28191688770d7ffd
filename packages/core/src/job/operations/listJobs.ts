import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { jobStatuses } from "../Job.ts"
import { Jobs } from "../Jobs.ts"
import { jobExample } from "./Examples.ts"
import { JobRecord, jobToWire } from "./JobRecord.ts"

/** A job that waits for its turn is `created`; other services call it queued. */
const StatusParameter = Schema.Literals([...jobStatuses, "queued"]).annotate({
  description: "Only those in this status; `queued` is another name of `created`."
})

export const listJobs = operation({
  noun: "jobs",
  id: "listJobs",
  get: "/v1/feeds/:feed_id/jobs",
  summary: "List the sync jobs of a feed, newest first",
  description: "Lists the sync jobs of a feed, newest first.",
  access: { anyOf: ["jobs:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "jobs list",
  tool: "list_jobs",
  query: { status: Schema.optionalKey(StatusParameter), ...paging },
  success: list(JobRecord),
  example: { data: jobExample },
  run: ({ caller, ids, query: { status, ...asked } }) =>
    Effect.gen(function* () {
      const jobs = yield* Jobs
      const of = status === "queued" ? "created" : status
      const page = yield* jobs.list(caller, ids.feed, { ...asked, ...(of === undefined ? {} : { status: of }) })
      return { ...page, rows: page.rows.map(jobToWire) }
    })
})
