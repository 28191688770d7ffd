/** Requests about connections that succeed, and faults in each of their fields. */
import type { Sample } from "./Operations.ts"

const instances = ["", "x", "plaid", "Plaid:us", "plaid:", "plaid:US", `plaid:${"x".repeat(60)}`, 1, null]
const texts = (most: number) => ["x".repeat(most + 1), 1, null, {}]
const countries = ["GB", Array.from({ length: 21 }, () => "GB"), null]
const redirects = ["", "x".repeat(2_049), 1, null]

export const connectionOperations: ReadonlyArray<Sample> = [
  {
    id: "updateBank",
    method: "PUT",
    template: "/v1/banks/{bank_id}",
    status: 200,
    scopes: ["banks:write"],
    body: { name: "Ours", icon: null, order: 3 },
    faults: { name: ["", " ", "x".repeat(201), 1, null], icon: [1, "x".repeat(2_001)], order: [1.5, "1", null] }
  },
  {
    id: "refreshBank",
    method: "POST",
    template: "/v1/banks/{bank_id}/refresh",
    status: 202,
    scopes: ["banks:write"],
    body: { dataTypes: ["transactions"] },
    faults: { dataTypes: ["transactions", null] }
  },
  {
    id: "startConnection",
    method: "POST",
    template: "/v1/banks/connections/start",
    status: 200,
    scopes: ["banks:write"],
    body: {
      providerInstanceId: "demo:default",
      email: "person@example.com",
      mobile: "+49 30 1",
      institutionId: "demo-1",
      brandId: "b",
      countryCodes: ["de"],
      redirectUri: "https://example.com/back",
      brokerageSlug: "SLUG",
      saltedgeConsentScopes: ["accounts"],
      connectionType: "read",
      forceNewConnection: true
    },
    required: ["providerInstanceId", "email"],
    faults: {
      providerInstanceId: instances,
      email: ["", "x", "a@b", "a b@example.com", `${"x".repeat(250)}@example.com`, 1, null],
      mobile: [1, null],
      institutionId: texts(128),
      brandId: ["", ...texts(64)],
      countryCodes: countries,
      redirectUri: redirects,
      brokerageSlug: [1, null],
      saltedgeConsentScopes: ["accounts", null],
      connectionType: ["write", "", 1, null],
      forceNewConnection: ["true", 1, null]
    }
  },
  {
    id: "completeConnection",
    method: "POST",
    template: "/v1/banks/connections/complete",
    status: 200,
    scopes: ["banks:write"],
    body: {
      providerInstanceId: "demo:default",
      attemptId: "cat_1",
      payload: { kind: "provider_connection_id", connectionId: "anything", institutionId: "demo-1" }
    },
    required: ["providerInstanceId", "payload"],
    faults: {
      providerInstanceId: instances,
      attemptId: ["", "x".repeat(1_025), 1, null],
      payload: [null, "x"]
    }
  },
  {
    id: "reauthConnection",
    method: "POST",
    template: "/v1/banks/connections/{bank_id}/reauth",
    status: 200,
    scopes: ["banks:write"],
    body: { redirectUri: "https://example.com/back" },
    faults: { redirectUri: redirects }
  },
  {
    id: "getConnectionAttempt",
    method: "GET",
    template: "/v1/banks/connections/attempts/{attempt_id}",
    status: 200,
    scopes: ["banks:write"]
  },
  {
    id: "searchInstitutions",
    method: "POST",
    template: "/v1/banks/search",
    status: 200,
    scopes: ["institutions:read"],
    body: { query: "first", countryCodes: ["de", "US"], providerInstanceId: "demo:default" },
    required: ["query"],
    faults: { query: ["", "x".repeat(101), 1, null], countryCodes: countries, providerInstanceId: texts(64) }
  },
  {
    id: "listProviders",
    method: "GET",
    template: "/v1/banks/providers",
    status: 200,
    scopes: ["institutions:read"]
  }
]
