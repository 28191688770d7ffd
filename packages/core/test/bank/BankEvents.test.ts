import { statusEvents } from "../../src/bank/BankEvents.ts"
import type { ConnectionStatus } from "../../src/provider/ConnectionHealth.ts"
import type { Id } from "../../src/shared/Ids.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { somebody } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"

const bank = {
  id: "bank_01m81xcs8r4xyk9e0ynarq12p9" as Id<"bank">,
  workspaceId: "ws_01m81xcs8r4xyk9e0ynarq12p9" as Id<"workspace">
}
const day = 86_400_000
const end = Date.UTC(2026, 5, 30)

/** A healthy connection, looked at so many days before its consent ends. */
const daysLeft = (days: number, change: Partial<ConnectionStatus> = {}): ConnectionStatus => ({
  connected: true,
  status: "connected",
  lastCheckedAt: Timestamp.fromMillis(end - days * day),
  consentExpiresAt: Timestamp.fromMillis(end),
  ...change
})

const told = (before: ConnectionStatus, after: ConnectionStatus) =>
  statusEvents(bank, before, after, somebody).map(({ data, type }) => [
    type,
    (data as { readonly reason?: string }).reason
  ])

const expiring = [["connection.requires.attention", "consent_expiring"]]

describe("the end of a consent", () => {
  it("is told 14, 7 and 1 days before, once each, by the first look after", () => {
    const days = [30, 15, 14, 13, 8, 6.5, 3, 1.1, 0.9, 0.5]
    const counts = days.slice(1).map((left, n) => told(daysLeft(days[n]!), daysLeft(left)).length)
    expect(counts).toEqual([0, 1, 0, 0, 1, 0, 0, 1, 0])
    // A look that comes late tells once.
    expect(told(daysLeft(20), daysLeft(0.5))).toEqual(expiring)
  })

  it("is told of a consent that is new and short, and not of one that was renewed", () => {
    const later = Timestamp.fromMillis(end + 90 * day)
    expect(told(daysLeft(3, { consentExpiresAt: later }), daysLeft(3))).toEqual(expiring)
    expect(told(daysLeft(3), daysLeft(2, { consentExpiresAt: later }))).toEqual([])
    const { lastCheckedAt: _, ...never } = daysLeft(0)
    expect(told(never, daysLeft(5))).toEqual(expiring)
  })

  it("is no news where it has passed or the connection is of no use", () => {
    expect(told(daysLeft(3), daysLeft(-1))).toEqual([])
    const lost = { connected: false, status: "reauth_required" } as const
    expect(told(daysLeft(3, lost), daysLeft(0.5, lost))).toEqual([])
  })
})

describe("the health of a connection", () => {
  it.each([
    ["reauth_required", "reauth"],
    ["disconnected", "reauth"],
    ["consent_expired", "consent_expired"],
    ["error", "error"]
  ] as const)("asks for a person when it becomes %s", (status, reason) => {
    const after = daysLeft(100, { connected: false, status })
    expect(told(daysLeft(100), after)).toEqual([
      ["connection.status.changed", undefined],
      ["connection.requires.attention", reason]
    ])
    expect(told(after, after)).toEqual([])
  })

  it("asks for nobody when it is mended or only degraded", () => {
    expect(told(daysLeft(100), daysLeft(100, { status: "degraded" }))).toEqual([
      ["connection.status.changed", undefined]
    ])
    expect(told(daysLeft(100, { status: "error", connected: false }), daysLeft(99))).toEqual([
      ["connection.status.changed", undefined]
    ])
  })
})
