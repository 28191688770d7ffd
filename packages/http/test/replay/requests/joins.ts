/** Requests about joins. */
import type { RequestsOf } from "../Request.ts"

export const joins: RequestsOf = (scene) => ({
  listAccountJoins: [{ title: "lists the joins of an account" }],
  joinAccounts: [
    { title: "joins two accounts", json: { accountId: scene.b } },
    { title: "refuses to join an account with itself", json: { accountId: scene.a } },
    { title: "refuses an account of another currency or kind", json: { accountId: scene.lent } },
    { title: "needs an account", json: {} },
    { title: "says again that two accounts are joined", json: { accountId: scene.b } },
    { title: "refuses a viewer", json: { accountId: scene.b }, as: "person-viewer" }
  ],
  partAccounts: [{ title: "parts two accounts" }, { title: "refuses an account that is joined to none" }]
})
