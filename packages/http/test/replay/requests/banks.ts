/** Requests about banks. */
import type { RequestsOf } from "../Request.ts"

export const banks: RequestsOf = (scene) => {
  const { lenderId } = scene
  return {
    listBanks: [
      { title: "lists the banks" },
      { title: "lists those of client portals too", query: "scope=family" },
      { title: "lists those that were deleted", query: "deleted=true" },
      { title: "refuses the family to a client portal", query: "scope=family", as: "portal" },
      { title: "refuses the family to an editor", query: "scope=family", as: "person-editor" },
      { title: "lists none to an app that made none", as: "app-owner" }
    ],
    getBank: [{ title: "reads a bank" }, { title: "reads one of a brokerage", params: { bank_id: scene.brokerId } }],
    deleteBank: [
      { title: "deletes a bank", params: { bank_id: lenderId } },
      { title: "deletes it again", params: { bank_id: lenderId } },
      { title: "refuses to delete for good without a person", params: { bank_id: lenderId }, query: "permanent=true" },
      { title: "refuses an editor", params: { bank_id: lenderId }, as: "person-editor" }
    ],
    updateBank: [
      { title: "renames a bank", json: { name: "Household", icon: "🏦", order: 3 } },
      { title: "takes its icon away", json: { icon: null } },
      { title: "changes nothing", json: {} },
      { title: "refuses an editor", json: { name: "Mine" }, as: "person-editor" }
    ],
    restoreBank: [
      { title: "brings a deleted bank back", params: { bank_id: lenderId } },
      { title: "refuses one that is not deleted", params: { bank_id: lenderId } },
      { title: "refuses an editor", params: { bank_id: lenderId }, as: "person-editor" }
    ],
    refreshBank: [
      { title: "asks a bank for data", json: { dataTypes: ["transactions"] } },
      { title: "asks for all data", after: 600 },
      { title: "asks again at once" },
      { title: "refuses a type of data that there is none of", json: { dataTypes: ["money"] } }
    ],
    startConnection: [
      {
        title: "begins to connect a bank",
        json: {
          providerInstanceId: "demo:default",
          email: "person@example.com",
          institutionId: "demo-wallet",
          redirectUri: "https://app.example/back",
          forceNewConnection: true
        }
      },
      { title: "needs a provider and an address", json: {} },
      {
        title: "refuses a provider that is not set up",
        json: { providerInstanceId: "plaid:us", email: "p@example.com" }
      },
      {
        title: "refuses an institution that the provider lacks",
        json: { providerInstanceId: "demo:default", email: "p@example.com", institutionId: "nowhere" }
      },
      { title: "refuses an address that is none", json: { providerInstanceId: "demo:default", email: "nobody" } },
      {
        title: "refuses a way back without https",
        json: { providerInstanceId: "demo:default", email: "p@example.com", redirectUri: "ftp://x" }
      },
      {
        title: "points to a connection that exists",
        json: { providerInstanceId: "demo:default", email: "p@example.com", institutionId: "demo-broker" }
      }
    ],
    completeConnection: [
      {
        title: "connects a bank",
        json: {
          providerInstanceId: "demo:default",
          payload: { kind: "provider_connection_id", connectionId: "wallet", institutionId: "demo-wallet" }
        }
      },
      {
        title: "connects the same one again",
        json: {
          providerInstanceId: "demo:default",
          payload: { kind: "provider_connection_id", connectionId: "wallet", institutionId: "demo-wallet" }
        }
      },
      {
        title: "completes the attempt that was begun",
        json: {
          providerInstanceId: "demo:default",
          attemptId: scene.params["attempt_id"],
          payload: { kind: "provider_connection_id", connectionId: "retail" }
        }
      },
      { title: "needs a provider and a payload", json: {} },
      {
        title: "refuses a payload of another kind",
        json: { providerInstanceId: "demo:default", payload: { kind: "plaid_public_token", publicToken: "x" } }
      },
      { title: "refuses a payload of no kind", json: { providerInstanceId: "demo:default", payload: { kind: "none" } } }
    ],
    reauthConnection: [
      {
        title: "begins to connect a bank again",
        params: { bank_id: scene.brokerId },
        json: { redirectUri: "https://app.example/back" }
      },
      { title: "does so without saying where to go back to", params: { bank_id: scene.brokerId } },
      { title: "tells that the provider fails", json: {} }
    ],
    getConnectionAttempt: [{ title: "reads an attempt to connect" }],
    searchInstitutions: [
      { title: "finds institutions", json: { query: "demo", countryCodes: ["US"] } },
      { title: "finds none", json: { query: "nowhere" } },
      { title: "needs something to look for", json: {} },
      { title: "asks one provider", json: { query: "wallet", providerInstanceId: "demo:default" } },
      { title: "finds none at a provider that is not set up", json: { query: "demo", providerInstanceId: "plaid:us" } }
    ],
    listProviders: [{ title: "lists the providers" }, { title: "lists them to a viewer", as: "person-viewer" }]
  }
}
