/** What people decide about which accounts are the same. */
import { entriesOf, reads, type Entry } from "./Operation.ts"

const tool = { absent: "A person decides which accounts are the same." }

const act = {
  scopes: { anyOf: ["banks:write"] },
  role: "editor",
  app: "own",
  idempotency: "key",
  tool
} as const satisfies Partial<Entry>

export const joinOperations = entriesOf("joins", {
  listAccountJoins: {
    summary: "List what became part of an account, and which accounts may be the same one",
    scopes: { anyOf: ["banks:read"] },
    role: "viewer",
    app: "own",
    idempotency: "read",
    tool: reads("list_account_joins"),
    command: "accounts joins"
  },
  joinAccounts: {
    ...act,
    summary: "Make one account out of two: one that came back under a new id, and the one that it was",
    body: "required",
    command: "accounts join"
  },
  partAccounts: {
    ...act,
    summary: "Take back the latest join of an account",
    command: "accounts part"
  }
})
