import * as Effect from "effect/Effect"
import { audits, operation } from "../../operation/Definition.ts"
import { done } from "../../operation/Success.ts"
import { Feeds } from "../../usecase/Feeds.ts"

export const deleteFeed = operation({
  noun: "feeds",
  id: "deleteFeed",
  delete: "/v1/feeds/:feed_id",
  summary: "Delete a feed; delivered rows stay where they are",
  description: "Deletes a feed with its job history and cancels its active job. Delivered rows stay where they are.",
  access: { anyOf: ["feeds:write"], role: "editor", app: "own" },
  repeats: "inherent",
  versioned: true,
  command: "feeds delete",
  tool: "delete_feed",
  success: done,
  example: {},
  audits: audits(Feeds, "remove"),
  run: ({ caller, ids, ifVersion }) => Feeds.use((feeds) => Effect.asVoid(feeds.remove(caller, ids.feed, ifVersion)))
})
