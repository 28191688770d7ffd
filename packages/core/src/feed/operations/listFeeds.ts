import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Families } from "../../access/Families.ts"
import { operation } from "../../operation/Definition.ts"
import { badgeOf, familyScope } from "../../operation/Family.ts"
import { list } from "../../operation/Success.ts"
import { DataType } from "../../record/DataType.ts"
import { Feeds } from "../../usecase/Feeds.ts"
import { FeedSource } from "../FeedConfig.ts"
import { feedExample } from "./Examples.ts"
import { FeedRecord, feedToWire } from "./FeedRecord.ts"

export const listFeeds = operation({
  noun: "feeds",
  id: "listFeeds",
  get: "/v1/feeds",
  summary: "List feeds",
  description: "Lists the feeds of the workspace in their order, with the state of each.",
  access: { anyOf: ["feeds:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "feeds list",
  tool: "list_feeds",
  query: {
    dataType: Schema.optionalKey(DataType),
    source: Schema.optionalKey(FeedSource),
    scope: familyScope
  },
  success: list(FeedRecord),
  example: { data: feedExample },
  run: ({ caller, query: { scope, ...query } }) =>
    Effect.gen(function* () {
      const families = yield* Families
      const feeds = yield* Feeds
      const reading = yield* families.reading(caller, scope)
      const badge = badgeOf(reading, scope)
      const rows = yield* feeds.list(reading, query)
      return { rows: rows.map((view) => ({ ...feedToWire(view), ...badge(view.feed.workspaceId) })) }
    })
})
