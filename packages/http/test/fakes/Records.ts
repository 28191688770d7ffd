/** One record of every kind, with every internal field filled in. */
import type { EnrichmentFact, EnrichmentView, Finding, RecordChange } from "@millrace/core/enrichment"
import { allScopes, type ApiKey } from "@millrace/core/access"
import type { AuditEntry } from "@millrace/core/audit"
import type { Account, AccountJoin, Bank, ConnectionAttempt, JoinSuggestion } from "@millrace/core/bank"
import type { Feed } from "@millrace/core/feed"
import type { BudgetPeriod, Decision, FeedView, RecurringSeries, WithheldRow } from "@millrace/core/kernel"
import type { Explanation, Preview, Sample, Simulation, SimulationReport } from "@millrace/core/kernel"
import type { MatchView, SuggestionView } from "@millrace/core/identity"
import type { Delivery } from "@millrace/core/destination"
import { type Job, noCounts } from "@millrace/core/job"
import type { Fields, ShownRecord } from "@millrace/core/record"
import { CalendarDate, Currency, Decimal, type Id, type IdKind, Timestamp } from "@millrace/core"
import { prefixes } from "../../../core/src/shared/Ids.ts"
import type { Row, Table, TableField } from "@millrace/core/table"
import type { Upload } from "@millrace/core/upload"
import type { Workspace } from "@millrace/core/workspace"

export const idOf = <K extends IdKind>(kind: K, last = "0"): Id<K> =>
  `${prefixes[kind]}_${"0".repeat(25)}${last}` as Id<K>

export const at = Timestamp.make("2026-03-04T05:06:07.008Z")
const day = CalendarDate.make

export const workspace: Workspace = {
  id: idOf("workspace"),
  name: "Acme",
  plan: "business",
  timezone: "UTC",
  locale: "en",
  baseCurrency: Currency.make("EUR"),
  createdAt: at,
  updatedAt: at,
  version: 1
}

export const uploadPageId = idOf("uploadPage")

export const auditEntry: AuditEntry = {
  id: idOf("auditEntry"),
  at,
  actor: { kind: "api", clientId: idOf("apiKey") },
  credential: { kind: "api_key", id: idOf("apiKey") },
  operationId: "updateFeed",
  resource: { kind: "feed", id: idOf("feed") },
  outcome: "ok",
  requestId: idOf("request"),
  changes: [{ field: "sourceConfig", before: null, after: { accounts: [1, "two", null] } }],
  hash: "0".repeat(64)
}

export const key: ApiKey = {
  id: idOf("apiKey"),
  workspaceId: workspace.id,
  keyPrefix: "mill_abc",
  name: "CI",
  scopes: allScopes,
  expiresAt: null,
  createdAt: at,
  createdBy: idOf("user"),
  revokedAt: null
}

export const bank: Bank = {
  id: idOf("bank"),
  workspaceId: workspace.id,
  name: "First Bank",
  source: "demo",
  type: "bank",
  order: 1,
  connectionStatus: { connected: true, status: "connected", lastCheckedAt: at, source: "provider_call" },
  institutionId: "demo-1",
  providerInstanceId: "demo:default",
  createdAt: at,
  updatedAt: at
}

export const attempt: ConnectionAttempt = {
  id: idOf("connectionAttempt"),
  workspaceId: workspace.id,
  instanceId: "demo:default",
  attemptId: idOf("connectionAttempt"),
  state: "open",
  flow: "portal_popup",
  expiresAt: at,
  credential: "SECRET-credential",
  createdBy: { kind: "api", clientId: "key" },
  stateHash: "SECRET-hash",
  createdAt: at,
  updatedAt: at
}

export const account: Account = {
  id: idOf("account"),
  workspaceId: workspace.id,
  bankId: bank.id,
  providerAccountId: "SECRET-upstream",
  stableKeys: ["SECRET-stable"],
  accountNumber: "****1234",
  accountName: "Main",
  accountType: "checking",
  // More digits than a double can hold.
  balance: Decimal.make("9007199254740993.07"),
  availableBalance: Decimal.make("-0.5"),
  currency: Currency.make("EUR"),
  supports: ["transactions", "balances"],
  state: "open",
  createdAt: at,
  updatedAt: at
}

export const owner = { accountId: account.id, bankId: bank.id }

