import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { record } from "../../operation/Success.ts"
import { ProviderKind } from "../../provider/ProviderKind.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { Institutions, providerResultStatuses } from "../Institutions.ts"
import { CountryCodes, described, textOf } from "./ConnectionRecord.ts"

const SearchInstitutions = Schema.Struct({
  query: textOf(limits.institutionQueryLength, 1),
  countryCodes: Schema.optionalKey(CountryCodes),
  providerInstanceId: Schema.optionalKey(textOf(64).annotate(described("Only this instance.")))
}).annotate({ identifier: "SearchInstitutions" })

const InstitutionRecord = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  logo: Schema.optionalKey(Schema.String),
  countryCodes: Schema.Array(Schema.String),
  provider: ProviderKind,
  providerInstanceId: Schema.String,
  url: Schema.optionalKey(Schema.String),
  status: Schema.Literals(["ok", "degraded", "down"])
}).annotate({ identifier: "Institution" })

const ProviderResultRecord = Schema.Struct({
  id: Schema.String.annotate(described("The providerInstanceId.")),
  status: Schema.Literals(providerResultStatuses),
  contributed: Schema.Int,
  error: Schema.optionalKey(Schema.String),
  providerErrorCode: Schema.optionalKey(Schema.String),
  retryAfter: Schema.optionalKey(Timestamp.Timestamp)
}).annotate({ identifier: "ProviderResult" })

const FoundInstitutions = Schema.Struct({
  institutions: Schema.Array(InstitutionRecord),
  providers: Schema.Array(ProviderResultRecord)
})

const foundInstitutionsExample = {
  institutions: [
    {
      id: "ins_127989",
      name: "First Bank",
      countryCodes: ["US"],
      provider: "plaid",
      providerInstanceId: "plaid:us-prod",
      url: "https://first.example",
      status: "ok"
    }
  ],
  providers: [
    { id: "plaid:us-prod", status: "ok", contributed: 1 },
    {
      id: "snaptrade:main",
      status: "rate_limited",
      contributed: 0,
      error: "The provider may not be asked more often",
      retryAfter: "2026-03-04T05:06:37.008Z"
    }
  ]
}

export const searchInstitutions = operation({
  noun: "banks",
  id: "searchInstitutions",
  post: "/v1/banks/search",
  summary: "Search the banks that can be connected",
  description:
    "Searches the banks that all configured providers can connect, at most 50 of each: exact names first, then names that " +
    "begin so, then words. `providers` says how each provider answered; one that fails takes nothing from the others.",
  access: { anyOf: ["institutions:read"], role: "viewer" },
  repeats: "read",
  waits: true,
  command: "institutions search",
  tool: "search_institutions",
  body: SearchInstitutions,
  success: record(FoundInstitutions),
  example: { body: { query: "first", countryCodes: ["US"] }, data: foundInstitutionsExample },
  run: ({ caller, body: { countryCodes = [], ...search } }) =>
    Institutions.use((institutions) =>
      Effect.map(institutions.search(caller, { ...search, countryCodes }), (data) => data)
    )
})
