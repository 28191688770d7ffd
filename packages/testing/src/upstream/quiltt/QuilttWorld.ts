/** What people have at the institutions of the fake Quiltt, all from a seed. */
import { createHash } from "node:crypto"
import { CalendarDate, Currency, Decimal, type DecimalText } from "@millrace/core"
import { Seeded } from "../../model/Seeded.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueHolding, TrueInstitution, TrueSecurity } from "../TrueRecord.ts"

/** Quiltt searches institutions by name and gives no ids: the name is what they are known by. */
const institution = (name: string, rest: Partial<TrueInstitution> = {}): TrueInstitution => ({
  id: name,
  name,
  countryCode: "US",
  bankType: "bank",
  status: "ok",
  ...rest
})

export const quilttInstitutions: ReadonlyArray<TrueInstitution> = [
  institution("Harbor Bank"),
  institution("Lakeside Credit Union"),
  institution("Maple Bank", { countryCode: "CA" })
]

/** The data provider behind an institution. */
export const providerOf = ({ name }: TrueInstitution): string =>
  name.startsWith("Lakeside Credit Union") ? "MX" : "PLAID"

/** An id in the form of Quiltt's, the same for the same text. */
export const globalId = (prefix: string, text: string): string =>
  `${prefix}_${createHash("sha256").update(text).digest("base64url").replaceAll(/[-_]/g, "0").slice(0, 22)}`

const usd = Currency.make("USD")
const cents = (units: number): DecimalText => Decimal.fromUnits(BigInt(units), 2)

const securities: ReadonlyArray<TrueSecurity> = [
  { id: "sec_acme", name: "Acme Corp.", ticker: "ACME", kind: "equity", isin: "US0000000001", currency: usd },
  { id: "sec_world", name: "World Index ETF", ticker: "WRLD", kind: "etf", currency: usd }
]

const accountsOf = (owner: string, isPlaid: boolean, numbers: Seeded): ReadonlyArray<TrueAccount> => {
  const make = (key: string, account: Omit<TrueAccount, "key" | "id" | "number" | "currency">): TrueAccount => ({
    key,
    id: globalId("acct", `${owner} account ${key}`),
    number: `${10_000_000 + numbers.below(90_000_000)}`,
    currency: usd,
    ...account
  })
  return [
    make("checking", {
      name: "Everyday Checking",
      type: "checking",
      opening: Decimal.make("1204.31"),
      supports: ["balances", "transactions"]
    }),
    make("card", {
      name: "Rewards Card",
      type: "credit_card",
      opening: Decimal.make("-310.9"),
      creditLimit: Decimal.make("15000"),
      supports: ["balances", "transactions"]
    }),
    make("mortgage", {
      name: "Home Loan",
      type: "mortgage",
      opening: Decimal.make("-182400"),
      supports: isPlaid ? ["balances", "transactions", "loans"] : ["balances", "transactions"]
    }),
    ...(isPlaid
      ? [
          make("brokerage", {
            name: "Individual Brokerage",
            type: "investment",
            opening: Decimal.make("25000"),
            supports: ["balances", "transactions", "trades", "holdings"]
          })
        ]
      : [])
  ]
}

const words = ["Grocer", "Café Ōtani", "Payroll", "Power & Light", "Books <3>", "Transfer"]

const product = (a: DecimalText, b: DecimalText): DecimalText => {
  const [left, right] = [Decimal.scale(a), Decimal.scale(b)]
  return Decimal.fromUnits(Decimal.toUnits(a, left) * Decimal.toUnits(b, right), left + right)
}