export const transaction: Fields = {
  id: idOf("transaction"),
  date: "2026-03-01",
  description: "Coffee",
  originalDescription: "COFFEE 123",
  amount: "-12345678901234567.89",
  creditAmount: "0",
  debitAmount: "12345678901234567.89",
  currency: "EUR",
  category: "FOOD_AND_DRINK",
  type: "CARD",
  reference: "",
  pending: false,
  pendingTransactionId: null,
  ...owner
}

/** The same as storage shows it. */
export const shownTransaction: ShownRecord = { id: idOf("transaction"), date: day("2026-03-01"), fields: transaction }

const content = {
  providerId: "SECRET-upstream-id",
  date: day("2026-03-01"),
  pending: true,
  state: "live",
  hash: "SECRET-hash",
  fields: {}
} as const

const ledgerScope = { workspaceId: workspace.id, accountId: account.id, dataType: "transactions" } as const

export const match: MatchView = {
  match: {
    id: idOf("match"),
    ...ledgerScope,
    recordId: idOf("transaction"),
    versionBefore: 1,
    before: content,
    observed: { ...content, pending: false },
    separateId: idOf("transaction", "1"),
    secondSource: true,
    evidence: { tier: "cost", cost: 142, parts: { date: 72, text: 70 }, margin: 12, approximate: true },
    coverage: { kind: "full", complete: true },
    jobId: idOf("job"),
    at,
    state: "undone",
    decided: { by: { kind: "user", userId: idOf("user") }, at }
  },
  before: transaction,
  observed: { ...transaction, id: idOf("transaction", "1"), amount: "-49.56" }
}

export const accountJoin: AccountJoin = {
  id: idOf("accountJoin"),
  workspaceId: workspace.id,
  accountId: account.id,
  joinedId: idOf("account", "2"),
  exchanged: true,
  feeds: [],
  matches: [{ dataType: "transactions", ids: ["mat_1", "mat_2"] }],
  suggested: 1,
  owned: [{ dataType: "transactions", ids: ["txn_1"] }],
  came: [],
  by: { kind: "user", userId: "usr_1" },
  at: account.createdAt
}

export const joinSuggestion: JoinSuggestion = {
  bankId: bank.id,
  accountId: accountJoin.joinedId,
  evidence: ["institution", "currency", "type", "number", "name"]
}

export const suggestion: SuggestionView = {
  suggestion: {
    id: idOf("suggestion"),
    ...ledgerScope,
    recordId: idOf("transaction"),
    observedId: idOf("transaction", "1"),
    evidence: { tier: "cost", cost: 518, margin: 12 },
    at,
    state: "open"
  },
  record: transaction,
  observed: match.observed
}

export const balance: Fields = {
  date: at,
  account: "1234 (checking)",
  accountName: "Main",
  accountNumber: "****1234",
  accountType: "checking",
  amount: "10.5",
  currency: "EUR",
  ...owner
}

export const trade: Fields = {
  id: idOf("trade"),
  date: "2026-03-01",
  type: "buy",
  quantity: "0.000000000001",
  amount: "-1",
  currency: "EUR",
  ...owner
}

export const holding: Fields = { id: "hld_1", quantity: "3.5", currency: "EUR", asOf: at, ...owner }

export const order: Fields = {
  id: idOf("order"),
  brokerageOrderId: "b1",
  date: at,
  status: "PENDING",
  action: "BUY",
  orderType: "LIMIT",
  timeInForce: "DAY",
  totalQuantity: "1",
  filledQuantity: "0",
  openQuantity: "1",
  canceledQuantity: "0",
  limitPrice: "1.25",
  currency: "EUR",
  security: "ACME",
  bank: "First Bank",
  ...owner
}

export const loan: Fields = {
  loanType: "mortgage",
  principalBalance: "-100.01",
  interestRatePercentage: "5.25",
  isOverdue: false,
  currency: "EUR",
  ...owner
}

export const feed: Feed = {
  id: idOf("feed"),
  workspaceId: workspace.id,
  name: "To table",
  source: "sync",
  dataType: "transactions",
  sourceConfig: { type: "sync", accounts: [{ bankId: bank.id, accountId: account.id }] },
  destinationConfig: { type: "table", tableId: idOf("table") },
  fieldMappings: [{ sourceField: "amount", destinationField: "amount" }],
  mappingsDefaulted: true,
  dataTypeOptions: { dataType: "transactions", pendingMode: "track_and_update", lookbackDays: 7 },
  schedule: { enabled: true, frequency: "daily", timeOfDay: "06:00" },
  order: 1,
  createdBy: { kind: "api", clientId: key.id },
  createdByUser: "SECRET-user",
  createdAt: at,
  updatedAt: at,
  version: 3,
  nextRunAt: at
}

