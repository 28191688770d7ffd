import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Feeds } from "../../usecase/Feeds.ts"

export const triggerLearn = operation({
  noun: "feeds",
  id: "triggerLearn",
  post: "/v1/feeds/:feed_id/learn",
  summary: "Learn at once from what people changed at the destination",
  description:
    "Reads what people changed at the destination of a feed, and learns from it at once: without waiting, as it does after " +
    "each sync, and also where nothing learns from the feed; then nothing comes of it.",
  access: { anyOf: ["jobs:write"], role: "editor", app: "own" },
  repeats: "inherent",
  command: "feeds learn",
  tool: "trigger_learn",
  hints: { idempotentHint: false, openWorldHint: true },
  success: record(Schema.Struct({ triggered: Schema.Literal(true) })),
  example: { data: { triggered: true } },
  audits: audits(Feeds, "learn"),
  run: ({ caller, ids }) => Feeds.use((feeds) => Effect.as(feeds.learn(caller, ids.feed), { triggered: true as const }))
})
