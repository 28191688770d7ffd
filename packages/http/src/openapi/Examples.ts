/** One record of each kind as it is sent, for the examples of the OpenAPI document. */

const ulid = "01k9d3v6w8x2y4z6a8b0c2d4e6"
const id = (prefix: string, last = "6"): string => `${prefix}_${ulid.slice(0, -1)}${last}`

export const at = "2026-03-04T05:06:07.008Z"
const created = "2026-01-15T09:30:00.000Z"

export const ids = {
  workspace: id("ws"),
  user: id("usr"),
  key: id("key"),
  bank: id("bank"),
  attempt: id("cat"),
  account: id("acct"),
  simulation: id("sim"),
  transaction: id("txn"),
  otherTransaction: id("txn", "7"),
  otherAccount: id("acct", "7"),
  feed: id("feed"),
  job: id("job"),
  upload: id("upl"),
  table: id("tbl"),
  field: id("fld"),
  row: id("row"),
  match: id("mat"),
  suggestion: id("sug"),
  accountJoin: id("join"),
  enrichment: id("enr"),
  finding: id("fnd"),
  fact: id("fct"),
  change: id("chg"),
  auditEntry: id("aud"),
  uploadPage: id("upp"),
  request: id("req")
} as const

const author = { kind: "api", clientId: ids.key }

export const workspace = {
  id: ids.workspace,
  name: "My workspace",
  icon: null,
  plan: "enterprise",
  timezone: "Europe/Berlin",
  locale: "en",
  baseCurrency: "EUR",
  isPortal: false,
  version: 1,
  createdAt: at,
  updatedAt: at
}

export const whoAmI = {
  workspaceId: ids.workspace,
  workspaceName: "My workspace",
  name: "Spreadsheet",
  principal: { kind: "api_key", id: ids.key, name: "Spreadsheet" },
  scopes: ["banks:read", "feeds:read", "jobs:read"],
  workspace: {
    id: ids.workspace,
    name: "My workspace",
    plan: "enterprise",
    timezone: "Europe/Berlin",
    isPortal: false
  },
  plan: {
    id: "enterprise",
    apiAccess: true,
    requestsPerMinute: 600,
    limits: {
      banks: null,
      feeds: null,
      fastestSchedule: "hourly",
      historyDays: null,
      members: null,
      portals: null,
      rows: null,
      automations: null,
      mailboxes: null
    }
  },
  key: { id: ids.key, keyPrefix: "mill_Q3x", name: "Spreadsheet", expiresAt: null },
  serverTime: at,
  apiVersion: "1.0.0"
}

export const auditCheck = { intact: true, entries: 128, newest: { number: 128, hash: "a3".repeat(32) } }

export const auditEntry = {
  id: ids.auditEntry,
  at,
  actor: author,
  credential: { kind: "api_key", id: ids.key },
  operationId: "updateFeed",
  resource: { kind: "feed", id: ids.feed },
  outcome: "ok",
  requestId: ids.request,
  changes: [{ field: "name", before: "Spending", after: "Spending at home" }],
  hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
}

const accountLink = `/v1/banks/${ids.bank}/accounts/${ids.account}`

export const bank = {
  id: ids.bank,
  name: "Demo National Bank",
  source: "demo",
  type: "bank",
  order: 1,
  connectionStatus: { connected: true, status: "connected", lastCheckedAt: at, source: "provider_call" },
  institutionId: "demo-national",
  providerInstanceId: "demo:default",
  createdAt: created,
  updatedAt: at,
  links: { self: `/v1/banks/${ids.bank}`, accounts: `/v1/banks/${ids.bank}/accounts` }
}

export const connectionStart = {
  flow: "portal_popup",
  url: "https://money.example/connect/demo?state=Zk3u1Lr0",
  expectedPayloadKind: "provider_connection_id",
  attemptId: ids.attempt,
  expiresAt: "2026-03-04T05:36:07.008Z",
  connectUrl: "https://money.example/connect/attempts/Zk3u1Lr0"
}

export const connectionAttempt = {
  id: ids.attempt,
  providerInstanceId: "demo:default",
  state: "completed",
  flow: "portal_popup",
  bankId: ids.bank,
  error: null,
  createdAt: at,
  expiresAt: "2026-03-04T05:36:07.008Z"
}

