import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { Day } from "../../operation/Parameters.ts"
import { record } from "../../operation/Success.ts"
import { Jobs } from "../Jobs.ts"
import { newJobExample } from "./Examples.ts"
import { JobRecord, shown } from "./JobRecord.ts"

const TriggerSyncBody = Schema.Struct({
  startDate: Schema.optionalKey(Day),
  endDate: Schema.optionalKey(Day),
  forceCancelActive: Schema.optionalKey(Schema.Boolean),
  resetCursors: Schema.optionalKey(Schema.Boolean),
  skipDedup: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "TriggerSyncBody" })

export const triggerSync = operation({
  noun: "jobs",
  id: "triggerSync",
  post: "/v1/feeds/:feed_id/sync",
  summary: "Trigger a sync run",
  description:
    "Starts a sync. Without a body it goes on where the last one ended. One job of a feed is active at a time (409), " +
    "unless `forceCancelActive` cancels that one.",
  access: { anyOf: ["feeds:write", "jobs:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "feeds sync",
  tool: "trigger_sync",
  hints: { openWorldHint: true },
  body: TriggerSyncBody,
  bodyOptional: true,
  success: record(JobRecord, { status: 201 }),
  example: { body: { startDate: "2026-01-01", endDate: "2026-01-31" }, data: newJobExample },
  audits: audits(Jobs, "trigger", { makes: true }),
  run: ({ caller, ids, body }) => Jobs.use((jobs) => Effect.map(jobs.trigger(caller, ids.feed, body), shown))
})
