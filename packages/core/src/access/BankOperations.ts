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

/** What is told of institutions and providers is no one's own. */
const lookUp = (summary: string, tool: string, command: string): Entry => ({
  ...read(summary, tool, command),
  scopes: { anyOf: ["institutions:read"] }
})

const write = {
  scopes: { anyOf: ["banks:write"] },
  role: "admin"
} as const satisfies Partial<Entry>

/** What asks a provider: no transaction is held over it. */
const callsOut = { ...write, idempotency: "key", waits: true } as const satisfies Partial<Entry>

export const bankOperations = entriesOf("banks", {
  listBanks: read("List bank connections", "list_banks", "banks list"),
  getBank: read("Get a bank connection", "get_bank", "banks get"),
  updateBank: {
    ...write,
    summary: "Change the name, icon or place of a bank",
    idempotency: "inherent",
    body: "required",
    tool: sets("update_bank"),
    command: "banks update"
  },
  refreshBank: {
    ...callsOut,
    summary: "Ask the provider to read from the bank now",
    body: "optional",
    tool: reaches("refresh_bank"),
    command: "banks refresh"
  },
  startConnection: {
    ...callsOut,
    summary: "Begin to connect a bank",
    body: "required",
    tool: reaches("start_connection"),
    command: "banks connect"
  },
  completeConnection: {
    ...callsOut,
    summary: "Complete a connection that a person has begun",
    body: "required",
    tool: reaches("complete_connection"),
    command: "banks complete"
  },
  /** Permanent removal needs a signed-in person besides: the use case asks. */
  deleteBank: {
    summary: "Delete a bank connection; a signed-in person can remove it for good",
    scopes: { anyOf: ["banks:write"] },
    role: "admin",
    idempotency: "inherent",
    sessionParameter: "permanent",
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
  },
  reauthConnection: {
    ...callsOut,
    summary: "Begin to connect a bank anew",
    body: "optional",
    tool: reaches("reauth_connection"),
    command: "banks reauth"
  },
  getConnectionAttempt: {
    ...write,
    summary: "Get an attempt to connect a bank",
    app: "own",
    idempotency: "read",
    tool: reads("get_connection_attempt"),
    command: "banks attempt"
  },
  searchInstitutions: {
    ...lookUp("Search the banks that can be connected", "search_institutions", "institutions search"),
    waits: true,
    body: "required"
  },
  listProviders: lookUp("List the providers that are configured", "list_providers", "providers list")
})

export const accountOperations = entriesOf("accounts", {
  listAccounts: read("List the accounts of a bank", "list_accounts", "accounts list"),
  getAccount: read("Get an account", "get_account", "accounts get"),
  updateAccount: {
    ...write,
    summary: "Change the name of an account, or turn its amounts round",
    idempotency: "inherent",
    body: "required",
    tool: sets("update_account"),
    command: "accounts update"
  },
  listTransactions: read("List transactions, newest first", "get_transactions", "accounts transactions"),
  getBalance: read("Get the latest balance", "get_balance", "accounts balance"),
  listTrades: read("List trades", "get_trades", "accounts trades"),
  listHoldings: read("List investment holdings", "get_holdings", "accounts holdings"),
  listOrders: read("List open orders", "get_orders", "accounts orders"),
  getLoan: read("Get loan details", "get_loan", "accounts loan")
})
