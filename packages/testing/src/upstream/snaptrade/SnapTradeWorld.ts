/** What people have at the institutions of the fake SnapTrade, all from a seed. */
import { createHash } from "node:crypto"
import { CalendarDate, type CalendarDateText, Currency, Decimal, type DecimalText } from "@millrace/core"
import { Seeded } from "../../model/Seeded.ts"
import { TrueLedger } from "../TrueLedger.ts"
import type { TrueAccount, TrueHolding, TrueInstitution, TrueSecurity } from "../TrueRecord.ts"

export const snapTradeInstitutions: ReadonlyArray<TrueInstitution> = [
  {
    id: "HARBOR",
    name: "Harbor Invest",
    countryCode: "US",
    bankType: "brokerage",
    status: "ok",
    url: "https://harbor.example"
  },
  { id: "PINE", name: "Pine Trading", countryCode: "CA", bankType: "brokerage", status: "ok" },
  { id: "SLOWBROKER", name: "Slow Broker", countryCode: "US", bankType: "brokerage", status: "degraded" },
  { id: "CLOSEDBROKER", name: "Closed Broker", countryCode: "US", bankType: "brokerage", status: "down" }
]

const usd = Currency.make("USD")

/** An id in the form of SnapTrade's, the same for the same text. */
export const uuidOf = (text: string): string => {
  const hex = createHash("sha256").update(text).digest("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-"
  )
}

const securities: ReadonlyArray<TrueSecurity> = [
  { id: uuidOf("security acme"), name: "Acme Corp.", ticker: "ACME", kind: "equity", currency: usd },
  { id: uuidOf("security world"), name: "World Index ETF", ticker: "WRLD", kind: "etf", currency: usd },
  { id: uuidOf("security coin"), name: "Coin", ticker: "COIN", kind: "crypto", currency: usd }
]

const cash: TrueSecurity = { id: "CUR:USD", name: "USD", kind: "cash", currency: usd }

/** Amounts of cents, and quantities whose digits a double would not all hold. */
const cents = (units: number): DecimalText => Decimal.fromUnits(BigInt(units), 2)

const product = (a: DecimalText, b: DecimalText): DecimalText => {
  const [left, right] = [Decimal.scale(a), Decimal.scale(b)]
  return Decimal.fromUnits(Decimal.toUnits(a, left) * Decimal.toUnits(b, right), left + right)
}

const accountsOf = (owner: string, numbers: Seeded): ReadonlyArray<TrueAccount> => {
  const number = () => `${10_000_000 + numbers.below(90_000_000)}`
  const make = (key: string, account: Omit<TrueAccount, "key" | "id" | "number" | "currency">): TrueAccount => ({
    key,
    id: uuidOf(`${owner} account ${key}`),
    number: number(),
    currency: usd,
    ...account
  })
  return [
    make("margin", {
      name: "Margin",
      type: "brokerage",
      opening: Decimal.make("25000"),
      supports: ["balances", "trades", "holdings", "orders"]
    }),
    make("roth", {
      name: "Roth IRA",
      type: "retirement",
      opening: Decimal.make("9000.5"),
      supports: ["balances", "trades", "holdings", "orders"]
    }),
    make("savings", {
      name: "Savings",
      type: "savings",
      opening: Decimal.make("1200"),
      supports: ["balances", "transactions"]
    }),
    make("card", {
      name: "Credit Card",
      type: "credit_card",
      opening: Decimal.make("-75.25"),
      creditLimit: Decimal.make("4000"),
      supports: ["balances", "transactions"]
    })
  ]
}

/** Days of a list, spread evenly until yesterday. */
const dayOf = (ledger: TrueLedger, n: number, { days, rows }: SnapTradeSize): CalendarDateText =>
  CalendarDate.addDays(ledger.today, -days + Math.floor((n * (days - 1)) / rows))

const words = ["Transfer", "Café Ōtani", "Interest paid", "Bill", "Reimbursement <3>", "ACH Deposit"]

