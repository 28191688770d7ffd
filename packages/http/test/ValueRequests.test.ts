/** What is refused of requests about values of records and what enrichments would do. */
import { afterAll, describe, expect, it } from "vitest"
import { limits } from "@millrace/core"
import { pathOf } from "./fakes/Operations.ts"
import * as Server from "./fakes/Server.ts"

const server = Server.make()
afterAll(() => server.dispose())

const fields = pathOf("/v1/records/{record_id}/fields")

describe("words of a person", () => {
  it("stay where the parameter that names fields is misspelt", async () => {
    const answer = await server.call("DELETE", `${fields}?fields=category`)
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [{ field: "fields", message: "is not a known parameter; fields are named by names" }]
    ])
    expect(server.calls["clearRecordFields"]).toBeUndefined()
    expect((await server.call("DELETE", `${fields}?names=category`)).status).toBe(200)
  })
})

describe("a simulation", () => {
  it("says which changes there are", async () => {
    const answer = await server.call("POST", "/v1/enrichments/simulate", { body: '{"changes":[{"kind":"creat"}]}' })
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [
        {
          field: "changes[0]",
          message: "must be an object whose kind is create, update, delete, reorder, enable, silence, link or lift"
        }
      ]
    ])
    const none = await server.call("POST", "/v1/enrichments/simulate", { body: '{"changes":[]}' })
    expect(none.body.details).toEqual([{ field: "changes", message: "must not be empty" }])
  })
})

const record = (bytes: number) => ({ notes: "x".repeat(bytes - '{"notes":""}'.length) })
const send = (...records: ReadonlyArray<object>) =>
  server.call("POST", pathOf("/v1/feeds/{feed_id}/enrich/preview"), { body: JSON.stringify({ records }) })

describe("a preview", () => {
  it("takes records up to their bound, and names the one that is larger", async () => {
    expect((await send(record(limits.previewRecordBytes))).status).toBe(200)
    const answer = await send(record(100), record(limits.previewRecordBytes + 1))
    expect([answer.status, answer.body.details]).toEqual([
      400,
      [{ field: "records[1]", message: "must be at most 32768 bytes of JSON" }]
    ])
  })
})
