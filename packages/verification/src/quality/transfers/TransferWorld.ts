/**
 * A household with known transfers: how it banks is drawn for each world. What others pay, purchases,
 * refunds and wages are next to it, some with amounts that are equal to transfers by chance.
 */
import type { SetAccount, SetRecord } from "@millrace/core/enrichment"
import { CalendarDate, Currency } from "@millrace/core"
import type { Seeded } from "@millrace/testing/model"
import { pairName } from "./Linked.ts"

const euro = Currency.make("EUR")

export interface TransferWorld {
  readonly accounts: ReadonlyArray<SetAccount>
  readonly records: ReadonlyArray<SetRecord>
  /** Pairs of records, the outflow first. */
  readonly truth: ReadonlySet<string>
  readonly first: CalendarDate.CalendarDate
  readonly days: number
}

interface Own extends SetAccount {
  /** What its bank calls it in texts of other accounts. */
  readonly word: string
}

const kinds = [
  ["Everyday", "checking"],
  ["Saver", "savings"],
  ["Holiday Pot", "savings"],
  ["Sapphire Card", "credit_card"],
  ["Joint", "checking"],
  ["Car Loan", "loan"],
  ["Depot", "brokerage"]
] as const

const people = ["ALEX", "ROBIN", "KIM", "SASHA", "TONI", "MIKA", "JO", "NIKI"]
const holder = "LOU SAMPLE"
const shops = ["BLUE HERON CAFE", "METRO MARKET", "CITY BOOKS", "NORTH FUEL", "GREEN GROCER", "KIOSK 24", "SHOE HOUSE"]

/** What is drawn for a world: percentages, unless it says otherwise. */
interface Habits {
  /** Texts of a leg that name the other account, and that say nothing at all. */
  readonly names: number
  readonly silent: number
  readonly hinted: number
  readonly coded: number
  readonly late: number
  readonly fee: number
  readonly round: number
  /** Days between two transfers. */
  readonly every: number
  /** UnrelatedInflows' payments a month, and how many of them have the amount of a transfer of these days. */
  readonly strangers: number
  readonly coincident: number
  /** Texts that name the holder of both accounts, as they name anybody. */
  readonly holder: number
  /** Outflows to people a month. */
  readonly gifts: number
  readonly purchases: number
}

const habitsOf = (random: Seeded): Habits => ({
  names: 20 + random.below(60),
  silent: random.below(5),
  hinted: random.below(60),
  coded: random.below(30),
  late: random.below(50),
  fee: random.below(4),
  round: 20 + random.below(60),
  every: 3 + random.below(5),
  strangers: 4 + random.below(24),
  coincident: random.below(3),
  holder: random.below(50),
  gifts: random.below(6),
  purchases: 20 + random.below(40)
})

const amountText = (cents: number): string => {
  const text = `${Math.floor(Math.abs(cents) / 100)}.${String(Math.abs(cents) % 100).padStart(2, "0")}`.replace(
    /\.?0+$/,
    ""
  )
  return `${cents < 0 ? "-" : ""}${text}`
}

