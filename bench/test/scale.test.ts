import { CalendarDate } from "@millrace/core"
import type { ObservedRecord } from "@millrace/core/provider"
import { eachCall } from "@millrace/testing/fake"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { parentOf, secondsOf, secondsOfFamily } from "../scale/CpuTime.ts"
import { tenfold } from "../scale/Tenfold.ts"
import { connectionOf, upstream } from "../scale/Upstream.ts"

describe("tenfold", () => {
  it("is the worst of what two neighbouring sizes cost", () => {
    const costs = [
      { size: 10, cost: 1 },
      { size: 100, cost: 10 },
      { size: 1_000, cost: 130 }
    ]
    expect(tenfold(costs)).toBeCloseTo(13, 10)
  })

  it("counts a step of less or more than ten times as the part of it that it is", () => {
    const squares = [10, 200, 2_000].map((size) => ({ size, cost: size * size }))
    expect(tenfold(squares)).toBeCloseTo(100, 8)
  })

  it("is infinite where a size was refused", () => {
    expect(
      tenfold([
        { size: 10, cost: 1 },
        { size: 100, cost: Infinity }
      ])
    ).toBe(Infinity)
  })
})

describe("upstream of any size", () => {
  const connection = { ref: connectionOf("bank", 4_000, 2), secrets: {} }

  const read = Effect.fnUntraced(function* ({ driver }: ReturnType<typeof upstream>) {
    const rows: Array<ObservedRecord> = []
    for (let position: string | undefined; ;) {
      const page = yield* eachCall(driver).pull(connection, {
        dataType: "transactions",
        providerAccountIds: ["0", "1"],
        from: CalendarDate.make("2020-01-01"),
        to: CalendarDate.make("2027-01-01"),
        ...(position === undefined ? {} : { position })
      })
      rows.push(...page.upserted)
      expect(page.coverage).toEqual({ kind: "full", complete: page.end.kind === "done" })
      if (page.end.kind === "done") return rows
      position = page.end.position
    }
  })

  it.effect("shows as many rows as its name says, each once, and the same again", () =>
    Effect.gen(function* () {
      const bank = upstream()
      const rows = yield* read(bank)
      expect(rows).toHaveLength(4_000)
      expect(new Set(rows.map(({ providerId }) => providerId)).size).toBe(4_000)
      expect(yield* read(bank)).toEqual(rows)
    })
  )

  it.effect("shows one row in a hundred another after each correction, and keeps what it corrected before", () =>
    Effect.gen(function* () {
      const bank = upstream()
      let before = yield* read(bank)
      for (let n = 0; n < 3; n++) {
        bank.correct()
        const now = yield* read(bank)
        const changed = now.filter((row, at) => row.fields["description"] !== before[at]!.fields["description"])
        expect(changed).toHaveLength(40)
        before = now
      }
    })
  )
})

describe("processor time", () => {
  it("of a process with its children is no less than its own, and grows with its work", async () => {
    const before = await secondsOf(process.pid)
    let spun = 0
    // A tick may have ended since: it works once in any case, and ends only where the time has grown.
    do for (let n = 0; n < 1e6; n++) spun += n
    while ((await secondsOf(process.pid)) <= before)
    expect(spun).toBeGreaterThan(0)
    expect(await secondsOfFamily(process.pid)).toBeGreaterThan(before)
    expect(await parentOf(process.pid)).toBe(process.ppid)
  })
})
