/** What people decide about which transactions are the same. */
import { entriesOf, type Entry } from "./Operation.ts"

const tool = { absent: "A person decides which transactions are the same." }

const read = (summary: string, command: string): Entry => ({
  summary,
  scopes: { anyOf: ["banks:read"] },
  role: "viewer",
  app: "own",
  idempotency: "read",
  tool,
  command
})

const decide = (summary: string, command: string): Entry => ({
  summary,
  scopes: { anyOf: ["banks:write"] },
  role: "editor",
  app: "own",
  idempotency: "key",
  tool,
  command
})

export const correctionOperations = entriesOf("corrections", {
  listMatches: read("List the matches of transactions that can be undone, newest first", "accounts matches list"),
  undoMatch: decide("Part two transactions that were matched, for good", "accounts matches undo"),
  redoMatch: decide(
    "Take back that a match was undone; returns the match that joins them anew",
    "accounts matches redo"
  ),
  listSuggestions: read("List pairs of transactions that may be one, newest first", "accounts suggestions list"),
  acceptSuggestion: decide(
    "Join two transactions: the older one goes on with what the younger one says",
    "accounts suggestions accept"
  ),
  rejectSuggestion: decide("Keep two transactions apart for good", "accounts suggestions reject"),
  deleteTransaction: {
    ...decide("Delete a transaction; it stays deleted however often the bank shows it", "accounts delete-transaction"),
    idempotency: "inherent"
  },
  restoreTransaction: decide(
    "Bring back a transaction that was deleted, or that the bank no longer shows",
    "accounts restore-transaction"
  )
})
