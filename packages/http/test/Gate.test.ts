/** What happens before and around handlers: order of checks, limits, rate, headers, log, failures. */
import * as Duration from "effect/Duration"
import { describe, expect, it } from "vitest"
import * as Records from "./fakes/Records.ts"
import * as Server from "./fakes/Server.ts"

const banks = "/v1/banks"

const form = (name: string, content: string, times = 1) => {
  const body = new FormData()
  body.append("note", "text")
  for (let n = 0; n < times; n++) body.append(name, new Blob([content], { type: "text/csv" }), "märz.csv")
  return body
}

const transportSecurity = async (base: string) => {
  const { headers } = await Server.make({ base }).call("GET", banks)
  return headers.get("strict-transport-security")
}

describe("order of checks", () => {
  it("asks for a credential before it tells whether a path exists", async () => {
    const server = Server.make()
    expect((await server.call("GET", "/v1/nope", { anonymous: true })).status).toBe(401)
    expect((await server.call("GET", "/v1/nope")).body.code).toBe("ROUTE_NOT_FOUND")
    expect((await server.call("GET", "/v1")).body.code).toBe("ROUTE_NOT_FOUND")
    expect((await server.call("GET", "/nope", { anonymous: true })).body.code).toBe("ROUTE_NOT_FOUND")
    expect((await server.call("PUT", "/", { anonymous: true })).body.code).toBe("METHOD_NOT_ALLOWED")
  })

  it("judges the target before the credential", async () => {
    const answer = await Server.make().call("GET", `${banks}?q=${"x".repeat(8_192)}`, { anonymous: true })
    expect([answer.status, answer.body.code]).toEqual([414, "URI_TOO_LONG"])
    expect((await Server.make().call("GET", `${banks}?q=${"x".repeat(8_192 - 12)}`)).status).toBe(200)
  })

  it("judges the headers before the credential", async () => {
    const answer = await Server.make().call("GET", banks, {
      anonymous: true,
      headers: { "x-more": "x".repeat(16_384) }
    })
    expect([answer.status, answer.body.code]).toEqual([431, "HEADERS_TOO_LARGE"])
  })

  it("judges plan and scope before the body", async () => {
    const noScope = Server.make({ scopes: ["banks:read"] })
    expect((await noScope.call("POST", "/v1/feeds", { body: "{" })).status).toBe(403)
    expect((await Server.make({ workspace: { plan: "starter" }, scopes: [] }).call("GET", banks)).body.code).toBe(
      "PLAN_WITHOUT_API_ACCESS"
    )
  })

  it("leaves an entry in the audit of what it refuses, and of nothing else", async () => {
    const server = Server.make({ scopes: ["banks:read"] })
    await server.call("GET", banks)
    await server.call("GET", "/v1/nope")
    expect(server.calls["refused"]).toBeUndefined()
    await server.call("POST", "/v1/feeds", { body: "{" })
    expect(server.calls["refused"]).toEqual([["createFeed", Records.workspace.id]])
  })

  it("judges the body before the resource", async () => {
    const answer = await Server.make().json("PUT", "/v1/feeds/nothing", { name: 1 })
    expect(answer.body.code).toBe("INVALID_REQUEST")
  })

  it("never reads a credential from the query", async () => {
    const answer = await Server.make().call("GET", `${banks}?api_key=${Server.secret}&X-API-Key=${Server.secret}`, {
      anonymous: true
    })
    expect(answer.body.code).toBe("MISSING_CREDENTIAL")
    // Whoever has none learns how to send one.
    expect(answer.body.error).toContain("X-API-Key")
    expect(answer.body.error).toContain("Authorization: Bearer")
  })

  it("tells browsers to stay with https where they reach the server so, and elsewhere nothing", async () => {
    expect(await transportSecurity("https://money.example")).toBe("max-age=31536000")
    expect(await transportSecurity("http://127.0.0.1:8080")).toBeNull()
  })
})

