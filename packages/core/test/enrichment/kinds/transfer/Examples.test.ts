import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { describe, expect } from "vitest"
import type { EnrichmentFact } from "../../../../src/enrichment/kinds/EnrichmentFact.ts"
import type { SetAccount, SetRecord } from "../../../../src/enrichment/kinds/SetKind.ts"
import * as CalendarDate from "../../../../src/shared/CalendarDate.ts"
import * as Currency from "../../../../src/shared/Currency.ts"
import * as Decimal from "../../../../src/shared/Decimal.ts"
import { rateTable } from "../../../../src/shared/RateTable.ts"
import { pairPart } from "../../../../src/enrichment/kinds/transfer/PairScore.ts"
import { fact, type Setting, transfers } from "./TransferWorld.ts"
import { account, leg } from "./Legs.ts"

const everyday = account(1, "Everyday", "checking", "AUD")
const saver = account(2, "Saver", "savings", "AUD")
const partner = account(3, "Partner", "checking", "AUD")
const abroad = account(4, "Overseas", "checking", "USD")
const card = account(5, "Platinum Card", "credit_card", "AUD")
const accounts = [everyday, saver, partner, abroad, card]
const today = CalendarDate.make("2026-05-31")

const linksOf = (records: ReadonlyArray<SetRecord>, more: Partial<Setting> = {}) =>
  Effect.map(transfers({ accounts, records, today, ...more }), ({ links }) => links)

/** Money of others: each amount once, on days before April. */
const strangers = (count: number, of: SetAccount): ReadonlyArray<SetRecord> =>
  Array.from({ length: count }, (_, n) =>
    leg(`s${n}`, of, CalendarDate.addDays(CalendarDate.make("2026-01-05"), n), `${401 + n}.37`, "DEPOSIT")
  )

const plain = (n: number, date: string) => [
  leg(`o${n}`, everyday, date, `-${900 + n}.5`, "9912"),
  leg(`i${n}`, saver, date, `${900 + n}.5`, "4471")
]

const decided = (kind: "confirm" | "reject") => [1, 2, 3].map((n) => fact(kind, `o${n}`, `i${n}`))

describe("what speaks for a pair", () => {
  it.effect("adds up as in the worked example of two accounts that got the same", () =>
    Effect.gen(function* () {
      const rivals = [1, 2, 3, 4].map((n) => leg(`r${n}`, partner, "2026-04-27", `${70 + n}.11`, "DEPOSIT"))
      const [link] = yield* linksOf([
        leg("o", everyday, "2026-04-24", "-1240", "TRANSFER TO SAVER"),
        leg("i", saver, "2026-04-27", "1240", "FROM EVERYDAY"),
        leg("p", partner, "2026-04-24", "1240", "DEPOSIT"),
        ...rivals,
        ...strangers(48, partner)
      ])
      expect(link).toMatchObject({ state: "auto", members: ["o", "i"], rival: "p" })
      expect(link!.counts).toMatchObject({ rivals: 6, strangers: 48, agreeing: 0, businessDays: 1 })
      expect(link!.parts).toMatchObject({ prior: -491, amount: 803, lag: 181, text: 800 })
      expect([link!.score, link!.margin]).toEqual([1293, 762])
      // 1.25 times the margin, which is less than the score.
      expect(link!.confidence).toBe("0.9986")
    })
  )

  it.effect("adds up as in the worked example of two currencies", () =>
    Effect.gen(function* () {
      const rates = rateTable("one", Currency.make("AUD"), [
        {
          date: CalendarDate.make("2026-04-21"),
          quotes: new Map([[Currency.make("USD"), Decimal.make("0.66")]])
        }
      ])
      const [link] = yield* linksOf(
        [
          leg("o", everyday, "2026-04-21", "-2000", "REMIT SENT"),
          leg("i", abroad, "2026-04-23", "1305", "INBOUND WIRE"),
          ...[1, 2, 3].map((n) => leg(`s${n}`, abroad, `2026-02-0${n}`, `${n}00.1`, "DEPOSIT"))
        ],
        { rates }
      )
      expect(link!.parts).toMatchObject({ prior: -232, amount: 281, lag: 86, text: 600 })
      expect(link).toMatchObject({ score: 735, state: "auto", kind: "fx" })
      expect(link!.confidence).toBe("0.9939")
    })
  )

  it.effect("is never enough to link by itself where it is only amount and day", () =>
    Effect.gen(function* () {
      const links = yield* linksOf([
        leg("o", everyday, "2026-04-21", "-812.37", "9912"),
        leg("i", saver, "2026-04-21", "812.37", "4471")
      ])
      expect(links).toMatchObject([{ state: "suggested", members: ["o", "i"] }])
    })
  )

  it.effect("is a number that both have, unless many have it", () =>
    Effect.gen(function* () {
      const shared = { reference: "E2E-99120044" }
      const pair = (n: number, amount: string) => [
        leg(`o${n}`, everyday, "2026-04-21", `-${amount}`, "9912", shared),
        leg(`i${n}`, saver, "2026-04-21", amount, "4471", shared)
      ]
      expect(yield* linksOf(pair(1, "812.37"))).toMatchObject([{ state: "auto", parts: { reference: 600 } }])
      const many = yield* linksOf([...pair(1, "812.37"), ...pair(2, "13.11"), ...pair(3, "77.3")])
      expect(many.map(({ parts }) => parts?.reference)).toEqual([0, 0, 0])
    })
  )
})

