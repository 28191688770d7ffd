/** Every command against the real HTTP application. */
import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Api } from "@millrace/http/client"
import { jobStatuses as allStatuses } from "@millrace/core/job"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Records from "../../http/test/fakes/Records.ts"
import { reopenableStates } from "@millrace/core/storage"
import { redeliverable } from "../src/commands/Feeds.ts"
import { jobStatuses } from "../src/commands/JobStatus.ts"
import { startApi } from "./Process.ts"
import { run } from "./Run.ts"

let api: Awaited<ReturnType<typeof startApi>>
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const bank = Records.bank.id
const account = Records.account.id
const attempt = Records.attempt.attemptId
const feed = Records.feed.id
const job = Records.job.id
const upload = Records.upload.id
const page = Records.uploadPageId
const finding = Records.finding.id
const series = Records.series.id
const decision = Records.decision.id
const enrichment = Records.enrichment.enrichment.id
const table = Records.table.id
const field = Records.field.id
const row = Records.row.id
const transaction = Records.match.match.recordId
const otherAccount = Records.accountJoin.joinedId
const match = Records.match.match.id
const suggestion = Records.suggestion.suggestion.id
const of = ["--bank", bank, "--account", account]

const folder = mkdtempSync(join(tmpdir(), "millrace-cli-files-"))
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const millrace = (args: ReadonlyArray<string>, stdin = "") => run(args, { env: api.env, stdin })

interface Case {
  readonly operation: string
  readonly args: ReadonlyArray<string>
  readonly data: unknown
}

const feedFile = file("feed.json", '{"name":"from file","sourceConfig":{"type":"sync"},"order":7}')

const enrichmentFile = file("enrichment.json", '{"name":"from file","ruleConfig":{"rules":[]}}')

const samplesFile = file("samples.json", '[{"description":"GREEN TEA","amount":-4.80}]')
const changesFile = file("changes.json", `{"changes":[{"kind":"delete","enrichmentId":"${enrichment}"}]}`)
const rowsFile = file("rows.json", `[{"id":"${row}","values":{"amount":12345678901234567890.12}}]`)
const rowFile = file("row.json", '{"values":{"amount":1.50}}')

/** What answers with a note instead of data. */
const silent: ReadonlyArray<{
  readonly operation: string
  readonly args: ReadonlyArray<string>
  readonly note: string
}> = [
  { operation: "deleteFeed", args: ["feeds", "delete", feed], note: `Deleted ${feed}.` },
  { operation: "endFeedUpload", args: ["feeds", "uploads", "end", feed, page], note: `Ended ${page}` },
  { operation: "deleteFeedUpload", args: ["feeds", "uploads", "delete", feed, upload], note: `Deleted ${upload}` },
  { operation: "deleteEnrichment", args: ["enrichments", "delete", enrichment], note: `Deleted ${enrichment}.` },
  { operation: "deleteTable", args: ["tables", "delete", table], note: `millrace tables restore ${table}` },
  {
    operation: "deleteField",
    args: ["tables", "fields", "remove", field, "--table", table],
    note: `Removed ${field} and its cells.`
  },
  {
    operation: "deleteTransaction",
    args: ["accounts", "delete-transaction", transaction, ...of],
    note: `Deleted ${transaction}. It stays deleted`
  },
  { operation: "deleteBank", args: ["banks", "delete", bank], note: `Deleted ${bank}. It can be restored` },
  { operation: "deleteRow", args: ["rows", "delete", row, "--table", table], note: `Moved ${row} to the trash.` },
  { operation: "deleteRows", args: ["rows", "delete", row, row, "--table", table], note: "Moved 2 rows to the trash." }
]