export const transferWorld = (random: Seeded, days: number): TransferWorld => {
  const habits = habitsOf(random)
  const percent = (of: number) => random.below(100) < of
  const first = CalendarDate.make("2024-01-01")
  const own = kinds.slice(0, 3 + random.below(kinds.length - 2)).map(([name, accountType], n): Own => ({
    accountId: `acct_0000000000000000000000000${n + 1}` as SetAccount["accountId"],
    bankId: `bank_0000000000000000000000000${1 + (n % 2)}` as SetAccount["bankId"],
    bankName: n % 2 === 0 ? "Northern Bank" : "Harbour Trust",
    accountName: name,
    accountNumber: `****${4_711 + n * 13}`,
    accountType,
    currency: euro,
    word: name.toUpperCase()
  }))
  const records: Array<SetRecord> = []
  const truth = new Set<string>()
  const add = (of: Own, day: number, cents: number, description: string, more: SetRecord["fields"] = {}): string => {
    const recordId = `r${String(records.length).padStart(6, "0")}`
    const date = CalendarDate.addDays(first, day)
    records.push({
      recordId,
      accountId: of.accountId,
      fields: { date, amount: amountText(cents), currency: euro, description, ...more }
    })
    return recordId
  }
  const centsOf = () => (percent(habits.round) ? 5_000 * (1 + random.below(20)) : 1_500 + random.below(150_000))

  const outText = (to: Own) => {
    if (percent(habits.silent)) return `${1_000 + random.below(9_000)}`
    if (to.accountType === "credit_card" && random.once(2)) return "CREDIT CARD PAYMENT"
    if (percent(habits.names))
      return random.pick([`TRANSFER TO ${to.word}`, `TFR ${to.accountNumber.slice(-4)}`, `TO ${to.word}`])
    if (percent(habits.holder)) return `TRANSFER TO ${holder}`
    return random.pick(["ONLINE TRANSFER", "TRANSFER", "UEBERWEISUNG", "INTERNAL TRANSFER", "VIREMENT"])
  }
  const inText = (from: Own, to: Own) => {
    if (percent(habits.silent)) return `${1_000 + random.below(9_000)}`
    if (to.accountType === "credit_card") return random.pick(["PAYMENT THANK YOU", "PAYMENT RECEIVED", "AUTOPAY"])
    if (percent(habits.names))
      return random.pick([`FROM ${from.word}`, `TRANSFER FROM ${from.word}`, `TFR ${from.accountNumber.slice(-4)}`])
    if (percent(habits.holder)) return random.pick([`FROM ${holder}`, `TRANSFER FROM ${holder}`])
    return random.pick(["TRANSFER", "DEPOSIT", "CREDIT", "INCOMING TRANSFER", "GUTSCHRIFT"])
  }
  const lagOf = (day: number) => {
    let lag = percent(habits.late) ? 1 + random.below(3) : 0
    // Banks book on business days: 1 January 2024 was a Monday.
    while ((day + lag) % 7 >= 5 && lag > 0) lag++
    return lag
  }

  const recent: Array<{ readonly day: number; readonly cents: number }> = []
  for (let day = 0; day < days - 12; day += 1 + random.below(2 * habits.every)) {
    const from = random.pick(own.filter(({ accountType }) => accountType === "checking" || accountType === "savings"))
    const to = random.pick(own.filter((one) => one !== from))
    const cents = centsOf()
    const missing = percent(habits.fee) ? 100 + 50 * random.below(20) : 0
    const code = percent(habits.coded) ? { reference: `E2E${10_000_000 + random.below(89_999_999)}` } : {}
    const hint = (category: string) => (percent(habits.hinted) ? { category } : {})
    const out = add(from, day, -cents, outText(to), { ...code, ...hint("TRANSFER_OUT") })
    const arrived = missing > 0 && cents > 30 * missing ? cents - missing : cents
    const into = add(to, day + lagOf(day), arrived, inText(from, to), { ...code, ...hint("TRANSFER_IN") })
    truth.add(pairName(out, into))
    recent.push({ day, cents })
  }
  const everyday = own[0]!
  for (let month = 0; month * 30 < days - 30; month++) {
    const dayIn = () => month * 30 + random.below(30)
    add(everyday, month * 30 + 1, 180_000 + random.below(20_000), "SALARY ACME", { category: "INCOME" })
    for (let n = habits.strangers; n > 0; n--) {
      const day = dayIn()
      const near = recent.filter((one) => Math.abs(one.day - day) <= 5)
      const cents = near.length > 0 && percent(habits.coincident) ? random.pick(near).cents : centsOf()
      const text = random.pick([
        `FROM ${random.pick(people)}`,
        "DEPOSIT",
        "CREDIT",
        `PAYMENT ${random.pick(people)}`,
        "CASH DEPOSIT"
      ])
      add(random.pick(own), day, cents, text)
    }
    for (let n = habits.gifts; n > 0; n--)
      add(random.pick(own), dayIn(), -centsOf(), `TRANSFER TO ${random.pick(people)}`)
    for (let n = habits.purchases; n > 0; n--) {
      const card = own.find(({ accountType }) => accountType === "credit_card") ?? everyday
      const shop = random.pick(shops)
      const cents = 300 + random.below(12_000)
      const day = dayIn()
      const isCard = random.once(2)
      add(
        isCard ? card : everyday,
        day,
        -cents,
        isCard ? shop : `POS ${shop}`,
        random.once(2) ? { category: "GENERAL_MERCHANDISE" } : {}
      )
      if (random.once(25)) add(isCard ? card : everyday, day + 2, cents, `REFUND ${shop}`)
    }
  }
  return { accounts: own, records, truth, first, days }
}
