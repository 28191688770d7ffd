import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { DataType } from "../../record/DataType.ts"
import { Name } from "../../shared/Name.ts"
import { Feeds } from "../../usecase/Feeds.ts"
import { FeedSource } from "../FeedConfig.ts"
import { feedExample } from "./Examples.ts"
import { FeedRecord, OptionalText, Order, blocks, warned } from "./FeedRecord.ts"

const UpdateFeed = Schema.Struct({
  name: Schema.optionalKey(Name),
  icon: OptionalText,
  order: Order,
  source: Schema.optionalKey(FeedSource),
  dataType: Schema.optionalKey(DataType),
  ...blocks
}).annotate({ identifier: "UpdateFeed" })

export const updateFeed = operation({
  noun: "feeds",
  id: "updateFeed",
  put: "/v1/feeds/:feed_id",
  summary: "Change a feed",
  description:
    "Changes what is sent and leaves the rest as it is; a block that is sent replaces the old one whole. While a job " +
    "runs, source and destination cannot change (409).",
  access: { anyOf: ["feeds:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "feeds update",
  tool: "update_feed",
  body: UpdateFeed,
  success: record(FeedRecord, { meta: { warnings: Schema.Array(Schema.String) } }),
  errors: ["Conflict", "Unprocessable", "NotAvailable"],
  example: {
    body: { name: "Everyday account", schedule: null },
    data: { ...feedExample, name: "Everyday account" },
    meta: { warnings: [] }
  },
  audits: audits(Feeds, "update", { read: "get" }),
  run: ({ caller, ids, body, ifVersion }) =>
    Feeds.use((feeds) => Effect.map(feeds.update(caller, ids.feed, body, ifVersion), warned))
})
