/** Callbacks of Quiltt: batches of events, signed with the time at which they were sent. */
import { type InboundWebhook, type Poke, WebhookRefused, readRows } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import { isSignedWith } from "../upstream/Hmac.ts"
import { maybe, UpstreamId } from "../upstream/UpstreamForm.ts"
import type { QuilttConfig } from "./QuilttConfig.ts"
import { statusMeaning } from "./QuilttErrors.ts"
import { subjectMetadata } from "./QuilttConnect.ts"

/** The version of the signature, which is signed with the rest. */
const scheme = "1"
/** Seconds that a callback may be old, or ahead of our clock. */
const tolerance = 300
const mostEvents = 1_000

const Payload = Schema.fromJsonString(Schema.Struct({ events: Schema.Array(Schema.Unknown) }))

const Event = Schema.Struct({
  id: UpstreamId,
  type: Schema.String,
  profile: maybe(Schema.Struct({ metadata: maybe(Schema.Record(Schema.String, Schema.Unknown)) })),
  record: maybe(Schema.Struct({ id: maybe(Schema.String), connectionId: maybe(Schema.String) })),
  metadata: maybe(Schema.Struct({ connectionId: maybe(Schema.String) }))
})
type Event = typeof Event.Type

/** What an event means, by the beginning of its type; the longest that fits counts. */
const meanings: Readonly<Record<string, Omit<Poke, "eventId" | "connectionRef" | "subjectRef">>> = {
  "connection.created": {},
  "connection.synced.successful": { health: { status: "connected" } },
  "connection.synced.errored.repairable": { health: statusMeaning("ERROR_REPAIRABLE").health },
  "connection.synced.errored.institution": { health: statusMeaning("ERROR_INSTITUTION").health },
  "connection.synced.errored.provider": { health: statusMeaning("ERROR_PROVIDER").health },
  "connection.synced.errored.service": { health: statusMeaning("ERROR_SERVICE").health },
  "connection.disconnected": { health: statusMeaning("DISCONNECTED").health },
  "account.created": {},
  "account.reconnected": { repaired: true },
  "balance.created": { dataTypes: ["balances"] satisfies ReadonlyArray<SyncDataType> },
  "profile.ready": {}
}
const types = Object.keys(meanings).toSorted((a, b) => b.length - a.length)

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= 256 ? value : undefined

const pokeOf = (event: Event): ReadonlyArray<Poke> => {
  const known = types.find((type) => event.type === type || event.type.startsWith(`${type}.`))
  if (known === undefined) return []
  const { connectionId, id } = event.record ?? {}
  const connectionRef = event.type.startsWith("connection.")
    ? text(id)
    : (text(connectionId) ?? text(event.metadata?.connectionId))
  const subjectRef = text(event.profile?.metadata?.[subjectMetadata])
  if (connectionRef === undefined && subjectRef === undefined) return []
  return [
    {
      ...meanings[known]!,
      eventId: event.id,
      ...(connectionRef === undefined ? {} : { connectionRef }),
      ...(subjectRef === undefined ? {} : { subjectRef })
    }
  ]
}

const refused = (message: string) => Effect.fail(new WebhookRefused({ message }))

/** Believes a callback by its signature alone. Events that mean nothing to us are left out. */
export const verifyWebhook =
  (config: QuilttConfig) =>
  ({ headers, now, rawBody }: InboundWebhook): Effect.Effect<ReadonlyArray<Poke>, WebhookRefused> =>
    Effect.suspend(() => {
      const keys = [config.webhookSecret, config.formerWebhookSecret].flatMap((secret) =>
        secret === undefined ? [] : [Redacted.value(secret)]
      )
      if (keys.length === 0) return refused("There is no webhook secret to check the callback with")
      const timestamp = headers["quiltt-timestamp"] ?? ""
      if (!/^\d{1,12}$/.test(timestamp)) return refused("The callback does not say when it was sent")
      if (!isSignedWith(keys, headers["quiltt-signature"] ?? "", scheme, timestamp, rawBody)) {
        return refused("The signature of the callback is not that of its body")
      }
      if (Math.abs(now / 1000 - Number(timestamp)) > tolerance) {
        return refused("The callback was sent more than five minutes ago, or is ahead of time")
      }
      const payload = SchemaParser.decodeUnknownResult(Payload)(new TextDecoder().decode(rawBody))
      if (Result.isFailure(payload)) return refused("The body of the callback does not have the agreed form")
      return Effect.succeed(readRows(payload.success.events.slice(0, mostEvents), Event, "id").rows.flatMap(pokeOf))
    })
