/** What the OpenAPI document says of each operation beyond its shape: a description, and a request and an answer. */
import { limits } from "@millrace/core"
import type { OperationId } from "@millrace/core/access"
import { enrichmentContract } from "@millrace/core/enrichment"
import type { CollectionContract } from "@millrace/core/collection"
import * as Examples from "./Examples.ts"

export interface OperationNotes {
  /** What it promises, in sentences. */
  readonly description: string
  /** An example of the body, for operations that take one. */
  readonly body?: unknown
  /** An example of the whole answer. */
  readonly answer: unknown
  /** The same with status 202, where it may be either. */
  readonly accepted?: unknown
}

const one = (data: unknown, meta?: unknown) => ({ success: true, data, ...(meta === undefined ? {} : { meta }) })
const deleted = one({ deleted: true })
const fresh = { asOf: Examples.at, stale: false }
const of = (data: unknown) => one(data, fresh)

const list = (self: string, row: unknown, meta: object = {}) => ({
  success: true,
  data: [row],
  meta: { count: 1, hasMore: false, ...meta },
  links: { self }
})

const { ids } = Examples

/** What follows from the contract of a collection. */
export const collectionNotes = ({
  examples,
  surface: { path, trash, verbs, words }
}: Pick<CollectionContract<never, never, never>, "examples" | "surface">): Readonly<
  Record<string, OperationNotes>
> => ({
  [verbs.list.id]: {
    description: `Lists the ${words.many} of the workspace.`,
    answer: list(path, examples.record)
  },
  [verbs.create.id]: {
    description: `Creates one of the ${words.many}.`,
    body: examples.create,
    answer: one(examples.record)
  },
  [verbs.get.id]: { description: `Returns one of the ${words.many}.`, answer: one(examples.record) },
  [verbs.update.id]: {
    description: "Changes what is sent and leaves the rest as it is. `null` clears what may be absent.",
    body: examples.update,
    answer: one(examples.record)
  },
  [verbs.remove.id]: {
    description: trash
      ? `Moves one of the ${words.many} to the trash for 30 days. \`permanent=true\` deletes for good what is in the trash.`
      : `Deletes one of the ${words.many} for good.`,
    answer: deleted
  },
  [verbs.restore.id]: {
    description: `Takes one of the ${words.many} out of the trash.`,
    answer: one(examples.record)
  }
})
const banks = `/v1/banks/${ids.bank}`
const account = `${banks}/accounts/${ids.account}`
const feed = `/v1/feeds/${ids.feed}`
const table = `/v1/tables/${ids.table}`

const readThrough =
  "Data that is older than the freshness of its provider is read from upstream first, for at most 10 seconds. " +
  "Where that fails, stored data answers with `meta.stale` and the reason; without stored data the answer is 503. " +
  "`cached=true` never asks upstream."

