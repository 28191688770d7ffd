/** Bank connections, their accounts and what the accounts hold (specification 2.1). */
import { entriesOf, reaches, reads, removes, sets, type Entry } from "./Operation.ts"

const read = (summary: string, tool: string, command: string): Entry => ({
  summary,
  scopes: { anyOf: ["banks:read"] },
  role: "viewer",
  idempotency: "read",
  tool: reads(tool),
  command
})

export const bankOperations = entriesOf("banks", {
  listBanks: read("List bank connections", "list_banks", "banks list"),
  getBank: read("Get a bank connection", "get_bank", "banks get"),
  completeConnection: {
    summary: "Complete a connection that a person has begun",
    scopes: { anyOf: ["banks:write"] },
    role: "admin",
    idempotency: "key",
    waits: true,
    body: "required",
    served: false,
    tool: reaches("complete_connection"),
    command: "banks complete"
  },
  /** Permanent removal needs a signed-in person besides: the use case asks. */
  deleteBank: {
    summary: "Delete a bank connection; a signed-in person can remove it for good",
    scopes: { anyOf: ["banks:write"] },
    role: "admin",
    idempotency: "inherent",
    tool: removes("delete_bank"),
    command: "banks delete"
  },
  restoreBank: {
    summary: "Bring back a deleted bank connection, or one whose removal failed",
    scopes: { anyOf: ["banks:write"] },
    role: "admin",
    idempotency: "key",
    tool: sets("restore_bank"),
    command: "banks restore"
  }
})

export const accountOperations = entriesOf("accounts", {
  listAccounts: read("List the accounts of a bank", "list_accounts", "accounts list"),
  getAccount: read("Get an account", "get_account", "accounts get"),
  listTransactions: read("List transactions, newest first", "get_transactions", "accounts transactions"),
  getBalance: read("Get the latest balance", "get_balance", "accounts balance"),
  listTrades: read("List trades", "get_trades", "accounts trades"),
  listHoldings: read("List investment holdings", "get_holdings", "accounts holdings"),
  listOrders: read("List open orders", "get_orders", "accounts orders"),
  getLoan: read("Get loan details", "get_loan", "accounts loan")
})
