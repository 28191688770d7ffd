import { expect, it } from "@effect/vitest"
import { OutboundFailure, outboundReasons, type OutboundResponse } from "../../src/outbound/Outbound.ts"
import { readJson, refusalOf, unanswered } from "../../src/provider/JsonUpstream.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const Row = Schema.Struct({ rows: Schema.Array(Schema.Struct({ amount: Decimal.DecimalNumber })) })
const answer = (body: string | Uint8Array, status = 200, headers = {}): OutboundResponse => ({
  status,
  headers,
  body: typeof body === "string" ? new TextEncoder().encode(body) : body
})

it("numbers keep all digits that the upstream wrote", () => {
  const read = readJson(
    "Bank",
    Row,
    answer('{"rows":[{"amount":0.10},{"amount":1234567890123.123456789012},{"amount":2100.00}]}')
  )
  expect(Result.getOrThrow(read).rows.map(({ amount }) => amount)).toEqual([
    "0.1",
    "1234567890123.123456789012",
    "2100"
  ])
})

it.each([
  ["no JSON", "s3cret", ""],
  ["no UTF-8", new Uint8Array([0x7b, 0xff]), ""],
  ["another form", '{"rows":[{"amount":1},{"amount":"s3cret"}]}', "rows[1].amount"],
  ["an empty answer", "", ""]
] as const)("%s is a violation of what was agreed, with its place and without what was sent", (_, body, path) => {
  const read = readJson("Bank", Row, answer(body))
  expect(Result.isFailure(read) && read.failure).toMatchObject({ _tag: "ProtocolViolation", path })
  expect(JSON.stringify(read)).not.toContain("s3cret")
})

it.each(["<html>s3cret</html>", "\uFEFF\n <!DOCTYPE html><p>s3cret", "<?xml version='1.0'?><s3cret/>"])(
  "a page in place of data passes: %s",
  (page) => {
    const read = readJson("Bank", Row, answer(page))
    expect(Result.isFailure(read) && read.failure._tag).toBe("ProviderUnavailable")
    expect(JSON.stringify(read)).not.toContain("s3cret")
    expect(refusalOf("Bank", answer(page, 404))?._tag).toBe("ProviderUnavailable")
    expect(refusalOf("Bank", answer(page, 401))?._tag).toBe("Misconfigured")
  }
)

it.each([
  [200, {}, undefined],
  [204, {}, undefined],
  [401, {}, "Misconfigured"],
  [401, { connection: "a" }, "ReauthRequired"],
  [404, {}, "ProtocolViolation"],
  [429, {}, "RateLimited"],
  [302, {}, "ProtocolViolation"],
  [503, {}, "ProviderUnavailable"]
] as const)("the status %s with %j means %s", (status, counts, tag) => {
  expect(refusalOf("Bank", answer("", status), counts)?._tag).toBe(tag)
})

it("a limit that is reached says for how long and for what", () => {
  const busy = answer("", 429, { "retry-after": "17" })
  expect(refusalOf("Bank", busy, { connection: "a" })).toMatchObject({ scope: "connection", retryAfter: 17 })
  expect(refusalOf("Bank", busy, { connection: "a", endpoint: "accounts" })).toMatchObject({ scope: "endpoint" })
})

it("every way to get no answer is an error that says what to do", () => {
  const tags = outboundReasons.map(
    (reason) => unanswered(new OutboundFailure({ reason, message: "m", sent: false }))._tag
  )
  expect(new Set(tags)).toEqual(new Set(["Misconfigured", "ProviderUnavailable", "ProtocolViolation", "RateLimited"]))
})