export const operationNotes: Readonly<Partial<Record<OperationId, OperationNotes>>> = {
  whoami: {
    description:
      "Tells the workspace, the plan with its limits, and the scopes of the credential. Answers on every plan.",
    answer: one(Examples.whoAmI)
  },
  getWorkspace: { description: "Returns the workspace of the credential.", answer: one(Examples.workspace) },
  updateWorkspace: {
    description:
      "Changes what is sent and leaves the rest as it is. After another base currency or time zone, enrichments work out " +
      "again what they say of the whole history.",
    body: { baseCurrency: "EUR", timezone: "Europe/Berlin" },
    answer: one({ ...Examples.workspace, version: 2 })
  },
  listAuditEntries: {
    description:
      "Lists who did what in the workspace, newest first, for two years. Each entry has a hash over itself and the entry " +
      "before it, so that a change shows. What is under way has an entry once it has ended.",
    answer: list(`/v1/workspaces/${ids.workspace}/audit`, Examples.auditEntry)
  },
  verifyAudit: {
    description:
      "Checks that no entry of the audit was changed, removed, added in between or moved. Keep `newest` elsewhere: a later " +
      "check with it in `known` checks what follows it, and also finds an audit that was rewritten as a whole.",
    answer: one(Examples.auditCheck)
  },
  listBanks: {
    description: "Lists the bank connections of the workspace in their order, with the health of each.",
    answer: list("/v1/banks", Examples.bank)
  },
  getBank: {
    description:
      "Returns one bank connection with its health, and with how its removal goes while it is being removed for good or " +
      "after that has failed.",
    answer: one(Examples.bank)
  },
  receiveProviderWebhook: {
    description:
      "For providers: takes a callback in, whatever its body is, once its signature proves whose it is (401 otherwise). It " +
      "schedules work and is answered before that is done; a repeat does nothing. A provider without callbacks is not " +
      "found (404).",
    answer: { success: true }
  },
  deleteBank: {
    description:
      "Deletes a bank that no feed uses (409 otherwise). It can be restored until the first of a month removes it for " +
      "good. `permanent=true` removes it at once, in the background (202): the connection is given back at the provider, " +
      "then all that is known of it is destroyed. That needs a signed-in session and cannot be taken back; after a " +
      "failure it goes on where it stopped when it is asked for again.",
    answer: deleted,
    accepted: one({ status: "removing" })
  },
  restoreBank: {
    description:
      "Brings back a bank that was deleted, or one that could not be disconnected, and looks at its connection again. " +
      "Refused (409) while it is being removed, and once something of it was destroyed.",
    answer: one(Examples.bank)
  },
  updateBank: {
    description:
      "Changes the name, icon or place of a bank and leaves the rest as it is. `null` takes the icon away. Everything else " +
      "is what the bank tells.",
    body: { name: "Household", order: 3 },
    answer: one({ ...Examples.bank, name: "Household", order: 3 })
  },
  refreshBank: {
    description:
      "Asks the provider to read from the bank now. What it finds is read by the next sync, or by the next request that " +
      "asks for fresh data. `not_supported` where the provider reads by itself.",
    body: { dataTypes: ["transactions"] },
    answer: one({ status: "refreshing", nextRefreshPossibleAt: "2026-03-04T06:06:07.008Z" })
  },
  startConnection: {
    description:
      "Begins to connect a bank. `flow` says how the person goes on: in the provider's own widget, in a window of its own " +
      "at `url`, or by sending the browser to `url`; `connectUrl` is a page of this installation that does all of it. What " +
      "comes back is handed to completeConnection, unless the page has done so: getConnectionAttempt tells. " +
      "`existing_connection` where a bank of that institution is connected already: connect that one anew with " +
      "reauthConnection, or ask again with `forceNewConnection`. Fields that the provider does not read are ignored; " +
      "listProviders says which ones it reads.",
    body: { providerInstanceId: "demo:default", email: "person@example.com", institutionId: "demo-retail" },
    answer: one(Examples.connectionStart)
  },
  completeConnection: {
    description:
      "Completes a connection with what the provider gave the person's browser: the public token of Plaid, the setup token " +
      "of SimpleFIN, the connection id of all others. The provider is asked whether it is ours. Asking again with the same " +
      "`attemptId` returns the same bank with `created` false, and goes on where an earlier request stopped.",
    body: {
      providerInstanceId: "demo:default",
      attemptId: ids.attempt,
      payload: { kind: "provider_connection_id", connectionId: "anything" }
    },
    answer: { success: true, bankId: ids.bank, created: true, accounts: [Examples.account] }
  },
  reauthConnection: {
    description:
      "Begins to connect a bank anew, as startConnection does. Completing it keeps the bank, its accounts and the ids of " +
      "their records. An earlier attempt of the same credential for the bank is superseded.",
    body: { redirectUri: "https://app.example/banks" },
    answer: one(Examples.connectionStart)
  },
  getConnectionAttempt: {
    description:
      "Returns how an attempt to connect a bank goes, for programs that wait for their person: ask every 3 seconds at most. " +
      "An attempt that expired is still completed by a success that comes within a day.",
    answer: one(Examples.connectionAttempt)
  },
  searchInstitutions: {
    description:
      "Searches the banks that all configured providers can connect, at most 50 of each: exact names first, then names that " +
      "begin so, then words. `providers` says how each provider answered; one that fails takes nothing from the others.",
    body: { query: "first", countryCodes: ["US"] },
    answer: one(Examples.foundInstitutions)
  },
  listProviders: {
    description: "Lists the providers that the operator has configured, with what each of them can do.",
    answer: list("/v1/banks/providers", Examples.providerInstance)
  },
  listAccounts: {
    description: `Lists the accounts of a bank with their balances, oldest first. ${readThrough}`,
    answer: list(`${banks}/accounts`, Examples.account, fresh)
  },
  getAccount: {
    description: `Returns one account with its balance. ${readThrough}`,
    answer: of(Examples.account)
  },
  updateAccount: {
    description:
      "Changes what you call an account (`null`: what the bank calls it), or turns its amounts round, where the connection " +
      "shows money that comes in as negative. The latter changes all transactions and trades that the connection has shown, " +
      "and those that it shows from now on; what a person said of a record stays, and so do rows of statement files. Feeds " +
      "deliver what follows with their next sync. Refused (409) while the bank is read.",
    body: { accountName: "Household", signOverride: true },
    answer: one({ ...Examples.account, accountName: "Household", signOverride: true })
  },
  listTransactions: {
    description:
      "Lists transactions as the bank tells them, newest first. The last page has a cursor too: it later returns only " +
      `what was created or changed since, oldest change first, and names in \`meta.removed\` what is gone. ${readThrough}`,
    answer: list(`${account}/transactions`, Examples.transaction, { ...fresh, cursor: "eyJ2IjoxfQ.c2lnbmF0dXJl" })
  },
  getBalance: {
    description: `Returns the latest balance; a debt is negative. ${readThrough}`,
    answer: of(Examples.balance)
  },
  listTrades: {
    description: `Lists trades, newest first, of the last 90 days unless \`from\` says otherwise. ${readThrough}`,
    answer: list(`${account}/trades`, Examples.trade, fresh)
  },
  listHoldings: {
    description: `Lists what an investment account holds now, the most valuable first. ${readThrough}`,
    answer: list(`${account}/holdings`, Examples.holding, fresh)
  },
  listOrders: {
    description: `Lists open orders, newest first. Executed ones are trades. ${readThrough}`,
    answer: list(`${account}/orders`, Examples.order, fresh)
  },
  getLoan: {
    description: `Returns the terms of a loan and what is owed. ${readThrough}`,
    answer: of(Examples.loan)
  },
  listMatches: {
    description:
      "Lists which observations were taken for transactions that were there already, with the evidence, newest first. " +
      "Each of them can be undone.",
    answer: list(`${account}/matches`, Examples.match)
  },
  listAccountJoins: {
    description:
      "Lists the accounts that became part of this one, and accounts that may be the same one, each with what speaks " +
      "for it. An account that comes back under a new id is known again by keys that its bank keeps; where there are " +
      "none, it is a person who can tell.",
    answer: one(Examples.accountJoins)
  },
  joinAccounts: {
    description:
      "Makes one account out of two. The older one goes on with everything that refers to it, and is read where the " +
      "younger one was; records that both have become one, feeds and enrichments that named either name it, and what people wrote " +
      "stays. Refused for another currency or type, and while one of the two banks is read.",
    body: { accountId: ids.otherAccount },
    answer: one({ account: Examples.account, join: Examples.accountJoin })
  },
  partAccounts: {
    description:
      "Takes back the latest join: both accounts are as they were. What arrived since belongs to the account whose " +
      "upstream it came from. Enrichments that somebody changed meanwhile are left as they are: `meta.warnings` names them.",
    answer: one(
      { accounts: [Examples.account, { ...Examples.account, id: ids.otherAccount, accountName: "Everyday account" }] },
      { warnings: [] }
    )
  },
  undoMatch: {
    description: "Parts two transactions that were taken for one. No later sync joins them again.",
    answer: one({
      ...Examples.match,
      state: "undone",
      separateId: ids.otherTransaction,
      decidedBy: { kind: "api", clientId: ids.key },
      decidedAt: Examples.at
    })
  },
  redoMatch: {
    description: "Takes back that a match was undone. Returns the match that joins the two anew.",
    answer: one(Examples.match)
  },
  listSuggestions: {
    description: "Lists pairs of transactions that may be one and the same, newest first. Nothing was joined.",
    answer: list(`${account}/suggestions`, Examples.suggestion)
  },
  acceptSuggestion: {
    description: "Joins the two transactions: the older one goes on with what the younger one says.",
    answer: one({
      ...Examples.suggestion,
      state: "accepted",
      decidedBy: { kind: "api", clientId: ids.key },
      decidedAt: Examples.at
    })
  },
  rejectSuggestion: {
    description: "Keeps the two transactions apart for good.",
    answer: one({
      ...Examples.suggestion,
      state: "rejected",
      decidedBy: { kind: "api", clientId: ids.key },
      decidedAt: Examples.at
    })
  },
  deleteTransaction: {
    description: "Deletes a transaction here and at destinations. It stays deleted however often the bank shows it.",
    answer: deleted
  },
  restoreTransaction: {
    description: "Brings back a transaction that a person deleted, or that the bank no longer shows.",
    answer: one(Examples.transaction)
  },
  listFindings: {
    description:
      "Lists what an enrichment found and people should look at, newest first. What it finds no longer is `resolved`.",
    answer: list(`/v1/enrichments/${ids.enrichment}/findings`, Examples.finding)
  },
  updateFinding: {
    description:
      "Keeps what a person decided about a finding. One that was dismissed stays so, also when it is found again. The " +
      "enrichment learns of it where its type does.",
    body: { status: "dismissed", note: "Two coffees that morning" },
    answer: one({ ...Examples.finding, status: "dismissed", note: "Two coffees that morning", version: 2 })
  },
  listBudgetPeriods: {
    description:
      "Lists the periods of an enrichment of type `budget`, newest first: what was planned for each line, carried over, spent and " +
      "is left, exactly. Periods that are over keep the amounts that were in force on their last day.",
    answer: list(`/v1/enrichments/${ids.enrichment}/periods`, Examples.period)
  },
  listSeries: {
    description:
      "Lists the series of payments that an enrichment of type `recurring` found, by name, with those that are over.",
    answer: list(`/v1/enrichments/${ids.enrichment}/series`, Examples.series)
  },
  listLinks: {
    description:
      "Lists which records an enrichment ties together, such as the two sides of a transfer, with all that speaks for it. Pairs that " +
      "a person keeps apart are among the decisions.",
    answer: list(`/v1/enrichments/${ids.enrichment}/links`, Examples.link)
  },
  listWithheld: {
    description:
      "Lists the rows that filters keep from the destination of a feed, and why: those that wait (`hold`) and those that are not " +
      "delivered (`drop`). Worked out when it is asked for, from all records of the feed: of a large feed a page may have fewer " +
      `rows than asked for and go on. A run warns once a day of rows that wait for more than ${limits.holdDays} days (ROWS_HELD).`,
    answer: list(`/v1/feeds/${ids.feed}/withheld`, Examples.withheld)
  },
  listDecisions: {
    description:
      "Lists what people decided about what an enrichment says and holds, newest first: names, what is one and what is not, " +
      "questions that were answered, and what it has to be silent about.",
    answer: list(`/v1/enrichments/${ids.enrichment}/decisions`, Examples.decision)
  },
  undoDecision: {
    description: "Takes a decision back: what follows is as if nobody had decided.",
    answer: one(Examples.decision)
  },
  updateSeries: {
    description: "Names a series of payments. The name stays with most of its payments, whatever is worked out anew.",
    body: { name: "Rent" },
    answer: one({ ...Examples.series, name: "Rent" })
  },
  mergeSeries: {
    description: "Says that two series of payments are one, of one merchant or of two. Undo it among the decisions.",
    body: { seriesId: Examples.otherSeries },
    answer: one({ ...Examples.decision, kind: "confirm", sentence: "Two records belong together" })
  },
  splitSeries: {
    description: "Begins a series of its own with one of the payments of a series. Undo it among the decisions.",
    body: { recordId: ids.transaction },
    answer: one({ ...Examples.decision, kind: "forbid", sentence: "Two records do not belong together" })
  },
  mergeMerchants: {
    description:
      "Says what a merchant is called, in an enrichment of type `ai_merchant`. Where another merchant is called so, the two are " +
      "one. Undo it among the decisions: both have their former ids again.",
    body: { from: "Blue Heron Cafe", into: "Blue Heron" },
    answer: one({
      ...Examples.decision,
      kind: "accept",
      field: "merchant Blue Heron Cafe",
      value: "Blue Heron",
      sentence: 'What is called "Blue Heron Cafe" is "Blue Heron"',
      recordIds: []
    })
  },
  simulateEnrichments: {
    description:
      "Returns what up to 20 changes of enrichments would do to the records that are there: the difference between all of them " +
      "run through the enrichments as they would be, and as they are. Values that would come, change and go, with samples; " +
      "lines, links, series, budgets, findings and messages; what each feed would deliver, and what models would be asked. Decisions " +
      "of people can be supposed as well: silence, link and lift. Nothing is stored, sent or asked outside. More " +
      "than 20,000 records, and whatever takes longer than 10 seconds, are looked at in the background: then the answer is 202 with an `id`, by which `getSimulation` tells " +
      "how far it came and what it found. Who asks the same again while that is open gets the same `id`. At most 5 are open " +
      "(422).",
    body: { changes: [{ kind: "enable", enrichmentId: ids.enrichment, enabled: false }], from: "2026-01-01" },
    answer: one(Examples.simulation)
  },
  getSimulation: {
    description:
      "Returns a simulation that is played in the background. Its `report` is there once it is `completed`, and is the one that a small " +
      "simulation answers at once; records that change while it is played may be left out. A server that stops has it begin anew " +
      "elsewhere. It can be read for 30 days.",
    answer: one({ ...Examples.simulationState, status: "completed", report: Examples.simulation })
  },
  cancelSimulation: {
    description: "Has a simulation be played no further. One that has ended stays as it is.",
    answer: one({ ...Examples.simulationState, status: "cancelled" })
  },
  previewEnrichment: {
    description:
      "Runs the enrichments that are switched on for the feed over records that you send, by the way of real runs: as new " +
      "versions of records whose ids are known, and as new records otherwise. Nothing is stored, sent or asked outside; models " +
      "answer from what was kept. A record that a filter keeps from the destination comes back with `dropped`.",
    body: { records: [{ date: "2026-03-04", description: "GREEN TEA HOUSE", amount: -4.8 }] },
    answer: one(Examples.preview)
  },
  explainRecord: {
    description:
      "Returns, for each feed that shows the record, every field with all that is said of it: the provider, each enrichment and " +
      "people, the strongest word first, each with one sentence and what comes of it when it is asked once more. Beside it the " +
      "filter's verdict, what ties it to other records, and how its values changed.",
    answer: one(Examples.explanation)
  },
  setRecordFields: {
    description:
      "Keeps a person's own values of fields, and locks others as they are shown. Every feed that shows the record follows at " +
      "once, without asking a provider; no enrichment overrules them. What enrichments would have written is told as a shadow. `split` lets a " +
      "record fall into lines with amounts of their own; where its amount changes later, the last line has the difference.",
    body: {
      fields: { category: "Gifts" },
      lock: ["merchantName"],
      split: { lines: [{ amount: "-15.00", set: { category: "Cash" } }, { set: { category: "Groceries" } }] }
    },
    answer: one(Examples.words)
  },
  clearRecordFields: {
    description: "Takes back what a person said of fields: the value is that of whoever says something else.",
    answer: one({ ...Examples.words, words: [], shadows: [] })
  },
  undoChange: {
    description:
      "Silences an enrichment about a field of a record, or about the whole record, also in its later revisions, until `redo` " +
      "lets it speak again. The value is then what it would be without it. With `linkId`, a transfer or another link that " +
      "`explainRecord` tells is taken apart: its records are not tied together again, and may be tied to others.",
    body: { field: "category" },
    answer: one({ recordId: ids.transaction, facts: [Examples.silence] })
  },
  undoRun: {
    description:
      "Silences each enrichment about each value that it changed in the job. Values that people have spoken about since stay " +
      "(`kept`), and so does what the provider said. Links of records that the job made, such as transfers, are taken apart. " +
      "`redo` lets them speak again. Feeds follow at once, without asking a provider.",
    body: {},
    answer: one({ jobId: ids.job, fields: 12, links: 2, kept: 1 })
  },
  getDataTypeSchema: {
    description:
      "Returns what a feed of a data type can map: each field with its type, what it means and an example, the mappings of " +
      "a feed that is given none, its options and the ways in which it is read.",
    answer: one(Examples.dataTypeSchema)
  },
  listFeeds: {
    description: "Lists the feeds of the workspace in their order, with the state of each.",
    answer: list("/v1/feeds", Examples.feed)
  },
  createFeed: {
    description:
      "Creates a feed: data of one type, from accounts or files to one destination. Source and destination may follow " +
      "later; a feed without them does not sync. What does not block is told in `meta.warnings`.",
    body: Examples.newFeed,
    answer: one(Examples.feed, { warnings: [] })
  },
  getFeed: { description: "Returns one feed with its state.", answer: one(Examples.feed) },
  updateFeed: {
    description:
      "Changes what is sent and leaves the rest as it is; a block that is sent replaces the old one whole. While a job " +
      "runs, source and destination cannot change (409).",
    body: { name: "Everyday account", schedule: null },
    answer: one({ ...Examples.feed, name: "Everyday account" }, { warnings: [] })
  },
  deleteFeed: {
    description: "Deletes a feed with its job history and cancels its active job. Delivered rows stay where they are.",
    answer: { success: true }
  },
  uploadFeedFile: {
    description:
      "Stores a statement file for a feed of source `upload` and starts a sync unless the feed has a schedule. OFX, QFX, " +
      "QIF, CAMT.052/053/054, MT940, MT942 and CSV are read; the content tells which it is. A file that cannot " +
      "be read is refused with the line (422), and nothing of it is kept. The same file answers with the upload that is " +
      "there.",
    answer: one({ ...Examples.upload, status: "stored", jobId: null })
  },
  startFeedUpload: {
    description:
      "Makes the address of a page on which a person uploads statement files to a feed, for one hour and without a key. It " +
      "ends with the key that asked for it. The page shows the name of the feed and what was read from each file.",
    body: { redirectUri: "https://app.example/done" },
    answer: one({
      id: ids.uploadPage,
      url: "https://money.example/connect/upload?state=q7Yw2mX0bT4kVn8sLr1cZd6fHg3jPa9e",
      expiresAt: "2026-03-14T10:30:00.000Z"
    })
  },
  endFeedUpload: {
    description: "Ends the address of an upload page before its hour is over. Files that came by it stay.",
    answer: deleted
  },
  listFeedUploads: {
    description: "Lists the files of a feed with what was read from each, newest first.",
    answer: list(`${feed}/uploads`, Examples.upload)
  },
  deleteFeedUpload: {
    description:
      "Deletes an uploaded file with the rows that only it showed. What another file or a connection shows stays, and so " +
      "does what a person wrote. A file that is being read now is left alone (409).",
    answer: deleted
  },
  readFeedUpload: {
    description:
      "Reads a stored file again with the options that its feed has now. The new reading replaces what the file gave " +
      "before: rows that are still in it keep their ids.",
    answer: one({ ...Examples.upload, status: "stored", jobId: null })
  },
  triggerLearn: {
    description:
      "Reads what people changed at the destination of a feed, and learns from it at once: without waiting, as it does after " +
      "each sync, and also where nothing learns from the feed; then nothing comes of it.",
    answer: one({ triggered: true })
  },
  triggerSync: {
    description:
      "Starts a sync. Without a body it goes on where the last one ended. One job of a feed is active at a time (409), " +
      "unless `forceCancelActive` cancels that one.",
    body: { startDate: "2026-01-01", endDate: "2026-01-31" },
    answer: one(Examples.newJob)
  },
  listJobs: {
    description: "Lists the sync jobs of a feed, newest first.",
    answer: list(`${feed}/jobs`, Examples.job)
  },
  getJob: { description: "Returns one sync job with its counts and errors.", answer: one(Examples.job) },
  cancelJob: {
    description: "Cancels a job that waits or runs. What was delivered stays; the next sync goes on from there.",
    answer: one(Examples.cancelledJob)
  },
  pauseJob: {
    description: "Pauses a job at the end of the page it is at. It keeps the feed for at most 24 hours.",
    answer: one(Examples.pausedJob)
  },
  resumeJob: { description: "Lets a paused job go on.", answer: one(Examples.runningJob) },
  listFeedRecords: {
    description: "Lists what became of each record at the destination, newest first.",
    answer: list(`${feed}/records`, Examples.delivered)
  },
  redeliverFeedRecords: {
    description: "Sends records again that failed or were given up, by id or by state, and starts a sync for it.",
    body: { state: "failed" },
    answer: one({ records: 3, hasMore: false, jobId: ids.job })
  },
  listTables: {
    description: "Lists the tables of the workspace, oldest first.",
    answer: list("/v1/tables", Examples.table)
  },
  createTable: {
    description: "Creates a table with its fields.",
    body: Examples.newTable,
    answer: one({ ...Examples.table, rowCount: 0 })
  },
  getTable: { description: "Returns one table with its fields.", answer: one(Examples.table) },
  updateTable: {
    description: "Changes what is sent and leaves the rest as it is. Fields have operations of their own.",
    body: { name: "Bills", description: null },
    answer: one({ ...Examples.table, name: "Bills", version: 2 })
  },
  deleteTable: {
    description: "Moves a table to the trash for 30 days. `permanent=true` deletes for good what is in the trash.",
    answer: deleted
  },
  restoreTable: { description: "Takes a table out of the trash.", answer: one(Examples.table) },
  createField: {
    description: "Adds a field to a table. Its key never changes.",
    body: Examples.newField,
    answer: one(Examples.field)
  },
  updateField: {
    description: "Changes a field. Its type changes only where every cell can follow (422).",
    body: { name: "Price", description: "What it costs a month" },
    answer: one({ ...Examples.field, name: "Price", description: "What it costs a month" })
  },
  deleteField: { description: "Deletes a field with its cells, unless something uses it (409).", answer: deleted },
  listRows: {
    description: "Lists the rows of a table, oldest first unless sorted. Rows without a value come last.",
    answer: list(`${table}/rows`, Examples.row)
  },
  queryRows: {
    description: "Finds rows by a filter of any size, in any order, and counts them when asked.",
    body: {
      filter: { field: "amount", op: "lt", value: -10 },
      sort: [{ field: "amount" }],
      limit: 100,
      includeTotal: true
    },
    answer: list(`${table}/rows/query`, Examples.row, { total: 1 })
  },
  getRow: { description: "Returns one row of a table.", answer: one(Examples.row) },
  createRows: {
    description: "Creates rows, or finds them by their key and updates them. All of them, or none.",
    body: { rows: [{ values: { amount: -48.55 } }], mode: "upsert" },
    answer: list(`${table}/rows`, { id: ids.row, status: "created" })
  },
  updateRows: {
    description: "Changes rows by their ids: values merge by key, null clears. All of them, or none.",
    body: { rows: [{ id: ids.row, values: { amount: -49 }, version: 1 }] },
    answer: list(`${table}/rows`, { ...Examples.row, values: { amount: -49 }, version: 2 })
  },
  deleteRows: {
    description: "Moves rows to the trash. All of them, or none.",
    body: { ids: [ids.row] },
    answer: deleted
  },
  updateRow: {
    description: "Changes one row: values merge by key, null clears.",
    body: { values: { amount: -49 }, version: 1 },
    answer: one({ ...Examples.row, values: { amount: -49 }, version: 2 })
  },
  deleteRow: { description: "Moves a row to the trash.", answer: deleted },
  ...collectionNotes(enrichmentContract),
  restoreRow: { description: "Takes a row out of the trash.", answer: one(Examples.row) }
}