const cases: ReadonlyArray<Case> = [
  { operation: "whoami", args: ["whoami"], data: { workspaceName: "Acme", plan: { requestsPerMinute: 30 } } },
  {
    operation: "listAuditEntries",
    args: ["audit", "--outcome", "ok", "--operation", "updateFeed", "--from", "2026-03-01", "--limit", "5"],
    data: [{ operationId: "updateFeed", resource: { id: feed } }]
  },
  { operation: "verifyAudit", args: ["audit", "verify"], data: { intact: true } },
  { operation: "listBanks", args: ["banks", "list", "--scope", "self"], data: [{ id: bank, name: "First Bank" }] },
  { operation: "getBank", args: ["banks", "get", bank], data: { id: bank } },
  { operation: "restoreBank", args: ["banks", "restore", bank], data: { id: bank } },
  { operation: "updateBank", args: ["banks", "update", bank, "--name", "Ours", "--order", "3"], data: { id: bank } },
  {
    operation: "refreshBank",
    args: ["banks", "refresh", bank, "--data-type", "transactions"],
    data: { status: "refreshing" }
  },
  {
    operation: "startConnection",
    args: ["banks", "connect", "--email", "me@example.com", "--country", "de", "--no-wait"],
    data: { flow: "portal_popup", attemptId: attempt, connectUrl: "http://localhost/connect/attempts/state" }
  },
  {
    operation: "completeConnection",
    args: ["banks", "complete", "--provider", "demo:default", "--attempt", attempt, "--connection-id", "any"],
    data: { bankId: bank, created: true, accounts: [{ id: account }] }
  },
  {
    operation: "reauthConnection",
    args: ["banks", "reauth", bank, "--no-wait"],
    data: { flow: "portal_popup", attemptId: attempt }
  },
  { operation: "getConnectionAttempt", args: ["banks", "attempt", attempt], data: { id: attempt, state: "open" } },
  {
    operation: "searchInstitutions",
    args: ["institutions", "search", "first", "--country", "de"],
    data: [{ id: "demo-1", name: "First Bank" }]
  },
  { operation: "listProviders", args: ["providers", "list"], data: [{ id: "demo:default", flow: "portal_popup" }] },
  { operation: "listAccounts", args: ["accounts", "list", "--bank", bank], data: [{ id: account, bankId: bank }] },
  { operation: "getAccount", args: ["accounts", "get", ...of], data: { id: account } },
  {
    operation: "updateAccount",
    args: ["accounts", "update", ...of, "--name", "Household", "--no-invert"],
    data: { id: account, accountName: "Household", signOverride: false }
  },
  { operation: "getBalance", args: ["accounts", "balance", ...of, "--cached"], data: { amount: 10.5 } },
  { operation: "listTransactions", args: ["accounts", "transactions", ...of], data: [{ description: "Coffee" }] },
  { operation: "listTrades", args: ["accounts", "trades", ...of, "--limit", "5"], data: [{ type: "buy" }] },
  { operation: "listHoldings", args: ["accounts", "holdings", ...of], data: [{ quantity: 3.5 }] },
  { operation: "listOrders", args: ["accounts", "orders", ...of], data: [{ security: "ACME" }] },
  { operation: "getLoan", args: ["accounts", "loan", ...of], data: { loanType: "mortgage" } },
  {
    operation: "listMatches",
    args: ["accounts", "matches", "list", ...of, "--state", "made"],
    data: [{ id: match, observed: { amount: -49.56 } }]
  },
  { operation: "listAccountJoins", args: ["accounts", "joins", ...of], data: { joins: [{ matched: 2 }] } },
  {
    operation: "joinAccounts",
    args: ["accounts", "join", otherAccount, ...of],
    data: { join: { joinedId: otherAccount } }
  },
  {
    operation: "partAccounts",
    args: ["accounts", "part", ...of],
    data: { accounts: [{ id: account }, { id: account }] }
  },
  { operation: "undoMatch", args: ["accounts", "matches", "undo", match, ...of], data: { id: match } },
  { operation: "redoMatch", args: ["accounts", "matches", "redo", match, ...of], data: { id: match } },
  {
    operation: "listSuggestions",
    args: ["accounts", "suggestions", "list", ...of, "--record", transaction],
    data: [{ id: suggestion, recordId: transaction }]
  },
  {
    operation: "acceptSuggestion",
    args: ["accounts", "suggestions", "accept", suggestion, ...of],
    data: { id: suggestion }
  },
  {
    operation: "rejectSuggestion",
    args: ["accounts", "suggestions", "reject", suggestion, ...of],
    data: { id: suggestion }
  },
  {
    operation: "restoreTransaction",
    args: ["accounts", "restore-transaction", transaction, ...of],
    data: { id: transaction }
  },
  {
    operation: "listEnrichments",
    args: ["enrichments", "list", "--type", "rule", "--no-enabled"],
    data: [{ id: enrichment, ruleConfig: { rules: [] } }]
  },
  { operation: "getEnrichment", args: ["enrichments", "get", enrichment], data: { id: enrichment, version: 4 } },
  {
    operation: "createEnrichment",
    args: ["enrichments", "create", "--name", "A", "--type", "rule", "--data-type", "loans", "--file", enrichmentFile],
    data: { id: enrichment }
  },
  {
    operation: "updateEnrichment",
    args: ["enrichments", "update", enrichment, "--order", "5", "--feed-ids", feed, "--if-version", "4"],
    data: { id: enrichment }
  },
  {
    operation: "listBudgetPeriods",
    args: ["enrichments", "periods", enrichment, "--from", "2026-03-01"],
    data: [{ from: "2026-03-01", lines: [{ key: "food", left: 99.5 }] }]
  },
  {
    operation: "listSeries",
    args: ["enrichments", "series", "list", enrichment],
    data: [{ id: series, cadence: "monthly" }]
  },
  {
    operation: "listLinks",
    args: ["enrichments", "links", enrichment, "--state", "suggested"],
    data: [{ kind: "transfer", state: "suggested" }]
  },
  {
    operation: "listWithheld",
    args: ["feeds", "withheld", feed, "--verdict", "hold"],
    data: [{ rowId: "txn_1", verdict: "hold" }]
  },
  {
    operation: "listDecisions",
    args: ["enrichments", "decisions", "list", enrichment],
    data: [{ id: decision, value: "Rent" }]
  },
  {
    operation: "undoDecision",
    args: ["enrichments", "decisions", "undo", enrichment, decision],
    data: { id: decision }
  },
  {
    operation: "updateSeries",
    args: ["enrichments", "series", "update", enrichment, series, "--name", "Rent"],
    data: { id: series, name: "Rent" }
  },
  {
    operation: "mergeSeries",
    args: ["enrichments", "series", "merge", enrichment, series, "--series-id", "ser_9bq2m0c4s8f6t1v3x5z7a9d2e4"],
    data: { id: decision }
  },
  {
    operation: "splitSeries",
    args: ["enrichments", "series", "split", enrichment, series, "--record-id", "txn_1"],
    data: { id: decision }
  },
  {
    operation: "mergeMerchants",
    args: ["enrichments", "merchants", "merge", enrichment, "--from", "Blue Heron Cafe", "--into", "Blue Heron"],
    data: { id: decision }
  },
  {
    operation: "listFindings",
    args: ["enrichments", "findings", "list", enrichment, "--status", "open", "--from", "2026-03-01"],
    data: [{ id: finding, title: "Charged twice" }]
  },
  {
    operation: "updateFinding",
    args: ["enrichments", "findings", "update", enrichment, finding, "--status", "dismissed"],
    data: { id: finding, status: "dismissed" }
  },
  {
    operation: "simulateEnrichments",
    args: ["enrichments", "simulate", "--file", changesFile, "--from", "2026-01-01"],
    data: { records: 3, fields: [{ field: "category", added: 1 }] }
  },
  {
    operation: "getSimulation",
    args: ["enrichments", "simulations", "get", Records.longSimulation.id],
    data: { status: "completed", records: 40_000, report: { records: 3 } }
  },
  {
    operation: "cancelSimulation",
    args: ["enrichments", "simulations", "cancel", Records.longSimulation.id],
    data: { id: Records.longSimulation.id, status: "cancelled" }
  },
  {
    operation: "previewEnrichment",
    args: ["feeds", "preview", feed, "--file", samplesFile],
    data: { records: [{ changedFields: ["amount"], dropped: true }], summary: { totalRecords: 1 } }
  },
  {
    operation: "explainRecord",
    args: ["records", "explain", transaction],
    data: { recordId: transaction, rows: [{ fields: [{ field: "category", value: "Food" }] }] }
  },
  {
    operation: "setRecordFields",
    args: "records set ID --set category=Gifts --empty notes --lock merchantName --split"
      .replace("ID", transaction)
      .split(" ")
      .concat('{"lines":[{"amount":"-1.50"},{}]}'),
    data: { recordId: transaction, words: [{ field: "category", value: "Gifts" }] }
  },
  {
    operation: "clearRecordFields",
    args: ["records", "clear", transaction, "--field", "category"],
    data: { recordId: transaction, words: [] }
  },
  {
    operation: "undoChange",
    args: ["records", "undo", transaction, "--field", "category", "--redo"],
    data: { recordId: transaction, facts: [{ kind: "set" }] }
  },
  { operation: "undoRun", args: ["jobs", "undo", job], data: { jobId: job, fields: 2, kept: 1 } },
  { operation: "listFeeds", args: ["feeds", "list", "--data-type", "loans"], data: [{ id: feed }] },
  {
    operation: "getDataTypeSchema",
    args: ["feeds", "data-type", "receipts"],
    data: { dataType: "receipts", keyField: "id" }
  },
  { operation: "getFeed", args: ["feeds", "get", feed], data: { id: feed, version: 3 } },
  {
    operation: "createFeed",
    args: ["feeds", "create", "--source", "sync", "--data-type", "transactions", "--file", feedFile],
    data: { id: feed }
  },
  {
    operation: "updateFeed",
    args: ["feeds", "update", feed, "--name", "New", "--if-version", "3"],
    data: { id: feed }
  },
  { operation: "triggerLearn", args: ["feeds", "learn", feed], data: { triggered: true } },
  { operation: "triggerSync", args: ["feeds", "sync", feed, "--start", "2026-01-01", "--reset"], data: { id: job } },
  {
    operation: "uploadFeedFile",
    args: ["feeds", "upload", feed, file("march.ofx", "OFX")],
    data: { fileName: "march.ofx", status: "stored" }
  },
  {
    operation: "startFeedUpload",
    args: ["feeds", "upload", feed, "--no-browser", "--redirect-uri", "https://app.example/done"],
    data: { url: "https://money.example/connect/upload?state=s" }
  },
  { operation: "listFeedUploads", args: ["feeds", "uploads", "list", feed], data: [{ fileName: "march.ofx" }] },
  { operation: "readFeedUpload", args: ["feeds", "uploads", "read", feed, upload], data: { fileName: "march.ofx" } },
  { operation: "getWorkspace", args: ["workspace", "get"], data: { id: Records.workspace.id } },
  {
    operation: "updateWorkspace",
    args: ["workspace", "update", "--currency", "JPY", "--timezone", "Asia/Tokyo"],
    data: { id: Records.workspace.id }
  },
  { operation: "listJobs", args: ["jobs", "list", "--feed", feed, "--status", "failed"], data: [{ id: job }] },
  { operation: "getJob", args: ["jobs", "get", job, "--feed", feed], data: { id: job, feedId: feed } },
  { operation: "cancelJob", args: ["jobs", "cancel", job, "--feed", feed], data: { id: job } },
  { operation: "pauseJob", args: ["jobs", "pause", job, "--feed", feed], data: { id: job } },
  { operation: "resumeJob", args: ["jobs", "resume", job, "--feed", feed], data: { id: job } },
  {
    operation: "listFeedRecords",
    args: ["feeds", "records", feed, "--state", "dead", "--job", job, "--limit", "5"],
    data: [{ recordId: "txn_1", dead: true }]
  },
  {
    operation: "redeliverFeedRecords",
    args: ["feeds", "redeliver", feed, "txn_1", "txn_2", "--state", "dead"],
    data: { records: 3, jobId: job }
  },
  { operation: "createTable", args: ["tables", "create", "--name", "T"], data: { id: table } },
  { operation: "listTables", args: ["tables", "list", "--trashed"], data: [{ id: table }] },
  { operation: "getTable", args: ["tables", "get", table], data: { id: table, name: "Money" } },
  { operation: "updateTable", args: ["tables", "update", table, "--name", "M"], data: { id: table } },
  { operation: "restoreTable", args: ["tables", "restore", table], data: { id: table } },
  {
    operation: "createField",
    args: ["tables", "fields", "add", "--table", table, "--name", "N", "--type", "number"],
    data: { key: "amount" }
  },
  {
    operation: "updateField",
    args: ["tables", "fields", "update", field, "--table", table, "--no-required"],
    data: { id: field }
  },
  { operation: "listRows", args: ["rows", "list", "--table", table], data: [{ id: row, values: { memo: "12" } }] },
  { operation: "queryRows", args: ["rows", "query", "--table", table], data: [{ id: row }] },
  { operation: "getRow", args: ["rows", "get", row, "--table", table], data: { id: row } },
  {
    operation: "createRows",
    args: ["rows", "create", "--table", table, "--file", rowsFile],
    data: [{ id: row, status: "created" }]
  },
  { operation: "updateRow", args: ["rows", "update", row, "--table", table, "--file", rowFile], data: { id: row } },
  { operation: "updateRows", args: ["rows", "update", "--table", table, "--file", rowsFile], data: [{ id: row }] },
  { operation: "restoreRow", args: ["rows", "restore", row, "--table", table], data: { id: row } }
]

