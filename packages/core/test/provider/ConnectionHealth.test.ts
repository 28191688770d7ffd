import { describe, expect, it } from "vitest"
import {
  type KeptStatus,
  statusAfter,
  statusAfterFailure,
  statusAfterRead,
  statusBeforeRead
} from "../../src/provider/ConnectionHealth.ts"
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

describe("a read that failed after a good look", () => {
  type Step = ProviderError.ProviderError | "read"
  /** A good look before each read, which succeeds or fails. */
  const runs = (before: KeptStatus, dataType: "transactions" | "holdings", ...steps: ReadonlyArray<Step>): KeptStatus =>
    steps.reduce((status, step) => {
      const { readable, status: looked } = statusBeforeRead(status, { status: "connected" }, at(1))
      expect(readable).toBe(true)
      const next =
        step === "read"
          ? statusAfterRead(looked, dataType, at(1))
          : statusAfterFailure(looked, step, at(1), "provider_call", dataType)
      return next ?? looked
    }, before)
  const mended = { ...good, lastCheckedAt: at(1) }
  const reauth = new ProviderError.ReauthRequired({ message: "sign in" })

  it("counts although looks are good, until a read of the same type succeeds", () => {
    const twice = runs(good, "transactions", away, away)
    expect(twice).toEqual({ ...mended, reads: { transactions: { failures: 2 } } })
    expect(runs(twice, "transactions", "read")).toEqual(mended)
    expect(runs(twice, "holdings", "read")).toEqual(twice)
    const degraded = runs(twice, "transactions", away)
    expect(degraded).toMatchObject({ connected: true, status: "degraded", errorCode: "PROVIDER_UNAVAILABLE" })
    expect(runs(degraded, "transactions", away, away).status).toBe("degraded")
    expect(runs(degraded, "transactions", "read")).toEqual(mended)
  })

  it("says at once what only a person can mend, and stays so until a read, a check or a person says otherwise", () => {
    const lost = runs(good, "transactions", reauth)
    expect(lost).toMatchObject({ connected: false, status: "reauth_required", errorCode: "REAUTH_REQUIRED" })
    const { status } = statusBeforeRead(lost, { status: "connected", consentExpiresAt: at(50) }, at(2))
    expect(status).toMatchObject({ status: "reauth_required", lastCheckedAt: at(2), consentExpiresAt: at(50) })
    expect(statusAfterRead(status, "transactions", at(3))).toEqual({
      ...good,
      lastCheckedAt: at(3),
      consentExpiresAt: at(50)
    })
    const both = runs(lost, "holdings", reauth)
    expect(runs(both, "holdings", "read").status).toBe("reauth_required")
    expect(runs(both, "holdings", "read", "read").status).toBe("reauth_required")
    expect(runs(runs(both, "holdings", "read"), "transactions", "read")).toEqual(mended)
    // Whoever checks, or connects anew, starts anew.
    expect(statusAfter(lost, { status: "connected" }, at(2), "webhook")).toEqual({
      ...good,
      lastCheckedAt: at(2),
      source: "webhook"
    })
    // A look that finds as much by itself is a look.
    const seen = statusBeforeRead(lost, { status: "consent_expired" }, at(2))
    expect(seen).toMatchObject({ readable: false, status: { status: "consent_expired" } })
    expect(seen.status.reads).toBeUndefined()
  })

  it("is no better than it is while the data are old", () => {
    const degraded = runs(good, "transactions", away, away, away)
    const looked = statusBeforeRead(degraded, { status: "connected", lastUpstreamUpdateAt: at(0) }, at(60)).status
    expect(statusAfterRead(looked, "transactions", at(60))).toMatchObject({
      status: "degraded",
      errorCode: "STALE_DATA"
    })
  })
})
