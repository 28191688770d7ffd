/** Requests about accounts. */
import type { RequestsOf } from "../Request.ts"

export const accounts: RequestsOf = (scene) => {
  const { b, broked, brokerId, lent, lenderId } = scene
  const invested = { bank_id: brokerId, account_id: broked }
  const owed = { bank_id: lenderId, account_id: lent }
  return {
    listAccounts: [
      { title: "lists the accounts of a bank" },
      { title: "lists those of a brokerage", params: { bank_id: brokerId } }
    ],
    getAccount: [
      { title: "reads an account" },
      { title: "does not find one of another bank", params: { bank_id: brokerId } }
    ],
    updateAccount: [
      { title: "renames an account", params: { account_id: b }, json: { accountName: "Household" } },
      { title: "turns its amounts round", params: { account_id: b }, json: { signOverride: true } },
      { title: "changes nothing", params: { account_id: b }, json: {} },
      { title: "refuses an editor", params: { account_id: b }, json: { accountName: "Mine" }, as: "person-editor" }
    ],
    listTransactions: [
      { title: "lists the newest transactions", query: "limit=2" },
      async () => {
        const query = await scene.queryBehind(`${scene.account}/transactions?limit=2`)
        return { title: "goes on behind a page", query }
      },
      { title: "narrows to days", query: "from=2026-03-09&to=2026-03-10" },
      { title: "narrows to a text", query: "q=heron" },
      { title: "narrows to amounts", query: "minAmount=-20&maxAmount=-10&limit=1" },
      { title: "narrows to what waits", query: "pending=true" },
      { title: "narrows to a category and a type", query: "category=UNCATEGORIZED&type=OTHER&limit=1" },
      { title: "narrows to what was removed", query: "state=removed" },
      { title: "asks the bank itself", query: "cached=false&limit=1", after: 3600 },
      { title: "reads what is stored", query: "cached=true&limit=1" },
      { title: "tells that an account has none", params: invested },
      { title: "refuses days that end before they begin", query: "from=2026-03-10&to=2026-03-09" },
      { title: "reads to a viewer", as: "person-viewer", query: "limit=1" }
    ],
    getBalance: [{ title: "reads the balance" }, { title: "asks the bank itself", query: "cached=false", after: 3600 }],
    listTrades: [
      { title: "lists trades", params: invested, query: "limit=1&from=2026-01-01" },
      { title: "tells that an account has none" }
    ],
    listHoldings: [{ title: "lists holdings", params: invested }, { title: "tells that an account has none" }],
    listOrders: [{ title: "lists orders", params: invested }, { title: "tells that an account has none" }],
    getLoan: [{ title: "reads a loan", params: owed }, { title: "tells that an account is none" }]
  }
}