/** How much there is: rows and trades of each account, and the days that they are spread over. */
export interface SnapTradeSize {
  readonly rows: number
  readonly days: number
}

const fillTrades = (ledger: TrueLedger, account: string, seeded: Seeded, { days, rows }: SnapTradeSize): void => {
  const quantities = new Map<TrueSecurity, DecimalText>()
  const spent = new Map<TrueSecurity, DecimalText>()
  for (let n = 0; n < rows; n++) {
    const date = dayOf(ledger, n, { days, rows })
    const settlementDate = CalendarDate.addDays(date, 2)
    if (n % 5 === 4) {
      const security = seeded.pick(securities)
      const amount = cents(105 + seeded.below(4_000))
      ledger.trade({
        account,
        date,
        settlementDate,
        type: "dividend",
        security,
        amount,
        fees: Decimal.zero,
        description: `Dividend ${security.ticker}`
      })
      continue
    }
    const security = seeded.pick(securities)
    const quantity =
      security.kind === "crypto"
        ? Decimal.make(`0.12345678901${1_234_567 + seeded.below(90_000)}`)
        : Decimal.make(`${1 + seeded.below(9)}.${1 + seeded.below(9)}`)
    const price = cents(1_000 + seeded.below(20_000))
    const fees = cents(seeded.below(3) * 100)
    const amount = Decimal.subtract(Decimal.negate(Decimal.roundHalfEven(product(quantity, price), 2)), fees)
    ledger.trade({
      account,
      date,
      settlementDate,
      type: "buy",
      security,
      quantity,
      price,
      amount,
      fees,
      description: `Bought ${security.ticker}`
    })
    quantities.set(security, Decimal.add(quantities.get(security) ?? Decimal.zero, quantity))
    spent.set(security, Decimal.subtract(spent.get(security) ?? Decimal.zero, amount))
  }
  ledger.holdings.set(account, [
    // Cash is reported among the balances, and is a holding all the same.
    {
      account,
      security: cash,
      quantity: ledger.cash(account),
      price: Decimal.make("1"),
      value: ledger.cash(account),
      asOf: 0
    },
    ...Array.from(quantities, ([security, quantity]): TrueHolding => {
      const price = cents(1_000 + seeded.below(20_000))
      return { account, security, quantity, price, value: product(quantity, price), asOf: 0 }
    })
  ])
  if (spent.size > 0) {
    const [security] = spent.keys()
    ledger.order({
      account,
      id: `O-${account}-${seeded.below(10_000)}`,
      security: security!,
      action: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: Decimal.make("10"),
      filled: Decimal.make("4"),
      limitPrice: Decimal.make("101.25")
    })
  }
}

const fillRows = (ledger: TrueLedger, account: string, seeded: Seeded, size: SnapTradeSize): void => {
  for (let n = 0; n < size.rows; n++) {
    ledger.post({
      account,
      date: dayOf(ledger, n, size),
      amount: cents((seeded.once(3) ? 1 : -1) * (1 + seeded.below(90_000))),
      description: `${seeded.pick(words)} ${n}`
    })
  }
}

/** What a person has at an institution. */
export const snapTradeLedger = (
  institution: TrueInstitution,
  person: string,
  now: () => number,
  size: SnapTradeSize
): TrueLedger => {
  const owner = `${institution.id} ${person}`
  const seeded = new Seeded(createHash("sha256").update(owner).digest().readInt32BE())
  const ledger = new TrueLedger({
    institution,
    accounts: accountsOf(owner, seeded),
    now,
    makeId: (kind, n) => (kind === "order" ? `O-${n}` : uuidOf(`${owner} ${kind} ${n}`))
  })
  for (const { key, supports } of ledger.accounts.values()) {
    if (supports.includes("trades")) fillTrades(ledger, key, seeded, size)
    else fillRows(ledger, key, seeded, size)
  }
  return ledger
}
