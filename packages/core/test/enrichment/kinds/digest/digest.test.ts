import { describe, expect, it } from "@effect/vitest"
import type { PlanFigure, PlannedMessage, SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import { noModels } from "./NoModels.ts"
import { makeDigest } from "../../../../src/enrichment/kinds/digest/digest.ts"
import { periodsOf } from "../../../../src/enrichment/kinds/digest/DigestConfig.ts"
import { transactionFacts } from "../../../../src/enrichment/kinds/digest/TransactionFacts.ts"
import { plainText } from "../../../../src/message/PlainText.ts"
import { catalogOf } from "../../../../src/record/FieldCatalog.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { noRates } from "../../../../src/shared/RateTable.ts"
import { periodIndex, periodStart } from "../../../../src/shared/Recurrence.ts"
import { decode } from "../../../../src/shared/StrictDecoding.ts"
import * as Timestamp from "../../../../src/shared/Timestamp.ts"
import { Seeded, SetWorld } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const digest = makeDigest(noModels)
const euro = Currency.make("EUR")
const account: SetAccount = {
  accountId: "acct_1" as SetAccount["accountId"],
  bankId: "bank_1" as SetAccount["bankId"],
  bankName: "Demo Bank",
  accountName: "Giro",
  accountNumber: "****4711",
  accountType: "checking",
  currency: euro
}
const synced = (at: string): SetAccount => ({
  ...account,
  status: { balance: Decimal.zero, syncedAt: Timestamp.make(at) }
})

const record = (id: string, date: string, amount: string, more: SetRecord["fields"] = {}): SetRecord => ({
  recordId: id,
  accountId: account.accountId,
  fields: { date, amount, currency: "EUR", category: "GROCERIES", merchantName: "Corner Shop", ...more }
})

const destinations = [{ type: "email", recipients: ["owner@example.com"] }]

/** A world on a Wednesday; weeks begin on Monday. */
const worldOf = (config: object = {}) =>
  new SetWorld({
    kind: digest,
    config: Result.getOrThrow(decode(digest.Config, { destinations, ...config })),
    dataType: "transactions",
    accounts: [account],
    baseCurrency: euro,
    today: CalendarDate.make("2026-03-11")
  })

/** Plans, and returns what is told by that. */
const told = (world: SetWorld) =>
  Effect.map(world.plan(), ({ said }) => said.flatMap(([, plan]): ReadonlyArray<PlannedMessage> => plan.messages ?? []))

const comes = (world: SetWorld, day: string, one: SetAccount, hour = "12") => {
  world.accounts = [one]
  world.at = Timestamp.make(`${day}T${hour}:00:00.000Z`)
  world.comes(CalendarDate.make(day))
  world.pulse()
  return told(world)
}

/** A line of a budget of 400. */
const figure = (name: string, spent: string, from: string, to: string): PlanFigure => ({
  enrichmentId: "enr_00000000000000000000000001" as PlanFigure["enrichmentId"],
  name,
  from: CalendarDate.make(from),
  to: CalendarDate.make(to),
  currency: euro,
  planned: Decimal.make("400"),
  spent: Decimal.make(spent)
})

describe("digest", () => {
  it.effect("tells a week when it is over and every account was read since, at its time of day", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.put(record("a", "2026-03-02", "-40"), record("b", "2026-03-10", "-60"))
      world.pulse()
      // The week before was over when the digest was made.
      expect(yield* told(world)).toEqual([])
      expect(yield* comes(world, "2026-03-16", synced("2026-03-15T20:00:00.000Z"), "02")).toEqual([])
      world.put(record("c", "2026-03-15", "2000", { category: "INCOME", merchantName: "Employer" }))
      const [message, ...others] = yield* comes(world, "2026-03-16", synced("2026-03-16T05:00:00.000Z"), "06")
      expect(others).toEqual([])
      expect([message?.content.title, message?.at]).toEqual([
        "Enrichment: €60.00 out, €2,000.00 in",
        "2026-03-16T08:00:00.000Z"
      ])
      const text = plainText(message!.content)
      expect(text).toContain("Mar 9, 2026 – Mar 15, 2026")
      expect(text).toContain("Went out: €60.00 (€40.00 the time before)")
      expect(text).toContain("Groceries: €60.00")
      expect(yield* comes(world, "2026-03-17", synced("2026-03-17T05:00:00.000Z"))).toEqual([])
      expect(world.told).toEqual(["digest.issued:1:2026-03-09:0"])
    })
  )

  it.effect("names the lines of budgets that are overspent, where budgets are told", () =>
    Effect.gen(function* () {
      const figures = [
        figure("Food", "480.1", "2026-03-01", "2026-03-31"),
        figure("Fun", "401", "2026-03-09", "2026-03-15"),
        figure("Rent", "400", "2026-03-01", "2026-03-31"),
        figure("Long ago", "900", "2026-02-01", "2026-02-28")
      ]
      const toldWith = Effect.fnUntraced(function* (config: object) {
        const world = worldOf(config)
        world.pulse()
        world.put(record("a", "2026-03-10", "-60"))
        world.figures = figures
        yield* told(world)
        const [message] = yield* comes(world, "2026-03-16", synced("2026-03-16T05:00:00.000Z"))
        return plainText(message!.content)
      })
      const text = yield* toldWith({})
      expect(text).toContain("Food: €480.10 (€400.00 was there, €80.10 too much, Mar 1, 2026 – Mar 31, 2026)")
      expect(text).toContain("Fun: €401.00 (€400.00 was there, €1.00 too much)")
      expect(text).not.toMatch(/Rent|Long ago/)
      expect(yield* toldWith({ sections: ["flow", "categories"] })).not.toContain("Food")
      expect(yield* toldWith({ maxItems: 1 })).not.toContain("Fun")
    })
  )

  it.effect("waits no longer than it is told to, and names what was not read", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.pulse()
      world.put(record("a", "2026-03-10", "-60"))
      yield* told(world)
      const late = synced("2026-03-12T05:00:00.000Z")
      expect(yield* comes(world, "2026-03-16", late, "11")).toEqual([])
      const [message] = yield* comes(world, "2026-03-16", late, "13")
      expect(message?.content.intro).toContain("Not read since the period ended: Giro.")
      expect(message?.at).toBeUndefined()
    })
  )

  it.effect("tells again what moved by a unit and a hundredth, three times at most", () =>
    Effect.gen(function* () {
      const world = worldOf()
      world.pulse()
      world.put(record("a", "2026-03-10", "-60"))
      yield* told(world)
      const read = synced("2026-03-16T05:00:00.000Z")
      expect(yield* comes(world, "2026-03-16", read)).toHaveLength(1)
      world.put(record("b", "2026-03-11", "-0.5"))
      expect(yield* told(world)).toEqual([])
      const titles: Array<string> = []
      for (const n of [1, 2, 3, 4, 5]) {
        world.put(record(`late${n}`, "2026-03-12", "-10"))
        titles.push(...(yield* told(world)).map(({ content }) => content.title))
      }
      expect(titles.map((title) => title.slice(0, 35))).toEqual([
        "Changed: Enrichment: €70.50 out, €0",
        "Changed: Enrichment: €80.50 out, €0",
        "Changed: Enrichment: €90.50 out, €0"
      ])
    })
  )

  it.effect(
    "tells what was spent of budgets, less what came back, and is not told again for a budget that comes later",
    () =>
      Effect.gen(function* () {
        const world = worldOf({ sections: ["budgets"] })
        world.pulse()
        const food = { "budget.keys": "food,home" }
        world.put(record("a", "2026-03-09", "-60", food))
        world.put(record("b", "2026-03-10", "-12.50", { "budget.keys": "food" }))
        world.put(record("c", "2026-03-11", "2.50", { "budget.keys": "food" }))
        world.put(record("d", "2026-03-11", "-9"))
        yield* told(world)
        const [message] = yield* comes(world, "2026-03-16", synced("2026-03-16T05:00:00.000Z"))
        expect(message?.content.sections).toMatchObject([
          {
            heading: "Spent of budgets",
            rows: [
              { label: "food", value: "€70.00" },
              { label: "home", value: "€60.00" }
            ]
          }
        ])
        world.put(record("d", "2026-03-11", "-9", { "budget.keys": "trips" }))
        expect(yield* told(world)).toEqual([])
      })
  )

  it.effect("tells once that nothing happened, and then nothing until something does", () =>
    Effect.gen(function* () {
      const world = worldOf({ cadence: "daily" })
      world.pulse()
      yield* told(world)
      const days: Array<string> = []
      for (const day of ["12", "13", "14", "15"]) {
        if (day === "15") world.put(record("a", "2026-03-14", "-5"))
        const messages = yield* comes(world, `2026-03-${day}`, synced(`2026-03-${day}T05:00:00.000Z`))
        days.push(...messages.map(({ content }) => `${day} ${content.intro}`))
      }
      expect(days).toEqual([
        "12 Mar 11, 2026. There was no activity. You hear from this digest again when there is.",
        "15 Mar 14, 2026."
      ])
    })
  )

  it("counts each record once, transfers between own accounts apart, and lists what it cannot convert", () => {
    const all = [
      record("a", "2026-03-10", "-12.34"),
      record("b", "2026-03-10", "-100", { "transfer.kind": "internal" }),
      record("c", "2026-03-10", "-5", { currency: "JPY" }),
      record("d", "2026-03-10", "-3", { "fee.isFee": true, "fee.avoidable": true }),
      record("e", "2026-03-10", "0")
    ]
    const { facts, unconverted } = transactionFacts(all, {
      currency: euro,
      rates: noRates,
      sha256: (text) => text.padEnd(64, "0"),
      day: CalendarDate.make("2026-03-15")
    })
    expect([...facts.values()].map(({ id, value }) => `${id} ${value}`)).toEqual([
      "categories:GROCERIES 15.34",
      "dataQuality:unconverted 1",
      "fees:avoidable 3",
      "flow:net -15.34",
      "flow:spending 15.34",
      "merchants:Corner Shop 15.34",
      "transfers:own 1"
    ])
    expect(unconverted).toEqual([{ currency: "JPY", amount: "-5" }])
  })

  it.effect("says nothing in its words that is not a fact", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 30; seed++) {
        const random = new Seeded(seed)
        const world = worldOf({ maxItems: 50 })
        world.pulse()
        for (let n = 0; n < 20; n++) {
          const amount = `${random.once(4) ? "" : "-"}${random.below(900) + 1}.${10 + random.below(80)}`
          world.put(
            record(`r${n}`, `2026-03-${10 + random.below(5)}`, amount, {
              category: random.pick(["A", "B", ""]),
              merchantName: random.pick(["Shop", "Pub"])
            })
          )
        }
        yield* told(world)
        const [message] = yield* comes(world, "2026-03-16", synced("2026-03-16T05:00:00.000Z"))
        const { data, sections } = message!.content
        const facts = (data["facts"] as ReadonlyArray<{ value: string; previous: string }>).flatMap(
          ({ previous, value }) => [value, previous]
        )
        const known = new Set(facts.map((value) => Decimal.abs(Decimal.make(value)) as string))
        for (const { value } of sections.flatMap(({ rows }) => rows)) {
          const number = Decimal.parse(value.replaceAll(/[^0-9.]/g, ""))
          expect([seed, value, known.has(number!)]).toEqual([seed, value, true])
        }
      }
    })
  )

  it.each([
    ["weekly", { dayOfWeek: 0 }, "2026-03-11", "2026-03-08", "2026-03-15"],
    ["weekly", { dayOfWeek: 3 }, "2026-03-11", "2026-03-11", "2026-03-18"],
    ["monthly", { dayOfMonth: 31 }, "2026-03-11", "2026-02-28", "2026-03-31"],
    ["daily", {}, "2026-03-29", "2026-03-29", "2026-03-30"]
  ])("knows the period of a day: %s %j", (cadence, more, day, from, to) => {
    const recurrence = periodsOf(Result.getOrThrow(decode(digest.Config, { cadence, ...more })))
    const index = periodIndex(recurrence, CalendarDate.make(day))
    expect([periodStart(recurrence, index), periodStart(recurrence, index + 1)]).toEqual([from, to])
  })

  it.each([
    [{ timeOfDay: "8:00" }, "timeOfDay"],
    [{ sections: [] }, "sections"],
    [{ sections: ["weather"] }, "sections[0]"],
    [{ prose: "poem" }, "prose"],
    [{ dayOfMonth: 32 }, "dayOfMonth"],
    [{ watermarkHours: 73 }, "watermarkHours"],
    [{ maxItems: 0 }, "maxItems"]
  ])("refuses %j by the name of its field", (config, field) => {
    const decoded = decode(digest.Config, config)
    expect(Result.isFailure(decoded) ? decoded.failure.map((fault) => fault.field) : []).toEqual([field])
  })

  it("says what means nothing", () => {
    const config = Result.getOrThrow(decode(digest.Config, { cadence: "daily", dayOfWeek: 2, dayOfMonth: 3 }))
    expect(digest.check(config, catalogOf("transactions")).lints.map(({ field }) => field)).toEqual([
      "dayOfWeek",
      "dayOfMonth"
    ])
  })
})
