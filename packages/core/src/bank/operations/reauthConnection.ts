import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { audits, operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { Banks } from "../Banks.ts"
import { ConnectionStep, RedirectUri, stepToWire } from "./ConnectionRecord.ts"
import { connectionStartExample } from "./Examples.ts"

const ReauthConnection = Schema.Struct({ redirectUri: Schema.optionalKey(RedirectUri) }).annotate({
  identifier: "ReauthConnection"
})

export const reauthConnection = operation({
  noun: "banks",
  id: "reauthConnection",
  post: "/v1/banks/connections/:bank_id/reauth",
  summary: "Begin to connect a bank anew",
  description:
    "Begins to connect a bank anew, as startConnection does. Completing it keeps the bank, its accounts and the ids of " +
    "their records. An earlier attempt of the same credential for the bank is superseded.",
  access: { anyOf: ["banks:write"], role: "admin" },
  repeats: "key",
  waits: true,
  command: "banks reauth",
  tool: "reauth_connection",
  hints: { openWorldHint: true },
  body: ReauthConnection,
  bodyOptional: true,
  success: record(ConnectionStep),
  errors: ["NotAvailable"],
  example: { body: { redirectUri: "https://app.example/banks" }, data: connectionStartExample },
  audits: audits(Banks, "reauth"),
  run: ({ caller, ids, body }) =>
    Banks.use((banks) => Effect.map(banks.reauth(caller, ids.bank, body), (started) => stepToWire(started)))
})
