/** What commands say and show beyond the definitions of their operations. An operation that is not here has a command too. */
import type { JsonObject } from "../output/ExactJson.ts"
import { program } from "../program/Program.ts"
import type { OptionPresentation, Presentation } from "./Presentation.ts"

const scope: OptionPresentation = { description: "family: with the portals of the workspace" }
const cached: OptionPresentation = { description: "Answer from what is stored, without asking the bank" }
const from: OptionPresentation = { metavar: "<date>", description: "First day, YYYY-MM-DD" }
const to: OptionPresentation = { metavar: "<date>", description: "Last day, YYYY-MM-DD" }
const ofRecord: OptionPresentation = {
  option: "record",
  metavar: "<transaction-id>",
  description: "Only those of this transaction"
}
const trashed: OptionPresentation = { description: "Those in the trash instead" }

const feedFields = {
  name: "Name of the feed",
  icon: "Icon",
  order: { metavar: "<n>", description: "Its place in the list" },
  source: "Where the records come from",
  dataType: "Kind of the records"
} as const

const tableFields = {
  name: "Name of the table",
  description: { metavar: "<text>", description: "What the table is for" },
  icon: "Icon",
  folderId: "Folder that the table is in"
} as const

const fieldFields = {
  key: "Name in rows and filters; made from the name if not given",
  name: "Name of the field",
  // Nothing stores files in tables yet.
  type: { description: "What its cells hold", without: ["file"] },
  description: { metavar: "<text>", description: "What the field is for" },
  required: "Whether rows must have a value",
  unique: "Whether no two rows may have the same value",
  indexed: "Whether filters and sorts on it stay fast in large tables"
} as const

const tableColumns = ["id", "name", "rowCount", "source.kind", "createdAt", "updatedAt"]

