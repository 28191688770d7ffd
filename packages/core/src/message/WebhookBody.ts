/** What webhooks and text messages carry. */
import type { Outgoing } from "./Channels.ts"
import { oneLine, shortText } from "./PlainText.ts"

/** The same bytes at each try: `timestamp` is when it was decided, and what signs the body says when it was sent. */
export const webhookBody = ({ content, createdAt }: Outgoing): string =>
  JSON.stringify({ type: content.type, timestamp: createdAt, data: { ...content.data, title: oneLine(content.title) } })

/** For anyone who passes it on to a telephone. */
export const smsBody = ({ content, endpoint, id }: Outgoing): string =>
  JSON.stringify({ id, to: endpoint.to, text: shortText(content) })
