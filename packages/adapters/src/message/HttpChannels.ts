/** Slack, webhooks and text messages: requests through the one client, each with the id of its message. */
import { createHmac } from "node:crypto"
import { MessageNotSent, type Outgoing, slackBody, smsBody, webhookBody } from "@millrace/core/message"
import { Outbound, type OutboundFailure, type OutboundRequest } from "@millrace/core/outbound"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const timeoutSeconds = 30
const answerBytes = 65_536

/** Whether another try can help, and when. */
const refusal = (what: string, status: number, retryAfter: string | undefined): MessageNotSent => {
  const seconds = retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined
  const passes = status === 408 || status === 425 || status === 429 || status >= 500
  return new MessageNotSent({
    message: passes
      ? `${what} did not take the message (${status})`
      : `${what} refused the message (${status}): check its address in the destinations`,
    final: !passes,
    ...(seconds === undefined ? {} : { afterSeconds: seconds })
  })
}

const unsent = (what: string, { message, reason, retryAfter }: OutboundFailure): MessageNotSent =>
  new MessageNotSent({
    message: `${what}: ${message}`,
    final: reason === "invalidRequest",
    ...(retryAfter === undefined ? {} : { afterSeconds: retryAfter })
  })

/** Signed by the scheme of Standard Webhooks: `v1,` and the HMAC-SHA-256 of `id.timestamp.body` in base64. */
const signature = (secret: string, id: string, timestamp: number, body: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.replace(/^whsec_/u, ""), "base64"))
    .update(`${id}.${timestamp}.${body}`)
    .digest("base64")}`

/** Where text messages are handed over: something of the operator's that passes them on to telephones. */
export interface SmsSettings {
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly secret?: Redacted.Redacted
}

export const makeHttpChannels = Effect.gen(function* () {
  const outbound = yield* Outbound

  const post = Effect.fnUntraced(function* (what: string, request: Pick<OutboundRequest, "url" | "body" | "headers">) {
    const { headers, status } = yield* outbound
      .request({
        ...request,
        method: "POST",
        headers: { "content-type": "application/json", ...request.headers },
        timeoutSeconds,
        maxBytes: answerBytes
      })
      .pipe(
        Effect.catch((error) =>
          // Whatever it answers, it has the message.
          error.reason === "tooLarge" ? Effect.succeed({ status: 200, headers: {} }) : Effect.fail(unsent(what, error))
        )
      )
    if (status < 200 || status > 299) {
      const { "retry-after": retryAfter } = headers as Readonly<Record<string, string>>
      return yield* refusal(what, status, retryAfter)
    }
  })

  /** To an incoming webhook of Slack. Slack cannot tell a message that comes twice. */
  const slack = ({ content, endpoint }: Outgoing) =>
    post("Slack", { url: endpoint.to, body: JSON.stringify(slackBody(content)) })

  /** To any webhook; `webhook-id` is the same for each try. */
  const webhook = Effect.fnUntraced(function* (message: Outgoing) {
    const { endpoint, id } = message
    const body = webhookBody(message)
    const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const secret = endpoint.channel === "webhook" ? endpoint.secret : undefined
    yield* post("The webhook", {
      url: endpoint.to,
      body,
      headers: {
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        ...(secret === undefined ? {} : { "webhook-signature": signature(secret, id, timestamp, body) })
      }
    })
  })

  /** `{id, to, text}` to the webhook of the operator, which tells by `id` what it was handed before. */
  const sms = ({ secret, url }: SmsSettings, message: Outgoing) =>
    post("The webhook for text messages", {
      url,
      body: smsBody(message),
      headers: {
        "idempotency-key": message.id,
        ...(secret === undefined ? {} : { authorization: Redacted.make(`Bearer ${String(Redacted.value(secret))}`) })
      }
    })

  return { slack, webhook, sms }
})
