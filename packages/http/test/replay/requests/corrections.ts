/** Requests about corrections. */
import type { RequestsOf } from "../Request.ts"

export const corrections: RequestsOf = (scene) => {
  const made = { match_id: scene.params["match_id"]! }
  return {
    listMatches: [
      { title: "lists matches" },
      { title: "lists those of a record", query: `recordId=${scene.params["record_id"]}` },
      { title: "lists those that were undone", query: "state=undone" },
      { title: "lists one of them", query: "limit=1" }
    ],
    undoMatch: [
      { title: "parts what was matched", params: made },
      { title: "refuses to part it again", params: made },
      { title: "refuses a viewer", params: made, as: "person-viewer" }
    ],
    redoMatch: [
      { title: "matches again what was parted", params: made },
      { title: "refuses what is matched", params: made }
    ],
    listSuggestions: [
      { title: "lists suggestions" },
      { title: "lists those that are open", query: "state=open" },
      { title: "lists those of a record", query: `recordId=${scene.params["record_id"]}` }
    ],
    rejectSuggestion: [{ title: "rejects a suggestion" }, { title: "rejects it again" }],
    acceptSuggestion: [
      { title: "accepts a suggestion after all" },
      { title: "accepts it again" },
      { title: "refuses a viewer", as: "person-viewer" }
    ],
    deleteTransaction: [
      { title: "deletes a transaction" },
      { title: "deletes it again" },
      { title: "refuses a viewer", as: "person-viewer" }
    ],
    restoreTransaction: [{ title: "brings a deleted transaction back" }, { title: "brings it back again" }]
  }
}
