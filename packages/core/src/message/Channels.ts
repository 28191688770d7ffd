/**
 * Port: what carries messages to people.
 *
 * A message is handed over at least once. It carries its id wherever the channel has a place for one, so that the receiver
 * twice can tell: the `Message-ID` of a mail, `webhook-id` of a webhook, `id` of a text message. Slack has no such place.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Message } from "./Message.ts"

export type Outgoing = Pick<Message, "id" | "workspaceId" | "endpoint" | "content" | "createdAt">

/** It was not taken. The text is for people: it says what to do, and holds no address, secret or content. */
export class MessageNotSent extends Schema.TaggedError<MessageNotSent>()("MessageNotSent", {
  message: Schema.String,
  /** Trying again cannot help. */
  final: Schema.Boolean,
  /** Seconds to wait at least. */
  afterSeconds: Schema.optionalKey(Schema.Number)
}) {}

export class Channels extends Context.Service<
  Channels,
  {
    readonly send: (message: Outgoing) => Effect.Effect<void, MessageNotSent>
  }
>()("@millrace/core/message/Channels") {}
