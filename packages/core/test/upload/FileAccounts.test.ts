import type { Account } from "../../src/bank/Account.ts"
import { maskNumber } from "../../src/bank/Account.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import * as Currency from "../../src/shared/Currency.ts"
import * as Decimal from "../../src/shared/Decimal.ts"
import * as Timestamp from "../../src/shared/Timestamp.ts"
import { accountKeys, accountOf, withoutNumber } from "../../src/upload/FileAccounts.ts"
import { accountInFileName } from "../../src/upload/FileName.ts"
import { showSameRows } from "../../src/upload/SameRows.ts"
import type { StatementAccount } from "../../src/upload/Statement.ts"
import { describe, expect, it } from "@effect/vitest"

const stated = (change: Partial<StatementAccount> = {}): StatementAccount => ({
  key: "::unknown",
  number: "",
  name: "",
  type: "unknown",
  currency: Currency.make("EUR"),
  rows: [],
  ...change
})

const seal = (part: string) => `<${part}>`
const file = "statement.csv"

const heldOf = (id: string, statement: StatementAccount, fileName = file): Account => ({
  id: `acct_${id}` as Account["id"],
  workspaceId: "ws_1" as Account["workspaceId"],
  bankId: "bank_1" as Account["bankId"],
  providerAccountId: id,
  stableKeys: accountKeys(statement, fileName, seal),
  accountNumber: maskNumber(statement.number),
  accountName: id,
  accountType: statement.type,
  balance: Decimal.zero,
  availableBalance: Decimal.zero,
  currency: statement.currency,
  supports: ["transactions"],
  state: "open",
  createdAt: Timestamp.make("2026-01-01T00:00:00.000Z"),
  updatedAt: Timestamp.make("2026-01-01T00:00:00.000Z")
})

const found = (
  held: ReadonlyArray<Account>,
  statement: StatementAccount,
  { assumed = false, fileName = file }: { readonly assumed?: boolean; readonly fileName?: string } = {}
) =>
  accountOf(held, {
    statement,
    keys: accountKeys(statement, fileName, seal),
    formerKey: seal(statement.key),
    currencyIsAssumed: assumed
  })?.providerAccountId

describe("the account of a statement", () => {
  const forms: ReadonlyArray<Partial<StatementAccount>> = [
    { number: "DE89370400440532013000" },
    { number: "DE89 3704 0044 0532 0130 00", type: "checking" },
    { number: "0532013000", bankId: "37040044", type: "checking" },
    { number: "532013000", bankId: "37040044" },
    { number: "0532013000" },
    { number: "****3000" },
    { number: "XXXXXX3000" }
  ]

  it("is found again by its number in every form, with and without a type, in either order", () => {
    for (const one of forms) {
      for (const other of forms) {
        const other2 = heldOf("b", stated({ number: "DE02120300000000202051" }))
        expect([one, other, found([heldOf("a", stated(one)), other2], stated(other))]).toEqual([one, other, "a"])
      }
    }
  })

  it("is another one at another bank, of another type or in another currency, and where two could be meant", () => {
    const held = [heldOf("a", stated({ number: "5551234", bankId: "111000", type: "checking" }))]
    expect(found(held, stated({ number: "5551234", bankId: "222000", type: "checking" }))).toBeUndefined()
    expect(found(held, stated({ number: "5551234", bankId: "111000", type: "savings" }))).toBeUndefined()
    expect(found(held, stated({ number: "5551234", currency: Currency.make("USD") }))).toBeUndefined()
    expect(found(held, stated({ number: "5551234", currency: Currency.make("USD") }), { assumed: true })).toBe("a")
    expect(found(held, stated({ number: "8881234" }))).toBeUndefined()
    const two = [...held, heldOf("b", stated({ number: "7771234", type: "savings" }))]
    expect(found(two, stated({ number: "****1234" }))).toBeUndefined()
    expect(found(two, stated({ number: "****1234", type: "savings" }))).toBe("b")
    const twins = [...held, heldOf("s", stated({ number: "5551234", bankId: "111000", type: "savings" }))]
    expect(found(twins, stated({ number: "5551234", bankId: "111000", type: "savings" }))).toBe("s")
    expect(found(twins, stated({ number: "5551234" }))).toBeUndefined()
  })

  it("is told by its own words or those of the file where it has no number", () => {
    const held = [heldOf("c", stated(), "checking-2026-03.csv"), heldOf("s", stated({ name: "Savings" }))]
    expect(found(held, stated(), { fileName: "Checking (2).CSV" })).toBe("c")
    expect(found(held, stated(), { fileName: "savings-april.csv" })).toBe("s")
    expect(found(held, stated(), { fileName: "april.csv" })).toBeUndefined()
  })

  it("goes on where it was kept under one key for all files without a number", () => {
    const former = { ...heldOf("f", stated()), stableKeys: [seal("::unknown")] }
    expect(found([former], stated(), { fileName: "checking.csv" })).toBe("f")
    const grown = { ...former, stableKeys: [seal("::unknown"), "words=checking"] }
    expect(found([grown], stated(), { fileName: "checking.csv" })).toBe("f")
    expect(found([grown], stated(), { fileName: "savings.csv" })).toBeUndefined()
  })

  it("may be one without a number where the statement has one, and any where it has none", () => {
    const held = [heldOf("n", stated({ number: "5551234" })), heldOf("w", stated(), "checking.csv")]
    const asked = (statement: StatementAccount) =>
      withoutNumber(held, {
        statement,
        keys: accountKeys(statement, file, seal),
        formerKey: "",
        currencyIsAssumed: false
      }).map(({ providerAccountId }) => providerAccountId)
    expect(asked(stated({ number: "8889999" }))).toEqual(["w"])
    expect(asked(stated())).toEqual(["n", "w"])
  })
})

describe("the name of a file", () => {
  it("tells the account by what is left without dates, counters and words of any file", () => {
    expect(
      [
        "checking_2026-03.csv",
        "Checking (2).CSV",
        "2026-03-01 Transactions checking copy.ofx",
        "Chase1234_Activity_20260301.CSV",
        "march.csv",
        "Kontoauszug März 2026.csv",
        "transactions (12).qfx",
        "Épargne_export.csv"
      ].map(accountInFileName)
    ).toEqual(["checking", "checking", "checking", "chase 1234", "", "", "", "epargne"])
  })
})

const row = (day: string, amount: string) => ({
  date: CalendarDate.make(`2026-03-${day}`),
  amount: Decimal.make(amount)
})

describe("rows of a statement", () => {
  const rows = [row("01", "-1"), row("04", "-2"), row("09", "-3"), row("15", "-4"), row("20", "-5")]

  it("are those of an account where amounts and days agree in what both show", () => {
    expect(showSameRows(rows, rows.slice(2))).toBe(true)
    expect(
      showSameRows(
        rows.slice(0, 4),
        rows.slice(1).map(({ amount, date }) => ({ amount, date: CalendarDate.addDays(date, 1) }))
      )
    ).toBe(true)
    expect(showSameRows(rows, [])).toBe(false)
    expect(showSameRows(rows, [row("04", "-2")])).toBe(false)
    expect(showSameRows(rows.slice(0, 2), rows.slice(3))).toBe(false)
    expect(
      showSameRows(rows, [row("01", "-1"), row("04", "-2"), row("10", "-30"), row("12", "-7"), row("20", "-8")])
    ).toBe(false)
  })
})
