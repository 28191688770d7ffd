/** Callbacks of Fiskil: one event each, signed over the raw body. */
import { type InboundWebhook, type Poke, type ProviderError, WebhookRefused } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { isSignedWith } from "../upstream/Hmac.ts"
import { maybe, UpstreamId } from "../upstream/UpstreamForm.ts"
import { FiskilEndUser } from "./FiskilAnswers.ts"
import type { FiskilClient } from "./FiskilClient.ts"
import type { FiskilConfig } from "./FiskilConfig.ts"
import { isIdOfPlace } from "./FiskilConsents.ts"

/**
 * Milliseconds that a callback may be old, or ahead of our clock: the signature has no time of its own, and what could
 * not be delivered is tried again for up to an hour. Repeats are known by their id.
 */
const oldest = 86_400_000
const mostAhead = 300_000

const Event = Schema.Struct({
  event: maybe(Schema.String),
  end_user_id: maybe(Schema.String)
})

/** The event stands inside of `data`, and in some documents beside it. */
const Payload = Schema.fromJsonString(
  Schema.Struct({
    message_id: UpstreamId,
    publish_time: maybe(Schema.String),
    data: maybe(Event),
    ...Event.fields
  })
)
type Payload = typeof Payload.Type

const sync = (dataTypes?: ReadonlyArray<SyncDataType>): Pick<Poke, "dataTypes"> =>
  dataTypes === undefined ? {} : { dataTypes }

/** What an event means. One that a consent ended says nothing about others that the person gave for the same bank. */
const meaningOf = (event: string): Pick<Poke, "dataTypes" | "repaired"> | undefined => {
  if (event === "consent.received" || event === "consent.updated") return { repaired: true }
  if (event === "consent.revoked") return {}
  if (event.startsWith("banking.transactions.")) return sync(["transactions"])
  if (event.startsWith("banking.balances.")) return sync(["balances"])
  if (event.startsWith("banking.accounts.")) return sync()
  return undefined
}

const refused = (message: string) => Effect.fail(new WebhookRefused({ message }))

/** Believes a callback by its signature alone. */
const verified = (
  config: FiskilConfig,
  { headers, now, rawBody }: InboundWebhook
): Effect.Effect<Payload, WebhookRefused> => {
  const keys = [config.webhookSecret, config.formerWebhookSecret].flatMap((secret) =>
    secret === undefined ? [] : [Buffer.from(Redacted.value(secret), "base64")]
  )
  if (keys.length === 0) return refused("There is no webhook secret to check the callback with")
  if (!isSignedWith(keys, headers["x-fiskil-signature"] ?? "", rawBody)) {
    return refused("The signature of the callback is not that of its body")
  }
  const read = SchemaParser.decodeUnknownResult(Payload)(new TextDecoder().decode(rawBody))
  if (Result.isFailure(read)) return refused("The body of the callback does not have the agreed form")
  const published = Date.parse(read.success.publish_time ?? "")
  return published < now - oldest || published > now + mostAhead
    ? refused("The callback was published more than a day ago, or is ahead of time")
    : Effect.succeed(read.success)
}

/**
 * The workspace that the person of an event is known by; `undefined` where there is nobody. An event names a consent, and
 * consents come and go: the person is what stays.
 */
const subjectRefOf = (client: FiskilClient, endUserId: string): Effect.Effect<string | undefined, ProviderError> =>
  client
    .askJson({ path: `/v1/end-users/${endUserId}`, endpoint: "end-users", connection: endUserId }, FiskilEndUser)
    .pipe(
      Effect.map(({ name }) => (name === null || name === "" ? undefined : name)),
      Effect.catchTag("ConnectionGone", () => Effect.succeed(undefined))
    )

/** Events that mean nothing to us are left out. Whose an event is, Fiskil is asked. */
export const verifyWebhook =
  (config: FiskilConfig, client: FiskilClient) =>
  (webhook: InboundWebhook): Effect.Effect<ReadonlyArray<Poke>, ProviderError | WebhookRefused> =>
    Effect.gen(function* () {
      const payload = yield* verified(config, webhook)
      const { end_user_id: endUserId, event } = payload.data ?? payload
      const meaning = meaningOf(event ?? "")
      if (meaning === undefined || endUserId === undefined || endUserId === null || !isIdOfPlace(endUserId)) return []
      const subjectRef = yield* subjectRefOf(client, endUserId)
      return subjectRef === undefined ? [] : [{ ...meaning, eventId: payload.message_id, subjectRef }]
    })
