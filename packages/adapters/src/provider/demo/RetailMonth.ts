/** A month at the demo retail bank: a checking account, savings and a credit card of one household. */
import { type Book, type Course, type Line, open } from "./Book.ts"
import { dateOf, dayMillis, hourMillis, instant, type Month } from "./Calendar.ts"
import { type Entry, proportion, settled } from "./Entry.ts"
import { eatingOut, groceries, lineText, type Merchant, moving, shopping, subscriptions } from "./Merchants.ts"

const lastDay = 31

const courseOf = (book: Book, merchant: Merchant, cents: number): Course => {
  const draw = book.draws
  if (merchant.habit === "tip") {
    // The tip of 15 to 22 % is in the final amount only.
    return { kind: "changed", held: proportion(BigInt(-cents), 100n, BigInt(100 + draw.between(15, 22))) }
  }
  if (merchant.habit === "fuel") return { kind: "changed", held: draw.perMille(500) ? -1_00n : -125_00n }
  const lot = draw.between(0, 999)
  if (lot < 50) return { kind: "vanishes" }
  if (lot < 90) return { kind: "corrected", first: BigInt(-cents - 100 * draw.between(1, 9)), days: draw.between(2, 5) }
  if (lot < 130) return { kind: "late", days: draw.between(2, 6) }
  return { kind: "plain" }
}

const buy = (book: Book, account: string, merchant: Merchant, at: number): Line => {
  const draw = book.draws
  const cents = draw.between(merchant.low, merchant.high)
  const line: Line = {
    account,
    at,
    text: lineText(merchant, draw),
    merchant: merchant.name,
    units: BigInt(-cents),
    type: "CARD",
    category: merchant.category
  }
  const settleHours = draw.between(18, 70)
  if (merchant.habit === "twice") {
    // There and back: two lines that only their ids distinguish.
    book.purchase(line, { kind: "plain" }, settleHours)
    book.purchase(line, { kind: "plain" }, settleHours)
  } else book.purchase(line, courseOf(book, merchant, cents), settleHours)
  return line
}

/** What was bought with the card and the debit card in a month, and what came of it. */
const spending = (key: string, month: Month): ReadonlyArray<Entry> => {
  const book = open(`${key}|spending|${month}`)
  const draw = book.draws
  const moment = (): number => instant(month, draw.between(1, lastDay), draw.between(7, 22), draw.between(0, 59))
  const account = (): string => (draw.perMille(700) ? "card" : "checking")

  for (let n = draw.between(8, 11); n > 0; n--) buy(book, account(), draw.pick(groceries), moment())
  for (let n = draw.between(15, 20); n > 0; n--) buy(book, account(), draw.pick(eatingOut), moment())
  for (let n = draw.between(6, 8); n > 0; n--) buy(book, "card", draw.pick(shopping), moment())
  for (let n = draw.between(3, 5); n > 0; n--) buy(book, "card", draw.pick(moving), moment())
  buy(book, "card", moving[0], moment())

  const returned = buy(book, "card", shopping[0], instant(month, 6, 15, 20))
  book.post({
    ...returned,
    at: returned.at + draw.between(5, 12) * dayMillis,
    text: `RETURN ${returned.text}`,
    units: -returned.units / 2n,
    type: "REFUND"
  })
  // A card check of nothing at all: pending for three days, never posted.
  book.purchase(
    {
      account: "card",
      at: instant(month, draw.between(2, 26), 3, 14),
      text: "CARD VERIFICATION EVRYTHNG Mktp",
      units: 0n,
      type: "CARD",
      category: "UNCATEGORIZED"
    },
    { kind: "vanishes" },
    72
  )
  for (const one of subscriptions) {
    const cents = month % 24 >= 12 ? (one.laterCents ?? one.cents) : one.cents
    book.purchase(
      {
        account: "card",
        at: instant(month, one.day, 6, 5),
        text: one.text,
        merchant: one.name,
        units: BigInt(-cents),
        type: "CARD",
        category: one.category
      },
      { kind: "plain" },
      24
    )
  }
  return book.entries
}

/** What the card statement of a month asks for; never less than nothing. */
const owed = (entries: ReadonlyArray<Entry>): bigint => {
  const sum = entries.reduce(
    (total, entry) => (entry.account === "card" && !entry.pending ? total - settled(entry).units : total),
    0n
  )
  return sum > 0n ? sum : 0n
}

const bill = (book: Book, at: number, text: string, merchant: string, units: bigint): void =>
  book.post({
    account: "checking",
    at,
    text,
    merchant,
    units,
    type: "DIRECT_DEBIT",
    category: "RENT_AND_UTILITIES",
    reference: `MANDATE ${merchant.length}${merchant.charCodeAt(0)}`
  })

const fortnight = 14

