/** Every operation with a request that succeeds: what the generated tests start from. */
import type { Scope } from "@millrace/core/access"
import { enrichmentContract } from "@millrace/core/enrichment"
import { samplesOf } from "./Collections.ts"
import { connectionOperations } from "./ConnectionOperations.ts"
import { correctionOperations } from "./CorrectionOperations.ts"
import * as Records from "./Records.ts"
import { tableOperations } from "./TableOperations.ts"

export interface Sample {
  readonly id: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Path with placeholders, as documented. */
  readonly template: string
  readonly status: number
  /** Any one suffices. */
  readonly scopes: ReadonlyArray<Scope>
  readonly body?: Readonly<Record<string, unknown>>
  readonly file?: boolean
  /** Parameter or body field -> values that are refused with 400 naming it. */
  readonly faults?: Readonly<Record<string, ReadonlyArray<unknown>>>
  /** Query parameters -> values that are accepted. */
  readonly query?: Readonly<Record<string, ReadonlyArray<string>>>
  /** Body fields that must be there. */
  readonly required?: ReadonlyArray<string>
}

const ids: Readonly<Record<string, string>> = {
  workspace_id: Records.workspace.id,
  bank_id: Records.bank.id,
  account_id: Records.account.id,
  feed_id: Records.feed.id,
  job_id: Records.job.id,
  table_id: Records.table.id,
  field_id: Records.field.id,
  row_id: Records.row.id,
  match_id: Records.match.match.id,
  suggestion_id: Records.suggestion.suggestion.id,
  transaction_id: Records.match.match.recordId,
  upload_id: Records.upload.id,
  page_id: Records.uploadPageId,
  attempt_id: Records.attempt.id,
  data_type: "receipts",
  enrichment_id: Records.enrichment.enrichment.id,
  finding_id: Records.finding.id,
  series_id: Records.series.id,
  decision_id: Records.decision.id,
  simulation_id: Records.longSimulation.id,
  record_id: Records.match.match.recordId
}

/** The path with its placeholders filled in; `own` replaces some ids. */
export const pathOf = (template: string, own: Readonly<Record<string, string>> = {}): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? ids[name] ?? "")

const accountPath = "/v1/banks/{bank_id}/accounts/{account_id}"
const limit = { limit: ["0", "-1", "1.5", "x", "", "1e2"] }
const limits = { limit: ["1", "999999999999999999999"] }
const cached = { cached: ["yes", "1", "", "TRUE"] }
const flags = { cached: ["true", "false"] }
const days = ["2026-02-30", "yesterday", "", "20260101", "2026-01-01T25:00:00", "2026-01-01T", "1899-12-31"]
const range = { from: days, to: days }
const ranges = {
  from: ["2026-01-01", "2026-01-01T23:59:59-05:00", "2026-01-01T00:00:00", "2026-01-01t09:30:00.5z"],
  to: ["2026-02-01"]
}
const cursors = { cursor: ["garbage", "old"] }
const long = "x".repeat(201)
const feedFaults = {
  name: [1, null, "", long, ["a"], {}],
  icon: [1, true, "x".repeat(2001)],
  order: [null, 1.5, "1", Number.MAX_VALUE],
  source: [null, "bank", 1, "SYNC"],
  dataType: [null, "money", {}]
}
const newFeed = { name: "Feed", source: "sync", dataType: "transactions", schedule: null, unknownProperty: 1 }
const syncFaults = {
  startDate: [1, null, "2026-13-01", "now", ""],
  endDate: [true, "2026-02-29"],
  forceCancelActive: ["true", 1, null],
  resetCursors: ["false", null],
  skipDedup: [0]
}

const enrichmentFaults = {
  name: ["", " ", "x".repeat(201), 1, null],
  emoji: [1, "x".repeat(17)],
  type: ["Rule", 1, null],
  dataType: ["money", null],
  enabled: ["true", 1, null],
  order: [-1, 1.5, "1", 1_000_001],
  feedIds: ["feed_1", null],
  allFeeds: [1, null]
}