export const feedView: FeedView = {
  feed,
  state: { status: "ready", consecutiveFailures: 0, dataThrough: day("2026-03-03"), nextRunAt: at, warnings: [] },
  warnings: ["No field mappings given: the defaults are used"]
}

export const job: Job = {
  id: idOf("job"),
  feedId: feed.id,
  workspaceId: workspace.id,
  userId: key.createdBy,
  startedBy: { kind: "api", clientId: key.id },
  status: "completed",
  type: "manual",
  mode: "range",
  options: {
    startDate: day("2026-01-01"),
    forceCancelActive: false,
    resetCursors: false,
    skipDedup: true
  },
  counts: { ...noCounts, read: 9, created: 3, updated: 2, removed: 1, unchanged: 3 },
  errors: [
    { timestamp: at, message: "Row skipped", category: "validation", severity: "warning", code: "ROW_QUARANTINED" }
  ],
  attempt: 1,
  createdAt: at,
  updatedAt: at,
  startedAt: at,
  completedAt: at
}

export const delivery: Delivery = {
  feedId: feed.id,
  recordId: "txn_1",
  accountId: account.id,
  date: day("2026-03-03"),
  version: 2,
  op: "update",
  state: "failed",
  hash: "SECRET-hash",
  jobId: job.id,
  values: { amount: "12345678901234567890.12", memo: "12" },
  provenance: [],
  remoteRef: "r7",
  attempts: 5,
  lastError: "is refused here",
  dead: true,
  redeliveryRequested: false,
  sentAt: at,
  unconfirmedAttempt: {
    version: 1,
    op: "create",
    hash: "SECRET-old",
    values: { memo: "SECRET" },
    attempts: 1,
    sentAt: at
  },
  updatedAt: at
}

export const upload: Upload = {
  id: idOf("upload"),
  feedId: feed.id,
  workspaceId: workspace.id,
  fileName: "march.ofx",
  contentType: "application/x-ofx",
  size: 3,
  sha256: "0".repeat(64),
  status: "stored",
  format: "ofx",
  statements: [
    { account: "****1234", currency: "EUR", rows: 2, from: day("2026-03-01"), closingBalance: Decimal.make("1.10") }
  ],
  assumed: {},
  warnings: [],
  reading: "as it was",
  createdAt: at
}

const plain = { required: false, unique: false, indexed: false } as const

export const field: TableField = {
  id: idOf("field"),
  key: "amount",
  name: "Amount",
  type: "currency",
  options: { currency: "EUR", scale: 2 },
  required: true,
  unique: false,
  indexed: true,
  default: "12345678901234567890.12",
  description: "In the currency of the account",
  origin: "feed",
  position: 0
}

export const table: Table = {
  id: idOf("table"),
  workspaceId: workspace.id,
  name: "Money",
  fields: [
    field,
    { id: idOf("field", "1"), key: "memo", name: "Memo", type: "text", ...plain, origin: "user", position: 1 },
    { id: idOf("field", "2"), key: "extra", name: "Extra", type: "json", ...plain, origin: "user", position: 2 }
  ],
  keyFields: ["memo"],
  rowCount: 1,
  createdBy: { kind: "sync", feedId: feed.id },
  version: 2,
  createdAt: at,
  updatedAt: at
}

export const row: Row = {
  id: idOf("row"),
  tableId: table.id,
  values: {
    amount: "0.1000000000000000055511",
    memo: "12",
    done: true,
    extra: '{"n":12345678901234567890.12,"list":["1",null]}'
  },
  externalKey: "transactions:1",
  held: ["memo"],
  createdBy: { kind: "sync", feedId: feed.id },
  updatedBy: { kind: "sync", feedId: feed.id },
  version: 5,
  createdAt: at,
  updatedAt: at
}