export const foundInstitutions = {
  institutions: [
    {
      id: "ins_127989",
      name: "First Bank",
      countryCodes: ["US"],
      provider: "plaid",
      providerInstanceId: "plaid:us-prod",
      url: "https://first.example",
      status: "ok"
    }
  ],
  providers: [
    { id: "plaid:us-prod", status: "ok", contributed: 1 },
    {
      id: "snaptrade:main",
      status: "rate_limited",
      contributed: 0,
      error: "The provider may not be asked more often",
      retryAfter: "2026-03-04T05:06:37.008Z"
    }
  ]
}

export const providerInstance = {
  id: "plaid:us-prod",
  provider: "plaid",
  name: "Plaid",
  countryCodes: ["US", "CA"],
  flow: "plaid_link",
  dataTypes: ["balances", "transactions", "holdings", "trades", "loans"],
  historyDays: 730,
  webhooks: true,
  available: true,
  connectOptions: []
}

export const account = {
  id: ids.account,
  bankId: ids.bank,
  accountNumber: "****1234",
  accountName: "Everyday",
  accountType: "checking",
  balance: 1842.17,
  availableBalance: 1793.62,
  currency: "EUR",
  creditLimit: null,
  balanceAsOf: at,
  historyFrom: "2025-01-02",
  supports: ["transactions", "balances"],
  state: "open",
  signOverride: false,
  signChange: null,
  createdAt: created,
  updatedAt: at,
  links: { self: accountLink, transactions: `${accountLink}/transactions`, balances: `${accountLink}/balances` }
}

const owner = { accountId: ids.account, bankId: ids.bank }
const named = {
  account: "1234 (checking)",
  accountName: "Everyday",
  accountNumber: "****1234",
  accountType: "checking"
}

export const transaction = {
  id: ids.transaction,
  date: "2026-03-03",
  authorizedDate: "2026-03-02",
  description: "City Gym",
  originalDescription: "CARD 5391 CITY GYM BERLIN",
  merchantName: "City Gym",
  amount: -48.55,
  creditAmount: 0,
  debitAmount: 48.55,
  currency: "EUR",
  category: "PERSONAL_CARE",
  type: "CARD",
  reference: "",
  pending: false,
  pendingTransactionId: null,
  ...owner,
  ...named,
  bank: "Demo National Bank"
}

const otherTransaction = { ...transaction, id: ids.otherTransaction, description: "Gym membership" }

export const balance = {
  date: at,
  bank: "Demo National Bank",
  ...named,
  ...owner,
  amount: 1842.17,
  availableBalance: 1793.62,
  limit: null,
  currency: "EUR",
  current: 1842.17,
  available: 1793.62,
  asOf: at
}

export const trade = {
  id: id("trd"),
  ...owner,
  date: "2026-03-02",
  type: "buy",
  securityName: "World Index Fund",
  securityId: "IE00B4L5Y983",
  ticker: "WLD",
  quantity: 3.25,
  price: 96.4,
  amount: -313.3,
  currency: "EUR"
}

export const holding = {
  id: id("hld"),
  ...owner,
  securityName: "World Index Fund",
  securityId: "IE00B4L5Y983",
  ticker: "WLD",
  quantity: 41.5,
  costBasis: 3612.4,
  currentValue: 4000.6,
  currentPrice: 96.4,
  currency: "EUR",
  isCashEquivalent: false,
  asOf: at
}

export const order = {
  id: id("ord"),
  brokerageOrderId: "A-1042",
  date: at,
  status: "PENDING",
  action: "BUY",
  orderType: "LIMIT",
  timeInForce: "DAY",
  totalQuantity: 10,
  filledQuantity: 0,
  openQuantity: 10,
  canceledQuantity: 0,
  limitPrice: 95,
  stopPrice: null,
  trailingStop: null,
  executionPrice: null,
  currency: "EUR",
  security: "World Index Fund",
  ticker: "WLD",
  bank: "Demo Broker",
  ...owner,
  executedAt: null,
  expiresAt: null
}

export const loan = {
  ...owner,
  loanType: "mortgage",
  principalBalance: -182340.12,
  originationPrincipalAmount: 240000,
  interestRatePercentage: 3.85,
  nextPaymentAmount: 1124.8,
  nextPaymentDueDate: "2026-04-01",
  maturityDate: "2046-04-01",
  isOverdue: false,
  currency: "EUR"
}

const evidence = { tier: "cost", cost: 142, parts: { date: 72, text: 70 }, margin: 310 }

