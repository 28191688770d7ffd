/** Groups of commands: what they are called in help, their order, and which ids are options of all commands below them. */
import type { GroupPresentation } from "./Presentation.ts"

/** By the words of the group; the root has none. */
export const groupPresentations: Readonly<Record<string, GroupPresentation>> = {
  "": {
    order:
      `whoami banks institutions providers accounts feeds jobs records enrichments tables rows workspace audit call login logout
      profiles mcp`.split(/\s+/)
  },
  banks: {
    description: "Bank connections",
    order: ["list", "get", "connect", "complete", "reauth", "update", "refresh", "delete", "restore", "attempt"]
  },
  institutions: { description: "Banks that can be connected" },
  providers: { description: "Providers through which banks are connected" },
  accounts: {
    description: "Accounts and their data",
    order:
      `list get update balance transactions delete-transaction restore-transaction matches suggestions joins join part trades
      holdings orders loan`.split(/\s+/),
    idOptions: ["bank_id", "account_id"]
  },
  "accounts matches": { description: "What was taken for the same transaction", order: ["list", "undo", "redo"] },
  "accounts suggestions": { description: "What may be the same transaction" },
  feeds: {
    description: "Feeds: what is synced where, and the files of upload feeds",
    short: "Feeds and their files",
    order: `list get data-type create update delete sync learn upload uploads records redeliver preview withheld`.split(
      " "
    )
  },
  "feeds uploads": { description: "The uploaded files of a feed", order: ["list", "read", "delete", "end"] },
  jobs: {
    description: "Sync jobs",
    order: ["list", "get", "cancel", "pause", "resume", "undo", "watch"]
  },
  records: {
    description: "Values of records: why they are what they are, and saying otherwise",
    order: ["explain", "set", "clear", "undo"]
  },
  enrichments: {
    order: `list get create update delete simulate simulations findings periods series links decisions merchants`.split(
      " "
    )
  },
  "enrichments simulations": { description: "Simulations that run in the background" },
  "enrichments findings": { description: "What enrichments found" },
  "enrichments series": { description: "Series of payments", order: ["list", "update", "merge", "split"] },
  "enrichments decisions": { description: "What people decided about what enrichments say" },
  "enrichments merchants": { description: "Merchants and their names" },
  tables: {
    description: "Tables and their fields",
    order: ["list", "get", "create", "update", "delete", "restore", "fields"]
  },
  "tables fields": {
    description: "Fields of tables; millrace tables get shows their ids",
    short: "Fields of tables",
    idOptions: ["table_id"]
  },
  rows: {
    description: "Rows of tables",
    order: ["list", "query", "get", "create", "update", "delete", "restore"],
    idOptions: ["table_id"]
  },
  workspace: { description: "The workspace: its name, base currency and time zone" },
  profiles: { description: "Servers and keys kept on this machine" }
}