export const operations: ReadonlyArray<Sample> = [
  { id: "whoami", method: "GET", template: "/v1/whoami", status: 200, scopes: [] },
  {
    id: "getWorkspace",
    method: "GET",
    template: "/v1/workspaces/{workspace_id}",
    status: 200,
    scopes: ["workspaces:read"]
  },
  {
    id: "updateWorkspace",
    method: "PUT",
    template: "/v1/workspaces/{workspace_id}",
    status: 200,
    scopes: ["workspaces:write"],
    body: { name: "New", icon: null, timezone: "Asia/Tokyo", locale: "de-CH", baseCurrency: "JPY" },
    faults: {
      name: [null, "", 5, "x".repeat(201)],
      icon: [1],
      timezone: [null, 1],
      locale: [null, 1],
      baseCurrency: [null, "EURO", "eur", 1]
    }
  },
  {
    id: "listAuditEntries",
    method: "GET",
    template: "/v1/workspaces/{workspace_id}/audit",
    status: 200,
    scopes: ["workspaces:read"],
    faults: {
      ...range,
      ...limit,
      ...cursors,
      outcome: ["refused", "", "OK"],
      actor: [""],
      operationId: [""],
      resourceId: [""]
    },
    query: {
      ...ranges,
      ...limits,
      cursor: ["next"],
      outcome: ["ok", "denied", "failed"],
      actor: ["usr_1"],
      operationId: ["createFeed"],
      resourceId: ["feed_1"]
    }
  },
  {
    id: "verifyAudit",
    method: "GET",
    template: "/v1/workspaces/{workspace_id}/audit/verify",
    status: 200,
    scopes: ["workspaces:read"],
    faults: { known: ["", "1", `0:${"a".repeat(64)}`, `1:${"g".repeat(64)}`] },
    query: { known: [`12:${"a".repeat(64)}`] }
  },
  {
    id: "listBanks",
    method: "GET",
    template: "/v1/banks",
    status: 200,
    scopes: ["banks:read"],
    faults: { scope: ["all", ""], deleted: ["yes", ""] },
    query: { scope: ["self", "family"], deleted: ["true", "false"] }
  },
  { id: "getBank", method: "GET", template: "/v1/banks/{bank_id}", status: 200, scopes: ["banks:read"] },
  {
    id: "deleteBank",
    method: "DELETE",
    template: "/v1/banks/{bank_id}",
    status: 200,
    scopes: ["banks:write"],
    faults: { permanent: ["yes", ""] },
    query: { permanent: ["false"] }
  },
  {
    id: "restoreBank",
    method: "POST",
    template: "/v1/banks/{bank_id}/restore",
    status: 200,
    scopes: ["banks:write"]
  },
  ...connectionOperations,
  { id: "listAccounts", method: "GET", template: "/v1/banks/{bank_id}/accounts", status: 200, scopes: ["banks:read"] },
  { id: "getAccount", method: "GET", template: accountPath, status: 200, scopes: ["banks:read"] },
  {
    id: "updateAccount",
    method: "PUT",
    template: accountPath,
    status: 200,
    scopes: ["banks:write"],
    body: { accountName: "Household", signOverride: true },
    faults: { accountName: ["", " ", "x".repeat(201), 1], signOverride: ["true", 1, null] }
  },
  {
    id: "listTransactions",
    method: "GET",
    template: `${accountPath}/transactions`,
    status: 200,
    scopes: ["banks:read"],
    faults: {
      ...range,
      ...limit,
      ...cached,
      ...cursors,
      pending: ["2", ""],
      type: [""],
      category: [""],
      q: ["", long],
      minAmount: ["x", "", "1,5", "1".repeat(31)],
      maxAmount: ["NaN", "Infinity", "0x1"],
      state: ["gone", "", "LIVE"]
    },
    query: {
      ...ranges,
      ...limits,
      ...flags,
      cursor: ["next"],
      pending: ["true"],
      type: ["CARD"],
      category: ["INCOME"],
      q: ["coffee", "ä b"],
      minAmount: ["-1.50", "1e2"],
      maxAmount: ["9999999999999.99"],
      state: ["live", "removed", "deleted"]
    }
  },
  {
    id: "getBalance",
    method: "GET",
    template: `${accountPath}/balances`,
    status: 200,
    scopes: ["banks:read"],
    faults: cached,
    query: flags
  },
  {
    id: "listTrades",
    method: "GET",
    template: `${accountPath}/trades`,
    status: 200,
    scopes: ["banks:read"],
    faults: { ...range, ...limit, ...cached, ...cursors },
    query: { ...ranges, ...limits, ...flags, cursor: ["next"] }
  },
  {
    id: "listHoldings",
    method: "GET",
    template: `${accountPath}/holdings`,
    status: 200,
    scopes: ["banks:read"],
    faults: cached,
    query: flags
  },
  {
    id: "listOrders",
    method: "GET",
    template: `${accountPath}/orders`,
    status: 200,
    scopes: ["banks:read"],
    faults: cached,
    query: flags
  },
  {
    id: "getLoan",
    method: "GET",
    template: `${accountPath}/loan`,
    status: 200,
    scopes: ["banks:read"],
    faults: cached,
    query: flags
  },
  {
    id: "listFeeds",
    method: "GET",
    template: "/v1/feeds",
    status: 200,
    scopes: ["feeds:read"],
    faults: { dataType: ["x", ""], source: ["x"], scope: ["portal"] },
    query: { dataType: ["loans"], source: ["upload"], scope: ["family"] }
  },
  {
    id: "createFeed",
    method: "POST",
    template: "/v1/feeds",
    status: 201,
    scopes: ["feeds:write"],
    body: newFeed,
    faults: feedFaults,
    required: ["name", "source", "dataType"]
  },
  { id: "getFeed", method: "GET", template: "/v1/feeds/{feed_id}", status: 200, scopes: ["feeds:read"] },
  {
    id: "getDataTypeSchema",
    method: "GET",
    template: "/v1/feeds/data-types/{data_type}",
    status: 200,
    scopes: ["feeds:read"]
  },
  {
    id: "updateFeed",
    method: "PUT",
    template: "/v1/feeds/{feed_id}",
    status: 200,
    scopes: ["feeds:write"],
    body: { name: "New", icon: null },
    faults: feedFaults
  },
  { id: "deleteFeed", method: "DELETE", template: "/v1/feeds/{feed_id}", status: 200, scopes: ["feeds:write"] },
  {
    id: "uploadFeedFile",
    method: "POST",
    template: "/v1/feeds/{feed_id}/uploads",
    status: 201,
    scopes: ["jobs:write"],
    file: true
  },
  {
    id: "startFeedUpload",
    method: "POST",
    template: "/v1/feeds/{feed_id}/uploads/start",
    status: 200,
    scopes: ["jobs:write"],
    body: { redirectUri: "https://app.example/done" }
  },
  {
    id: "endFeedUpload",
    method: "DELETE",
    template: "/v1/feeds/{feed_id}/uploads/pages/{page_id}",
    status: 200,
    scopes: ["jobs:write"]
  },
  {
    id: "listFeedUploads",
    method: "GET",
    template: "/v1/feeds/{feed_id}/uploads",
    status: 200,
    scopes: ["jobs:read"],
    faults: { ...limit, ...cursors, status: ["done", "", "FAILED"] },
    query: { ...limits, cursor: ["next"], status: ["stored"] }
  },
  {
    id: "deleteFeedUpload",
    method: "DELETE",
    template: "/v1/feeds/{feed_id}/uploads/{upload_id}",
    status: 200,
    scopes: ["banks:write"]
  },
  {
    id: "readFeedUpload",
    method: "POST",
    template: "/v1/feeds/{feed_id}/uploads/{upload_id}/read",
    status: 200,
    scopes: ["banks:write"]
  },
  {
    id: "triggerLearn",
    method: "POST",
    template: "/v1/feeds/{feed_id}/learn",
    status: 200,
    scopes: ["jobs:write"]
  },
  {
    id: "triggerSync",
    method: "POST",
    template: "/v1/feeds/{feed_id}/sync",
    status: 201,
    scopes: ["feeds:write", "jobs:write"],
    body: { startDate: "2026-01-01T10:00:00Z", resetCursors: true },
    faults: syncFaults
  },
  {
    id: "listJobs",
    method: "GET",
    template: "/v1/feeds/{feed_id}/jobs",
    status: 200,
    scopes: ["jobs:read"],
    faults: { ...limit, ...cursors, status: ["done", "", "FAILED"] },
    query: { ...limits, cursor: ["next"], status: ["paused", "queued"] }
  },
  { id: "getJob", method: "GET", template: "/v1/feeds/{feed_id}/jobs/{job_id}", status: 200, scopes: ["jobs:read"] },
  {
    id: "cancelJob",
    method: "DELETE",
    template: "/v1/feeds/{feed_id}/jobs/{job_id}",
    status: 200,
    scopes: ["jobs:write"]
  },
  ...correctionOperations,
  {
    id: "pauseJob",
    method: "POST",
    template: "/v1/feeds/{feed_id}/jobs/{job_id}/pause",
    status: 200,
    scopes: ["jobs:write"]
  },
  {
    id: "resumeJob",
    method: "POST",
    template: "/v1/feeds/{feed_id}/jobs/{job_id}/resume",
    status: 200,
    scopes: ["jobs:write"]
  },
  {
    id: "listFeedRecords",
    method: "GET",
    template: "/v1/feeds/{feed_id}/records",
    status: 200,
    scopes: ["jobs:read"],
    faults: { ...limit, ...cursors, state: ["sent", "", "DEAD"], recordId: [""], jobId: [""] },
    query: { ...limits, cursor: ["next"], state: ["dead", "done"], recordId: ["txn_1"], jobId: ["job_1"] }
  },
  {
    id: "redeliverFeedRecords",
    method: "POST",
    template: "/v1/feeds/{feed_id}/records/redeliver",
    status: 202,
    scopes: ["jobs:write"],
    body: { recordIds: ["txn_1"], state: "dead" },
    faults: {
      recordIds: [null, "txn_1", [], Array.from({ length: 501 }, (_, n) => `txn_${n}`)],
      state: [null, "sending", "intended", 1]
    }
  },
  ...samplesOf(
    enrichmentContract,
    { read: "enrichments:read", write: "enrichments:write" },
    {
      remove: { faults: { apply: ["", "x"] }, query: { apply: ["from_now", "history"] } },
      list: {
        faults: { type: ["", "Rule"], dataType: ["x", ""], feedId: [""], enabled: ["yes", ""] },
        query: { type: ["rule"], dataType: ["loans"], feedId: ["feed_1"], enabled: ["true", "false"] }
      },
      create: { name: "Coffee", type: "rule", dataType: "transactions", ruleConfig: { rules: [] }, unknownProperty: 1 },
      update: { name: "Tea", emoji: null },
      faults: enrichmentFaults,
      required: ["name", "type", "dataType"]
    }
  ),
  {
    id: "listFindings",
    method: "GET",
    template: "/v1/enrichments/{enrichment_id}/findings",
    status: 200,
    scopes: ["enrichments:read"],
    faults: { ...limit, ...cursors, ...range, status: ["seen", "", "OPEN"], kind: [""] },
    query: { ...limits, ...ranges, cursor: ["next"], status: ["open", "dismissed"], kind: ["duplicate_charge"] }
  },
  {
    id: "updateFinding",
    method: "PUT",
    template: "/v1/enrichments/{enrichment_id}/findings/{finding_id}",
    status: 200,
    scopes: ["enrichments:write"],
    body: { status: "dismissed", note: "Two coffees" },
    faults: { status: [null, "seen", 1, ""], note: [null, 1, "x".repeat(2_001)] },
    required: ["status"]
  },
  {
    id: "listBudgetPeriods",
    method: "GET",
    template: "/v1/enrichments/{enrichment_id}/periods",
    status: 200,
    scopes: ["enrichments:read"],
    faults: range,
    query: ranges
  },
  {
    id: "listSeries",
    method: "GET",
    template: "/v1/enrichments/{enrichment_id}/series",
    status: 200,
    scopes: ["enrichments:read"]
  },
  {
    id: "listLinks",
    method: "GET",
    template: "/v1/enrichments/{enrichment_id}/links",
    status: 200,
    scopes: ["enrichments:read"],
    faults: { ...limit, ...cursors, state: ["made", "", "AUTO"] },
    query: { ...limits, cursor: ["next"], state: ["suggested", "broken"] }
  },
  {
    id: "listWithheld",
    method: "GET",
    template: "/v1/feeds/{feed_id}/withheld",
    status: 200,
    scopes: ["enrichments:read"],
    faults: { ...limit, ...cursors, verdict: ["deliver", "", "HOLD"] },
    query: { ...limits, cursor: ["next"], verdict: ["hold", "drop"] }
  },
  {
    id: "listDecisions",
    method: "GET",
    template: "/v1/enrichments/{enrichment_id}/decisions",
    status: 200,
    scopes: ["enrichments:read"],
    faults: { ...limit, ...cursors },
    query: { ...limits, cursor: ["next"] }
  },
  {
    id: "undoDecision",
    method: "POST",
    template: "/v1/enrichments/{enrichment_id}/decisions/{decision_id}/undo",
    status: 200,
    scopes: ["enrichments:write"]
  },
  {
    id: "updateSeries",
    method: "PUT",
    template: "/v1/enrichments/{enrichment_id}/series/{series_id}",
    status: 200,
    scopes: ["enrichments:write"],
    body: { name: "Rent" },
    faults: { name: ["", 1, {}, "x".repeat(201)] },
    required: ["name"]
  },
  {
    id: "mergeSeries",
    method: "POST",
    template: "/v1/enrichments/{enrichment_id}/series/{series_id}/merge",
    status: 200,
    scopes: ["enrichments:write"],
    body: { seriesId: "ser_9bq2m0c4s8f6t1v3x5z7a9d2e4" },
    faults: { seriesId: [null, 1, ""] },
    required: ["seriesId"]
  },
  {
    id: "splitSeries",
    method: "POST",
    template: "/v1/enrichments/{enrichment_id}/series/{series_id}/split",
    status: 200,
    scopes: ["enrichments:write"],
    body: { recordId: "txn_1" },
    faults: { recordId: [null, 1, ""] },
    required: ["recordId"]
  },
  {
    id: "mergeMerchants",
    method: "POST",
    template: "/v1/enrichments/{enrichment_id}/merchants/merge",
    status: 200,
    scopes: ["enrichments:write"],
    body: { from: "Blue Heron Cafe", into: "Blue Heron" },
    faults: { from: [null, 1, ""], into: [null, 1, "", "x".repeat(201)] },
    required: ["from", "into"]
  },
  {
    id: "simulateEnrichments",
    method: "POST",
    template: "/v1/enrichments/simulate",
    status: 200,
    scopes: ["enrichments:read"],
    body: {
      changes: [
        { kind: "create", enrichment: { name: "A", type: "rule", dataType: "loans", ruleConfig: { rules: [] } } },
        { kind: "update", enrichmentId: Records.enrichment.enrichment.id, change: { enabled: false } },
        { kind: "reorder", enrichmentId: Records.enrichment.enrichment.id, order: 5 },
        { kind: "silence", enrichmentId: Records.enrichment.enrichment.id, recordId: "txn_1", field: "category" },
        {
          kind: "link",
          enrichmentId: Records.enrichment.enrichment.id,
          recordId: "txn_1",
          otherId: "txn_2",
          linked: false
        },
        { kind: "lift", decisionId: Records.fact.id }
      ],
      from: "2026-01-01",
      feedIds: [Records.feed.id]
    },
    faults: {
      changes: [
        null,
        "x",
        [],
        Array.from({ length: 21 }, () => ({ kind: "delete", enrichmentId: Records.enrichment.enrichment.id }))
      ],
      from: ["soon", null]
    },
    required: ["changes"]
  },
  {
    id: "previewEnrichment",
    method: "POST",
    template: "/v1/feeds/{feed_id}/enrich/preview",
    status: 200,
    scopes: ["enrichments:read"],
    body: { records: [{ description: "GREEN TEA", amount: -4.8, own: { nested: true }, pending: false, notes: null }] },
    faults: { records: [null, "x", [], Array.from({ length: 51 }, () => ({}))] },
    required: ["records"]
  },
  {
    id: "explainRecord",
    method: "GET",
    template: "/v1/records/{record_id}/explain",
    status: 200,
    scopes: ["enrichments:read"]
  },
  {
    id: "setRecordFields",
    method: "PUT",
    template: "/v1/records/{record_id}/fields",
    status: 200,
    scopes: ["banks:write"],
    body: {
      fields: { category: "Gifts", amount: -4.8, notes: null },
      lock: ["merchantName"],
      split: { lines: [{ key: "cash", amount: -15, set: { category: "Cash", reviewed: true } }, {}] }
    },
    faults: { fields: [null, "x", []], lock: [null, "x", []], split: ["x", 3, []] }
  },
  {
    id: "clearRecordFields",
    method: "DELETE",
    template: "/v1/records/{record_id}/fields",
    status: 200,
    scopes: ["banks:write"],
    faults: { names: [""] },
    query: { names: ["category", "category,notes"] }
  },
  {
    id: "getSimulation",
    method: "GET",
    template: "/v1/enrichments/simulations/{simulation_id}",
    status: 200,
    scopes: ["enrichments:read"]
  },
  {
    id: "cancelSimulation",
    method: "DELETE",
    template: "/v1/enrichments/simulations/{simulation_id}",
    status: 200,
    scopes: ["enrichments:read"]
  },
  {
    id: "undoChange",
    method: "POST",
    template: "/v1/records/{record_id}/undo",
    status: 200,
    scopes: ["enrichments:write"],
    body: { field: "category", redo: false },
    faults: { field: [null, "", 1], enrichmentId: [null, "x", "txn_1"], linkId: [null, ""], redo: [null, "yes"] }
  },
  {
    id: "undoRun",
    method: "POST",
    template: "/v1/jobs/{job_id}/undo",
    status: 202,
    scopes: ["enrichments:write"],
    body: { redo: true },
    faults: { redo: [null, "yes"] }
  },
  ...tableOperations
]