describe("rate limit", () => {
  it("counts every authenticated request, whatever becomes of it, and no other", async () => {
    const server = Server.make({ scopes: ["banks:read"] })
    await server.call("GET", banks)
    await server.call("GET", "/v1/nope")
    await server.call("PATCH", banks)
    await server.call("GET", "/v1/feeds")
    await server.call("GET", `${banks}?scope=x`)
    expect(server.counted).toEqual(Array.from({ length: 5 }, () => Records.workspace.id))
    await server.call("GET", banks, { anonymous: true })
    await server.call("GET", banks, { headers: { "x-api-key": "bad" } })
    await server.call("OPTIONS", banks, { anonymous: true })
    await server.call("GET", "/livez")
    expect(server.counted).toHaveLength(5)
  })

  it("refuses what is over the plan and says when to come back", async () => {
    const server = Server.make({ metered: true, workspace: { plan: "standard" } })
    for (let n = 0; n < 10; n++) expect((await server.call("GET", banks)).status).toBe(200)
    const refused = await server.call("GET", "/v1/nope")
    expect(refused.status).toBe(429)
    const wait = Number(refused.headers.get("retry-after"))
    expect(wait).toBeGreaterThanOrEqual(1)
    expect(wait).toBeLessThanOrEqual(60)
    expect(refused.body).toMatchObject({
      code: "RATE_LIMITED",
      error: "Rate limit exceeded",
      recovery: { action: "retry", afterSeconds: wait }
    })
    expect(refused.headers.get("x-ratelimit-limit")).toBe("10")
    expect(refused.headers.get("x-ratelimit-policy")).toBe("10;w=60")
  })
})

const limitOf = async (options: Server.Options) =>
  (await Server.make(options).call("GET", banks)).headers.get("x-ratelimit-limit")

describe("rate limit by agreement", () => {
  it("counts enterprise against what the operator set, and tells it", async () => {
    const server = Server.make({ metered: true, workspace: { plan: "enterprise" }, agreedRate: 3 })
    for (let n = 0; n < 3; n++) {
      const { body } = await server.call("GET", "/v1/whoami")
      expect(body.data.plan.requestsPerMinute).toBe(3)
    }
    const refused = await server.call("GET", "/v1/whoami")
    expect([refused.status, refused.headers.get("x-ratelimit-limit")]).toEqual([429, "3"])
  })

  it("leaves the other plans as they are, and enterprise at 600 unless agreed", async () => {
    expect(await limitOf({ workspace: { plan: "business" }, agreedRate: 3 })).toBe("30")
    expect(await limitOf({ workspace: { plan: "enterprise" } })).toBe("600")
  })
})

describe("headers", () => {
  it("echoes a request id it can use and replaces others", async () => {
    const server = Server.make()
    const kept = await server.call("GET", "/v1/nope", { headers: { "x-request-id": "My.id_1-2" } })
    expect([kept.headers.get("x-request-id"), kept.body.referenceId]).toEqual(["My.id_1-2", "My.id_1-2"])
    for (const id of ["a b", "x".repeat(129), "é"]) {
      const replaced = await server.call("GET", "/v1/nope", { headers: { "x-request-id": id } })
      expect(replaced.headers.get("x-request-id")).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
    }
  })

  it("answers HEAD as GET without a body", async () => {
    const head = await Server.make().call("HEAD", banks)
    expect([head.status, head.text]).toEqual([200, ""])
    expect((await Server.make().call("HEAD", "/v1/nope")).status).toBe(404)
  })

  it("ignores Accept, and type and body of requests that have none", async () => {
    const server = Server.make()
    const headers = { accept: "text/html", "content-type": "text/plain", "content-encoding": "gzip" }
    expect((await server.call("GET", banks, { headers })).status).toBe(200)
    expect((await server.call("DELETE", `/v1/feeds/${Records.feed.id}`, { headers, body: "junk" })).status).toBe(200)
  })
})