export const match = {
  id: ids.match,
  accountId: ids.account,
  recordId: ids.transaction,
  separateId: null,
  state: "made",
  secondSource: false,
  evidence,
  before: { ...transaction, pending: true },
  observed: transaction,
  jobId: ids.job,
  createdAt: at,
  decidedBy: null,
  decidedAt: null
}

export const accountJoin = {
  id: ids.accountJoin,
  accountId: ids.account,
  joinedId: ids.otherAccount,
  matched: 212,
  suggested: 1,
  createdBy: { kind: "api", clientId: ids.key },
  createdAt: at
}

export const accountJoins = {
  joins: [accountJoin],
  suggestions: [
    { bankId: ids.bank, accountId: ids.otherAccount, evidence: ["institution", "currency", "type", "number", "name"] }
  ]
}

export const suggestion = {
  id: ids.suggestion,
  accountId: ids.account,
  recordId: ids.transaction,
  observedId: ids.otherTransaction,
  state: "open",
  evidence: { ...evidence, cost: 518 },
  record: transaction,
  observed: otherTransaction,
  jobId: ids.job,
  createdAt: at,
  decidedBy: null,
  decidedAt: null
}

export const finding = {
  id: ids.finding,
  enrichmentId: ids.enrichment,
  kind: "duplicate_charge",
  status: "open",
  title: "Charged twice: Coffee, 4.80 EUR on 4 March",
  subject: { kind: "transaction", id: ids.transaction },
  data: { otherId: ids.otherTransaction, amount: "-4.80" },
  firstSeenAt: at,
  lastSeenAt: at,
  version: 1
}

const person = { kind: "user", userId: ids.user }

export const otherSeries = "ser_9bq2m0c4s8f6t1v3x5z7a9d2e4"

export const series = {
  id: "ser_3k7f1m9p2q4r6s8t0v2w4x6y80",
  name: null,
  merchant: "green energy",
  direction: "out",
  cadence: "monthly",
  schedule: "monthly/3/none",
  state: "mature",
  first: "2025-03-03",
  last: "2026-03-03",
  expected: "2026-04-03",
  recordIds: [ids.transaction, ids.otherTransaction]
}

export const period = {
  from: "2026-03-01",
  to: "2026-03-31",
  current: true,
  currency: "EUR",
  lines: [
    {
      key: "food",
      name: "Food",
      planned: 400,
      carriedIn: 49.75,
      spent: 350.25,
      left: 99.5,
      carriedOut: 99.5,
      unconverted: []
    }
  ]
}

export const link = {
  id: "5m8n0p2r4t6w8y0b2d4f6h8k0m",
  kind: "transfer",
  state: "suggested",
  members: [
    { recordId: ids.transaction, role: "out" },
    { recordId: ids.otherTransaction, role: "in" }
  ],
  evidence: { score: 731, margin: 210 }
}

export const withheld = {
  rowId: ids.transaction,
  recordId: ids.transaction,
  accountId: ids.account,
  date: "2026-03-02",
  verdict: "hold",
  enrichmentId: ids.enrichment,
  reason: "the hold conditions match",
  path: "hold",
  fields: { description: "BISTRO LUNE", amount: "-42", currency: "EUR", pending: true },
  since: at,
  overdue: false
}

export const decision = {
  id: ids.fact,
  kind: "note",
  sentence: 'Named "Rent"',
  field: "recurring.name",
  value: "Rent",
  recordIds: [ids.transaction],
  by: person,
  at
}

export const words = {
  recordId: ids.transaction,
  words: [{ id: ids.fact, kind: "set", recordId: ids.transaction, field: "category", value: "Gifts", by: person, at }],
  shadows: [
    { field: "category", value: "Food", enrichmentId: ids.enrichment, feedId: ids.feed, rowId: ids.transaction }
  ]
}

export const silence = {
  id: ids.fact,
  kind: "suppress",
  enrichmentId: ids.enrichment,
  recordId: ids.transaction,
  field: "category",
  by: person,
  at
}

const bySpeaker = { prevails: false, silenced: false, holds: true }

