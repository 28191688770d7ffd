import { describe, expect, it } from "vitest"
import * as Records from "./fakes/Records.ts"
import * as Server from "./fakes/Server.ts"

const key = { "idempotency-key": "a key" }
const table = { name: "T", fields: [{ name: "Amount", type: "currency" }] }

describe("the header Idempotency-Key", () => {
  it("has the first answer told again, with its status, and says so", async () => {
    const server = Server.make()
    const first = await server.json("POST", "/v1/tables", table, key)
    const again = await server.json("POST", "/v1/tables", { fields: table.fields, name: "T" }, key)
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
    expect(again.headers.get("content-type")).toBe(first.headers.get("content-type"))
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"])
    expect(server.calls["createTable"]).toHaveLength(1)
    expect(server.counted).toHaveLength(2)
  })

  it("sends the same as without it", async () => {
    const server = Server.make()
    const plain = await server.json("POST", "/v1/tables", table)
    const keyed = await server.json("POST", "/v1/tables", table, key)
    expect([keyed.status, keyed.text]).toEqual([plain.status, plain.text])
    expect(keyed.headers.get("content-type")).toBe(plain.headers.get("content-type"))
  })

  it("is refused with another request, and where it is no key", async () => {
    const server = Server.make()
    await server.json("POST", "/v1/tables", table, key)
    const other = await server.json("POST", "/v1/tables", { ...table, name: "U" }, key)
    expect([other.status, other.body.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"])
    for (const bad of ["", "x".repeat(256), "é"]) {
      const refused = await server.json("POST", "/v1/tables", table, { "idempotency-key": bad })
      expect([refused.status, refused.body.code, refused.body.details[0].field]).toEqual([
        400,
        "INVALID_REQUEST",
        "Idempotency-Key"
      ])
    }
    // What is wrong with the shape of a request is told first.
    expect((await server.json("POST", "/v1/tables", { name: 1 }, key)).body.code).toBe("INVALID_REQUEST")
  })

  it("tells a final refusal again, with the id of the first request, and logs its code", async () => {
    const server = Server.make({ trouble: { running: true } })
    const path = `/v1/feeds/${Records.feed.id}/sync`
    const first = await server.json("POST", path, {}, key)
    const again = await server.json("POST", path, {}, key)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.headers.get("x-request-id")).not.toBe(first.body.referenceId)
    expect(server.entries.map(({ code }) => code)).toEqual([first.body.code, first.body.code])
  })

  it("does nothing on operations that may be asked twice anyway", async () => {
    const server = Server.make()
    const first = await server.call("GET", "/v1/banks", { headers: { "idempotency-key": "" } })
    const again = await server.call("GET", "/v1/banks", { headers: { "idempotency-key": "" } })
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([200, 200, null])
  })
})
