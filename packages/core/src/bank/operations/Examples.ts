import { exampleCreated, exampleIds, exampleTime } from "../../operation/Examples.ts"

const accountLinkExample = `/v1/banks/${exampleIds.bank}/accounts/${exampleIds.account}`

export const bankExample = {
  id: exampleIds.bank,
  name: "Demo National Bank",
  source: "demo",
  type: "bank",
  order: 1,
  connectionStatus: { connected: true, status: "connected", lastCheckedAt: exampleTime, source: "provider_call" },
  institutionId: "demo-national",
  providerInstanceId: "demo:default",
  createdAt: exampleCreated,
  updatedAt: exampleTime,
  links: { self: `/v1/banks/${exampleIds.bank}`, accounts: `/v1/banks/${exampleIds.bank}/accounts` }
}

export const connectionStartExample = {
  flow: "portal_popup",
  url: "https://money.example/connect/demo?state=Zk3u1Lr0",
  expectedPayloadKind: "provider_connection_id",
  attemptId: exampleIds.attempt,
  expiresAt: "2026-03-04T05:36:07.008Z",
  connectUrl: "https://money.example/connect/attempts/Zk3u1Lr0"
}

export const accountExample = {
  id: exampleIds.account,
  bankId: exampleIds.bank,
  accountNumber: "****1234",
  accountName: "Everyday",
  accountType: "checking",
  balance: 1842.17,
  availableBalance: 1793.62,
  currency: "EUR",
  creditLimit: null,
  balanceAsOf: exampleTime,
  historyFrom: "2025-01-02",
  supports: ["transactions", "balances"],
  state: "open",
  signOverride: false,
  signChange: null,
  createdAt: exampleCreated,
  updatedAt: exampleTime,
  links: {
    self: accountLinkExample,
    transactions: `${accountLinkExample}/transactions`,
    balances: `${accountLinkExample}/balances`
  }
}

export const accountJoinExample = {
  id: exampleIds.accountJoin,
  accountId: exampleIds.account,
  joinedId: exampleIds.otherAccount,
  matched: 212,
  suggested: 1,
  createdBy: { kind: "api", clientId: exampleIds.key },
  createdAt: exampleTime
}

export const exampleFreshness = { asOf: exampleTime, stale: false }

export const readThrough =
  "Data that is older than the freshness of its provider is read from upstream first, for at most 10 seconds. " +
  "Where that fails, stored data answers with `meta.stale` and the reason; without stored data the answer is 503. " +
  "`cached=true` never asks upstream."
