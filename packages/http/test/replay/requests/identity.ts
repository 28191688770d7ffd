/** Requests about identity. */
import type { RequestsOf } from "../Request.ts"

export const identity: RequestsOf = ({ workspace }) => ({
  whoami: [
    { title: "says who has the key of the owner" },
    { title: "says who has a key without scopes", as: "none" },
    { title: "says who has a key of a client portal", as: "portal" },
    { title: "says who a person is", as: "person-editor", headers: { "x-workspace-id": workspace.id } },
    { title: "says what an app of others may", as: "app-viewer" },
    { title: "takes the id of the request", headers: { "x-request-id": "mine-1" } },
    { title: "answers HEAD without a body", method: "HEAD" },
    { title: "answers OPTIONS", method: "OPTIONS" }
  ]
})
