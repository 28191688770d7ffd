/** Rows that wait in one currency and are booked in another, without a link. */
import { Seeded } from "@millrace/testing/model"
import * as CalendarDate from "../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../src/shared/Currency.ts"
import * as Decimal from "../../../src/shared/Decimal.ts"
import { rateTable } from "../../../src/shared/RateTable.ts"
import { describe, expect, it } from "vitest"
import { delta, full, held, idsOf, matched, read, seen, type Read, type Row } from "./Rows.ts"

const codes = ["EUR", "USD", "JPY", "KWD"] as const
const digitsOf = { EUR: 2, USD: 2, JPY: 0, KWD: 3 } as const

/** What one EUR is worth, in thousandths. */
const worth = { EUR: 1_000, USD: 1_100, JPY: 162_000, KWD: 337 } as const

const rates = rateTable("v", Currency.make("EUR"), [
  {
    date: CalendarDate.make("2026-03-09"),
    quotes: new Map(codes.map((code) => [Currency.make(code), Decimal.fromUnits(BigInt(worth[code]), 3)] as const))
  }
])

interface Settlement {
  readonly pending: Row
  readonly booked: Row
  readonly isOfChangeFeed: boolean
}

/** A pending row, and its booked form that is off the rate by so many tenths of a percent. */
const settlement = (random: Seeded, tenths: number): Settlement => {
  const from = random.pick(codes)
  const to = random.pick(codes.filter((code) => code !== from))
  const sign = random.pick([1, -1])
  const euros = 20 + random.below(5_000)
  const amount = (code: (typeof codes)[number], change = 0): string => {
    const units = Math.round(((euros * worth[code]) / 1_000) * (1 + change / 1_000) * 10 ** digitsOf[code])
    return Decimal.fromUnits(BigInt(sign * units), digitsOf[code])
  }
  return {
    pending: { pending: true, day: "2026-03-10", amount: amount(from), currency: from, text: "HOTEL LUNE PARIS" },
    booked: {
      day: `2026-03-1${random.below(5)}`,
      amount: amount(to, tenths),
      currency: to,
      text: random.pick(["HOTEL LUNE PARIS", "Hotel Lune"])
    },
    isOfChangeFeed: random.once(2)
  }
}

const settled = ({ booked, isOfChangeFeed, pending }: Settlement, change: Partial<Read> = {}) => {
  const lamp: Row = { day: "2026-03-01", amount: "-3.1", text: "lamp" }
  return read({
    held: [held("p", pending, {}, { edited: true }), held("o", lamp)],
    observations: [seen("b", booked), ...(isOfChangeFeed ? [] : [seen("o", lamp)])],
    coverage: isOfChangeFeed ? delta : full,
    removed: new Set(isOfChangeFeed ? ["p-p"] : []),
    ...change
  })
}

/** The record of the booked row, and the records that it may be. */
const outcome = (given: Settlement, change: Partial<Read> = { rates }) => {
  const result = settled(given, change)
  const [[, record] = []] = matched(result)
  return [record, result.suggestions.map(({ recordId }) => recordId)]
}

describe("a row that waits in one currency and is booked in another", () => {
  it("stays one record where the rate of its day makes the amounts agree", () => {
    const random = new Seeded(20)
    for (let n = 0; n < 300; n++) {
      const given = settlement(random, random.pick([0, 3, -3, 12, -12, 30, -30]))
      const result = settled(given, { rates })
      expect([matched(result), result.suggestions, idsOf(result.gone)]).toEqual([[["p-b", "p"]], [], []])
    }
  })

  it("is a question where no rate is stored, and where they differ by no more than a tip", () => {
    const random = new Seeded(21)
    for (let n = 0; n < 100; n++) {
      expect(outcome(settlement(random, random.pick([0, 12])), {})).toEqual([undefined, ["p"]])
      expect(outcome(settlement(random, random.pick([60, 150, 300, -60, -300])))).toEqual([undefined, ["p"]])
    }
  })

  it("is another event where the amounts, the texts or the signs do not go together", () => {
    const random = new Seeded(22)
    for (let n = 0; n < 100; n++) {
      expect(outcome(settlement(random, random.pick([400, 900, -400, -900])))).toEqual([undefined, []])
      const { booked, ...rest } = settlement(random, 0)
      const other = random.pick<Partial<Row>>([
        { text: "DESK MAKER BERLIN" },
        { amount: Decimal.negate(booked.amount as Decimal.Decimal) },
        { day: "2026-03-25" },
        { day: "2026-03-05" }
      ])
      expect(outcome({ ...rest, booked: { ...booked, ...other } })).toEqual([undefined, []])
    }
  })

  it("leaves a pending row alone that the bank still shows, or that the booked form of its own currency takes", () => {
    const random = new Seeded(23)
    for (let n = 0; n < 100; n++) {
      const { booked, pending } = settlement(random, 0)
      const still = read({ held: [held("p", pending)], observations: [seen("b", booked), seen("p", pending)], rates })
      expect(matched(still)).toEqual([["p-b", undefined]])
      const own = { ...pending, pending: false, day: "2026-03-11" }
      const both = read({ held: [held("p", pending)], observations: [seen("b", booked), seen("own", own)], rates })
      expect(new Map(matched(both))).toEqual(
        new Map([
          ["p-b", undefined],
          ["p-own", "p"]
        ])
      )
    }
  })
})
