import { describe, expect, it } from "vitest"
import { CredentialInvalid, UnsupportedByProvider } from "@millrace/core/kernel"
import { DestinationNotAvailable } from "@millrace/core/destination"
import * as Failure from "../../core/src/failure/Failure.ts"
import * as ProviderError from "../../core/src/provider/ProviderError.ts"
import { ProviderNotAvailable } from "@millrace/core/provider"
import { StorageUnavailable } from "@millrace/core/storage"
import { answerOf, invalidRequest, type KernelError } from "@millrace/core/operation"
import { bodyOf } from "../src/answer/errors.ts"

const secret = "SECRET upstream text"
const evidence = { message: secret, providerCode: secret, requestId: secret }
const details = [{ field: "a", message: "is wrong" }]

const cases: ReadonlyArray<readonly [error: KernelError, status: number, code: string, action?: string]> = [
  [new Failure.NotFound({ resource: "Bank" }), 404, "NOT_FOUND"],
  [new Failure.NotFound({ resource: "Loan" }), 404, "LOAN_NOT_FOUND"],
  [new Failure.InvalidInput({ code: "INVALID_REQUEST", message: "m", details }), 400, "INVALID_REQUEST"],
  [new Failure.Unprocessable({ code: "FEED_NOT_READY", message: "m", details }), 422, "FEED_NOT_READY"],
  [new Failure.Conflict({ code: "JOB_PAUSED", message: "m", details }), 409, "JOB_PAUSED"],
  [new Failure.Conflict({ code: "SYNC_ALREADY_RUNNING", message: "m", details }), 409, "SYNC_ALREADY_RUNNING", "retry"],
  [new Failure.PreconditionFailed(), 412, "PRECONDITION_FAILED"],
  [new Failure.PlanLimitReached({ what: "banks", limit: 5 }), 403, "PLAN_LIMIT_REACHED"],
  [new Failure.CursorUnusable({ expired: false }), 400, "INVALID_CURSOR", "restart_pagination"],
  [new Failure.CursorUnusable({ expired: true }), 400, "CURSOR_EXPIRED", "restart_pagination"],
  [
    new Failure.LiveDataUnavailable({ code: "PROVIDER_UNAVAILABLE", message: "m", retryAfter: 300 }),
    503,
    "PROVIDER_UNAVAILABLE",
    "retry"
  ],
  [
    new Failure.LiveDataUnavailable({ code: "RECONNECT_REQUIRED", message: "m" }),
    503,
    "RECONNECT_REQUIRED",
    "reconnect"
  ],
  [
    new Failure.LiveDataUnavailable({ code: "PROVIDER_MISCONFIGURED", message: "m" }),
    503,
    "PROVIDER_MISCONFIGURED",
    "contact_support"
  ],
  [new UnsupportedByProvider({ providerInstanceId: "demo:x", what: "loans" }), 404, "UNSUPPORTED_BY_PROVIDER"],
  [new CredentialInvalid(), 401, "INVALID_CREDENTIAL"],
  [new DestinationNotAvailable({ type: "file" }), 501, "DESTINATION_NOT_AVAILABLE"],
  [new ProviderNotAvailable({ instanceId: "demo:x" }), 501, "PROVIDER_NOT_AVAILABLE"],
  [new StorageUnavailable({ message: secret }), 503, "STORAGE_UNAVAILABLE", "retry"],
  [new StorageUnavailable({ message: secret, full: true }), 503, "STORAGE_FULL", "retry"],
  [new ProviderError.ReauthRequired(evidence), 503, "RECONNECT_REQUIRED", "reconnect"],
  [new ProviderError.ConsentRequired(evidence), 503, "BANK_CONSENT_REQUIRED", "reconnect"],
  [new ProviderError.ConnectionGone(evidence), 503, "RECONNECT_REQUIRED", "reconnect"],
  [new ProviderError.InstitutionUnavailable(evidence), 503, "INSTITUTION_UNAVAILABLE", "retry"],
  [new ProviderError.ProviderUnavailable(evidence), 503, "PROVIDER_UNAVAILABLE", "retry"],
  [
    new ProviderError.RateLimited({ ...evidence, scope: "client", retryAfter: 7 }),
    503,
    "PROVIDER_RATE_LIMITED",
    "retry"
  ],
  [new ProviderError.NotReady({ ...evidence, retryAfter: 60 }), 503, "DATA_NOT_READY", "retry"],
  [new ProviderError.MutationDuringPagination(evidence), 503, "PROVIDER_UNAVAILABLE", "retry"],
  [new ProviderError.CheckpointInvalid(evidence), 503, "PROVIDER_UNAVAILABLE", "retry"],
  [new ProviderError.RangeNotAllowed({ ...evidence, earliest: "2026-01-01" }), 503, "PROVIDER_UNAVAILABLE", "retry"],
  [new ProviderError.Unsupported({ ...evidence, dataType: "loans" }), 404, "UNSUPPORTED_BY_PROVIDER"],
  [new ProviderError.InvalidConnectPayload(evidence), 400, "INVALID_PAYLOAD"],
  [new ProviderError.UserCancelled(evidence), 409, "CONNECTION_CANCELLED"],
  [new ProviderError.DuplicateConnection(evidence), 409, "ALREADY_EXISTS"],
  [new ProviderError.Misconfigured(evidence), 503, "PROVIDER_MISCONFIGURED", "contact_support"],
  [new ProviderError.ProtocolViolation({ ...evidence, path: "a" }), 503, "PROVIDER_MISCONFIGURED", "contact_support"]
]

describe("the error table", () => {
  it.each(cases.map((one) => [one[0]._tag, ...one] as const))("%s answers", (_tag, error, status, code, action) => {
    const answer = answerOf(error)
    expect([answer.status, answer.code, answer.recovery?.action]).toEqual([status, code, action])
    expect(JSON.stringify(bodyOf(answer, "r"))).not.toContain("SECRET")
    const retry = answer.recovery?.action === "retry" && status === 503
    expect(answer.headers?.["retry-after"] !== undefined).toBe(retry)
    expect(answer.headers?.["www-authenticate"] !== undefined).toBe(status === 401)
  })

  it("says which limit of the plan was reached", () => {
    expect(answerOf(new Failure.PlanLimitReached({ what: "banks", limit: 5 })).message).toBe(
      "Plan limit reached: banks (5)"
    )
  })

  it("puts the first fault into the sentence and at most 50 into the details", () => {
    const many = Array.from({ length: 60 }, (_, n) => ({ field: `f${n}`, message: "is required" }))
    const body = bodyOf(invalidRequest(many), "r")
    expect(body.error).toBe("Request is invalid: f0 is required")
    expect(body.details).toHaveLength(50)
  })
})
