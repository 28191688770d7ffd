import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Timestamp from "../../../src/shared/Timestamp.ts"
import { describe, expect, it } from "vitest"
import { full, held, idsOf, matched, now, read, seen, type Read } from "./Rows.ts"

const yesterday = Timestamp.fromMillis(Timestamp.toMillis(now) - 86_400_000)
const window = {
  kind: "window",
  from: CalendarDate.make("2026-02-01"),
  to: CalendarDate.make("2026-03-20"),
  complete: true
} as const
const old = held("old", { day: "2026-02-10", text: "chair" })

/** What becomes of a posted record of 14 March that the read before lacked as well. */
const fate = (shown: Read): string => {
  const one = held("a", {}, { missed: 1 }, { missedAt: yesterday, missedSince: yesterday })
  const { gone, missed } = read({ ...shown, held: [one, ...(shown.held ?? [])] })
  return idsOf(gone).includes("a") ? "gone" : idsOf(missed.map(({ entry }) => entry)).includes("a") ? "missed" : "kept"
}

const since = (day: string, change: Read = {}) => fate({ ...change, historyFrom: CalendarDate.make(day) })

/** The record that a read without ids takes its first row for. */
const meant = (change: Read) => matched(read({ held: [old], idTrust: "none", ...change }))[0]![1]

describe("how far back a read proves that a posted row is gone", () => {
  it.each([
    ["a full read", full],
    ["a window", window]
  ] as const)("begins behind the oldest posted row that %s shows", (_, coverage) => {
    const of = (day: string, pending = false) =>
      fate({ coverage, observations: [seen("x", { day, pending, text: "lamp" })] })
    expect(of("2026-03-13")).toBe("gone")
    expect(of("2026-03-15")).toBe("kept")
    expect(of("2026-03-13", true)).toBe("kept")
    expect(fate({ coverage })).toBe("kept")
    expect(fate({ coverage, atOnce: true })).toBe("kept")
    expect(fate({ coverage, atOnce: true, observations: [seen("x", { day: "2026-03-13", text: "lamp" })] })).toBe(
      "gone"
    )
  })

  it("begins where the source says that its history does", () => {
    expect(since("2026-03-14")).toBe("gone")
    expect(since("2026-03-15")).toBe("kept")
    expect(since("2026-03-14", { atOnce: true })).toBe("gone")
    expect(since("2026-03-14", { coverage: { ...window, to: CalendarDate.make("2026-03-14") } })).toBe("kept")
  })

  it("counts rows that were settled before", () => {
    expect(fate({ settled: [seen("x", { day: "2026-03-01", text: "lamp" })] })).toBe("gone")
  })

  it("holds for trades and orders, and not for what is a state", () => {
    const shown = [seen("x", { day: "2026-03-15", text: "lamp" })]
    expect(fate({ dataType: "trades", observations: shown })).toBe("kept")
    expect(fate({ dataType: "orders", atOnce: true, observations: shown })).toBe("kept")
    expect(fate({ dataType: "holdings", atOnce: true, observations: shown })).toBe("gone")
  })

  it.each(["balances", "holdings", "loans"] as const)(
    "believes an empty list of %s only where the source says that the account has none",
    (dataType) => {
      expect(fate({ dataType, atOnce: true })).toBe("kept")
      expect(fate({ dataType, atOnce: true, none: true })).toBe("gone")
    }
  )

  it("leaves pending rows their own rule", () => {
    const waiting = held("p", { pending: true, day: "2026-02-20" }, { missed: 1 }, { missedAt: yesterday })
    const result = read({ held: [waiting], observations: [seen("x", { day: "2026-03-15", text: "lamp" })] })
    expect(idsOf(result.gone)).toEqual(["p"])
  })

  it("is not suspect of rows that it proves nothing about", () => {
    const many = Array.from({ length: 50 }, (_, n) => held(`${n}`, { text: `desk ${n}` }))
    const result = read({ held: many, observations: [seen("x", { day: "2026-03-15", text: "lamp" })] })
    expect(result).toMatchObject({ coverageSuspect: false, gone: [], missed: [] })
  })
})

