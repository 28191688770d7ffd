/** What every replay begins with: workspaces with their keys, banks, feeds, a table, enrichments and what people decided. */
import { allScopes } from "@millrace/core/access"
import { enrichments } from "./Enrichments.ts"
import { makeHome } from "./Home.ts"
import { makeOwnersRequests } from "./OwnersRequests.ts"
import { formOf, statement } from "./Statement.ts"
import type { World } from "./World.ts"

export const makeScene = async (world: World) => {
  const { owner, secrets, single, workspace } = await world.run(makeHome)
  world.people.moveTo(workspace)
  world.people.grant(allScopes)

  const requests = makeOwnersRequests(world, secrets.owner)
  const { many, one } = requests

  const connect = (providerInstanceId: string, connectionId: string, institutionId?: string) =>
    one("POST", "/v1/banks/connections/complete", {
      providerInstanceId,
      payload: {
        kind: "provider_connection_id",
        connectionId,
        ...(institutionId === undefined ? {} : { institutionId })
      }
    })

  const small = await connect("demo:small", "small")
  const broker = await connect("demo:default", "broker", "demo-broker")
  const lender = await connect("demo:default", "lender", "demo-lender")
  const { bankId } = small
  const [a, b] = small.accounts.map(({ id }) => id) as [string, string]

  const table = await one("POST", "/v1/tables", {
    name: "Movements",
    fields: [
      { name: "Note", type: "text" },
      { name: "Price", type: "currency", options: { currency: "USD" } }
    ]
  })
  const own = await one("POST", "/v1/tables", {
    name: "Invoices",
    fields: [
      { name: "Number", type: "text", required: true },
      { name: "Amount", type: "currency" }
    ],
    keyFields: ["number"]
  })
  const rows = await many("POST", `/v1/tables/${own.id}/rows`, {
    rows: [
      { values: { number: "A-1", amount: 12.5 } },
      { values: { number: "A-2", amount: "100.25" } },
      { values: { number: "A-3" } }
    ]
  })

  const kinds: Record<string, string> = {}
  for (const [name, block] of Object.entries(enrichments)) {
    const made = await one("POST", "/v1/enrichments", { name, dataType: "transactions", allFeeds: true, ...block })
    kinds[name] = made.id
  }

  const feed = await one("POST", "/v1/feeds", {
    name: "Everything",
    source: "sync",
    dataType: "transactions",
    sourceConfig: {
      type: "sync",
      accounts: [
        { bankId, accountId: a },
        { bankId, accountId: b }
      ]
    },
    destinationConfig: { type: "table", tableId: table.id }
  })
  const job = await one("POST", `/v1/feeds/${feed.id}/sync`, { startDate: "2025-09-01" })
  const delivered = await many("POST", `/v1/tables/${table.id}/rows/query`, {
    filter: { field: "description", op: "eq", value: "ONLINE STORE" }
  })
  await one("PUT", `/v1/tables/${table.id}/rows/${delivered[0]!.id}`, { values: { note: "Chairs" } })
  await world.pass(86_400)
  world.goOn()
  await one("POST", `/v1/feeds/${feed.id}/sync`)
  await world.pass(60)

  const files = await one("POST", "/v1/feeds", {
    name: "Statements",
    source: "upload",
    dataType: "transactions",
    sourceConfig: { type: "upload", bankName: "Bank of files" },
    destinationConfig: { type: "table", tableId: table.id }
  })
  const upload = await one("POST", `/v1/feeds/${files.id}/uploads`, formOf("march.csv", statement("2026-03-0")))
  const uploadPage = await one("POST", `/v1/feeds/${files.id}/uploads/start`, {})
  const attempt = await one("POST", "/v1/banks/connections/start", {
    providerInstanceId: "demo:default",
    email: "person@example.com",
    forceNewConnection: true
  })
  await world.pass(60)

  const account = `/v1/banks/${bankId}/accounts/${a}`
  const [broked, lent] = [broker.accounts[1]!.id, lender.accounts[0]!.id]
  const [match] = await many("GET", `${account}/matches`)
  const [suggestion] = await many("GET", `${account}/suggestions`)
  const series = await many("GET", `/v1/enrichments/${kinds["recurring"]}/series`)
  const [finding] = await many("GET", `/v1/enrichments/${kinds["anomaly"]}/findings`)
  const transactions = await many("GET", `${account}/transactions?limit=20`)
  const recordOf = (text: string) => transactions.find(({ description }) => description === text)!.id
  const recordId = recordOf("GREEN TEA HOUSE")
  await one("PUT", `/v1/enrichments/${kinds["recurring"]}/series/${series[0]!.id}`, { name: "Fee" })
  const [decision] = await many("GET", `/v1/enrichments/${kinds["recurring"]}/decisions`)
  world.atOnce.records = 0
  const simulated = await one("POST", "/v1/enrichments/simulate", {
    changes: [{ kind: "enable", enrichmentId: kinds["rule"], enabled: false }]
  })
  world.atOnce.records = Infinity

  /** What placeholders of paths stand for unless a request says otherwise. */
  const params: Readonly<Record<string, string>> = {
    workspace_id: workspace.id,
    bank_id: bankId,
    account_id: a,
    feed_id: feed.id,
    job_id: job.id,
    table_id: own.id,
    field_id: own.fields[1]!.id,
    row_id: rows[0]!.id,
    match_id: match!.id,
    suggestion_id: suggestion!.id,
    transaction_id: recordId,
    record_id: recordId,
    upload_id: upload.id,
    page_id: uploadPage.id,
    attempt_id: attempt.attemptId,
    data_type: "transactions",
    enrichment_id: kinds["rule"]!,
    finding_id: finding!.id,
    series_id: series[0]!.id,
    decision_id: decision!.id,
    simulation_id: simulated.id,
    provider_instance_id: "demo:small"
  }
  const other = {
    a,
    account,
    b,
    bankId,
    broked,
    brokerId: broker.bankId,
    filesId: files.id,
    kinds,
    lent,
    lenderId: lender.bankId,
    rows,
    series,
    recordOf,
    table
  }
  return { ...other, ...requests, owner, params, secrets, single, workspace }
}

export type Scene = Awaited<ReturnType<typeof makeScene>>