export const explanation = {
  recordId: ids.transaction,
  accountId: ids.account,
  dataType: "transactions",
  state: "live",
  version: 1,
  rows: [
    {
      feed: { id: ids.feed, name: "Transactions to a table" },
      rowId: ids.transaction,
      fields: [
        {
          field: "category",
          provided: "GENERAL",
          value: "Food",
          locked: false,
          chain: [
            {
              ...bySpeaker,
              authority: "rule",
              value: "Food",
              prevails: true,
              enrichmentId: ids.enrichment,
              revision: 1,
              rulePath: "r1",
              sentence: "Rule r1 sets category",
              recomputed: "Food"
            },
            {
              ...bySpeaker,
              authority: "provider",
              value: "GENERAL",
              sentence: "The provider says so",
              recomputed: "GENERAL"
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
      deliveries: [
        { recordId: ids.transaction, op: "create", state: "done", version: 1, jobId: ids.job, updatedAt: at }
      ],
      faults: []
    }
  ],
  links: [],
  history: [
    {
      id: ids.change,
      feedId: ids.feed,
      accountId: ids.account,
      recordId: ids.transaction,
      recordVersion: 1,
      field: "category",
      before: "GENERAL",
      after: "Food",
      beforeAuthority: "provider",
      afterAuthority: "rule",
      enrichmentId: ids.enrichment,
      revision: 1,
      rulePath: "r1",
      actor: { kind: "sync", feedId: ids.feed, jobId: ids.job },
      jobId: ids.job,
      at
    }
  ]
}

const sample = { date: "2026-03-04", description: "GREEN TEA HOUSE", amount: -4.8 }

export const preview = {
  records: [
    {
      original: sample,
      enriched: { ...sample, category: "Drinks" },
      changedFields: ["category"],
      verdict: { value: "deliver", enrichmentId: null, reason: "" },
      lines: [],
      links: [],
      trace: [{ enrichmentId: ids.enrichment, stage: 60, rulePath: "r1", fields: ["category"] }],
      faults: []
    }
  ],
  summary: {
    totalRecords: 1,
    enrichedCount: 1,
    rules: [{ enrichmentId: ids.enrichment, enrichmentName: "Drinks", matchCount: 1 }],
    alerts: [],
    others: []
  },
  aiPending: [],
  faults: []
}

export const simulation = {
  records: 1204,
  fields: [
    {
      field: "category",
      added: 0,
      changed: 0,
      removed: 12,
      samples: [
        {
          feedId: ids.feed,
          recordId: ids.transaction,
          before: "Drinks",
          after: null,
          authority: "provider",
          sentence: "The provider says so"
        }
      ]
    }
  ],
  lines: { added: 0, removed: 0 },
  links: { made: 0, broken: 0 },
  findings: { opened: 0, closed: 0 },
  cases: { opened: 0, closed: 0 },
  series: { found: 0, changed: 0, gone: 0 },
  budgets: [
    {
      enrichmentId: ids.enrichment,
      from: "2026-03-01",
      line: "drinks",
      currency: "EUR",
      before: { planned: 100, spent: 38.4, left: 61.6 },
      after: { planned: 100, spent: 0, left: 100 }
    }
  ],
  messages: { told: 0, untold: 0 },
  aiPending: [],
  deliveries: [
    {
      feedId: ids.feed,
      destination: "table",
      create: 0,
      update: 12,
      remove: 0,
      now: { create: 0, update: 4, remove: 0 }
    }
  ],
  shadows: 0,
  faults: []
}

export const simulationState = {
  id: ids.simulation,
  status: "running",
  stage: "comparing",
  records: 45_500,
  createdBy: { kind: "user", userId: ids.user },
  createdAt: "2026-03-14T09:00:00.000Z",
  startedAt: "2026-03-14T09:00:01.000Z"
}

export const newFeed = {
  name: "Transactions to a table",
  source: "sync",
  dataType: "transactions",
  sourceConfig: { type: "sync", accounts: [{ bankId: ids.bank, accountId: ids.account }] },
  destinationConfig: { type: "table", tableId: ids.table },
  fieldMappings: [
    { sourceField: "date", destinationField: "date" },
    { sourceField: "amount", destinationField: "amount" }
  ],
  schedule: { enabled: true, frequency: "daily", timeOfDay: "06:00" }
}

export const dataTypeSchema = {
  dataType: "transactions",
  label: "Transactions",
  sources: ["sync", "upload"],
  keyField: "id",
  fields: [
    {
      key: "amount",
      name: "Amount",
      type: "num",
      description: "Negative when money leaves the account",
      required: true,
      item: false,
      example: -12.5
    }
  ],
  defaultMappings: [{ sourceField: "amount", destinationField: "Amount" }],
  options: { lookbackDays: { type: "integer", minimum: 0, maximum: 90 } },
  modes: ["incremental", "range", "full"]
}

export const feed = {
  id: ids.feed,
  ...newFeed,
  dataTypeOptions: { dataType: "transactions", pendingMode: "track_and_update", lookbackDays: 7 },
  state: {
    status: "ready",
    reason: null,
    activeJobId: null,
    lastJobId: ids.job,
    lastSuccessAt: at,
    nextRunAt: "2026-03-05T06:00:00.000Z",
    consecutiveFailures: 0,
    dataThrough: "2026-03-04",
    warnings: []
  },
  order: 1,
  createdBy: author,
  version: 3,
  createdAt: created,
  updatedAt: at
}

const counts = {
  read: 120,
  vanished: 1,
  carried: 0,
  created: 12,
  updated: 3,
  removed: 1,
  unchanged: 105,
  filtered: 0,
  failed: 0,
  quarantined: 0,
  differs: 0
}

export const job = {
  id: ids.job,
  userId: ids.user,
  feedId: ids.feed,
  workspaceId: ids.workspace,
  status: "completed",
  type: "manual",
  mode: "incremental",
  options: { forceCancelActive: false, resetCursors: false, skipDedup: false },
  transactionsProcessed: 120,
  transactionsWritten: 16,
  counts,
  errors: [],
  attempt: 1,
  startedBy: author,
  createdAt: at,
  updatedAt: at,
  startedAt: at,
  completedAt: at
}

const none = { read: 0, vanished: 0, created: 0, updated: 0, removed: 0, unchanged: 0 }

/** A job that was just made. */
export const newJob = {
  id: ids.job,
  userId: ids.user,
  feedId: ids.feed,
  workspaceId: ids.workspace,
  status: "created",
  type: "manual",
  mode: "incremental",
  options: job.options,
  transactionsProcessed: 0,
  transactionsWritten: 0,
  counts: { ...counts, ...none },
  errors: [],
  attempt: 0,
  startedBy: author,
  createdAt: at,
  updatedAt: at
}

export const cancelledJob = { ...newJob, status: "cancelled", completedAt: at }
export const pausedJob = { ...newJob, status: "paused", pauseReason: "user", startedAt: at, attempt: 1 }
export const runningJob = { ...newJob, status: "in_progress", startedAt: at, attempt: 1 }

export const delivered = {
  recordId: ids.transaction,
  version: 2,
  op: "update",
  state: "done",
  dead: false,
  jobId: ids.job,
  destinationRef: ids.row,
  values: { date: "2026-03-03", amount: -48.55 },
  attempts: 1,
  lastError: null,
  updatedAt: at
}

export const upload = {
  id: ids.upload,
  feedId: ids.feed,
  fileName: "february.ofx",
  contentType: "application/x-ofx",
  size: 18_204,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  status: "processed",
  jobId: ids.job,
  error: null,
  format: "ofx",
  statements: [
    {
      account: "****1234",
      accountId: ids.account,
      currency: "EUR",
      from: "2026-02-01",
      to: "2026-02-28",
      openingBalance: 1200,
      closingBalance: 1842.17,
      rows: 41,
      difference: 0
    }
  ],
  assumed: {},
  warnings: [],
  fileRemovedAt: null,
  createdAt: at
}

export const newField = { name: "Amount", type: "currency", options: { currency: "EUR" }, required: true }

export const field = {
  id: ids.field,
  key: "amount",
  name: "Amount",
  type: "currency",
  options: { currency: "EUR" },
  required: true,
  unique: false,
  indexed: false,
  origin: "user",
  position: 0
}

export const newTable = { name: "Subscriptions", fields: [newField], keyFields: ["amount"] }

export const table = {
  id: ids.table,
  name: "Subscriptions",
  icon: null,
  folderId: null,
  fields: [field],
  keyFields: ["amount"],
  rowCount: 1,
  source: { kind: "manual", id: null },
  createdBy: author,
  version: 1,
  createdAt: created,
  updatedAt: at,
  trashedAt: null,
  purgeAt: null
}

export const row = {
  id: ids.row,
  tableId: ids.table,
  values: { amount: -48.55 },
  externalKey: null,
  held: [],
  createdBy: author,
  updatedBy: author,
  version: 1,
  createdAt: created,
  updatedAt: at,
  trashedAt: null
}
