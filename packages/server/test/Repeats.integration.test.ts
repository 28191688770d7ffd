/** Requests with an idempotency key over real sockets, on PostgreSQL. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { startTableServer, type Loose, type TableServer } from "./tableServer.ts"

let server: TableServer

beforeAll(async () => {
  server = await startTableServer(inject("postgres"))
}, 300_000)
afterAll(() => server.stop())

const bodyOf = (name: string) => ({ name, fields: [{ name: "Amount", type: "number" }] })
const named = async (name: string): Promise<number> => {
  const tables: ReadonlyArray<Loose> = await server.get("")
  return tables.filter((table) => table.name === name).length
}
const send = (key: string, json: unknown) =>
  server.ask("", { method: "POST", json, headers: { "idempotency-key": key } })

describe("requests with an idempotency key", () => {
  it("have one effect when many twins come at once, and one answer", async () => {
    for (const round of ["a", "b", "c"]) {
      const twins = await Promise.all(Array.from({ length: 20 }, () => send(`key ${round}`, bodyOf(round))))
      const made = twins.filter(({ status }) => status === 201)
      const others = twins.filter(({ status }) => status !== 201)
      expect(made.length, JSON.stringify(others[0]?.body)).toBeGreaterThan(0)
      for (const { body, status } of others) expect([status, body.code]).toEqual([409, "IDEMPOTENCY_IN_PROGRESS"])
      const again = await send(`key ${round}`, bodyOf(round))
      expect(new Set([...made, again].map(({ text }) => text)).size).toBe(1)
      expect(await named(round)).toBe(1)
    }
  })

  it("are the same in whatever order their fields come, and other ones are refused", async () => {
    const { name, fields } = bodyOf("order")
    const first = await send("order", { name, fields })
    expect(await send("order", { fields, name })).toEqual(first)
    const other = await send("order", bodyOf("another"))
    expect([other.status, other.body.code]).toEqual([422, "IDEMPOTENCY_KEY_REUSED"])
    expect([await named("order"), await named("another")]).toEqual([1, 0])
  })

  it("are told their refusal again, and leave nothing of it", async () => {
    const faulty = {
      name: "twice",
      fields: [
        { name: "A", type: "text" },
        { name: "A", type: "nothing" }
      ]
    }
    const first = await send("faulty", faulty)
    expect(first.status).toBeGreaterThanOrEqual(400)
    expect((await send("faulty", faulty)).status).toBe(first.status)
    expect(await named("twice")).toBe(0)
    const missing = "/tbl_01k9d3v6w8x2y4z6a8b0c2d4e6/restore"
    const headers = { "idempotency-key": "missing" }
    const gone = await server.ask(missing, { method: "POST", headers })
    expect(gone.status).toBe(404)
    // The answer is the first one, with the id of its request.
    expect((await server.ask(missing, { method: "POST", headers })).text).toBe(gone.text)
  })
})
