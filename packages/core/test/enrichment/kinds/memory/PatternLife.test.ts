import { describe, expect, it } from "@effect/vitest"
import { wilsonBound } from "../../../../src/enrichment/kinds/memory/Evidence.ts"
import type { MemoryPattern } from "../../../../src/enrichment/kinds/memory/MemoryPattern.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import { act, acts, configOf, decision, learn, shown, today } from "./Acts.ts"

const rounded = (k: number, n: number) => wilsonBound(k, n).toFixed(3)
const active = (all: ReadonlyArray<MemoryPattern>) => all.filter(({ status }) => status === "active")
const groceries = ["harbour market", "category", null, "Groceries"]

describe("the bound", () => {
  it("is what it is defined as", () => {
    expect([rounded(2, 2), rounded(3, 3), rounded(4, 5), rounded(6, 7), rounded(8, 10), rounded(6, 6)]).toEqual([
      "0.549",
      "0.646",
      "0.514",
      "0.622",
      "0.602",
      "0.785"
    ])
  })
})

describe("patterns", () => {
  it("are learnt by account where all in all people do not agree well enough", () => {
    const edits = [...acts(6, "Groceries"), act("r9", "Gifts", { accountId: "savings" })]
    const day = { today: CalendarDate.make("2026-05-20") }
    expect(learn(edits, { ...day, config: configOf({ conditions: false }) })).toEqual([])
    const found = learn(edits, day)
    expect(shown(found)).toEqual([["harbour market", "category", "account card", "Groceries", "active"]])
    expect(found[0]).toMatchObject({ count: 6, total: 6, bound: 785, right: 6, predicted: 6 })
    expect(learn([...acts(6, "Groceries"), act("r9", "Gifts")], day)).toEqual([])
  })

  it("need three people's words, and none of them is one that was taken back", () => {
    expect(learn(acts(2, "Groceries"))).toEqual([])
    expect(shown(learn(acts(3, "Groceries")))).toEqual([[...groceries, "active"]])
    expect(learn([...acts(3, "Groceries").slice(0, 2), act("r2", undefined)])).toEqual([])
  })

  it("count the last word about a record alone", () => {
    const corrected = [...acts(3, "Gifts"), act("r0000", "Groceries", {}, "2026-05-21")]
    expect(learn(corrected)).toEqual([])
    expect(learn([...acts(3, "Groceries"), ...acts(3, "Groceries")])[0]!.total).toBe(3)
  })

  it("are not learnt where two values take turns, nor of records without a text", () => {
    const turns = Array.from({ length: 20 }, (_, n) => act(`r${n}`, n % 2 === 0 ? "Groceries" : "Gifts"))
    expect(learn(turns)).toEqual([])
    expect(learn(acts(9, "Groceries", { merchantName: null, description: "4711" }))).toEqual([])
    expect(learn(acts(3, null))).toEqual([])
  })

  it("are learnt by sign, and by amount where a gap parts them", () => {
    const bySign = [...acts(4, "Groceries"), ...acts(4, "Refunds", { amount: "30" }, 4)]
    expect(shown(learn(bySign))).toEqual([
      ["harbour market", "category", "sign in", "Refunds", "active"],
      ["harbour market", "category", "sign out", "Groceries", "active"]
    ])
    const byAmount = [...acts(4, "Groceries"), ...acts(4, "Rent", { amount: "-900" }, 4)]
    expect(shown(learn(byAmount))).toEqual([
      ["harbour market", "category", "amountBelow 900", "Groceries", "active"],
      ["harbour market", "category", "amountFrom 900", "Rent", "active"]
    ])
  })

  it("give way to better ones, and go on where they are only a little less sure", () => {
    const before = learn(acts(6, "Groceries"))
    const other = [...acts(6, "Groceries"), act("r9", "Gifts", { accountId: "savings" })]
    expect(shown(learn(other, { before }))).toEqual([
      [...groceries, "retired", "replaced"],
      ["harbour market", "category", "account card", "Groceries", "active"]
    ])
    const slightly = [...acts(6, "Groceries"), act("r9", "Gifts")]
    expect(shown(learn(slightly, { before }))).toEqual([[...groceries, "active"]])
  })

  it("are suspended when the last three words agree on something else, and come back", () => {
    const before = learn(acts(20, "Groceries"))
    const contradicted = [...acts(20, "Groceries"), ...acts(3, "Gifts", {}, 20, "2026-05-25")]
    const suspended = learn(contradicted, { before })
    expect(shown(suspended)).toEqual([[...groceries, "suspended", "contradicted"]])
    const again = [...contradicted, ...acts(60, "Groceries", {}, 30, "2026-05-28")]
    expect(shown(learn(again, { before: suspended }))).toEqual([[...groceries, "active"]])
  })

  it("are suspended when people take back what was filled in, twice as fast as they were learnt", () => {
    const before = learn(acts(3, "Groceries"))
    expect(shown(learn([...acts(3, "Groceries"), act("r9", undefined)], { before }))).toEqual([
      [...groceries, "suspended", "unsupported"]
    ])
  })

  it("are suspended when too few words are left, and retired when none is", () => {
    const before = learn(acts(3, "Groceries"))
    expect(shown(learn(acts(2, "Groceries"), { before }))).toEqual([[...groceries, "suspended", "unsupported"]])
    expect(shown(learn([], { before }))).toEqual([[...groceries, "retired", "unsupported"]])
  })

  it("fade with time", () => {
    const edits = acts(3, "Groceries", {}, 0, "2020-01-01")
    expect(learn(edits)).toEqual([])
    expect(active(learn(edits, { today: CalendarDate.make("2020-01-05") }))).toHaveLength(1)
  })

  it("wait for a person where a person has to agree", () => {
    const config = configOf({ activation: "confirm" })
    const before = learn(acts(3, "Groceries"), { config })
    expect(shown(before)).toEqual([[...groceries, "proposed"]])
    const facts = [decision({ kind: "accept", otherId: before[0]!.id })]
    expect(shown(learn(acts(3, "Groceries"), { config, before, facts }))).toEqual([[...groceries, "active"]])
  })

  it("stay away once a person has deleted them, until that is lifted", () => {
    const facts = [decision({ kind: "block", otherId: "harbour market", field: "category", value: "Groceries" })]
    const before = learn(acts(3, "Groceries"))
    const deleted = learn(acts(3, "Groceries"), { before, facts })
    expect(shown(deleted)).toEqual([[...groceries, "retired", "deleted"]])
    for (const edits of [
      acts(9, "Groceries"),
      [...acts(9, "Groceries"), act("x", "Gifts", { accountId: "savings" })]
    ]) {
      expect(active(learn(edits, { before: deleted, facts }))).toEqual([])
      expect(active(learn(edits, { facts }))).toEqual([])
    }
    expect(shown(learn(acts(9, "Groceries"), { before: deleted }))).toEqual([[...groceries, "active"]])
  })

  it("are over once a person has made a rule of them", () => {
    const before = learn(acts(3, "Groceries"))
    const facts = [decision({ kind: "note", otherId: before[0]!.id })]
    const promoted = learn(acts(9, "Groceries"), { before, facts })
    expect(shown(promoted)).toEqual([[...groceries, "retired", "promoted"]])
  })

  it("are at most as many as they may be; those that fill stay", () => {
    const edits = Array.from({ length: 150 }, (_, n) =>
      acts(
        3,
        "Groceries",
        { merchantName: `Shop ${"abcdefghijklmno"[n % 15]!.repeat(3)} ${"pqrstuvwxy"[Math.floor(n / 15)]!.repeat(3)}` },
        n * 3
      )
    ).flat()
    const before = learn(edits)
      .slice(0, 50)
      .map((one): MemoryPattern => ({ ...one, status: "retired", reason: "deleted" }))
    const facts = before.map(({ field, key, value }) => decision({ kind: "block", otherId: key, field, value }))
    const kept = learn(edits, { before, facts, config: configOf({ maxPatterns: 100 }) })
    expect(kept).toHaveLength(100)
    expect(active(kept)).toHaveLength(100)
    expect(learn(edits, { today })).toHaveLength(150)
  })
})
