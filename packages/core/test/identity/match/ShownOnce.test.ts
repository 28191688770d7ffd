import { describe, expect, it } from "vitest"
import type { ShownStep } from "../../../src/record/Shown.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import { held, idsOf, now, type Read, read, seen } from "./Rows.ts"

const before = (days: number) => Timestamp.fromMillis(Timestamp.toMillis(now) - days * 86_400_000)
const step = (daysAgo: number, more: Partial<ShownStep> = {}): ShownStep => ({
  from: CalendarDate.make("2026-02-01"),
  began: before(daysAgo + 0.01),
  at: before(daysAgo),
  ...more
})
const days = ["02", "05", "06", "07", "08"]

/** A read that shows the oldest row, and lacks five; each was made so many days ago and missed so often before. */
const lacking = (madeDaysAgo: number, shownBefore: ReadonlyArray<ShownStep> | undefined, missed = 0, more: Read = {}) =>
  read({
    held: [
      held("old", { day: "2026-03-01" }),
      ...days.map((day) =>
        held(
          `row ${day}`,
          { day: `2026-03-${day}` },
          { missed },
          {
            createdAt: before(madeDaysAgo),
            missedSince: missed === 0 ? null : before(missed),
            missedAt: missed === 0 ? null : before(1)
          }
        )
      )
    ],
    observations: [seen("old", { day: "2026-03-01" })],
    ...(shownBefore === undefined ? {} : { shownBefore }),
    ...more
  })

const window = (from: string) =>
  ({ kind: "window", from: CalendarDate.make(from), to: CalendarDate.make("2026-03-20"), complete: true }) as const

describe("rows of which too many vanish at once to be believed", () => {
  it("are counted where one read alone has shown them, and go after three later days", () => {
    const steps = [step(4), step(5)]
    const first = lacking(4, steps)
    expect([first.coverageSuspect, first.missed.map(({ missed }) => missed), first.gone]).toEqual([
      true,
      [1, 1, 1, 1, 1],
      []
    ])
    expect(lacking(4, steps, 1).missed.map(({ missed }) => missed)).toEqual([2, 2, 2, 2, 2])
    expect(idsOf(lacking(4, steps, 2).gone)).toEqual(days.map((day) => `row ${day}`))
  })

  it("are lacked once more where the first read without them was on the day they were shown", () => {
    expect(lacking(2.5, [step(2.5), step(4)], 2).gone).toEqual([])
    expect(lacking(3.5, [step(3.5), step(4)], 3).gone).toHaveLength(5)
  })

  it("stay where two reads have shown them, or may have, or nothing is known of it", () => {
    for (const steps of [
      [step(3), step(4)],
      [step(3, { partial: true }), step(4)],
      [step(4, { began: undefined! })],
      [],
      undefined
    ]) {
      for (const missed of [0, 5]) {
        const result = lacking(4.005, steps, missed)
        expect([missed, result.coverageSuspect, result.gone, missed === 0 ? result.missed : []]).toEqual([
          missed,
          true,
          [],
          []
        ])
      }
    }
  })

  it("go at once where a person asked for all, and only well inside the window of that read", () => {
    const asked = (from: string) => idsOf(lacking(4, [step(4)], 0, { reset: true, coverage: window(from) }).gone)
    expect(asked("2026-02-01")).toHaveLength(5)
    expect(asked("2026-03-04")).toEqual(["row 06", "row 07", "row 08"])
    expect(lacking(4, [step(3), step(4)], 0, { reset: true }).gone).toEqual([])
  })

  it("stay where nothing booked is ever removed", () => {
    const config = { removeAfterMissing: 0 }
    expect(lacking(4, [step(4)], 2, { config }).gone).toEqual([])
    expect(lacking(4, [step(4)], 0, { config, reset: true }).gone).toEqual([])
  })
})