describe("commands", () => {
  it.each(cases)("$operation: answers with its data on standard output", async ({ args, data }) => {
    const { code, err, out } = await millrace(args)
    expect(code, err).toBe(0)
    expect(JSON.parse(out)).toMatchObject(data as object)
  })

  it.each(silent)("$operation: says what it did, with nothing on standard output", async ({ args, note }) => {
    const { code, err, out } = await millrace(args)
    expect([code, out], err).toEqual([0, ""])
    expect(err).toContain(note)
  })

  it("has a command for every operation of the API but what providers call", () => {
    const all = Object.values(Api.groups).flatMap((group) => Object.keys(group.endpoints))
    const operations = all.filter((name) => name !== "receiveProviderWebhook")
    expect(operations.length).toBe(all.length - 1)
    expect([...cases, ...silent].map(({ operation }) => operation).toSorted()).toEqual(operations.toSorted())
  })

  it("offers the values that the API knows", () => {
    expect(jobStatuses).toEqual(allStatuses)
    expect(redeliverable).toEqual(reopenableStates)
  })
})

const last = (operation: string): unknown => api.calls[operation]?.at(-1)

describe("what commands send", () => {
  it("puts options over what the file of a new feed says", async () => {
    await millrace([
      "feeds",
      "create",
      "--name",
      "mine",
      "--source",
      "sync",
      "--data-type",
      "loans",
      "--file",
      feedFile
    ])
    expect(last("createFeed")).toEqual({
      name: "mine",
      source: "sync",
      dataType: "loans",
      sourceConfig: { type: "sync" },
      order: 7
    })
  })

  it("reads the body of a new table from standard input", async () => {
    await millrace(["tables", "create", "--name", "M", "--file", "-"], '{"fields":[{"name":"A","type":"text"}]}')
    expect(last("createTable")).toEqual({ name: "M", fields: [{ name: "A", type: "text" }] })
  })

  it("asks for a sync with only the options that were given", async () => {
    await millrace(["feeds", "sync", feed, "--end", "2026-02-01", "--force", "--skip-dedup"])
    expect(last("triggerSync")).toEqual({ endDate: "2026-02-01", forceCancelActive: true, skipDedup: true })
    await millrace(["feeds", "sync", feed])
    expect(last("triggerSync")).toEqual({})
  })

  it("lists 20 jobs unless told otherwise", async () => {
    await millrace(["jobs", "list", "--feed", feed])
    expect(last("listJobs")).toEqual({ limit: 20 })
  })

  it("uploads the bytes of a file under its name", async () => {
    const bytes = new Uint8Array([0, 255, 13, 10, 1])
    const path = file("raw.bin", "")
    writeFileSync(path, bytes)
    await millrace(["feeds", "upload", feed, path])
    const sent = last("uploadFeedFile") as { readonly fileName: string; readonly bytes: Uint8Array }
    expect([sent.fileName, new Uint8Array(sent.bytes)]).toEqual(["raw.bin", bytes])
  })

  it("keeps the digits of values, and takes a list of rows for the body", async () => {
    await millrace(["rows", "create", "--table", table, "--file", rowsFile, "--mode", "upsert"])
    expect(JSON.stringify(last("createRows"))).toBe(
      '{"rows":[{"values":{"amount":12345678901234567890.12}}],"mode":"upsert"}'
    )
    await millrace(["rows", "create", "--table", table, "--file", "-"], '{"rows":[{"values":{}}],"mode":"insert"}')
    expect(last("createRows")).toEqual({ rows: [{ values: {} }], mode: "insert" })
    await millrace(
      ["rows", "update", row, "--table", table, "--file", "-", "--if-version", "5"],
      '{"values":{"a":0.10}}'
    )
    expect(last("updateRow")).toEqual({ values: { a: 0.1 } })
  })

  it("asks for rows by filter, order and the cells that are shown", async () => {
    const filter = '{"field":"amount","op":"gt","value":0.10}'
    const read = { field: "amount", op: "gt", value: 0.1 }
    const shown = ["--fields", "id,values.amount,values.extra.n"]
    const list = ["rows", "list", "--table", table, "--filter", filter, "--sort=-amount,memo", "--trashed", ...shown]
    const { code, err, out } = await millrace(list)
    expect(code, err).toBe(0)
    expect(JSON.parse(out)[0]).toMatchObject({ "values.amount": 0.1 })
    expect(out).toContain('"values.extra.n": 12345678901234567890.12')
    const sort = [{ field: "amount", desc: true }, { field: "memo" }]
    expect(last("queryRows")).toEqual({ filter: read, sort, fields: ["amount", "extra"], trashed: true })

    const filterFile = `@${file("filter.json", filter)}`
    const more = ["--param", "owner=me=B", "--timezone", "Europe/Berlin", "--total", "--limit", "1"]
    const query = ["rows", "query", "--table", table, "--filter", filterFile, "--sort", "-amount,memo", ...more]
    const queried = await millrace(query)
    expect(queried.code, queried.err).toBe(0)
    expect(queried.err).toContain("7 in all")
    expect(queried.err).toContain("There are more rows than these 1: add --all for all of them, or --cursor next")
    const asked = {
      filter: read,
      sort,
      params: { owner: "me=B" },
      timezone: "Europe/Berlin",
      includeTotal: true,
      limit: 1
    }
    expect(last("queryRows")).toEqual(asked)
    expect((await millrace([...query, "--all"])).code).toBe(0)
    // Beside a cursor the server takes only what is not of the question.
    expect(last("queryRows")).toEqual({ cursor: "next", limit: 1, includeTotal: true })
  })

  it("says where a filter is wrong", async () => {
    const filter = '{"logic":"and","conditions":[{"field":"a","op":"like","value":1}]}'
    const { code, err } = await millrace(["rows", "query", "--table", table, "--filter", filter])
    expect([code, err]).toEqual([1, expect.stringContaining("filter.conditions[0].op")])
    expect(err).toContain("(422 FILTER_INVALID)")
  })

  it("adds a field with what its options and its file say", async () => {
    const add = ["tables", "fields", "add", "--table", table, "--name", "State", "--type", "select", "--unique"]
    await millrace([...add, "--file", "-"], '{"options":{"choices":[{"label":"Open"}]},"default":1.0}')
    expect(last("createField")).toEqual({
      name: "State",
      type: "select",
      unique: true,
      options: { choices: [{ label: "Open" }] },
      default: 1
    })
  })

  it("demands versions of tables and rows", async () => {
    for (const args of [
      ["tables", "update", table, "--name", "x"],
      ["tables", "delete", table, "--permanent"],
      ["tables", "fields", "remove", field, "--table", table],
      ["rows", "update", row, "--table", table, "--file", rowFile],
      ["rows", "delete", row, "--table", table]
    ]) {
      const { code, err } = await millrace([...args, "--if-version", "1"])
      expect([code, err]).toEqual([1, expect.stringContaining("(412 PRECONDITION_FAILED)")])
    }
    expect(last("deleteTable")).toEqual({ permanent: true, ifVersion: 1 })
  })

  it.each([
    ["a filter that is not JSON", ["rows", "list", "--filter", "{"], "The filter is not JSON"],
    [
      "a file without rows",
      ["rows", "create", "--file", file("text.json", '"x"')],
      'a list of rows, or one JSON object with "rows"'
    ],
    ["an order without a name", ["rows", "query", "--sort", "a,,b"], "--sort needs names"],
    ["a version of many rows", ["rows", "delete", row, "row_2", "--if-version", "1"], "goes with one row"],
    ["no row to delete", ["rows", "delete"], "row-id"],
    ["a mode that is none", ["rows", "create", "--file", rowsFile, "--mode", "replace"], "upsert"]
  ])("refuses %s", async (_, args, message) => {
    const { code, err, out } = await millrace([...args, "--table", table])
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })

  it("refuses a change of a feed that is no longer what it was", async () => {
    const { code, err } = await millrace(["feeds", "update", feed, "--name", "x", "--if-version", "2"])
    expect([code, err]).toEqual([1, expect.stringContaining("(412 PRECONDITION_FAILED)")])
  })
})