describe("what is no transfer", () => {
  it.effect("is a refund, a wage, a purchase, nothing, or a pair of one account", () =>
    Effect.gen(function* () {
      const purchase = leg("o", everyday, "2026-04-21", "-80", "CARD PURCHASE BLUE HERON")
      expect(yield* linksOf([purchase, leg("i", card, "2026-04-22", "80", "REFUND BLUE HERON")])).toEqual([])
      const rent = leg("o", everyday, "2026-04-21", "-2000", "RENT")
      expect(yield* linksOf([rent, leg("i", saver, "2026-04-22", "2000", "SALARY ACME")])).toEqual([])
      const moved = leg("o", everyday, "2026-04-21", "-80", "TRANSFER")
      expect(yield* linksOf([moved, leg("i", everyday, "2026-04-21", "80", "TRANSFER")])).toEqual([])
      expect(
        yield* linksOf([
          leg("o", everyday, "2026-04-21", "0", "TRANSFER"),
          leg("i", saver, "2026-04-21", "0", "TRANSFER")
        ])
      ).toEqual([])
    })
  )

  it.effect("is what arrives before the window or after it, and what lies in accounts that are left out", () =>
    Effect.gen(function* () {
      const out = leg("o", everyday, "2026-04-21", "-80.5", "TRANSFER TO SAVER")
      const inOn = (date: string) => leg("i", saver, date, "80.5", "TRANSFER FROM EVERYDAY")
      expect(yield* linksOf([out, inOn("2026-05-02")])).toEqual([])
      expect(yield* linksOf([out, inOn("2026-04-18")])).toEqual([])
      expect(yield* linksOf([out, inOn("2026-05-01")])).toHaveLength(1)
      const config = { excludeAccountIds: [saver.accountId] }
      expect(yield* linksOf([out, inOn("2026-04-22")], { config })).toEqual([])
    })
  )
})

describe("amounts that differ", () => {
  const out = leg("o", everyday, "2026-04-21", "-1000", "WIRE TRANSFER TO SAVER")
  const less = leg("i", saver, "2026-04-22", "985", "INCOMING WIRE FROM EVERYDAY")

  it.effect("are a fee where both say that they are a transfer, and shown as one", () =>
    Effect.gen(function* () {
      expect(yield* linksOf([out, less])).toMatchObject([{ fee: "15", members: ["o", "i"], state: "auto" }])
      expect(yield* linksOf([out, leg("i", saver, "2026-04-22", "985", "DEPOSIT")])).toEqual([])
      expect(yield* linksOf([out, leg("i", saver, "2026-04-22", "949.99", "TRANSFER FROM EVERYDAY")])).toEqual([])
    })
  )

  it.effect("wait while one of the two is pending, which equal ones do not", () =>
    Effect.gen(function* () {
      const pending = { ...less, fields: { ...less.fields, pending: true } }
      expect(yield* linksOf([out, pending])).toEqual([])
      const equal = { ...pending, fields: { ...pending.fields, amount: "1000" } }
      expect(yield* linksOf([out, equal])).toHaveLength(1)
      expect(yield* linksOf([out, equal], { config: { includePending: false } })).toEqual([])
    })
  )

  it.effect("in two currencies are left alone where no rate is known", () =>
    Effect.gen(function* () {
      const wire = leg("i", abroad, "2026-04-22", "660", "INCOMING WIRE FROM EVERYDAY")
      expect(yield* linksOf([out, wire])).toEqual([])
    })
  )

  it.effect("may be two parts of one day in one account: suggested, never made", () =>
    Effect.gen(function* () {
      const parts = ["640", "360"].map((amount, n) =>
        leg(`i${n}`, saver, "2026-04-22", amount, "TRANSFER FROM EVERYDAY")
      )
      expect(yield* linksOf([out, ...parts])).toMatchObject([{ members: ["o", "i0", "i1"], state: "suggested" }])
      const back = leg("b", everyday, "2026-04-24", "1000", "TRANSFER FROM SAVER")
      const sent = ["640", "360"].map((amount, n) => leg(`s${n}`, saver, "2026-04-23", `-${amount}`, "TRANSFER"))
      expect(yield* linksOf([back, ...sent])).toMatchObject([{ members: ["s0", "s1", "b"], state: "suggested" }])
    })
  )
})

