import { describe, expect, it } from "vitest"
import * as Server from "./fakes/Server.ts"

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
const ready = { database: true, migrations: true, draining: false }

const root = (readiness = ready, accept: string | undefined = undefined) =>
  Server.make({ readiness }).call("GET", "/", {
    anonymous: true,
    headers: accept === undefined ? {} : { accept }
  })

describe("the root of the server", () => {
  it("is a page for browsers, which says what this is and loads nothing from elsewhere", async () => {
    const page = await root(ready, browser)
    expect(page.status).toBe(200)
    expect(page.headers.get("content-type")).toContain("text/html")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(page.headers.get("vary")).toContain("accept")
    for (const part of ["its database answers", 'href="/docs"', 'href="/openapi.json"', "--new-key", "X-API-Key"]) {
      expect(page.text).toContain(part)
    }
    expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })

  it("says so when the database is away, and when the server stops", async () => {
    expect((await root({ ...ready, database: false }, browser)).text).toContain("does not answer")
    expect((await root({ ...ready, draining: true }, browser)).text).toContain("is stopping")
  })

  it("names the reference to programs", async () => {
    const answer = await root()
    expect(answer.body).toMatchObject({ success: true, data: { docs: "/docs", openapi: "/openapi.json" } })
  })

  it("takes nothing else", async () => {
    const answer = await Server.make().call("PUT", "/", { anonymous: true })
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST, HEAD, OPTIONS"])
  })
})