describe("conditional requests", () => {
  const feed = `/v1/feeds/${Records.feed.id}`

  it.each([
    [feed, '"3"'],
    [`/v1/tables/${Records.table.id}`, '"2"'],
    [`/v1/tables/${Records.table.id}/rows/${Records.row.id}`, '"5"']
  ])("answers 304 for the version the caller has of %s", async (path, etag) => {
    const server = Server.make()
    expect((await server.call("GET", path)).headers.get("etag")).toBe(etag)
    for (const known of [etag, `W/${etag}`, `"77", ${etag}`, "*"]) {
      const same = await server.call("GET", path, { headers: { "if-none-match": known } })
      expect([same.status, same.text, same.headers.get("etag")]).toEqual([304, "", etag])
      expect(same.headers.get("x-ratelimit-limit")).toBe("30")
    }
    expect((await server.call("GET", path, { headers: { "if-none-match": '"77"' } })).status).toBe(200)
  })

  it("changes and deletes only the version that If-Match names", async () => {
    const server = Server.make()
    for (const [ifMatch, status] of [
      ['"3"', 200],
      ["*", 200],
      ['"2"', 412],
      ["3", 412],
      ["junk", 412]
    ] as const) {
      const headers = { "if-match": ifMatch }
      expect((await server.json("PUT", feed, {}, headers)).status, ifMatch).toBe(status)
      const removed = await server.call("DELETE", feed, { headers })
      expect(removed.status).toBe(status)
      if (status === 412)
        expect(removed.body).toMatchObject({ code: "PRECONDITION_FAILED", error: "Record has changed" })
    }
  })
})