export const enrichment: EnrichmentView = {
  enrichment: {
    id: idOf("enrichment"),
    workspaceId: workspace.id,
    name: "Coffee",
    type: "rule",
    enabled: true,
    order: 10,
    dataType: "transactions",
    feedIds: [feed.id],
    allFeeds: false,
    config: { rules: [] },
    createdBy: "usr_1",
    createdByActor: { kind: "api", clientId: key.id },
    createdAt: at,
    updatedAt: at,
    version: 4,
    revision: 2
  },
  status: { state: "active", since: at, openFaults: 0, lastFaults: [] },
  lints: [{ field: "ruleConfig.rules", message: "has no rule" }]
}

export const finding: Finding = {
  id: idOf("finding"),
  workspaceId: workspace.id,
  dataType: "transactions",
  enrichmentId: enrichment.enrichment.id,
  partition: "2026-03",
  key: "key",
  kind: "duplicate_charge",
  status: "open",
  title: "Charged twice",
  subject: { kind: "transaction", id: "txn_1" },
  data: { amount: "-4.80" },
  present: true,
  firstSeenAt: at,
  lastSeenAt: at,
  version: 1
}

export const series: RecurringSeries = {
  id: "ser_3k7f1m9p2q4r6s8t0v2w4x6y80",
  partition: "energy out",
  name: null,
  merchant: "green energy",
  direction: "out",
  cadence: "monthly",
  schedule: "monthly/3/none",
  state: "mature",
  first: CalendarDate.make("2025-03-03"),
  last: CalendarDate.make("2026-03-03"),
  expected: CalendarDate.make("2026-04-03"),
  recordIds: ["txn_1"]
}

export const period: BudgetPeriod = {
  from: CalendarDate.make("2026-03-01"),
  to: CalendarDate.make("2026-03-31"),
  current: true,
  currency: Currency.make("EUR"),
  lines: [
    {
      key: "food",
      name: "Food",
      planned: Decimal.make("400"),
      carriedIn: Decimal.make("49.75"),
      spent: Decimal.make("350.25"),
      left: Decimal.make("99.5"),
      carriedOut: Decimal.zero,
      unconverted: [{ currency: "XPF", records: 2, amount: Decimal.make("1200") }]
    }
  ]
}

export const link = {
  id: "5m8n0p2r4t6w8y0b2d4f6h8k0m",
  kind: "transfer",
  state: "suggested",
  members: [
    { recordId: "txn_1", role: "out" },
    { recordId: "txn_2", role: "in" }
  ],
  evidence: { score: 731 }
} as const

export const withheld: WithheldRow = {
  rowId: "txn_1",
  recordId: "txn_1",
  accountId: idOf("account"),
  date: CalendarDate.make("2026-03-02"),
  verdict: {
    value: "hold",
    enrichmentId: idOf("enrichment"),
    revision: 1,
    reason: "the hold conditions match",
    path: "hold",
    removeDelivered: false
  },
  fields: { description: "BISTRO LUNE", amount: "-42", pending: true },
  since: at,
  overdue: false
}

export const decision: Decision = {
  id: idOf("fact"),
  kind: "note",
  sentence: 'Named "Rent"',
  field: "recurring.name",
  value: "Rent",
  recordIds: ["txn_1"],
  by: { kind: "user", userId: "usr_1" },
  at,
  facts: []
}

export const fact: EnrichmentFact = {
  id: idOf("fact"),
  workspaceId: workspace.id,
  dataType: "transactions",
  kind: "set",
  recordId: match.match.recordId,
  field: "category",
  value: "Gifts",
  by: { kind: "api", clientId: key.id },
  at
}

const change: RecordChange = {
  id: idOf("change"),
  workspaceId: workspace.id,
  feedId: feed.id,
  accountId: account.id,
  recordId: match.match.recordId,
  recordVersion: 1,
  field: "category",
  before: null,
  after: "Food",
  beforeAuthority: "provider",
  afterAuthority: "rule",
  enrichmentId: enrichment.enrichment.id,
  revision: 2,
  rulePath: "r1",
  evidence: { row: 1 },
  actor: { kind: "sync", feedId: feed.id },
  at
}