/** By the id of the operation. */
export const presentations: Readonly<Record<string, Presentation>> = {
  updateWorkspace: {
    description: "Change the workspace; enrichments work out sums again after another base currency",
    short: "Change the workspace",
    examples: [{ command: "millrace workspace update --currency EUR --timezone Europe/Berlin" }],
    options: {
      name: "Name of the workspace",
      icon: "Icon",
      baseCurrency: {
        option: "currency",
        metavar: "<code>",
        description: "Base currency, such as EUR: sums over several currencies are in it"
      },
      timezone: { metavar: "<zone>", description: "Time zone, such as Europe/Berlin: it decides what day is today" },
      locale: { metavar: "<tag>", description: "Language tag, such as de-CH" }
    }
  },
  listAuditEntries: {
    description: "List who did what in the workspace, newest first; --output json shows what was changed",
    short: "List who did what in the workspace",
    noun: "entries",
    columns: ["at", "outcome", "operationId", "resource.id", "actor.kind", "credential.id", "requestId"],
    options: {
      from: { metavar: "<date>", description: "First day in UTC" },
      to: { metavar: "<date>", description: "Last day in UTC" },
      actor: { metavar: "<id>", description: "Only what this person, key, app, automation or feed did" },
      operationId: { option: "operation", description: "Only what this operation did, such as updateFeed" },
      resourceId: { option: "resource", metavar: "<id>", description: "Only what was done to this" },
      outcome: "Only what ended so"
    }
  },
  verifyAudit: {
    description:
      "Check that no entry of the audit was changed or removed. Keep the number and hash of the newest entry elsewhere: a later " +
      "check with --known also finds an audit that was rewritten as a whole",
    short: "Check that no entry of the audit was changed",
    options: {
      known: {
        metavar: "<number:hash>",
        description: "The newest entry of an earlier check: only what follows it is checked"
      }
    }
  },
  listBanks: {
    columns: ["id", "name", "source", "type", "connectionStatus.status", "connectionStatus.lastCheckedAt"],
    options: { scope, deleted: "Those that were deleted and not yet purged instead" }
  },
  updateBank: {
    options: {
      name: "Its name",
      icon: { description: "Its icon; empty takes it away", clears: true },
      order: { metavar: "<n>", description: "Its place in the list" }
    }
  },
  refreshBank: {
    options: {
      dataTypes: {
        option: "data-type",
        metavar: "<type>",
        description: "Only this type of data; may be given several times"
      }
    }
  },
  deleteBank: {
    description:
      "Delete a bank connection that no feed uses; a signed-in person can remove one permanently over the API",
    // Only a signed-in person may, and commands come with a key.
    options: { permanent: { hidden: true } },
    note: "Deleted {id}. It can be restored until the beginning of a month removes it permanently."
  },
  listProviders: { columns: ["id", "name", "flow", "countryCodes", "dataTypes", "historyDays"] },
  listAccounts: {
    columns: ["id", "accountName", "accountNumber", "accountType", "balance", "currency", "state"]
  },
  updateAccount: {
    examples: [
      { command: "millrace accounts update --bank bank_01 --account acct_01 --name Household" },
      {
        command: "millrace accounts update --bank bank_01 --account acct_01 --invert",
        description: "Of a card whose purchases come as positive amounts; --no-invert takes it back"
      }
    ],
    options: {
      accountName: { option: "name", description: "What you call it; empty: what the bank calls it", clears: true },
      signOverride: {
        option: "invert",
        description: "Turn amounts round, where the connection shows money that comes in as negative"
      }
    }
  },
  getBalance: { options: { cached } },
  listTransactions: {
    columns: ["date", "description", "amount", "currency", "category", "pending"],
    examples: [
      {
        command: "millrace accounts transactions --bank bank_01 --account acct_01 --from 2026-01-01 --all -o csv",
        description: "Everything since January as CSV"
      }
    ],
    options: {
      cached,
      from,
      to,
      pending: "Only pending transactions, or only booked ones",
      type: "Only this type",
      category: "Only this category",
      q: { option: "search", metavar: "<text>", description: "Text in the description or the merchant's name" },
      minAmount: { metavar: "<amount>", description: "Lowest amount" },
      maxAmount: { metavar: "<amount>", description: "Highest amount" },
      state: "removed: no longer at the bank; deleted: by a person (default live)"
    }
  },
  listTrades: {
    columns: ["date", "type", "ticker", "securityName", "quantity", "price", "amount", "currency"],
    options: { cached, from, to }
  },
  listHoldings: {
    columns: ["ticker", "securityName", "quantity", "currentPrice", "currentValue", "costBasis", "currency", "asOf"],
    options: { cached }
  },
  listOrders: {
    columns: ["date", "status", "action", "security", "orderType", "totalQuantity", "limitPrice", "currency"],
    options: { cached }
  },
  getLoan: { options: { cached } },
  listMatches: {
    columns: [
      "id",
      "state",
      "recordId",
      "before.date",
      "before.description",
      "before.amount",
      "observed.date",
      "observed.description",
      "observed.amount",
      "evidence.tier",
      "evidence.cost"
    ],
    options: { recordId: ofRecord, state: "Only matches in this state" }
  },
  listSuggestions: {
    columns: [
      "id",
      "state",
      "record.date",
      "record.description",
      "record.amount",
      "observed.date",
      "observed.description",
      "observed.amount",
      "evidence.cost"
    ],
    options: { recordId: ofRecord, state: "Only suggestions in this state" }
  },
  deleteTransaction: {
    short: "Delete a transaction",
    note: `Deleted {id}. It stays deleted; ${program} accounts restore-transaction brings it back.`
  },
  restoreTransaction: { short: "Bring back a transaction" },
  listAccountJoins: { short: "List what was joined, and what could be" },
  joinAccounts: {
    short: "Make one account out of two",
    options: { accountId: { argument: "account" } }
  },
  listFeeds: {
    columns: ["id", "name", "source", "dataType", "state.status", "state.lastSuccessAt", "state.nextRunAt"],
    options: { dataType: "Kind of the records", source: "Where the records come from", scope }
  },
  createFeed: {
    examples: [
      {
        command: "millrace feeds create --name Banking --source sync --data-type transactions --file feed.json",
        description: "sourceConfig and destinationConfig come from the file"
      }
    ],
    options: feedFields
  },
  updateFeed: { options: feedFields },
  deleteFeed: {
    description: "Delete a feed; delivered records stay where they are",
    note: "Deleted {id}. Delivered records stay where they are."
  },
  listFeedUploads: {
    columns: ["id", "fileName", "format", "size", "status", "jobId", "createdAt"],
    options: { status: "Only files in this state" }
  },
  readFeedUpload: {
    description: "Read a file again with the options that the feed has now; what it gave before is replaced",
    short: "Read a file again with the options of the feed"
  },
  deleteFeedUpload: {
    description: "Delete a file and the records that only it showed",
    note: "Deleted {id} and what only it showed."
  },
  endFeedUpload: { note: "Ended {id}. Files that came by it stay." },
  listFeedRecords: {
    description: "List what became of the records of a feed at its destination, newest first",
    short: "List what became of the records of a feed",
    columns: ["recordId", "op", "state", "dead", "version", "attempts", "lastError", "jobId", "updatedAt"],
    options: {
      state: "Only records in this state; dead ones were refused permanently",
      jobId: { option: "job", metavar: "<job-id>", description: "Only records that this job handled last" },
      recordId: { option: "record", metavar: "<record-id>", description: "Only this record" }
    }
  },
  listWithheld: {
    short: "List the rows that filters keep back, and why",
    noun: "rows",
    columns: ["rowId", "date", "verdict", "reason", "enrichmentId", "since", "overdue"],
    options: { verdict: "Only rows that wait, or only those that are dropped" }
  },
  undoRun: {
    description: "Take back all that enrichments changed in a job; what people said since stays",
    short: "Undo what enrichments changed in a job",
    options: { redo: "Take back an undo of the same" }
  },
  explainRecord: { short: "Explain the values of a record" },
  clearRecordFields: {
    short: "Take back what was said of a record",
    options: {
      names: {
        option: "field",
        repeats: true,
        description: "Only what was said of this field; may be given several times"
      }
    }
  },
  simulateEnrichments: {
    options: {
      from: { metavar: "<date>", description: "Only records of this day or a later one" },
      to: { metavar: "<date>", description: "Only records of this day or an earlier one" },
      feedIds: "Only this feed; may be given several times",
      asOf: { metavar: "<date>", description: "The day that counts as today" }
    }
  },
  listFindings: {
    options: {
      kind: "Only those of this kind, such as duplicate_charge",
      from: { metavar: "<date>", description: "First day on which it was found first" },
      to: { metavar: "<date>", description: "Last day on which it was found first" }
    }
  },
  updateFinding: {
    options: { status: "What happens to it (required)", note: "What you want to remember about it" }
  },
  listBudgetPeriods: {
    options: {
      from: { metavar: "<date>", description: "Only periods that end on this day or later" },
      to: { metavar: "<date>", description: "Only periods that begin on this day or earlier" }
    }
  },
  updateSeries: { options: { name: "What people call it" } },
  mergeSeries: { options: { seriesId: "The other series (required)" } },
  listTables: {
    columns: (records: ReadonlyArray<JsonObject>) => [
      ...tableColumns,
      ...(records.some(({ purgeAt }) => typeof purgeAt === "string") ? ["purgeAt"] : [])
    ],
    options: { trashed }
  },
  getTable: { description: "Show a table with its fields" },
  createTable: {
    description: "Create a table; the file says which fields it has",
    short: "Create a table",
    examples: [
      {
        command: `echo '{"fields":[{"name":"Amount","type":"currency"}]}' | millrace tables create --name Money --file -`
      }
    ],
    options: tableFields,
    // A table without fields is one that gets them later.
    body: { fields: [] }
  },
  updateTable: {
    description: "Change a table; null in the file clears what it names",
    short: "Change a table",
    examples: [
      {
        command: `echo '{"keyFields":["invoice"]}' | millrace tables update tbl_01 --file -`,
        description: "Rows are upserted by their invoice"
      }
    ],
    options: tableFields
  },
  deleteTable: {
    description: "Move a table to the trash, where it stays for 30 days",
    short: "Move a table to the trash",
    options: { permanent: "Permanently, from the trash" }
  },
  createField: {
    description: "Add a field to a table; options and default come from the file",
    short: "Add a field to a table",
    examples: [
      { command: "millrace tables fields add --table tbl_01 --name Due --type date --indexed" },
      {
        command: `echo '{"options":{"choices":[{"label":"Open"},{"label":"Paid"}]}}' | millrace tables fields add --table tbl_01 --name State --type select --file -`
      }
    ],
    options: fieldFields
  },
  updateField: {
    description: "Change a field; options and default come from the file, and null there clears",
    short: "Change a field",
    options: fieldFields,
    // Fields change with their table and have no version of their own.
    versionOf: "table"
  },
  deleteField: { description: "Remove a field and its cells", note: "Removed {id} and its cells.", versionOf: "table" }
}
