import { expect, it } from "@effect/vitest"
import { failureOf } from "@millrace/core/provider"
import { meaningOf, type Refused } from "../../../src/provider/snaptrade/Errors.ts"
import { readLimits } from "../../../src/provider/snaptrade/RateHeaders.ts"

const refused = (status: number, code = "", over: Partial<Refused> = {}): Refused => ({
  status,
  code,
  counts: { connection: "c", endpoint: "trades", account: "a" },
  answer: { status, headers: {}, body: new Uint8Array() },
  text: "",
  ...over
})

it.each([
  [400, "", "ProtocolViolation"],
  [401, "1076", "Misconfigured"],
  [401, "1083", "ConnectionGone"],
  [401, "", "Misconfigured"],
  [402, "", "ReauthRequired"],
  [402, "3003", "ReauthRequired"],
  [403, "", "Misconfigured"],
  [403, "1141", "Unsupported"],
  [404, "1011", "Unsupported"],
  [408, "", "ProviderUnavailable"],
  [425, "3012", "NotReady"],
  [429, "3003", "RateLimited"],
  [500, "1000", "ProviderUnavailable"],
  [500, "3000", "InstitutionUnavailable"],
  [501, "", "Unsupported"],
  [502, "", "ProviderUnavailable"],
  [503, "3002", "InstitutionUnavailable"],
  [503, "", "InstitutionUnavailable"],
  [418, "9999", "ProtocolViolation"]
] as const)("SnapTrade: %i with code %j is %s", (status, code, tag) => {
  const error = meaningOf(refused(status, code))
  expect(error._tag).toBe(tag)
  expect(error.providerCode).toBe(code === "" ? String(status) : code)
  expect(failureOf(error).code).not.toBe("")
})

it("SnapTrade: a connection that is not found is gone; of an account only the account is", () => {
  expect(meaningOf(refused(404, "", { counts: { connection: "c" } }))._tag).toBe("ConnectionGone")
  expect(meaningOf(refused(404))._tag).toBe("Unsupported")
})

const limited = (headers: Readonly<Record<string, string>>, text = "", over: Partial<Refused> = {}) => {
  const error = meaningOf(
    refused(429, "0000", { answer: { status: 429, headers, body: new Uint8Array() }, text, ...over })
  )
  return error._tag === "RateLimited" ? [error.scope, error.retryAfter, error.endpoint] : expect.fail(error._tag)
}

it("SnapTrade: a 429 is about the limit that is used up, for as long as that says", () => {
  const client = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "17" }
  const account = { "x-ratelimit-account-remaining": "0", "x-ratelimit-account-reset": "41.2" }
  expect(limited(client)).toEqual(["client", 17, undefined])
  expect(limited({ ...client, "x-ratelimit-remaining": "9", ...account })).toEqual(["account", 42, undefined])
  expect(limited({ ...client, ...account })).toEqual(["account", 42, undefined])
  expect(limited({}, "Request was throttled. Expected available in 7 seconds.")).toEqual(["account", 7, undefined])
  expect(limited({}, "", { counts: {} })).toEqual(["client", 60, undefined])
  expect(limited({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "-1875538" }, "", { counts: {} })).toEqual([
    "client",
    60,
    undefined
  ])
  expect(limited({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0" })).toEqual(["client", 1, undefined])
  expect(
    limited({}, "Connection refreshed too recently.", { counts: { connection: "c", endpoint: "refresh" } })
  ).toEqual(["endpoint", 60, "refresh"])
})

it("SnapTrade: headers say what is left of each limit", () => {
  expect(readLimits({ headers: { "x-ratelimit-remaining": "249", "x-ratelimit-reset": "60" } })).toEqual([
    { limit: "client", remaining: 249, resetSeconds: 60 }
  ])
  expect(readLimits({ headers: { "x-ratelimit-remaining": "many", "x-ratelimit-reset": "60" } })).toEqual([])
})