describe("call", () => {
  it("shows the whole answer as JSON", async () => {
    const { code, out } = await millrace(["call", "get", "/v1/feeds?source=sync", "-q", "dataType=loans"])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ success: true, data: [{ id: feed }], meta: { count: 1 } })
    expect(api.calls["listFeeds"]?.at(-1)).toEqual({ source: "sync", dataType: "loans" })
  })

  it("shows the records alone where a format has no place for more", async () => {
    const { out } = await millrace(["call", "GET", "/v1/banks", "-o", "csv", "--fields", "id,name"])
    expect(out).toBe(`id,name\n${bank},First Bank\n`)
  })

  it.each([
    ["an argument", '{"name":"N","fields":[]}', ""],
    ["a file", `@${file("table.json", '{"name":"N","fields":[]}')}`, ""],
    ["standard input", "@-", '{"name":"N","fields":[]}']
  ])("sends a body from %s", async (_, data, stdin) => {
    const { code, err } = await millrace(["call", "POST", "/v1/tables", "-d", data], stdin)
    expect(code, err).toBe(0)
    expect(api.calls["createTable"]?.at(-1)).toEqual({ name: "N", fields: [] })
  })

  it("sends headers, and takes 304 for a success with nothing to show", async () => {
    const ran = await millrace(["call", "GET", `/v1/feeds/${feed}`, "-H", 'If-None-Match="3"'])
    expect(ran).toEqual({ code: 0, out: "", err: "" })
  })

  it.each([["https://elsewhere.example/v1/banks"], ["//elsewhere.example/v1/banks"]])(
    "does not take the key to another server: %s",
    async (path) => {
      const { code, err } = await millrace(["call", "GET", path])
      expect([code, err]).toEqual([2, expect.stringContaining("not one below the server")])
    }
  )

  it.each([
    ["a body that is not JSON", ["call", "POST", "/v1/tables", "-d", "{"], "is not JSON"],
    ["a file that is not there", ["call", "POST", "/v1/tables", "-d", "@/nowhere"], "/nowhere cannot be read (ENOENT)"],
    ["a method that is none", ["call", "FETCH", "/v1/tables"], "GET, POST, PUT, PATCH, DELETE"],
    ["a query without a name", ["call", "GET", "/v1/banks", "-q", "=1"], "name=value"]
  ])("refuses %s", async (_, args, message) => {
    const { code, err, out } = await millrace(args)
    expect([code, out]).toEqual([2, ""])
    expect(err).toContain(message)
  })
})

