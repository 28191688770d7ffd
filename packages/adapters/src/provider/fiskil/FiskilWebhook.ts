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
import type { FiskilClient } from "./FiskilClient.ts"
import type { FiskilConfig } from "./FiskilConfig.ts"
import { consentsOf, institutionIdOf, placeOf, refsOfConsent, refOf } from "./FiskilConsents.ts"

/**
 * Milliseconds that a callback may be old, or ahead of our clock: the signature has no time of its own, and what could
 * not be delivered is tried again for up to an hour. Repeats are told by their id.
 */
const oldest = 86_400_000
const mostAhead = 300_000

const Event = Schema.Struct({
  event: maybe(Schema.String),
  end_user_id: maybe(Schema.String),
  consent_id: maybe(Schema.String),
  institution_id: maybe(Schema.Union([Schema.String, Schema.Finite]))
})
type Event = typeof Event.Type

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

/** What an event means. One that a consent ended says nothing of others that the person gave for the same bank. */
const meaningOf = (event: string): Pick<Poke, "dataTypes"> | undefined => {
  if (/^consent\.(?:received|updated|revoked)$/.test(event)) return {}
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

/** The references that the event may be about: an event names a consent, and consents know their accounts. */
const refsOf = Effect.fnUntraced(function* (
  client: FiskilClient,
  { consent_id, end_user_id, institution_id }: Event
): Effect.fn.Return<ReadonlyArray<string>, ProviderError> {
  const place = placeOf(refOf({ endUserId: end_user_id ?? "", institutionId: String(institution_id ?? "") }))
  if (place === undefined) return []
  const here = (yield* consentsOf(client, place.endUserId)).filter(
    (consent) => institutionIdOf(consent) === place.institutionId
  )
  const named = here.filter((consent) => consent.consent_id === consent_id || consent.arrangement_id === consent_id)
  const refs = (named.length === 0 ? here : named).flatMap((consent) => refsOfConsent(place.endUserId, consent))
  return [...new Set([...refs, refOf(place)])]
})

/** Events that mean nothing to us are left out. Whose an event is, Fiskil is asked. */
export const verifyWebhook =
  (config: FiskilConfig, client: FiskilClient) =>
  (webhook: InboundWebhook): Effect.Effect<ReadonlyArray<Poke>, ProviderError | WebhookRefused> =>
    Effect.gen(function* () {
      const payload = yield* verified(config, webhook)
      const event = payload.data ?? payload
      const meaning = meaningOf(event.event ?? "")
      if (meaning === undefined) return []
      const refs = yield* refsOf(client, event)
      return refs.map((connectionRef, n) => ({
        ...meaning,
        eventId: n === 0 ? payload.message_id : `${payload.message_id}/${n}`,
        connectionRef
      }))
    })
