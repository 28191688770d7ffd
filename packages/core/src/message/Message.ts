/** Messages to people: what they say, for every channel, and what happens to them. */
import * as Schema from "effect/Schema"
import { DataType } from "../record/DataType.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { Endpoint } from "./MessageDestination.ts"

/** A line of a table: what it is about, and its value, both for people. */
const ContentRow = Schema.Struct({
  label: Schema.String,
  value: Schema.String,
  /** A few words beside it. */
  note: Schema.optionalKey(Schema.String)
})

const ContentSection = Schema.Struct({
  heading: Schema.optionalKey(Schema.String),
  /** Sentences before the rows. */
  text: Schema.optionalKey(Schema.String),
  rows: Schema.Array(ContentRow)
})

/** What a model may put into other words before the message is sent. Only `text` is shown to it: no figure and no name. */
const Rephrasing = Schema.Struct({
  /** Sentences of ours; `{1}` stands for the first value. */
  text: Schema.String,
  values: Schema.Array(Schema.String),
  /** An endpoint by its name, or `default`. */
  model: Schema.String,
  /** Tokens that its enrichment may use in a month. */
  monthlyTokens: Schema.Int,
  /** What the enrichment looks at. */
  dataType: DataType
})
export type Rephrasing = typeof Rephrasing.Type

/**
 * What a message says. Its texts are plain: each channel escapes them for what it sends. Nothing in them is markup, no matter who
 * wrote it.
 */
export const MessageContent = Schema.Struct({
  /** As the event of the same name: `alert.fired`. */
  type: Schema.String,
  /** One line: the subject of a mail. */
  title: Schema.String,
  /** The message in one line, for where several are reported together and where room is short. */
  brief: Schema.String,
  /** A sentence or two under the title. */
  intro: Schema.optionalKey(Schema.String),
  /** A paragraph that tells the rest in sentences. */
  prose: Schema.optionalKey(Schema.String),
  /** Where a model may still write `prose`; gone before the message is handed to a channel. */
  rephrase: Schema.optionalKey(Rephrasing),
  sections: Schema.Array(ContentSection),
  /** Why the reader gets it. */
  footer: Schema.String,
  /** What programs receive. */
  data: Schema.Record(Schema.String, Schema.Json)
})
export type MessageContent = typeof MessageContent.Type

/**
 * `held` waits until its lane may say something again; `ready` is sent as soon as may be; `sending` has been handed to the
 * channel, perhaps. `collected` is reported by another message, `withdrawn` had become wrong before it was sent, `failed` was given
 * up.
 */
export const messageStates = ["held", "ready", "sending", "sent", "collected", "withdrawn", "failed"] as const
export type MessageState = (typeof messageStates)[number]

/** A message to one endpoint, as it is stored. */
export const Message = Schema.Struct({
  /** The delivery key: follows from what is reported and to whom, so that the same is never told twice. */
  id: Schema.String,
  workspaceId: Id("workspace"),
  /** Who says it. */
  enrichmentId: Id("enrichment"),
  endpoint: Endpoint,
  content: MessageContent,
  /** Messages of one enrichment to one endpoint. */
  lane: Schema.String,
  /** Seconds of silence that the lane keeps after what was last sent in it; 0: it is sent by itself. */
  cooldownSeconds: Schema.Int,
  state: Schema.Literals(messageStates),
  /** The message that tells it, where it was collected. */
  into: Schema.optionalKey(Schema.String),
  createdAt: Timestamp,
  sentAt: Schema.optionalKey(Timestamp),
  /** Why it was not sent. */
  error: Schema.optionalKey(Schema.String)
})
export type Message = typeof Message.Type

export type NewMessage = Pick<
  Message,
  "id" | "workspaceId" | "enrichmentId" | "endpoint" | "content" | "lane" | "cooldownSeconds"
> & { readonly state: "held" | "ready" }
