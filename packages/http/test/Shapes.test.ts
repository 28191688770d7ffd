/** What records look like on the wire, field for field (decisions 4.1 to 4.5). */
import { describe, expect, it } from "vitest"
import { plans } from "@millrace/core/workspace"
import { pathOf } from "./fakes/Operations.ts"
import * as Records from "./fakes/Records.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()
const get = async (template: string) => (await server.call("GET", pathOf(template))).body
const text = async (template: string) => (await server.call("GET", pathOf(template))).text
const account = "/v1/banks/{bank_id}/accounts/{account_id}"

const whoIs = (person: NonNullable<Server.Options["person"]>) =>
  Server.make({ person }).call("GET", "/v1/whoami", {
    anonymous: true,
    headers: { authorization: "Bearer mses_x" }
  })

describe("records", () => {
  it("says who the key is and what the plan allows", async () => {
    const { data } = await get("/v1/whoami")
    expect(data).toMatchObject({
      workspaceId: Records.workspace.id,
      workspaceName: "Acme",
      name: "CI",
      principal: { kind: "api_key", id: Records.key.id, name: "CI" },
      workspace: { id: Records.workspace.id, plan: "business", timezone: "UTC", isPortal: false },
      plan: { id: "business", apiAccess: true, requestsPerMinute: 30 },
      key: { id: Records.key.id, keyPrefix: "mill_abc", expiresAt: null },
      apiVersion: "1.0.0"
    })
    const { apiAccess: _a, fileBytes: _f, requestsPerMinute: _r, ...limits } = plans.business
    expect(data.plan.limits).toEqual(limits)
    expect(data.serverTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(data).not.toHaveProperty("role")
  })

  it("lists the workspaces of a session that names none", async () => {
    const { workspace } = Records
    const portal = { ...workspace, id: "ws_00000000000000000000000009" as typeof workspace.id, name: "Client" }
    const userId = "usr_00000000000000000000000001" as const
    const person = { kind: "user", workspace, userId, email: "a@example.org", role: "owner" } as const
    const workspaces = [
      { workspace, role: "owner" as const },
      { workspace: portal, role: "admin" as const }
    ]
    expect((await whoIs({ ...person, workspaces })).body.data).toMatchObject({
      principal: { kind: "user", id: userId, name: "a@example.org" },
      workspaceId: null,
      workspace: null,
      plan: null,
      scopes: [],
      workspaces: [
        { id: workspace.id, name: "Acme", role: "owner", plan: "business" },
        { id: portal.id, name: "Client", role: "admin", plan: "business" }
      ]
    })
    const named = (await whoIs(person)).body.data
    expect(named).toMatchObject({ workspaceId: workspace.id, role: "owner", plan: { id: "business" } })
    expect(named).not.toHaveProperty("workspaces")
  })

  it("tells the rows that the operator allows where the plan allows more", async () => {
    const cases = [
      ["enterprise", 500, 500],
      ["free", 500, 500],
      ["free", 5_000, plans.free.rows]
    ] as const
    for (const [plan, workspaceRows, rows] of cases) {
      const answer = await Server.make({ workspace: { plan }, workspaceRows }).call("GET", "/v1/whoami")
      expect([plan, answer.body.data.plan.limits.rows]).toEqual([plan, rows])
    }
  })

  it("says that a plan has no limit with null", async () => {
    const answer = await Server.make({ workspace: { plan: "enterprise" } }).call("GET", "/v1/whoami")
    expect(answer.body.data.plan.limits).toMatchObject({ banks: null, rows: null })
  })

  it("shows a bank with its links, and its owner only in family answers", async () => {
    const { data, meta, links } = await get("/v1/banks")
    expect(data).toEqual([
      {
        id: Records.bank.id,
        name: "First Bank",
        source: "demo",
        type: "bank",
        order: 1,
        connectionStatus: Records.bank.connectionStatus,
        institutionId: "demo-1",
        providerInstanceId: "demo:default",
        createdAt: Records.at,
        updatedAt: Records.at,
        links: { self: `/v1/banks/${Records.bank.id}`, accounts: `/v1/banks/${Records.bank.id}/accounts` }
      }
    ])
    expect([meta, links]).toEqual([{ count: 1, hasMore: false }, { self: "/v1/banks" }])
    const family = await server.call("GET", "/v1/banks?scope=family")
    expect(family.body.data[0]).toMatchObject({ workspaceId: Records.workspace.id, portal: null })
  })

  it("lists the banks of portals with the portal beside each, where they are asked for", async () => {
    const id = Records.workspace.id.replace(/.$/, "9") as typeof Records.workspace.id
    const portal = { ...Records.workspace, id, name: "Bakery", icon: "🥐", parentWorkspaceId: Records.workspace.id }
    const parent = Server.make({ portals: [portal] })
    const family = await parent.call("GET", "/v1/banks?scope=family")
    expect(family.body.data.map((bank: Server.Loose) => bank.portal)).toEqual([
      null,
      { id, name: "Bakery", icon: "🥐" }
    ])
    expect((await parent.call("GET", "/v1/banks")).body.data).toHaveLength(1)
  })

  it("lists deleted banks with the day they go, to those who may delete them", async () => {
    const { data } = await get("/v1/banks?deleted=true")
    expect(data).toMatchObject([{ deletedAt: Records.at, purgeAt: "2026-04-01T03:00:00.000Z" }])
    const reader = Server.make({ scopes: ["banks:read"] })
    expect(await reader.call("GET", "/v1/banks?deleted=true")).toMatchObject({
      status: 403,
      body: { code: "INSUFFICIENT_SCOPE" }
    })
    expect((await reader.call("GET", "/v1/banks?deleted=false")).status).toBe(200)
  })

  it("takes queued for created where jobs are asked for", async () => {
    await server.call("GET", `${pathOf("/v1/feeds/{feed_id}/jobs")}?status=queued`)
    expect(server.calls["listJobs"]?.at(-1)).toMatchObject({ status: "created" })
  })

  it("shows an account without what only matching needs", async () => {
    const { data, meta } = await get(account)
    expect(data).not.toHaveProperty("providerAccountId")
    expect(data).not.toHaveProperty("stableKeys")
    expect(data).not.toHaveProperty("workspaceId")
    expect(data).toMatchObject({ accountNumber: "****1234", creditLimit: null, balanceAsOf: Records.at })
    expect(Object.keys(data.links)).toEqual([
      "self",
      "transactions",
      "balances",
      "trades",
      "holdings",
      "orders",
      "loan"
    ])
    expect(meta).toEqual({ asOf: Records.at, stale: false })
  })

  it("writes numbers with all their digits, past what a double holds", async () => {
    expect(await text(account)).toContain('"balance":9007199254740993.07,"availableBalance":-0.5')
    expect(await text(`${account}/transactions`)).toContain('"amount":-12345678901234567.89,"creditAmount":0,')
    expect(await text(`${account}/trades`)).toContain('"quantity":0.000000000001')
    expect(await text("/v1/tables/{table_id}/rows")).toContain(
      '"values":{"amount":0.1000000000000000055511,"memo":"12","done":true,"extra":{"n":12345678901234567890.12,"list":["1",null]}}'
    )
    expect(await text("/v1/feeds/{feed_id}/uploads")).toContain('"closingBalance":1.1,')
  })

  it("shows a page of transactions with its window and the way on", async () => {
    const { data, meta, links } = await get(`${account}/transactions`)
    expect(data[0].pendingTransactionId).toBeNull()
    expect(meta).toEqual({
      count: 1,
      hasMore: true,
      cursor: "next",
      nextCursor: "next",
      asOf: Records.at,
      stale: false,
      window: { from: "2026-01-01", to: "2026-03-01" },
      removed: ["txn_gone"]
    })
    expect(links.next).toBe(`${pathOf(account)}/transactions?cursor=next`)
    const last = await server.call("GET", `${pathOf(account)}/transactions?limit=5&cursor=next`)
    expect(last.body.meta).toMatchObject({ hasMore: false, cursor: "next" })
    expect(last.body.meta).not.toHaveProperty("nextCursor")
    expect(last.body.links).toEqual({ self: `${pathOf(account)}/transactions?limit=5&cursor=next` })
  })

  it("gives a balance its second names", async () => {
    const { data } = await get(`${account}/balances`)
    expect(data).toMatchObject({
      amount: 10.5,
      current: 10.5,
      availableBalance: null,
      available: null,
      limit: null,
      date: Records.at,
      asOf: Records.at
    })
  })

  it("shows unknown fields of orders and holdings as null where they are always there", async () => {
    const [order] = (await get(`${account}/orders`)).data
    expect(order).toMatchObject({ limitPrice: 1.25, stopPrice: null, ticker: null, executedAt: null })
    const [holding] = (await get(`${account}/holdings`)).data
    expect(holding).toMatchObject({ quantity: 3.5, costBasis: null })
    expect(holding).not.toHaveProperty("ticker")
    expect((await get(`${account}/loan`)).meta).toEqual({
      stale: true,
      reason: { code: "PROVIDER_UNAVAILABLE", message: "Down", recovery: { action: "retry", afterSeconds: 300 } }
    })
  })

  it("shows a feed with its state and without what is internal", async () => {
    const { data } = await get("/v1/feeds/{feed_id}")
    for (const hidden of ["mappingsDefaulted", "createdByUser", "nextRunAt", "portal"]) {
      expect(data).not.toHaveProperty(hidden)
    }
    expect(data).toMatchObject({ version: 3, createdBy: { kind: "api", clientId: Records.key.id } })
    expect(data.state).toEqual({
      status: "ready",
      reason: null,
      activeJobId: null,
      lastJobId: null,
      lastSuccessAt: null,
      nextRunAt: Records.at,
      consecutiveFailures: 0,
      dataThrough: "2026-03-03",
      warnings: []
    })
  })

  it("tells warnings with a feed that was made, and nothing with one that was deleted", async () => {
    const made = await server.json("POST", "/v1/feeds", { name: "A", source: "sync", dataType: "loans" })
    expect(made.body.meta).toEqual({ warnings: Records.feedView.warnings })
    expect((await server.call("DELETE", pathOf("/v1/feeds/{feed_id}"))).body).toEqual({ success: true })
  })

  it("sums up the counters of a job", async () => {
    const { data } = await get("/v1/feeds/{feed_id}/jobs/{job_id}")
    expect(data).toMatchObject({
      transactionsProcessed: 9,
      transactionsWritten: 6,
      startDate: "2026-01-01",
      options: { forceCancelActive: false, resetCursors: false, skipDedup: true }
    })
    expect(data.options).not.toHaveProperty("startDate")
  })

  it("shows tables, rows and uploads with all that is always there", async () => {
    expect((await get("/v1/tables/{table_id}")).data).toMatchObject({
      icon: null,
      folderId: null,
      keyFields: ["memo"],
      source: { kind: "feed", id: Records.feed.id },
      trashedAt: null
    })
    expect((await get("/v1/tables/{table_id}/rows/{row_id}")).data).toMatchObject({
      externalKey: "transactions:1",
      held: ["memo"],
      version: 5,
      trashedAt: null
    })
    expect((await get("/v1/tables/{table_id}")).data.fields[0]).toEqual({
      id: Records.field.id,
      key: "amount",
      name: "Amount",
      type: "currency",
      options: { currency: "EUR", scale: 2 },
      required: true,
      unique: false,
      indexed: true,
      default: Number(Records.field.default),
      description: "In the currency of the account",
      origin: "feed",
      position: 0
    })
    expect(await text("/v1/tables/{table_id}")).toContain('"default":12345678901234567890.12')
    expect((await get("/v1/feeds/{feed_id}/uploads")).data[0]).toMatchObject({
      jobId: null,
      error: null,
      statements: [{ account: "****1234", from: "2026-03-01", to: null, openingBalance: null, rows: 2 }]
    })
  })
})
