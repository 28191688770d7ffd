/** One record of each kind as it is sent, for the examples of the OpenAPI document. */
const ulidExample = "01k9d3v6w8x2y4z6a8b0c2d4e6"

export const exampleId = (prefix: string, last = "6"): string => `${prefix}_${ulidExample.slice(0, -1)}${last}`

export const exampleTime = "2026-03-04T05:06:07.008Z"

export const exampleCreated = "2026-01-15T09:30:00.000Z"

export const exampleIds = {
  workspace: exampleId("ws"),
  user: exampleId("usr"),
  key: exampleId("key"),
  bank: exampleId("bank"),
  attempt: exampleId("cat"),
  account: exampleId("acct"),
  simulation: exampleId("sim"),
  transaction: exampleId("txn"),
  otherTransaction: exampleId("txn", "7"),
  otherAccount: exampleId("acct", "7"),
  feed: exampleId("feed"),
  job: exampleId("job"),
  upload: exampleId("upl"),
  table: exampleId("tbl"),
  field: exampleId("fld"),
  row: exampleId("row"),
  match: exampleId("mat"),
  suggestion: exampleId("sug"),
  accountJoin: exampleId("join"),
  enrichment: exampleId("enr"),
  finding: exampleId("fnd"),
  fact: exampleId("fct"),
  change: exampleId("chg"),
  auditEntry: exampleId("aud"),
  uploadPage: exampleId("upp"),
  request: exampleId("req")
} as const

export const authorExample = { kind: "api", clientId: exampleIds.key }

export const ownerExample = { accountId: exampleIds.account, bankId: exampleIds.bank }

export const namedExample = {
  account: "1234 (checking)",
  accountName: "Everyday",
  accountNumber: "****1234",
  accountType: "checking"
}

export const transactionExample = {
  id: exampleIds.transaction,
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
  ...ownerExample,
  ...namedExample,
  bank: "Demo National Bank"
}
