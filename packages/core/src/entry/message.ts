/** Messages to people: what they say, where they go, and what carries them. */
export { Channels, MessageNotSent, type Outgoing } from "../message/Channels.ts"
export { Message, MessageContent, type MessageState, messageStates, type NewMessage } from "../message/Message.ts"
export { type Endpoint, MessageDestination, MessageDestinations } from "../message/MessageDestination.ts"
export { htmlText } from "../message/HtmlText.ts"
export { Outbox, type Posting, type PostingScope } from "../message/Outbox.ts"
export { cutLine, plainText, shortText } from "../message/PlainText.ts"
export { slackBody } from "../message/SlackText.ts"
export { smsBody, webhookBody } from "../message/WebhookBody.ts"