describe("accounts that mirror", () => {
  it.effect("are matched by equal signs, and only suggested", () =>
    Effect.gen(function* () {
      const records = [
        leg("o", everyday, "2026-04-21", "-310.5", "CREDIT CARD PAYMENT"),
        leg("i", card, "2026-04-22", "-310.5", "PAYMENT THANK YOU")
      ]
      expect(yield* linksOf(records)).toEqual([])
      const config = { mirrorAccountIds: [card.accountId] }
      expect(yield* linksOf(records, { config })).toMatchObject([{ members: ["o", "i"], state: "suggested" }])
    })
  )
})

describe("equal twins", () => {
  it.effect("go together by their days and lower nobody's certainty", () =>
    Effect.gen(function* () {
      const records = [21, 22].flatMap((day) => [
        leg(`o${day}`, everyday, `2026-04-${day}`, "-100", "TRANSFER TO SAVER"),
        leg(`i${day}`, saver, `2026-04-${day}`, "100", "TRANSFER FROM EVERYDAY")
      ])
      const links = yield* linksOf(records)
      expect(links.map(({ members, state }) => [members, state])).toEqual([
        [["o21", "i21"], "auto"],
        [["o22", "i22"], "auto"]
      ])
      expect(links.map(({ interchangeable }) => interchangeable)).toEqual([true, true])
    })
  )
})

