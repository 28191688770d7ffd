import * as Effect from "effect/Effect"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Feeds } from "../../usecase/Feeds.ts"
import { feedExample } from "./Examples.ts"
import { FeedRecord, feedToWire } from "./FeedRecord.ts"

export const getFeed = operation({
  noun: "feeds",
  id: "getFeed",
  get: "/v1/feeds/:feed_id",
  summary: "Get a feed",
  description: "Returns one feed with its state.",
  access: { anyOf: ["feeds:read"], role: "viewer", app: "own" },
  repeats: "read",
  versioned: true,
  command: "feeds get",
  tool: "get_feed",
  success: record(FeedRecord),
  example: { data: feedExample },
  run: ({ caller, ids }) =>
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const view = yield* feeds.get(caller, ids.feed)
      return feedToWire(view)
    })
})
