import { afterRead, lastShownAt, type ShownStep } from "../../src/record/Shown.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"

const first = CalendarDate.make("2026-01-01")
const day = (n: number) => CalendarDate.addDays(first, n)
const at = (n: number) => Timestamp.make(`${day(n)}T12:00:00.000Z`)
const live = { missedSince: null, pending: false, state: "live" as const }

describe("when a record was last shown", () => {
  it("is when the last read was that showed its day", () => {
    const random = new Seeded(1)
    for (let life = 0; life < 200; life++) {
      const reads = Array.from({ length: 1 + random.below(60) }, (_, n) => ({ from: day(random.below(80)), at: at(n) }))
      const steps = reads.reduce<ReadonlyArray<ShownStep>>(afterRead, [])
      for (let n = 0; n < 90; n += 7) {
        const last = reads.findLast(({ from }) => from <= day(n))?.at
        expect(lastShownAt(steps, { ...live, date: day(n) })).toBe(last)
      }
    }
  })

  it("is before it was missed", () => {
    const steps = [
      { from: day(20), at: at(32) },
      { from: day(10), at: at(30) }
    ]
    expect(lastShownAt(steps, { ...live, date: day(25) })).toBe(at(32))
    expect(lastShownAt(steps, { ...live, date: day(25), missedSince: at(31) })).toBe(at(30))
    expect(lastShownAt(steps, { ...live, date: day(25), missedSince: at(30) })).toBeUndefined()
  })

  it("is not known of what is pending, gone, without a day, or older than what is remembered", () => {
    const steps = Array.from({ length: 300 }).reduce<ReadonlyArray<ShownStep>>(
      (before, _, n) => afterRead(before, { from: day(n), at: at(n) }),
      []
    )
    expect(lastShownAt(steps, { ...live, date: day(299) })).toBe(at(299))
    expect(lastShownAt(steps, { ...live, date: day(100) })).toBe(at(100))
    expect(lastShownAt(steps, { ...live, date: day(99) })).toBeUndefined()
    expect(lastShownAt(steps, { ...live, date: null })).toBeUndefined()
    expect(lastShownAt(steps, { ...live, date: day(299), pending: true })).toBeUndefined()
    expect(lastShownAt(steps, { ...live, date: day(299), state: "removed" })).toBeUndefined()
  })
})