describe("what people decide", () => {
  const out = leg("o", everyday, "2026-04-21", "-80", "TRANSFER TO SAVER")
  const into = leg("i", saver, "2026-04-22", "80", "TRANSFER FROM EVERYDAY")
  const other = leg("p", saver, "2026-04-23", "80", "TRANSFER FROM EVERYDAY")

  it.effect("keeps two records apart for good, so that another one takes the place", () =>
    Effect.gen(function* () {
      const facts = [fact("forbid", "i", "o")]
      expect(yield* linksOf([out, into], { facts })).toEqual([])
      expect(yield* linksOf([out, into, other], { facts })).toMatchObject([{ members: ["o", "p"] }])
    })
  )

  it.effect("links any two records, whatever their amounts, days and accounts", () =>
    Effect.gen(function* () {
      const far = leg("q", card, "2025-11-03", "77.1", "DEPOSIT")
      const facts = [fact("confirm", "q", "o")]
      expect(yield* linksOf([out, into, far], { facts })).toMatchObject([
        { members: ["o", "q"], state: "confirmed", confidence: "1", fee: "2.9", kind: "card_payment" }
      ])
    })
  )

  it.effect("counts by the latest word, and a link of a record that is gone is broken", () =>
    Effect.gen(function* () {
      const facts: ReadonlyArray<EnrichmentFact> = [fact("confirm", "o", "q"), fact("confirm", "o", "i")]
      expect(yield* linksOf([out, into], { facts })).toMatchObject([{ members: ["o", "i"], state: "confirmed" }])
      expect(yield* linksOf([out, into], { facts: [...facts, fact("reject", "o", "i")] })).toEqual([])
      const { values } = yield* transfers({ accounts, today, records: [out], facts: [fact("confirm", "o", "i")] })
      expect(values("o")).toEqual({ "transfer.state": "broken", "transfer.counterpartRecordId": "i" })
    })
  )

  it.effect("teaches which accounts belong together, and which texts do not", () =>
    Effect.gen(function* () {
      const past = [1, 2, 3].flatMap((n) => plain(n, `2026-01-0${n + 4}`))
      const now = plain(9, "2026-04-21")
      const ofNow = Effect.fnUntraced(function* (facts: ReadonlyArray<EnrichmentFact>, learn = true) {
        const links = yield* linksOf([...past, ...now], { facts, config: { learn } })
        return links.find(({ members }) => members.includes("o9"))
      })
      expect(yield* ofNow([])).toMatchObject({ state: "suggested", parts: { pair: 0 } })
      expect(yield* ofNow(decided("confirm"))).toMatchObject({
        state: "auto",
        counts: { accepted: 3, rejected: 0 }
      })
      expect(yield* ofNow(decided("confirm"), false)).toMatchObject({ state: "suggested", parts: { pair: 0 } })
      const rejected = yield* ofNow(decided("reject"))
      expect(rejected?.parts?.pair ?? -1_000).toBeLessThan(-200)
    })
  )

  it.effect("opens fees between two accounts where one was accepted, and not where amounts were equal", () =>
    Effect.gen(function* () {
      const past = (arrived: string) => [
        leg("o1", everyday, "2026-01-05", "-900.5", "9912"),
        leg("i1", saver, "2026-01-05", arrived, "4471")
      ]
      const now = [
        leg("o9", everyday, "2026-04-21", "-1000", "9912"),
        leg("i9", saver, "2026-04-21", "985", "4471"),
        leg("p9", partner, "2026-04-21", "985", "4471")
      ]
      const ofNow = Effect.fnUntraced(function* (arrived: string, kind: "confirm" | "reject", records = now) {
        const links = yield* linksOf([...past(arrived), ...records], { facts: [fact(kind, "o1", "i1")] })
        return links.filter(({ members }) => !members.includes("o1")).map(({ fee, members }) => [fee, members])
      })
      expect(yield* ofNow("885.5", "confirm")).toEqual([["15", ["o9", "i9"]]])
      expect(yield* ofNow("900.5", "confirm")).toEqual([])
      expect(yield* ofNow("885.5", "reject")).toEqual([])
      // More than a quarter is no fee.
      expect(yield* ofNow("600.5", "confirm")).toEqual([])
      // It says nothing of money that goes the other way.
      const back = [leg("o9", saver, "2026-04-21", "-1000", "9912"), leg("i9", everyday, "2026-04-21", "985", "4471")]
      expect(yield* ofNow("885.5", "confirm", back)).toEqual([])
    })
  )

  it("says as much as it differs from what was stated", () => {
    // Nine of ten were to be right, and nine of ten were.
    expect(pairPart({ accepted: 90, rejected: 10, expected: 9_000, pattern: 0 })).toBe(0)
    expect(pairPart({ accepted: 10, rejected: 0, expected: 990, pattern: 0 })).toBeLessThan(20)
    expect(pairPart({ accepted: 10, rejected: 0, expected: 500, pattern: 0 })).toBe(300)
    expect(pairPart({ accepted: 5, rejected: 5, expected: 900, pattern: 0 })).toBeLessThan(-200)
  })
})

describe("what is told", () => {
  it.effect(
    "is a link once, a suggestion once, and a transfer of which the other side has not come, when it is due",
    () =>
      Effect.gen(function* () {
        const records = [
          leg("o", everyday, "2026-05-11", "-80", "TRANSFER TO SAVER"),
          leg("i", saver, "2026-05-12", "80", "TRANSFER FROM EVERYDAY"),
          leg("late", everyday, "2026-05-19", "-33", "TRANSFER TO SAVER"),
          leg("later", everyday, "2026-05-28", "-34", "TRANSFER TO SAVER"),
          leg("gift", everyday, "2026-05-11", "-50", "TRANSFER TO A FRIEND")
        ]
        const { dues, told } = yield* transfers({ accounts, records, today: CalendarDate.make("2026-05-30") })
        expect(told.filter((key) => key.startsWith("unmatched"))).toEqual(["unmatched:late"])
        expect(told.filter((key) => key.startsWith("transfer.linked"))).toHaveLength(1)
        expect(dues).toEqual(["2026-06-08"])
      })
  )
})
