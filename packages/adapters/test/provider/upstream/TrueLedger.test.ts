import { expect, it } from "@effect/vitest"
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { Seeded } from "@millrace/testing/model"
import { move, mutatedJson, type TrueAccount, TrueLedger } from "@millrace/testing/upstream"

const account: TrueAccount = {
  key: "main",
  id: "a1",
  number: "1111222233334444",
  name: "Main",
  type: "checking",
  currency: Currency.make("USD"),
  opening: Decimal.make("100"),
  supports: ["balances", "transactions"]
}

const institution = { id: "i", name: "Bank", countryCode: "US", bankType: "bank", status: "ok" } as const

const ledgerAt = () => {
  const at = { now: Date.parse("2026-03-01T08:00:00Z") }
  return { at, ledger: new TrueLedger({ institution, accounts: [account], now: () => at.now }) }
}

const play = (seed: number) => {
  const { at, ledger } = ledgerAt()
  const seeded = new Seeded(seed)
  const kinds = Array.from({ length: 200 }, () => {
    at.now += seeded.below(20) * 3_600_000
    return move(ledger, seeded, { account: "main" })
  })
  return { kinds, ledger }
}

it("a random script of a seed is the same everywhere, and its changes make up what is shown", () => {
  const { kinds, ledger } = play(7)
  expect(play(7).ledger.changes).toEqual(ledger.changes)
  expect(new Set(kinds).size).toBe(9)
  const shown = new Map<string, unknown>()
  for (const { kind, row } of ledger.changes) {
    if (kind === "shown") shown.set(row.id, row)
    else shown.delete(row.id)
  }
  expect(new Map(ledger.shown().map((row) => [row.id, row]))).toEqual(shown)
  const posted = Decimal.sum(ledger.shown("main").flatMap(({ amount, pending }) => (pending ? [] : [amount])))
  expect(ledger.balance("main")).toBe(Decimal.add(account.opening, posted))
})

it("what settles has a new id that may name the pending one, or keeps its own", () => {
  const { ledger } = ledgerAt()
  const hold = () => ledger.post({ account: "main", amount: Decimal.make("-5"), description: "Fuel", pending: true })
  const linked = hold()
  const posted = ledger.settle(linked, { change: { amount: Decimal.make("-47.11") } })
  expect(posted).toMatchObject({ line: linked.line, pendingId: linked.id, isLinked: true, amount: "-47.11" })
  expect(ledger.settle(hold(), { isLinked: false })).toMatchObject({ isLinked: false, pending: false })
  const kept = hold()
  expect(ledger.settle(kept, { id: "same" })).toMatchObject({ id: kept.id, pending: false })
  expect(() => ledger.settle(posted)).toThrow("is not pending")
  expect(ledger.cash("main")).toBe(Decimal.make("42.89"))
})

it("rows of days that the bank no longer keeps are not shown, and everything can come under new ids", () => {
  const { ledger } = ledgerAt()
  ledger.post({ account: "main", amount: Decimal.make("1"), description: "old", date: CalendarDate.make("2025-01-01") })
  ledger.post({ account: "main", amount: Decimal.make("2"), description: "new" })
  ledger.keepsFrom = CalendarDate.make("2026-01-01")
  expect(ledger.shown().map(({ description }) => description)).toEqual(["new"])
  const before = ledger.shown()[0]!.id
  ledger.renumber()
  expect(ledger.shown()[0]!.id).not.toBe(before)
  expect(ledger.listed[0]!.id).not.toBe("a1")
  expect(ledger.accountShownAs("a1")).toBeUndefined()
})

it("mutated JSON is JSON still, the same for a seed, and most often another one", () => {
  const text = JSON.stringify({ accounts: [{ id: "a", balance: 1.5, tags: ["x", null] }], next: { cursor: "" } })
  const made = Array.from({ length: 500 }, (_, seed) => mutatedJson(text, new Seeded(seed)))
  expect(made.map((one) => typeof JSON.parse(one)).length).toBe(500)
  expect(mutatedJson(text, new Seeded(3))).toBe(made[3])
  expect(made.filter((one) => one !== text).length).toBeGreaterThan(450)
  expect(new Set(made).size).toBeGreaterThan(250)
})
