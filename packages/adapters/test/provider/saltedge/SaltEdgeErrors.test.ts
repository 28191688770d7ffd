import { expect, it } from "@effect/vitest"
import { failureOf } from "@millrace/core/provider"
import { isDuplicateCustomer, meaningOf, meaningOfClass, type Refused } from "../../../src/provider/saltedge/Errors.ts"

const refused = (status: number, errorClass = "", over: Partial<Refused> = {}): Refused => ({
  status,
  errorClass,
  counts: { connection: "1" },
  ...over
})

it.each([
  [401, "ApiKeyNotFound", "Misconfigured"],
  [401, "", "Misconfigured"],
  [400, "SignatureNotMatch", "Misconfigured"],
  [400, "RequestExpired", "Misconfigured"],
  [403, "ClientPending", "Misconfigured"],
  [403, "", "Misconfigured"],
  [404, "ConnectionNotFound", "ConnectionGone"],
  [404, "", "ConnectionGone"],
  [406, "ConnectionDisabled", "ConnectionGone"],
  [406, "InvalidCredentials", "ReauthRequired"],
  [406, "InteractiveTimeout", "ReauthRequired"],
  [406, "ConnectionCannotBeRefreshed", "ReauthRequired"],
  [406, "AispConsentExpired", "ConsentRequired"],
  [406, "ProviderAccessNotGranted", "ConsentRequired"],
  [406, "ProviderUnavailable", "InstitutionUnavailable"],
  [406, "ProviderDisabled", "InstitutionUnavailable"],
  [500, "InternalServerError", "InstitutionUnavailable"],
  [409, "ConnectionDuplicated", "DuplicateConnection"],
  [406, "ConnectionAlreadyProcessing", "RateLimited"],
  [406, "BackgroundFetchLimitExceeded", "RateLimited"],
  [429, "TooManyRequests", "RateLimited"],
  [429, "", "RateLimited"],
  [406, "ConnectionLimitReached", "Misconfigured"],
  [406, "InvalidAispConsentFromDate", "Misconfigured"],
  [404, "ProviderNotFound", "InvalidConnectPayload"],
  [406, "WrongRequestFormat", "ProtocolViolation"],
  [406, "SomethingNew", "ProtocolViolation"],
  [408, "", "ProviderUnavailable"],
  [502, "", "ProviderUnavailable"],
  [503, "SomethingNew", "ProviderUnavailable"]
] as const)("Salt Edge: %i with class %j is %s", (status, errorClass, tag) => {
  const error = meaningOf(refused(status, errorClass))
  expect(error._tag).toBe(tag)
  expect(error.providerCode).toBe(errorClass === "" ? String(status) : errorClass)
  expect(failureOf(error).code).not.toBe("")
})

it("Salt Edge: a bank that it has given up is gone for good; a limit is of the connection that it is about", () => {
  expect(meaningOf(refused(406, "ProviderDisabled"))).toMatchObject({ permanent: true })
  expect(meaningOf(refused(429, "", { retryAfter: 7 }))).toMatchObject({ scope: "connection", retryAfter: 7 })
  expect(meaningOf(refused(429, "", { counts: {} }))).toMatchObject({ scope: "client", retryAfter: 60 })
  expect(meaningOf(refused(406, "BackgroundFetchLimitExceeded"))).toMatchObject({
    scope: "endpoint",
    endpoint: "refresh"
  })
  expect(meaningOf(refused(404, "", { counts: {} }))._tag).toBe("ProtocolViolation")
  expect(meaningOfClass("SomethingNew", "1")).toBeUndefined()
  expect(
    ["DuplicatedCustomer", "CustomerAlreadyExists", "CustomerNotFound"].map((name) =>
      isDuplicateCustomer(meaningOf(refused(409, name)))
    )
  ).toEqual([true, true, false])
})