describe("profiles", () => {
  it("logs in with a key from standard input, uses it, and forgets it", async () => {
    const home = mkdtempSync(join(tmpdir(), "millrace-cli-home-"))
    const env = { XDG_CONFIG_HOME: home }
    const config = join(home, "millrace", "config.json")

    const login = await run(["login", "--api-key", "-", "--base-url", `${api.baseUrl}/`], { env, stdin: "mill_good\n" })
    expect([login.code, login.out]).toEqual([0, ""])
    expect(login.err).toBe(`Logged in to ${api.baseUrl} as CI of Acme; kept in profile "default".\n`)
    expect(statSync(config).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, "millrace")).mode & 0o777).toBe(0o700)
    expect(JSON.parse((await run(["whoami"], { env })).out)).toMatchObject({ workspaceName: "Acme" })

    chmodSync(config, 0o644)
    const second = ["login", "--api-key", "mill_good", "--base-url", api.baseUrl, "--profile", "second"]
    expect((await run(second, { env })).code).toBe(0)
    expect(statSync(config).mode & 0o777).toBe(0o600)
    const listed = await run(["profiles", "list"], { env })
    expect(listed.out).not.toContain("mill_good")
    expect(JSON.parse(listed.out)).toEqual([
      { name: "default", current: false, baseUrl: api.baseUrl, keyPrefix: "mill_goo" },
      { name: "second", current: true, baseUrl: api.baseUrl, keyPrefix: "mill_goo" }
    ])

    expect((await run(["profiles", "use", "default"], { env })).code).toBe(0)
    expect(JSON.parse(readFileSync(config, "utf8"))).toMatchObject({ current: "default" })
    expect((await run(["logout"], { env })).err).toContain("stays valid until it is revoked")
    expect((await run(["whoami"], { env })).code).toBe(4)
    expect((await run(["whoami", "--profile", "second"], { env })).code).toBe(0)
    expect((await run(["profiles", "remove", "second"], { env })).code).toBe(0)
    const gone = await run(["whoami", "--profile", "second"], { env })
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('no profile "second"')])
  })

  it("keeps no key that the server refuses", async () => {
    const home = mkdtempSync(join(tmpdir(), "millrace-cli-home-"))
    const env = { XDG_CONFIG_HOME: home, MILLRACE_BASE_URL: api.baseUrl }
    const { code, err } = await run(["login", "--api-key", "-"], { env, stdin: "mill_wrong" })
    expect([code, err]).toEqual([4, expect.stringContaining("Invalid or expired API key (401 INVALID_CREDENTIAL)")])
    expect(JSON.parse((await run(["profiles", "list"], { env })).out)).toEqual([])
  })

  it("takes options before the environment, and the environment before the profile", async () => {
    const home = mkdtempSync(join(tmpdir(), "millrace-cli-home-"))
    const env = { XDG_CONFIG_HOME: home }
    await run(["login", "--api-key", "mill_good", "--base-url", api.baseUrl], { env })
    const code = async (args: ReadonlyArray<string>, more: Record<string, string>) =>
      (await run(["whoami", ...args], { env: { ...env, ...more } })).code
    expect(await code([], { MILLRACE_API_KEY: "mill_wrong" })).toBe(4)
    expect(await code(["--api-key", "mill_good"], { MILLRACE_API_KEY: "mill_wrong" })).toBe(0)
    expect(await code(["--no-retry"], { MILLRACE_BASE_URL: "http://127.0.0.1:1" })).toBe(6)
    expect(await code(["--base-url", api.baseUrl], { MILLRACE_BASE_URL: "http://127.0.0.1:1" })).toBe(0)
  })

  it("says so when the profile file is damaged", async () => {
    const home = mkdtempSync(join(tmpdir(), "millrace-cli-home-"))
    const env = { XDG_CONFIG_HOME: home }
    await run(["login", "--api-key", "mill_good", "--base-url", api.baseUrl], { env })
    writeFileSync(join(home, "millrace", "config.json"), "{")
    const { code, err } = await run(["whoami"], { env })
    expect([code, err]).toEqual([1, expect.stringContaining("config.json is damaged")])
  })
})
