import { expect, it } from "vitest"
import { type AccessEntry, jsonLineOf, plainLineOf } from "../src/middleware/AccessLog.ts"

const entry: AccessEntry = {
  time: "2026-03-01T12:00:00.125Z",
  requestId: "req_1",
  method: "GET",
  path: "/v1/feeds",
  operation: "listFeeds",
  status: 200,
  code: undefined,
  durationMs: 12,
  workspaceId: "ws_1",
  credential: "key_1"
}

it("is one JSON object for programs and one readable line for people", () => {
  expect(JSON.parse(jsonLineOf(entry))).toEqual({ ...entry, code: undefined })
  expect(plainLineOf(entry)).toBe("12:00:00 GET /v1/feeds 200 12 ms")
})

it("leaves out for people what is not known, and says which error was answered", () => {
  const unknown = { operation: undefined, workspaceId: undefined, credential: undefined }
  const refused = { ...entry, ...unknown, path: "/none", status: 404, code: "NOT_FOUND" }
  expect(plainLineOf(refused)).toBe("12:00:00 GET /none 404 NOT_FOUND 12 ms req_1")
})

it("gives a terminal nothing that it would obey", () => {
  const line = plainLineOf({ ...entry, path: "/v1/\u001b[2J\n\u009b2J" })
  expect(line).toContain("/v1/%1B[2J%0A%C2%9B2J ")
})
