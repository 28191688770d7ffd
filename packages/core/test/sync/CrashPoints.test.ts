/**
 * Places at which a run can die: some of them, and each one by `MILLRACE_LONG=1`. `npm run sim -- --sweep` has every sort of
 * provider.
 */
import { describe, expect, it } from "@effect/vitest"
import { sweep, type SweepCell } from "@millrace/verification/simulation/CrashSweep"

const cells: ReadonlyArray<SweepCell> = [
  { by: "crash", to: "table", instance: "delta-connection-perstatus" },
  { by: "crash", to: "table", instance: "delta-connection-stable", enriched: true },
  { by: "crash", to: "upsertByKey", instance: "delta-account-perstatus" },
  { by: "crash", to: "readBack", instance: "snapshotwindow-account-perstatus" },
  { by: "crash", to: "idempotencyKey", instance: "delta-connection-perstatus" },
  { by: "crash", to: "wholeFile", instance: "snapshotfull-connection-perstatus" },
  { by: "crash", to: "table", instance: "snapshotfull-account-none" },
  { by: "storage away", to: "readBack", instance: "delta-connection-stable" }
]

const cause = { crash: "it died", "storage away": "storage went away" } as const

describe("a run that dies", () => {
  for (const cell of cells) {
    it(
      `ends the same wherever ${cause[cell.by]}: ${cell.instance} to ${cell.to}${cell.enriched === true ? ", enriched" : ""}`,
      { timeout: 600_000 },
      () => {
        const stride = process.env["MILLRACE_LONG"] !== undefined ? 1 : cell.enriched === true ? 40 : 10
        const { broken, deaths } = sweep(cell, { first: 1, stride })
        expect(broken?.message).toBeUndefined()
        expect(deaths * stride).toBeGreaterThan(40)
      }
    )
  }
})
