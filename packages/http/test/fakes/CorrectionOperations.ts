/** The operations on matches, suggestions and tombstones, with requests that succeed. */
import type { Sample } from "./Operations.ts"
import * as Records from "./Records.ts"

const reads = ["banks:read"] as const
const writes = ["banks:write"] as const
const account = "/v1/banks/{bank_id}/accounts/{account_id}"
const paging = { limit: ["0", "-1", "1.5", "x", "", "1e2"], cursor: ["garbage", "old"] }
const pages = { limit: ["1", "999999999999999999999"], cursor: ["next"], recordId: ["txn_1"] }

const post = (id: string, path: string): Sample => ({
  id,
  method: "POST",
  template: `${account}/${path}`,
  status: 200,
  scopes: writes
})

export const correctionOperations: ReadonlyArray<Sample> = [
  {
    id: "listMatches",
    method: "GET",
    template: `${account}/matches`,
    status: 200,
    scopes: reads,
    faults: { ...paging, recordId: [""], state: ["open", "", "MADE"] },
    query: { ...pages, state: ["made", "undone"] }
  },
  { id: "listAccountJoins", method: "GET", template: `${account}/joins`, status: 200, scopes: reads },
  {
    ...post("joinAccounts", "join"),
    body: { accountId: Records.accountJoin.joinedId },
    required: ["accountId"],
    faults: { accountId: ["", 1, null] }
  },
  post("partAccounts", "part"),
  post("undoMatch", "matches/{match_id}/undo"),
  post("redoMatch", "matches/{match_id}/redo"),
  {
    id: "listSuggestions",
    method: "GET",
    template: `${account}/suggestions`,
    status: 200,
    scopes: reads,
    faults: { ...paging, recordId: [""], state: ["made", "", "Open"] },
    query: { ...pages, state: ["open", "accepted", "rejected"] }
  },
  post("acceptSuggestion", "suggestions/{suggestion_id}/accept"),
  post("rejectSuggestion", "suggestions/{suggestion_id}/reject"),
  {
    id: "deleteTransaction",
    method: "DELETE",
    template: `${account}/transactions/{transaction_id}`,
    status: 200,
    scopes: writes
  },
  post("restoreTransaction", "transactions/{transaction_id}/restore")
]
