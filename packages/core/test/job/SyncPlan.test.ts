import type { Feed } from "../../src/feed/Feed.ts"
import type { TriggerSync } from "../../src/job/Jobs.ts"
import { planSync } from "../../src/job/SyncPlan.ts"
import { syncDataTypes, type SyncDataType } from "../../src/record/DataType.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { makeFeed, makeWorkspace } from "@millrace/testing/fixture"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const today = CalendarDate.make("2026-11-21")
const date = CalendarDate.make

const plan = (
  request: TriggerSync,
  change: Partial<Pick<Feed, "source" | "dataType">> = {},
  name: "free" | "enterprise" = "enterprise"
) =>
  Effect.gen(function* () {
    const workspace = yield* makeWorkspace({ plan: name })
    const feed = yield* makeFeed(workspace, change)
    return yield* planSync(feed, workspace, request, today)
  }).pipe(Effect.provide(Ids.layer))

const flags = { forceCancelActive: false, resetCursors: false, skipDedup: false }

describe("planSync", () => {
  it.effect.each([
    [{}, "incremental", flags],
    [{ skipDedup: true }, "incremental", { ...flags, skipDedup: true }],
    [{ forceCancelActive: true }, "incremental", { ...flags, forceCancelActive: true }],
    [{ resetCursors: true }, "full", { ...flags, resetCursors: true }],
    [{ startDate: date("2026-11-01") }, "range", { ...flags, startDate: "2026-11-01", endDate: "2026-11-21" }],
    [{ endDate: date("2026-11-10") }, "range", { ...flags, startDate: "2026-08-12", endDate: "2026-11-10" }],
    [
      { startDate: date("2026-11-01"), endDate: date("2027-01-01"), skipDedup: true },
      "range",
      { ...flags, skipDedup: true, startDate: "2026-11-01", endDate: "2026-11-21" }
    ],
    [
      { resetCursors: true, startDate: date("2026-01-01") },
      "full",
      { ...flags, resetCursors: true, startDate: "2026-01-01" }
    ]
  ] as const)("reads what is asked for: %j", ([request, mode, options]) =>
    Effect.gen(function* () {
      for (const dataType of ["transactions", "trades"] as const) {
        expect(yield* plan(request, { dataType })).toEqual({ mode, options, clamped: undefined })
      }
    })
  )

  it.effect("begins where the plan begins, and says so", () =>
    Effect.gen(function* () {
      const { clamped, options } = yield* plan({ startDate: date("2020-01-01") }, {}, "free")
      expect(options).toMatchObject({ startDate: "2026-08-23", endDate: "2026-11-21" })
      expect(clamped).toMatchObject({ severity: "warning", code: "RANGE_CLAMPED" })
      const past = yield* plan({ startDate: date("2020-01-01"), endDate: date("2020-02-01") }, {}, "free")
      expect(past.options).toMatchObject({ startDate: "2026-08-23", endDate: "2026-08-23" })
    })
  )

  it.effect("refuses to begin in the future, and begins today", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(plan({ startDate: date("2026-11-22") }))).toMatchObject({
        _tag: "InvalidInput",
        code: "INVALID_DATE_RANGE",
        details: [{ field: "startDate", message: "must not be in the future" }]
      })
      expect((yield* plan({ startDate: today })).options).toMatchObject({ startDate: today })
    })
  )

  it.effect("refuses dates where there is nothing to read by date, naming the option", () =>
    Effect.gen(function* () {
      const snapshots = syncDataTypes.filter((one) => one !== "transactions" && one !== "trades")
      const feeds: ReadonlyArray<{ readonly dataType: SyncDataType; readonly source?: Feed["source"] }> = [
        ...snapshots.map((dataType) => ({ dataType })),
        { dataType: "transactions", source: "upload" }
      ]
      for (const feed of feeds) {
        for (const option of ["startDate", "endDate"] as const) {
          const error = yield* Effect.flip(plan({ [option]: date("2026-11-01") }, feed))
          expect(error).toMatchObject({ code: "SYNC_OPTIONS_INVALID", details: [{ field: option }] })
        }
        expect((yield* plan({ resetCursors: true, skipDedup: true }, feed)).mode).toBe("full")
      }
    })
  )

  it.effect("refuses a reset that ends before today, and an end before its start", () =>
    Effect.gen(function* () {
      const gap = yield* Effect.flip(plan({ resetCursors: true, endDate: date("2026-11-01") }))
      expect(gap).toMatchObject({
        _tag: "Unprocessable",
        code: "SYNC_OPTIONS_INVALID",
        details: [{ field: "endDate" }]
      })
      const swapped = yield* Effect.flip(plan({ startDate: date("2026-11-02"), endDate: date("2026-11-01") }))
      expect(swapped).toMatchObject({
        _tag: "InvalidInput",
        code: "INVALID_DATE_RANGE",
        details: [{ field: "startDate" }]
      })
    })
  )
})
