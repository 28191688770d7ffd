/** What people of fakes have: a few months of an ordinary life at a bank, a broker and a lender, drawn from a seed. */
import { CalendarDate, Currency, type CurrencyCode, Decimal, type DecimalText } from "@millrace/core"
import { type AccountType, isLiability } from "@millrace/core/provider"
import type { SyncDataType } from "@millrace/core/record"
import { Seeded } from "../model/Seeded.ts"
import type { TrueLedger } from "./TrueLedger.ts"
import type { TrueAccount, TrueSecurity } from "./TrueRecord.ts"

export interface HouseholdOptions {
  readonly seed: number
  /** Days of history. */
  readonly days: number
  /** Ordinary rows of each account that moves. */
  readonly rows: number
}

/** An account of a household; its number follows from its key and the seed. */
export const householdAccount = (
  key: string,
  type: AccountType,
  supports: ReadonlyArray<SyncDataType>,
  more: {
    readonly name?: string
    readonly opening?: string
    readonly creditLimit?: string
    readonly currency?: string
  } = {}
): Omit<TrueAccount, "id" | "number"> => ({
  key,
  name: more.name ?? `${key.slice(0, 1).toUpperCase()}${key.slice(1)}`,
  type,
  currency: Currency.make(more.currency ?? "USD"),
  opening: Decimal.make(more.opening ?? "0"),
  ...(more.creditLimit === undefined ? {} : { creditLimit: Decimal.make(more.creditLimit) }),
  supports: ["balances", ...supports]
})

/** A number that is the same for the same person, and another one for every account. */
export const accountNumber = (seed: number, key: string): string => {
  const drawn = new Seeded(Array.from(key).reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) | 0, seed))
  return Array.from({ length: 12 }, () => String(drawn.below(10))).join("")
}

const shops: ReadonlyArray<readonly [text: string, merchant: string | undefined, category: string]> = [
  ["SQ *BLUE HERON CAFE 4471", "Blue Heron Cafe", "FOOD_AND_DRINK"],
  ["GROCER & SONS #12", "Grocer & Sons", "FOOD_AND_DRINK"],
  ["METRO RAIL TICKET 0031", "Metro Rail", "TRANSPORTATION"],
  ["NORTHERN POWER & LIGHT", "Northern Power & Light", "RENT_AND_UTILITIES"],
  ["PHARMACY 24H <MAIN ST>", undefined, "MEDICAL"],
  ["TRANSFER TO 8841", undefined, "TRANSFER_OUT"],
  ["PLUMBING CO", "Plumbing Co", "SERVICES"],
  ["BOOKSHOP \u30aa\u30aa\u30bf\u30cb", "Bookshop", "GENERAL_MERCHANDISE"]
]

const cents = (seeded: Seeded, most: number): DecimalText => Decimal.fromUnits(BigInt(1 + seeded.below(most)), 2)

/** Fills an account with rows of the days until today: posted ones, and a few pending ones of the last days. */
export const fillAccount = (ledger: TrueLedger, key: string, { days, rows, seed }: HouseholdOptions): void => {
  const seeded = new Seeded(seed)
  const first = CalendarDate.addDays(ledger.today, -days)
  const dates = Array.from({ length: rows }, () =>
    CalendarDate.addDays(first, seeded.below(Math.max(1, days - 3)))
  ).toSorted()
  for (const [n, date] of dates.entries()) {
    if (n % 15 === 7 && !isLiability(ledger.account(key).type)) {
      ledger.post({
        account: key,
        amount: Decimal.make("2100.5"),
        description: "PAYROLL ACME INC",
        category: "INCOME",
        date
      })
      continue
    }
    const [text, merchant, category] = seeded.pick(shops)
    ledger.post({
      account: key,
      amount: Decimal.negate(cents(seeded, 20_000)),
      description: `${text} ${n}`,
      ...(merchant === undefined ? {} : { merchant }),
      category,
      date,
      authorizedDate: CalendarDate.addDays(date, -seeded.below(3))
    })
  }
  for (const ago of [2, 1, 0]) {
    const [text, merchant, category] = seeded.pick(shops)
    ledger.post({
      account: key,
      amount: Decimal.negate(cents(seeded, 9_000)),
      description: `${text} HOLD ${ago}`,
      ...(merchant === undefined ? {} : { merchant }),
      category,
      date: CalendarDate.addDays(ledger.today, -ago),
      pending: true
    })
  }
}

const usd: CurrencyCode = Currency.make("USD")

const householdSecurities: ReadonlyArray<TrueSecurity> = [
  { id: "sec-acme", name: "Acme Corp.", ticker: "ACME", kind: "equity", isin: "US0000000001", currency: usd },
  { id: "sec-world", name: "World Index Fund", ticker: "WRLD", kind: "etf", currency: usd },
  { id: "sec-coin", name: "Bitcoin", ticker: "BTC", kind: "crypto", currency: usd }
]

/** Trades of an investment account and what came of them. */
export const fillPortfolio = (ledger: TrueLedger, key: string, { days, seed }: HouseholdOptions): void => {
  const seeded = new Seeded(seed)
  const first = CalendarDate.addDays(ledger.today, -days)
  const positions = householdSecurities.map((security, at) => {
    const quantity = Decimal.make(["12", "3.25", "0.00293644"][at] ?? "1")
    const price = Decimal.make(["101.25", "88.4", "19999.54"][at] ?? "1")
    const cost = Decimal.make(["1215", "287.3", "58.73"][at] ?? "1")
    ledger.trade({
      account: key,
      date: CalendarDate.addDays(first, 3 + 7 * at + seeded.below(5)),
      type: "buy",
      security,
      quantity,
      price,
      amount: Decimal.negate(cost),
      fees: Decimal.make("1"),
      description: `Bought ${security.name}`
    })
    const value = Decimal.make(["1215.5", "287.3", "58.73"][at] ?? "1")
    return {
      account: key,
      security,
      quantity,
      price,
      value,
      cost,
      asOf: Date.parse(`${ledger.today}T00:00:00Z`) - 3_600_000
    }
  })
  ledger.trade({
    account: key,
    date: CalendarDate.addDays(ledger.today, -20),
    type: "dividend",
    security: householdSecurities[0]!,
    amount: Decimal.make("8.64"),
    fees: Decimal.zero,
    description: "Dividend Acme Corp."
  })
  ledger.trade({
    account: key,
    date: CalendarDate.addDays(ledger.today, -12),
    type: "contribution",
    amount: Decimal.make("250"),
    fees: Decimal.zero,
    description: "Contribution"
  })
  ledger.holdings.set(key, positions)
}