const income = (book: Book, month: Month): void => {
  const end = instant(month, lastDay, 5, 30)
  for (let at = instant(month, 1, 5, 30); at <= end; at += dayMillis) {
    if (Math.abs(Math.floor(at / dayMillis)) % fortnight !== 1) continue
    book.post({
      account: "checking",
      at,
      text: "ACME ROBOTICS PAYROLL DIRECT DEP PPD ID: 9121450006",
      merchant: "Acme Robotics",
      units: month % 24 >= 12 ? 2_566_80n : 2_412_37n,
      type: "DIRECT_CREDIT",
      category: "INCOME",
      reference: `PAY ${dateOf(at)}`
    })
  }
  book.post({
    account: "savings",
    at: instant(month, lastDay, 23, 10),
    text: "INTEREST PAID",
    units: BigInt(book.draws.between(21_40, 32_15)),
    type: "INTEREST",
    category: "INCOME"
  })
}

const cash = (book: Book, month: Month): void => {
  const draw = book.draws
  for (let n = 0; n < 2; n++) {
    const at = instant(month, draw.between(1 + n * 15, 14 + n * 15), draw.between(9, 20), draw.between(0, 59))
    book.post({
      account: "checking",
      at,
      text: `ATM WITHDRAWAL 00${draw.between(1000, 9999)} 5TH & MAIN`,
      units: BigInt(-20_00 * draw.between(1, 6)),
      type: "ATM",
      category: "TRANSFER_OUT"
    })
    if (draw.perMille(400)) {
      book.post({
        account: "checking",
        at: at + 60_000,
        text: "NON-NETWORK ATM FEE",
        units: -3_00n,
        type: "FEE",
        category: "BANK_FEES"
      })
    }
  }
  if (draw.perMille(300)) {
    const fee: Line = {
      account: "checking",
      at: instant(month, draw.between(8, 24), 4),
      text: "OVERDRAFT FEE",
      units: -35_00n,
      type: "FEE",
      category: "BANK_FEES",
      reference: `OD${month}`
    }
    book.post(fee)
    if (draw.perMille(600)) {
      book.post({ ...fee, at: fee.at + 26 * hourMillis, text: "REVERSAL OF OVERDRAFT FEE", units: -fee.units })
    }
  }
}

const obligations = (book: Book, key: string, month: Month): void => {
  const draw = book.draws
  bill(book, instant(month, 1, 6), "WEB PMT RIVERSIDE PROPERTIES RENT", "Riverside Properties", -2_150_00n)
  const energy = BigInt(draw.between(61_20, 148_90))
  // A meter that was misread now and then, so that there is something unusual to find.
  const charged = month % 4 === 2 ? energy * 10n : energy
  const power = { text: "NORTHERN POWER & LIGHT AUTOPAY", name: "Northern Power & Light" }
  bill(book, instant(month, 9, 6), power.text, power.name, -charged)
  if (charged > energy) bill(book, instant(month, 20, 6), `${power.text} ADJUSTMENT`, power.name, charged - energy)
  bill(book, instant(month, 12, 6), "CITY WATER DEPT ACH DEBIT", "City Water", BigInt(-draw.between(38_10, 52_75)))
  bill(book, instant(month, 17, 6), "FIBERLINE INTERNET 0800", "Fiberline", -64_99n)
  if (month % 3 === 0) {
    book.post({
      account: "checking",
      at: instant(month, 21, 13),
      text: `CHECK ${1000 + (month % 1000)}`,
      units: BigInt(-draw.between(80_00, 240_00)),
      type: "CHECK",
      category: "UNCATEGORIZED",
      reference: String(1000 + (month % 1000))
    })
  }
  const paysOut = draw.perMille(600)
  book.post({
    account: "checking",
    at: instant(month, draw.between(3, 27), 19, 41),
    text: paysOut ? draw.pick(["PAYMENT TO JORDAN K", "PAYMENT TO Zoë B"]) : "PAYMENT FROM SAM O'NEIL",
    units: BigInt((paysOut ? -1 : 1) * draw.between(12_00, 90_00)),
    type: "PAYMENT",
    category: "UNCATEGORIZED"
  })
  book.transfer(
    {
      account: "checking",
      at: instant(month, 3, 8),
      text: "ONLINE TRANSFER TO SAVINGS",
      units: BigInt(-25_00 * draw.between(8, 20)),
      type: "TRANSFER_OUTGOING",
      category: "TRANSFER_OUT",
      reference: `XFER${month}01`
    },
    { account: "savings", text: "ONLINE TRANSFER FROM CHECKING" }
  )
  const statement = owed(spending(key, month - 1))
  if (statement > 0n) {
    book.transfer(
      {
        account: "checking",
        at: instant(month, 14, 7, 45),
        text: "DEMO REWARDS CARD AUTOPAY PYMT",
        units: -statement,
        type: "TRANSFER_OUTGOING",
        category: "TRANSFER_OUT",
        reference: `CARD${month}`
      },
      { account: "card", text: "AUTOPAY PAYMENT - THANK YOU" }
    )
  }
}

/** All entries that begin in the month; the payment of the card depends on the month before. */
export const retailMonth = (key: string, month: Month): ReadonlyArray<Entry> => {
  const book = open(`${key}|retail|${month}`)
  income(book, month)
  obligations(book, key, month)
  cash(book, month)
  return [...spending(key, month), ...book.entries]
}
