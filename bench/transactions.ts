/** Transactions as the kernel holds them, for benchmarks of what is asked of each: the same seed, the same rows. */
import { CalendarDate, Decimal } from "@millrace/core"
import { decimalText, randomOf } from "./generate.ts"
import { customary, merchant } from "./merchants.ts"

/** Record fields: every row has the same keys in the same order. */
export type Transaction = {
  readonly id: string
  readonly date: string
  readonly description: string
  readonly merchantName: string | null
  readonly amount: string
  readonly creditAmount: string
  readonly debitAmount: string
  readonly currency: string
  readonly category: string | null
  readonly type: string
  readonly reference: string
  readonly pending: boolean
  readonly accountId: string
  readonly bankId: string
}

/** `#` is a digit, `*` the merchant. Banks write a purchase in many ways; one text in twelve is not just ASCII. */
const forms = [
  "*",
  "POS * ####",
  "POS * ZURICH ####",
  "SQ ** OAKLAND CA",
  "* BERN",
  "CARD 4821 * GENEVA",
  "Purchase at *",
  "* #### BASEL CH",
  "DEBIT * REF ########",
  "PAYPAL ** ##########",
  "* MÜNCHEN DE",
  "* NEW YORK NY"
] as const
const currencies = ["CHF", "CHF", "CHF", "EUR", "EUR", "USD"] as const
const categories = [
  "Groceries",
  "Restaurants",
  "Travel",
  "Fuel",
  "Health",
  "Housing",
  "Insurance",
  "Entertainment",
  "Fees",
  "Income",
  null,
  null
] as const
const types = ["debit", "debit", "debit", "debit", "credit", "transfer"] as const

const names = Array.from({ length: customary }, (_, n) => merchant(n))
const titles = names.map((name) => name.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase()))

const firstDay = CalendarDate.toEpochDay(CalendarDate.make("2022-01-01"))
const dates = Array.from({ length: 1_500 }, (_, n) => CalendarDate.fromEpochDay(firstDay + n))
const accounts = Array.from({ length: 20 }, (_, n) => ({ accountId: `acc_${n}`, bankId: `bank_${n % 5}` }))

const canonical = (cents: number): string => Decimal.make(decimalText(cents))

/** In one piece, as text is that was read from somewhere; what was put together of parts is slower to look at. */
const flat = (text: string): string => Buffer.from(text).toString()

export const transactions = ({
  seed,
  count
}: {
  readonly seed: number
  readonly count: number
}): ReadonlyArray<Transaction> => {
  const random = randomOf(seed)
  const pick = <A>(from: ReadonlyArray<A>): A => from[random(from.length)]!
  return Array.from({ length: count }, (_, n): Transaction => {
    const who = random(customary)
    const description = pick(forms)
      .replace(/\*(?!\*)/, names[who]!)
      .replaceAll("#", () => String(random(10)))
    const type = pick(types)
    const { accountId, bankId } = pick(accounts)
    const cents = 100 + random(random(10) === 0 ? 500_000 : 12_000)
    return {
      id: flat(`txn_${n}`),
      date: dates[Math.floor((n / count) * dates.length)]!,
      description: flat(description),
      merchantName: random(3) === 0 ? null : titles[who]!,
      amount: canonical(type === "credit" ? cents : -cents),
      creditAmount: type === "credit" ? canonical(cents) : "0",
      debitAmount: type === "credit" ? "0" : canonical(cents),
      currency: pick(currencies),
      category: pick(categories),
      type,
      reference: "",
      pending: random(50) === 0,
      accountId,
      bankId
    }
  })
}
