import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { DataType } from "../../record/DataType.ts"
import { Name } from "../../shared/Name.ts"
import { Feeds } from "../../usecase/Feeds.ts"
import { FeedSource } from "../FeedConfig.ts"
import { feedExample, newFeedExample } from "./Examples.ts"
import { FeedRecord, OptionalText, Order, blocks, warned } from "./FeedRecord.ts"

const CreateFeed = Schema.Struct({
  name: Name,
  icon: OptionalText,
  order: Order,
  source: FeedSource,
  dataType: DataType,
  ...blocks
}).annotate({ identifier: "CreateFeed" })

export const createFeed = operation({
  noun: "feeds",
  id: "createFeed",
  post: "/v1/feeds",
  summary: "Create a feed",
  description:
    "Creates a feed: data of one type, from accounts or files to one destination. Source and destination may follow " +
    "later; a feed without them does not sync. What does not block is told in `meta.warnings`.",
  access: { anyOf: ["feeds:write"], role: "editor", app: "own" },
  repeats: "key",
  command: "feeds create",
  tool: "create_feed",
  hints: { openWorldHint: true },
  body: CreateFeed,
  success: record(FeedRecord, { meta: { warnings: Schema.Array(Schema.String) }, status: 201 }),
  errors: ["NotAvailable"],
  example: { body: newFeedExample, data: feedExample, meta: { warnings: [] } },
  audits: audits(Feeds, "create", { makes: true }),
  run: ({ caller, body: { icon, ...payload } }) =>
    Feeds.use((feeds) =>
      Effect.map(feeds.create(caller, { ...payload, ...(typeof icon === "string" ? { icon } : {}) }), warned)
    )
})
