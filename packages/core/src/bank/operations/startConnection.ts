import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Id } from "../../shared/Ids.ts"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { ProviderInstanceId } from "../../provider/ProviderKind.ts"
import { Banks } from "../Banks.ts"
import type { Started } from "../Starting.ts"
import {
  CountryCodes,
  RedirectUri,
  described,
  stepToWire,
  textOf,
  withPage,
  withoutPath,
  AttemptId,
  ConnectUrl,
  steps
} from "./ConnectionRecord.ts"
import { connectionStartExample } from "./Examples.ts"

const Email = Schema.String.check(
  Schema.isMaxLength(254),
  Schema.isPattern(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, { message: "must be an e-mail address" })
).annotate({ format: "email" })

const StartConnection = Schema.Struct({
  providerInstanceId: ProviderInstanceId.annotate(described("One of listProviders, such as `plaid:us-prod`.")),
  email: Email,
  mobile: Schema.optionalKey(textOf(40)),
  institutionId: Schema.optionalKey(textOf(128).annotate(described("One of searchInstitutions."))),
  brandId: Schema.optionalKey(textOf(64, 1)),
  countryCodes: Schema.optionalKey(CountryCodes),
  redirectUri: Schema.optionalKey(RedirectUri),
  brokerageSlug: Schema.optionalKey(textOf(128)),
  saltedgeConsentScopes: Schema.optionalKey(Schema.Array(Schema.Literals(["holder_info", "accounts", "transactions"]))),
  connectionType: Schema.optionalKey(Schema.Literals(["read", "trade"])),
  forceNewConnection: Schema.optionalKey(
    Schema.Boolean.annotate(described("Another connection, also where a bank of the same institution is connected."))
  )
}).annotate({ identifier: "StartConnection" })

const Existing = Schema.Struct({
  flow: Schema.Literal("existing_connection"),
  existingBanks: Schema.Array(
    Schema.Struct({ id: Id("bank"), name: Schema.String, requiresReauth: Schema.Boolean })
  ).annotate(described("Banks of the institution that are connected already.")),
  canCreateAdditional: Schema.Boolean.annotate(
    described("Whether the plan has room for another connection; ask again with `forceNewConnection`.")
  ),
  attemptId: AttemptId,
  connectUrl: ConnectUrl
}).annotate({ identifier: "ExistingConnection" })

/** How the person's browser goes on. */
const ConnectionStart = Schema.Union([...steps, Existing]).annotate({ identifier: "ConnectionStart" })
type ConnectionStart = typeof ConnectionStart.Type

/** How a connection begins, as it is sent. */
const startToWire = (started: Started): ConnectionStart => {
  if (started.step !== undefined) return stepToWire(started)
  const { attempt, canCreateAdditional, existingBanks, page } = started
  return {
    flow: "existing_connection",
    existingBanks,
    canCreateAdditional,
    attemptId: attempt.attemptId,
    ...withPage(page)
  }
}

export const startConnection = operation({
  noun: "banks",
  id: "startConnection",
  post: "/v1/banks/connections/start",
  summary: "Begin to connect a bank",
  description:
    "Begins to connect a bank. `flow` says how the person goes on: in the provider's own widget, in a window of its own " +
    "at `url`, or by sending the browser to `url`; `connectUrl` is a page of this installation that does all of it. What " +
    "comes back is handed to completeConnection, unless the page has done so: getConnectionAttempt tells. " +
    "`existing_connection` where a bank of that institution is connected already: connect that one anew with " +
    "reauthConnection, or ask again with `forceNewConnection`. Fields that the provider does not read are ignored; " +
    "listProviders says which ones it reads.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "key",
  waits: true,
  command: "banks connect",
  tool: "start_connection",
  hints: { openWorldHint: true },
  body: StartConnection,
  success: record(ConnectionStart),
  errors: ["NotAvailable"],
  example: {
    body: { providerInstanceId: "demo:default", email: "person@example.com", institutionId: "demo-retail" },
    data: connectionStartExample
  },
  audits: audits(Banks, "start", { makes: true }),
  run: ({ caller, body }) =>
    Banks.use((banks) => withoutPath(Effect.map(banks.start(caller, body), (started) => startToWire(started))))
})