const fillTrades = (ledger: TrueLedger, account: string, seeded: Seeded): void => {
  const held = new Map<TrueSecurity, { quantity: DecimalText; cost: DecimalText }>()
  for (let n = 0; n < 9; n++) {
    const date = CalendarDate.addDays(ledger.today, -270 + n * 28 + seeded.below(6))
    const security = seeded.pick(securities)
    if (n % 4 === 3) {
      const amount = cents(105 + seeded.below(4_000))
      const description = `Dividend ${security.ticker}`
      ledger.trade({ account, date, type: "dividend", security, amount, fees: Decimal.zero, description })
      continue
    }
    const quantity = Decimal.make(`${1 + seeded.below(9)}.${1 + seeded.below(9)}`)
    const price = cents(1_000 + seeded.below(20_000))
    const fees = cents(seeded.below(3) * 100)
    const amount = Decimal.subtract(Decimal.negate(Decimal.roundHalfEven(product(quantity, price), 2)), fees)
    const description = `Bought ${security.ticker}`
    ledger.trade({ account, date, type: "buy", security, quantity, price, amount, fees, description })
    const before = held.get(security) ?? { quantity: Decimal.zero, cost: Decimal.zero }
    held.set(security, {
      quantity: Decimal.add(before.quantity, quantity),
      cost: Decimal.subtract(before.cost, amount)
    })
  }
  ledger.holdings.set(
    account,
    Array.from(held, ([security, { cost, quantity }]): TrueHolding => {
      const price = cents(1_000 + seeded.below(20_000))
      const value = Decimal.roundHalfEven(product(quantity, price), 2)
      return { account, security, quantity, price, value, cost, asOf: Date.UTC(2026, 10, 20, 21) }
    })
  )
}

/** How much there is to begin with. */
export interface QuilttHistory {
  readonly days: number
  /** Rows of the account that moves most; others have fewer. */
  readonly rows: number
}

const fillRows = (ledger: TrueLedger, account: string, seeded: Seeded, { days, rows }: QuilttHistory): void => {
  for (let n = 0; n < rows; n++) {
    ledger.post({
      account,
      date: CalendarDate.addDays(ledger.today, -days + Math.floor((n * (days - 5)) / rows) + seeded.below(4)),
      amount: cents((seeded.once(3) ? 1 : -1) * (1 + seeded.below(90_000))),
      description: `${seeded.pick(words)} ${n}`,
      ...(seeded.once(2) ? { category: "FOOD_AND_DRINK", merchant: "Blue Heron" } : {})
    })
  }
}

/** What a person has at an institution: more rows than fit on a page. */
export const quilttLedger = (
  at: TrueInstitution,
  person: string,
  now: () => number,
  { days, rows }: QuilttHistory
): TrueLedger => {
  const owner = `${at.id} ${person}`
  const seeded = new Seeded(createHash("sha256").update(owner).digest().readInt32BE())
  const ledger = new TrueLedger({
    institution: at,
    accounts: accountsOf(owner, providerOf(at) === "PLAID", seeded),
    now,
    makeId: (kind, n) => globalId(kind === "account" ? "acct" : "txn", `${owner} ${kind} ${n}`)
  })
  fillRows(ledger, "checking", seeded, { days, rows })
  fillRows(ledger, "card", seeded, { days, rows: Math.ceil((rows * 4) / 9) })
  fillRows(ledger, "mortgage", seeded, { days, rows: Math.max(6, Math.ceil(rows / 10)) })
  if (ledger.accounts.has("brokerage")) fillTrades(ledger, "brokerage", seeded)
  if (ledger.account("mortgage").supports.includes("loans")) {
    ledger.loans.set("mortgage", {
      account: "mortgage",
      kind: "mortgage",
      principal: Decimal.abs(ledger.balance("mortgage")),
      origination: Decimal.make("240000"),
      ratePercent: Decimal.make("5.25"),
      nextPayment: Decimal.make("1210.4"),
      nextPaymentDate: CalendarDate.addDays(ledger.today, 10),
      maturityDate: CalendarDate.make("2046-03-01"),
      isOverdue: false,
      lastPayment: Decimal.make("1210.4"),
      lastPaymentDate: CalendarDate.addDays(ledger.today, -20)
    })
  }
  return ledger
}
