import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { list } from "../../operation/Success.ts"
import { ProviderKind } from "../../provider/ProviderKind.ts"
import { SyncDataType } from "../../record/DataType.ts"
import { Institutions } from "../Institutions.ts"
import { described } from "./ConnectionRecord.ts"

const ProviderInstanceRecord = Schema.Struct({
  id: Schema.String,
  provider: ProviderKind,
  name: Schema.String,
  countryCodes: Schema.Array(Schema.String),
  flow: Schema.String,
  dataTypes: Schema.Array(SyncDataType),
  historyDays: Schema.Int,
  webhooks: Schema.Boolean,
  available: Schema.Boolean,
  connectOptions: Schema.Array(Schema.String).annotate(
    described("Fields of startConnection that this provider reads, besides those that all do.")
  )
}).annotate({ identifier: "ProviderInstance" })

const providerInstanceExample = {
  id: "plaid:us-prod",
  provider: "plaid",
  name: "Plaid",
  countryCodes: ["US", "CA"],
  flow: "plaid_link",
  dataTypes: ["balances", "transactions", "holdings", "trades", "loans"],
  historyDays: 730,
  webhooks: true,
  available: true,
  connectOptions: []
}

export const listProviders = operation({
  noun: "banks",
  id: "listProviders",
  get: "/v1/banks/providers",
  summary: "List the providers that are configured",
  description: "Lists the providers that the operator has configured, with what each of them can do.",
  access: { anyOf: ["institutions:read"], role: "viewer" },
  repeats: "read",
  command: "providers list",
  tool: "list_providers",
  success: list(ProviderInstanceRecord),
  example: { data: providerInstanceExample },
  run: ({ caller }) =>
    Institutions.use((institutions) => Effect.map(institutions.providers(caller), (all) => ({ rows: all })))
})
