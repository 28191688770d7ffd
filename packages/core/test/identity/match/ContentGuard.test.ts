import { describe, expect, it } from "@effect/vitest"
import { passesGuard, passesUnread } from "../../../src/identity/match/ContentGuard.ts"
import { RowReader } from "../../../src/identity/match/MatchRow.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"

const rows = ["-12.5", "0", "12.5"].flatMap((amount) =>
  ["CHF", "EUR", undefined].flatMap((currency) =>
    ["2026-03-01", "2026-03-09", null].flatMap((day) =>
      [true, false].flatMap((pending) =>
        ["MIGROS M-1201 ZURICH", "SALARY ACME AG", ""].map((text) => ({
          date: day === null ? null : CalendarDate.make(day),
          pending,
          fields: { amount, originalDescription: text, ...(currency === undefined ? {} : { currency }) }
        }))
      )
    )
  )
)

describe("the guard of ids", () => {
  it("lets pass what passes whatever its texts say", () => {
    const reader = new RowReader()
    const read = ({ date, fields, pending }: (typeof rows)[number]) => reader.read(fields, date, pending)!
    let passed = 0
    let byTexts = 0
    for (const held of rows) {
      for (const observed of rows) {
        const passes = passesGuard(read(observed), read(held))
        if (passesUnread(observed, held)) {
          passed++
          expect([observed, held, passes]).toEqual([observed, held, true])
        } else if (passes) byTexts++
      }
    }
    // Others pass by their texts, or their days.
    expect([passed > 0, byTexts > 0]).toEqual([true, true])
  })
})
