import { describe, expect, it } from "vitest"
import { type KeptStatus, statusAfter, statusAfterFailure } from "../../src/provider/ConnectionHealth.ts"
import * as ProviderError from "../../src/provider/ProviderError.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"

const at = (hour: number) => Timestamp.fromMillis(Date.parse("2026-03-01T00:00:00Z") + hour * 3_600_000)
const good: KeptStatus = { connected: true, status: "connected", lastCheckedAt: at(0), source: "provider_call" }
const away = new ProviderError.ProviderUnavailable({ message: "away" })
const after = (before: KeptStatus, ...errors: ReadonlyArray<ProviderError.ProviderError>): KeptStatus =>
  errors.reduce((status, error) => statusAfterFailure(status, error, at(1)) ?? status, before)

const stale = (hour: number) => statusAfter(good, { status: "connected", lastUpstreamUpdateAt: at(0) }, at(hour))

describe("a look that failed", () => {
  it("changes a status at the third in a row that passes by itself, and the next good look changes it back", () => {
    expect(after(good, away)).toEqual({ ...good, failures: 1 })
    expect(after(good, away, away)).toEqual({ ...good, failures: 2 })
    const closed = new ProviderError.InstitutionUnavailable({ message: "closed" })
    const degraded = after(good, away, away, closed)
    expect(degraded).toEqual({
      connected: true,
      status: "degraded",
      errorCode: "INSTITUTION_UNAVAILABLE",
      errorMessage: "closed",
      lastCheckedAt: at(1),
      source: "provider_call",
      failures: 3
    })
    expect(statusAfter(degraded, { status: "connected" }, at(2))).toEqual({ ...good, lastCheckedAt: at(2) })
    // In a row: what is good in between begins anew.
    const between = statusAfter(after(good, away, away), { status: "connected" }, at(2))
    expect(after(between, away)).toMatchObject({ status: "connected", failures: 1 })
  })

  it("says at once what only a person or the operator can mend", () => {
    const message = "m"
    const expected = [
      [new ProviderError.ReauthRequired({ message }), "reauth_required", "REAUTH_REQUIRED"],
      [new ProviderError.ConsentRequired({ message }), "consent_expired", "CONSENT_REQUIRED"],
      [new ProviderError.ConnectionGone({ message }), "disconnected", "CONNECTION_GONE"],
      [new ProviderError.Misconfigured({ message }), "error", "PROVIDER_MISCONFIGURED"]
    ] as const
    for (const [error, status, errorCode] of expected) {
      const lost = after(good, error)
      expect(lost).toMatchObject({ connected: false, status, errorCode, errorMessage: message })
      // A weaker fact never hides it, unless it is the operator's.
      if (status !== "error") expect(after(lost, away, away, away).status).toBe(status)
    }
  })

  it("takes three answers that break the agreement for a fault, and the refusal of our own budget for nothing", () => {
    const wrong = new ProviderError.ProtocolViolation({ message: "m", path: "a" })
    expect(after(good, wrong, wrong).status).toBe("connected")
    expect(after(good, wrong, wrong, wrong)).toMatchObject({ status: "error", errorCode: "PROTOCOL_VIOLATION" })
    const limited = { message: "m", scope: "client", retryAfter: 1 } as const
    const unasked = new ProviderError.RateLimited({ ...limited, unasked: true })
    expect(after(good, unasked, unasked, unasked)).toEqual(good)
    const asked = new ProviderError.RateLimited(limited)
    expect(after(good, asked, asked, asked)).toMatchObject({ status: "degraded", errorCode: "PROVIDER_RATE_LIMITED" })
    expect(after(good, new ProviderError.NotReady({ message: "m", retryAfter: 1 }))).toEqual(good)
  })
})

describe("a look that was good", () => {
  it("finds stale what the upstream has not read for two days", () => {
    expect(stale(48).status).toBe("connected")
    expect(stale(49)).toMatchObject({ connected: true, status: "degraded", errorCode: "STALE_DATA" })
  })

  it("remembers when the consent ends, and finds it ended from that moment on", () => {
    const told = statusAfter(good, { status: "connected", consentExpiresAt: at(10) }, at(1))
    const silent = statusAfter(told, { status: "connected" }, at(9))
    expect(silent).toMatchObject({ status: "connected", consentExpiresAt: at(10) })
    expect(statusAfter(silent, { status: "connected" }, at(10), "reconciler")).toMatchObject({
      connected: false,
      status: "consent_expired",
      errorCode: "CONSENT_EXPIRED",
      source: "reconciler"
    })
    expect(statusAfter(silent, { status: "connected", consentExpiresAt: at(99) }, at(11)).status).toBe("connected")
  })
})