describe("query", () => {
  it("refuses bytes that are no UTF-8 and NUL", async () => {
    for (const query of ["q=%ff", "x=%00", "%c3=1"]) {
      const answer = await Server.make().call("GET", `${banks}?${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, "INVALID_ENCODING"])
    }
  })

  it("tells all faults at once", async () => {
    const path = `/v1/banks/${Records.bank.id}/accounts/${Records.account.id}/transactions`
    const answer = await Server.make().call("GET", `${path}?limit=0&from=x&pending=maybe`)
    expect(answer.body.details.map((detail: { field: string }) => detail.field).toSorted()).toEqual([
      "from",
      "limit",
      "pending"
    ])
  })

  it("refuses a window that ends before it begins, unless a cursor brings its own", async () => {
    const path = `/v1/banks/${Records.bank.id}/accounts/${Records.account.id}/transactions`
    const server = Server.make()
    const answer = await server.call("GET", `${path}?from=2026-02-02&to=2026-02-01`)
    expect(answer.body).toMatchObject({ code: "INVALID_DATE_RANGE", error: "from must not be after to" })
    expect((await server.call("GET", `${path}?from=2026-02-02&to=2026-02-01&cursor=next`)).status).toBe(200)
  })

  it("hands the parameters to the kernel as values", async () => {
    const server = Server.make()
    const path = `/v1/banks/${Records.bank.id}/accounts/${Records.account.id}/transactions`
    await server.call(
      "GET",
      `${path}?from=2026-01-01T23:30:00-08:00&limit=007&pending=false&minAmount=-1.50&q=caf%C3%A9&cached=true`
    )
    expect(server.calls["transactions"]).toEqual([
      { filter: { from: "2026-01-01", pending: false, minAmount: "-1.5", text: "café" }, limit: 7, cached: true }
    ])
  })

  it("knows the family scope only where there can be a family", async () => {
    const portal = Server.make({ workspace: { parentWorkspaceId: Records.idOf("workspace", "1") } })
    for (const path of ["/v1/banks", "/v1/feeds"]) {
      const answer = await portal.call("GET", `${path}?scope=family`)
      expect(answer.body).toMatchObject({ code: "FAMILY_SCOPE_ON_PORTAL", details: [{ field: "scope" }] })
      expect((await portal.call("GET", `${path}?scope=self`)).status).toBe(200)
      expect((await portal.call("GET", `${path}?scope=x`)).body.code).toBe("INVALID_SCOPE_VALUE")
    }
  })

  it("asks for a new start when a cursor cannot be used", async () => {
    const path = `/v1/tables/${Records.table.id}/rows`
    const old = await Server.make().call("GET", `${path}?cursor=old`)
    expect(old.body).toMatchObject({ code: "CURSOR_EXPIRED", recovery: { action: "restart_pagination" } })
    expect((await Server.make().call("GET", `${path}?cursor=x`)).body.code).toBe("INVALID_CURSOR")
  })
})

describe("bodies", () => {
  const sync = `/v1/feeds/${Records.feed.id}/sync`
  const uploads = `/v1/feeds/${Records.feed.id}/uploads`

  it("takes an empty body of any type for a sync with no options", async () => {
    const server = Server.make()
    for (const type of ["application/json", "application/x-www-form-urlencoded", "text/plain"]) {
      expect((await server.call("POST", sync, { body: "", headers: { "content-type": type } })).status).toBe(201)
    }
    expect((await server.call("POST", sync)).status).toBe(201)
    expect(server.calls["triggerSync"]).toEqual([{}, {}, {}, {}])
  })

  it("takes JSON by each of its names, and bodies by no other", async () => {
    const server = Server.make()
    const sent = (type: string) => server.call("POST", "/v1/feeds", { body: "{}", headers: { "content-type": type } })
    for (const type of ["application/json", "text/json", "Text/JSON; charset=utf-8", "application/vnd.a+json"]) {
      expect([type, (await sent(type)).status]).not.toEqual([type, 415])
    }
    for (const type of ["text/plain", "text/jsonp", "json"]) {
      expect([type, (await sent(type)).status]).toEqual([type, 415])
    }
  })

  it("demands a body where one is needed", async () => {
    const answer = await Server.make().call("POST", "/v1/feeds")
    expect(answer.body).toMatchObject({ code: "INVALID_REQUEST", details: [{ message: "a JSON body is required" }] })
  })

  it("keeps what it does not know from the kernel, and hands on blocks as they are", async () => {
    const server = Server.make()
    const blocks = { sourceConfig: { type: "sync", accounts: "wrong" }, schedule: null }
    await server.json("POST", "/v1/feeds", {
      name: "A",
      source: "sync",
      dataType: "loans",
      evil: 1,
      icon: null,
      ...blocks
    })
    expect(server.calls["createFeed"]).toEqual([{ name: "A", source: "sync", dataType: "loans", ...blocks }])
    await server.json("PUT", `/v1/feeds/${Records.feed.id}`, { icon: null, id: "x" })
    expect(server.calls["updateFeed"]).toEqual([{ icon: null }])
  })

  it("hands on the bytes of the file", async () => {
    const server = Server.make()
    expect((await server.call("POST", uploads, { body: form("file", "a,b\n1,2") })).status).toBe(201)
    expect(server.calls["uploadFeedFile"]).toEqual([
      { fileName: "märz.csv", contentType: "text/csv", bytes: new TextEncoder().encode("a,b\n1,2") }
    ])
  })

  it("wants one file, named file, in multipart form", async () => {
    const server = Server.make()
    const wrong = await server.call("POST", uploads, { body: form("document", "x") })
    expect(wrong.body).toMatchObject({ code: "INVALID_REQUEST", details: [{ field: "file", message: "is required" }] })
    expect((await server.call("POST", uploads, { body: form("file", "x", 2) })).status).toBe(400)
    expect((await server.call("POST", uploads)).body.details[0].field).toBe("file")
    expect((await server.json("POST", uploads, {})).status).toBe(415)
    const noBoundary = { "content-type": "multipart/form-data" }
    expect((await server.call("POST", uploads, { body: "x", headers: noBoundary })).status).toBe(400)
    const cut = { "content-type": "multipart/form-data; boundary=b" }
    expect((await server.call("POST", uploads, { body: "--b\r\nContent-Disposi", headers: cut })).status).toBe(400)
  })

  it("counts the file alone for its limit, whatever is sent around it", async () => {
    const server = Server.make()
    const whole = form("file", "x".repeat(26_214_400))
    whole.append("note", "n".repeat(50_000))
    whole.append("other", new Blob(["y".repeat(200_000)]), "other.txt")
    expect((await server.call("POST", uploads, { body: whole })).status).toBe(201)
    const [{ bytes }] = server.calls["uploadFeedFile"] as [{ bytes: Uint8Array }]
    expect(bytes.length).toBe(26_214_400)
  })

  it("refuses files over 25 MiB, declared or not", async () => {
    const server = Server.make()
    const large = "x".repeat(26_214_401)
    const answer = await server.call("POST", uploads, { body: form("file", large) })
    expect([answer.status, answer.body.code]).toEqual([413, "BODY_TOO_LARGE"])
    const declared = { "content-type": "multipart/form-data; boundary=b", "content-length": "30000000" }
    expect((await server.call("POST", uploads, { body: "--b--", headers: declared })).status).toBe(413)
    expect(server.calls["uploadFeedFile"]).toBeUndefined()
  })
})

describe("failures", () => {
  it("answers a defect with nothing but a reference, and logs its cause", async () => {
    const server = Server.make({ trouble: { dies: true } })
    const answer = await server.call("GET", banks)
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({
      success: false,
      error: "Something went wrong",
      code: "INTERNAL_ERROR",
      recovery: { action: "contact_support" },
      referenceId: answer.headers.get("x-request-id")
    })
    expect(server.logged.join()).toContain("SECRET defect")
  })

  it("asks to come back when the storage is away", async () => {
    const answer = await Server.make({ trouble: { storage: true } }).call("GET", banks)
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"])
    expect(answer.body).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      error: "Temporarily unavailable",
      recovery: { action: "retry", afterSeconds: 5 }
    })
    expect(answer.text).not.toContain("SECRET")
  })

  it("gives up after the time limit", async () => {
    const server = Server.make({ trouble: { hangs: true }, deadline: Duration.millis(20) })
    const answer = await server.call("GET", banks)
    expect([answer.status, answer.body.recovery.action]).toEqual([503, "retry"])
  })

  it("gives up after the time limit when the budget cannot be read, and does not wait until it has stopped", async () => {
    const server = Server.make({ budgetHangs: true, deadline: Duration.millis(20) })
    const answer = await server.call("GET", banks)
    expect([answer.status, answer.body.recovery.action, server.calls["listBanks"]]).toEqual([503, "retry", undefined])
  })

  it("lists blocking faults and warnings of a feed beside the details", async () => {
    const answer = await Server.make({ trouble: { invalidFeed: true } }).json("POST", "/v1/feeds", {
      name: "A",
      source: "sync",
      dataType: "loans"
    })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({
      code: "FEED_VALIDATION_FAILED",
      details: [{ field: "sourceConfig.accounts", message: "is required" }],
      errors: ["sourceConfig.accounts is required"],
      warnings: ["No schedule"]
    })
  })

  it("names the job that is in the way", async () => {
    const server = Server.make({ trouble: { running: true } })
    const answer = await server.call("POST", `/v1/feeds/${Records.feed.id}/sync`)
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({
      code: "SYNC_ALREADY_RUNNING",
      recovery: { action: "retry", afterSeconds: 30 },
      details: [{ field: "jobId", message: Records.job.id }]
    })
  })
})

describe("probes", () => {
  it("is live whatever happens, and ready only when it can work", async () => {
    const state = { database: true, migrations: true, draining: false }
    const probe = (change: Partial<typeof state>) =>
      Server.make({ readiness: { ...state, ...change } }).call("GET", "/readyz", { anonymous: true })
    expect((await probe({})).body).toEqual({ success: true, data: { status: "ready" } })
    expect((await probe({ draining: true })).body).toMatchObject({ success: false, code: "DRAINING" })
    expect((await probe({ database: false })).status).toBe(503)
    const notMigrated = await probe({ migrations: false })
    expect([notMigrated.status, notMigrated.headers.get("retry-after")]).toEqual([503, "5"])
    const live = Server.make({ readiness: { ...state, draining: true } })
    expect((await live.call("GET", "/livez", { anonymous: true })).status).toBe(200)
    expect((await live.call("POST", "/livez", { anonymous: true })).headers.get("allow")).toBe("GET, HEAD, OPTIONS")
  })
})

describe("access log", () => {
  it("writes one entry per request, without secrets and queries", async () => {
    const server = Server.make()
    await server.call("GET", `${banks}?scope=x&token=hunter2`)
    await server.call("GET", "/v1/nope", { anonymous: true })
    expect(server.entries).toMatchObject([
      {
        method: "GET",
        path: "/v1/banks",
        operation: "listBanks",
        status: 400,
        code: "INVALID_SCOPE_VALUE",
        workspaceId: Records.workspace.id,
        credential: Records.key.id
      },
      { path: "/v1/nope", operation: undefined, status: 401, code: "MISSING_CREDENTIAL", workspaceId: undefined }
    ])
    expect(JSON.stringify(server.entries)).not.toMatch(/hunter2|mill_good/)
  })
})