export const explanation: Explanation = {
  record: {
    id: match.match.recordId,
    accountId: account.id,
    dataType: "transactions",
    providerId: "p1",
    date: null,
    pending: false,
    state: "live",
    hash: "hash",
    fields: {},
    changeNo: 3,
    publicChangeNo: 3,
    version: 2,
    annotated: false,
    createdAt: at,
    updatedAt: at
  },
  rows: [
    {
      feed: { id: feed.id, name: feed.name },
      rowId: match.match.recordId,
      fields: [
        {
          field: "category",
          provided: null,
          value: "Food",
          locked: false,
          chain: [
            {
              authority: "rule",
              value: "Food",
              prevails: true,
              silenced: false,
              enrichmentId: enrichment.enrichment.id,
              revision: 2,
              rulePath: "r1",
              sentence: "A rule sets it",
              recomputed: "Food",
              holds: true
            }
          ]
        }
      ],
      shadows: [],
      verdict: {
        value: "deliver",
        enrichmentId: null,
        revision: 0,
        reason: "",
        path: "",
        removeDelivered: false,
        sentence: "No filter objects",
        holds: true
      },
      lines: [],
      deliveries: [],
      faults: []
    }
  ],
  links: [],
  history: [change]
}

/** A rule says what the amount of each record is. */
export const preview = (samples: ReadonlyArray<Sample>): Preview => ({
  records: samples.map(() => ({
    changes: [
      {
        field: "amount",
        before: "-4.8",
        after: "-12345678901234567890.12",
        enrichmentId: enrichment.enrichment.id,
        revision: 2,
        path: "r1"
      }
    ],
    verdict: {
      value: "drop",
      enrichmentId: "enr_1",
      revision: 1,
      reason: "hidden",
      path: "",
      removeDelivered: false
    },
    lines: [],
    links: [],
    trace: [{ enrichmentId: enrichment.enrichment.id, stage: 60, rulePath: "r1", fields: ["amount"] }],
    faults: []
  })),
  enrichedCount: samples.length,
  enrichments: [
    { enrichmentId: enrichment.enrichment.id, enrichmentName: "Coffee", type: "rule", matchCount: 1, wouldFire: 0 },
    { enrichmentId: "enr_2", enrichmentName: "Large", type: "alert", matchCount: 1, wouldFire: 1 },
    { enrichmentId: "enr_3", enrichmentName: "Months", type: "budget", matchCount: 0, wouldFire: 0 }
  ],
  memory: { patternsApplied: 1, fieldsAutoFilled: 2 },
  aiPending: [{ enrichmentId: "enr_4", questions: 1, calls: 1, tokens: 790 }],
  catalog: new Map([["amount", "num"]]),
  faults: []
})

export const simulation: SimulationReport = {
  records: 3,
  fields: [
    {
      field: "category",
      added: 1,
      changed: 0,
      removed: 0,
      samples: [
        {
          feedId: feed.id,
          recordId: "txn_1",
          before: null,
          after: "Food",
          authority: "rule",
          sentence: "A rule sets it"
        }
      ]
    }
  ],
  lines: { added: 0, removed: 0 },
  links: { made: 0, broken: 0 },
  findings: { opened: 0, closed: 0 },
  cases: { opened: 0, closed: 0 },
  series: { found: 1, changed: 0, gone: 0 },
  budgets: [
    {
      enrichmentId: "enr_3",
      from: CalendarDate.make("2026-03-01"),
      line: "food",
      currency: Currency.make("EUR"),
      before: null,
      after: { planned: Decimal.make("400"), spent: Decimal.make("12345678901234567890.12"), left: Decimal.make("0") }
    }
  ],
  messages: { told: 0, untold: 0 },
  aiPending: [{ enrichmentId: "enr_4", questions: 30, calls: 2, tokens: 3_100 }],
  deliveries: [
    {
      feedId: feed.id,
      destination: "table",
      create: 1,
      update: 0,
      remove: 0,
      now: { create: 1, update: 0, remove: 0 }
    }
  ],
  shadows: 0,
  faults: []
}

export const longSimulation: Simulation = {
  id: "sim_01k9d3v6w8x2y4z6a8b0c2d4e6" as Simulation["id"],
  workspaceId: feed.workspaceId,
  status: "completed",
  stage: "comparing",
  records: 40_000,
  report: simulation,
  createdBy: { kind: "user", userId: "usr_1" },
  createdAt: Timestamp.make("2026-03-14T09:00:00.000Z"),
  startedAt: Timestamp.make("2026-03-14T09:00:01.000Z"),
  endedAt: Timestamp.make("2026-03-14T09:00:30.000Z"),
  fingerprint: "secret",
  version: 9
}