describe("the day of the oldest row that is shown", () => {
  const lamp = held("lamp", { text: "lamp" })
  const shown = seen("lamp", { text: "lamp" })
  const fresh = seen("new", { day: "2026-03-16", text: "sofa" })

  it("first notes what it lacks", () => {
    const result = read({ held: [lamp, held("a")], observations: [shown, fresh] })
    expect(result.missed).toMatchObject([{ entry: { id: "a" }, missed: 1 }])
    expect(result.gone).toEqual([])
    expect(read({ held: [lamp, held("a")], observations: [shown], atOnce: true }).gone).toEqual([])
  })

  it("lets it go once the list becomes longer without it", () => {
    expect(fate({ held: [lamp], observations: [shown, fresh] })).toBe("gone")
    expect(fate({ held: [lamp], observations: [shown] })).toBe("kept")
  })

  it("keeps it where what is new pushes others out, as in a list of so many rows", () => {
    expect(fate({ held: [lamp, held("b", { text: "table" })], observations: [shown, fresh] })).toBe("kept")
    const later = held("b", { day: "2026-03-15", text: "table" })
    expect(fate({ held: [lamp, later], observations: [shown, fresh] })).toBe("kept")
    const waiting = seen("p", { day: "2026-03-17", text: "chair", pending: true })
    expect(fate({ held: [lamp, later], observations: [shown, fresh, waiting] })).toBe("kept")
  })

  it("keeps it where the bank shows more of its history again", () => {
    const back = held("lamp", { text: "lamp" }, { missed: 1 })
    expect(fate({ held: [back], observations: [shown, fresh] })).toBe("kept")
  })
})

describe("the days that a read shows", () => {
  const shown = [seen("x", { day: "2026-03-10", text: "lamp" }), seen("y", { day: "2026-03-16", text: "sofa" })]
  const from = (change: Read) => read({ observations: shown, ...change }).shownFrom

  it("begin with its oldest posted row, or where the source says that the history does", () => {
    expect(from({})).toBe("2026-03-10")
    expect(from({ historyFrom: CalendarDate.make("2026-02-01") })).toBe("2026-02-01")
    expect(from({ coverage: { ...window, from: CalendarDate.make("2026-03-12") } })).toBe("2026-03-12")
    expect(from({ observations: [] })).toBeUndefined()
    expect(from({ coverage: { kind: "full", complete: false } })).toBeUndefined()
    expect(from({ coverage: { kind: "delta" } })).toBeUndefined()
  })

  it("begin behind the oldest day where it lacks a record of that, and are none where a record is left open", () => {
    expect(from({ held: [held("a", { day: "2026-03-10" })] })).toBe("2026-03-11")
    expect(from({ held: [held("a", { day: "2026-03-12" })] })).toBe("2026-03-10")
    const open = { coverage: window, held: [held("a", { day: "2026-03-19" })] }
    expect(from(open)).toBeUndefined()
  })
})

describe("a record that is older than what is shown", () => {
  const moved = seen("x", { day: "2026-02-12", text: "chair" })

  it("has not become a row of another day, but of the next one where rows have no ids", () => {
    const next = { day: "2026-02-11", text: "chair" }
    expect(meant({ observations: [seen("x", next)] })).toBe("old")
    expect(meant({ observations: [seen("x", { ...next, text: "table" })] })).toBeUndefined()
    expect(meant({ observations: [seen("x", next)], idTrust: "stable" })).toBeUndefined()
    expect(meant({ observations: [moved] })).toBeUndefined()
    expect(meant({ observations: [moved], historyFrom: CalendarDate.make("2026-01-01") })).toBe("old")
    const before = seen("y", { day: "2026-01-01", text: "shelf" })
    const result = read({ held: [old], idTrust: "none", observations: [moved, before] })
    expect(matched(result)).toContainEqual(["p-x", "old"])
  })

  it("has not become a row of another amount", () => {
    const less = seen("x", { day: "2026-02-10", text: "chair", amount: "-8" })
    expect(meant({ observations: [less] })).toBeUndefined()
    expect(meant({ observations: [less], historyFrom: CalendarDate.make("2026-01-01") })).toBe("old")
  })
})
