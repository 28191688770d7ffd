import { decode } from "../../../src/shared/StrictDecoding.ts"
import { makeFilter, FilterConfig } from "../../../src/enrichment/kinds/filter.ts"
import { catalogOf } from "../../../src/record/FieldCatalog.ts"
import type { Fields } from "../../../src/record/FieldValue.ts"
import { provenPatterns } from "../../../src/pattern/Pattern.ts"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { RunWork } from "../../../src/enrichment/RunWork.ts"

const filter = makeFilter({ patterns: provenPatterns })
const catalog = catalogOf("transactions")
const context = { today: CalendarDate.make("2026-05-31"), work: new RunWork() }
const when = (field: string, operator: string, value?: string) => ({
  logic: "and",
  conditions: [{ field, operator, ...(value === undefined ? {} : { value }) }]
})
const make = (config: unknown) => Result.getOrThrow(decode(FilterConfig, config))
const verdict = (config: unknown, fields: Fields) =>
  filter.plan(filter.prepare(make(config), catalog), { recordId: "txn", fields }, context).verdict
const moves = (config: unknown) => filter.movesWithTheDay?.(make(config), catalog)
const faults = (config: unknown): ReadonlyArray<string> => {
  const decoded = decode(FilterConfig, config)
  return (Result.isFailure(decoded) ? decoded.failure : filter.check(decoded.success, catalog).errors).map(
    ({ field }) => field
  )
}

const checking = {
  mode: "keep",
  conditions: when("accountType", "equals", "checking"),
  hold: when("pending", "equals", "true")
}

describe("verdicts", () => {
  it("holds a pending checking row and delivers it once it is posted", () => {
    expect(verdict(checking, { accountType: "checking", pending: true })?.value).toBe("hold")
    expect(verdict(checking, { accountType: "checking", pending: false })?.value).toBe("deliver")
  })

  it("drops what a keeping filter does not match, and what a dropping one does", () => {
    expect(verdict(checking, { accountType: "savings", pending: false })).toMatchObject({
      value: "drop",
      reason: "the conditions do not match"
    })
    const small = { conditions: when("amount", "gt", "-1"), reason: "small change" }
    expect(verdict(small, { amount: "-0.99" })).toMatchObject({ value: "drop", reason: "small change" })
    expect(verdict(small, { amount: "-1" })?.value).toBe("deliver")
  })

  it("holds before it drops", () => {
    expect(verdict(checking, { accountType: "savings", pending: true })?.value).toBe("hold")
  })

  it("gives every record exactly one verdict, and the other mode the opposite one", () => {
    for (const amount of ["1", "-1", "0", null, "none"]) {
      const [drop, keep] = ["drop", "keep"].map(
        (mode) => verdict({ mode, conditions: when("amount", "lt", "0") }, { amount })?.value
      )
      expect([drop, keep].toSorted()).toEqual(["deliver", "drop"])
    }
  })

  it("moves with the day when its dates do", () => {
    const prepared = filter.prepare(make({ mode: "keep", conditions: when("date", "equals", "today") }), catalog)
    const on = (day: string) =>
      filter.plan(
        prepared,
        { recordId: "t", fields: { date: "2024-02-29" } },
        { today: CalendarDate.make(day), work: new RunWork() }
      ).verdict?.value
    expect([on("2024-02-29"), on("2024-03-01"), on("2024-02-29")]).toEqual(["deliver", "drop", "deliver"])
  })

  it("tells where the day decides, and looks each day at what it holds", () => {
    const still = when("amount", "lt", "0")
    const moving = when("date", "gt", "7d")
    expect(
      [
        { conditions: still },
        { conditions: when("date", "lt", "2026-01-01"), hold: still },
        { conditions: moving },
        { conditions: still, hold: moving },
        { conditions: when("date", "hasPassed") }
      ].map(moves)
    ).toEqual([false, true, true, true, true])
  })

  it("asks for the removal of a delivered row only if it is set so", () => {
    const drop = { conditions: when("amount", "lt", "0") }
    expect(verdict({ ...drop, onDropAfterDelivery: "remove" }, { amount: "-1" })?.removeDelivered).toBe(true)
    expect(verdict(drop, { amount: "-1" })?.removeDelivered ?? false).toBe(false)
  })
})

describe("settings", () => {
  const good = { conditions: when("amount", "lt", "0") }

  it("drops, keeps delivered rows and holds on faults unless told otherwise", () => {
    const config = make(good)
    expect(config).toMatchObject({ mode: "drop", onDropAfterDelivery: "keep", onFault: "hold" })
    expect(filter.onFault?.(config)).toBe("hold")
  })

  it.each<[string, unknown, string]>([
    ["an unknown key", { ...good, extra: 1 }, "extra"],
    ["an unknown mode", { ...good, mode: "hide" }, "mode"],
    ["no conditions", {}, "conditions"],
    ["a wrong hold", { ...good, hold: when("amount", "like", "0") }, "hold.conditions[0].operator"],
    ["a wrong value", { conditions: when("amount", "lt", "zero") }, "conditions.conditions[0].value"],
    ["a long reason", { ...good, reason: "x".repeat(201) }, "reason"],
    ["an unknown onFault", { ...good, onFault: "drop" }, "onFault"],
    ["an unknown onDropAfterDelivery", { ...good, onDropAfterDelivery: "hide" }, "onDropAfterDelivery"],
    ["a hold that equals the conditions", { ...good, hold: good.conditions }, "hold"],
    ["fields of its own stage", { conditions: when("filter.reason", "equals", "x") }, "conditions.conditions[0].field"]
  ])("refuses %s", (_, config, path) => {
    expect(faults(config)).toEqual([path])
  })
})
