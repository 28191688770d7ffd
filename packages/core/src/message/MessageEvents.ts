/** What is reported about messages that could not be told. */
import * as Schema from "effect/Schema"
import type { NewEvent } from "../event/Event.ts"
import { eventType } from "../event/EventType.ts"
import type { Message } from "./Message.ts"

const failed = eventType({
  type: "message.failed",
  subject: "enrichment",
  summary: "A message of an enrichment could not be sent and was given up; `channel` and `error` say why.",
  data: Schema.Struct({
    messageId: Schema.String,
    channel: Schema.String,
    messageType: Schema.String,
    error: Schema.String
  })
})

export const messageEventTypes = [failed] as const

export const messageFailed = ({ content, endpoint, enrichmentId, id, workspaceId }: Message, error: string): NewEvent =>
  failed.of({
    workspaceId,
    subjectId: enrichmentId,
    cause: { kind: "system", reason: "message" },
    data: { messageId: id, channel: endpoint.channel, messageType: content.type, error }
  })
