/** A month at the demo broker: orders, the trades that come of them, dividends, and the cash beside them. */
import { type Book, open } from "./Book.ts"
import { dayMillis, instant, type Month } from "./Calendar.ts"
import { type Entry, proportion } from "./Entry.ts"
import { fingerprint } from "./Seed.ts"
import { priceOn, type Security, securities } from "./Securities.ts"

/** Quantities are in millionths of a piece, money in cents. */
const pieces = 1_000_000n

export interface Trade {
  readonly id: string
  /** The instant from which the broker lists it. */
  readonly from: number
  readonly tradedAt: number
  readonly settlesAt: number
  readonly type: "buy" | "sell" | "dividend" | "interest" | "fee" | "reinvest" | "deposit"
  readonly description: string
  readonly security?: Security
  /** Negative for sells. */
  readonly quantity?: bigint
  readonly price?: bigint
  readonly fees: bigint
  /** Effect on the cash, fees included. */
  readonly amount: bigint
}

export interface Order {
  readonly id: string
  readonly security: Security
  readonly action: "BUY" | "SELL"
  readonly orderType: "LIMIT" | "STOP" | "TRAILING_STOP"
  readonly timeInForce: "GTC" | "GTD"
  readonly quantity: bigint
  readonly price: bigint
  readonly placedAt: number
  readonly closesAt: number
  /** What was filled, and when; the rest is cancelled at the close. */
  readonly fills: ReadonlyArray<{ readonly at: number; readonly quantity: bigint }>
}

export interface BrokerMonth {
  readonly trades: ReadonlyArray<Trade>
  readonly orders: ReadonlyArray<Order>
  readonly entries: ReadonlyArray<Entry>
}

const [market, bond, robotics] = securities
const monthlySaving = 1_500_00n

/** Money for a quantity at a price. */
export const worth = (quantity: bigint, price: bigint): bigint => proportion(quantity, price, pieces)

type TradeDraft = Omit<Trade, "id" | "from" | "settlesAt" | "fees"> & {
  readonly lateDays?: number
  readonly fees?: bigint
}

const dealing = (key: string) => {
  const trades: Array<Trade> = []
  const add = ({ lateDays = 0, ...draft }: TradeDraft): void => {
    trades.push({
      fees: 0n,
      ...draft,
      id: `dtr_${fingerprint(`${key}|trade|${trades.length}`)}`,
      from: draft.tradedAt + lateDays * dayMillis,
      settlesAt: draft.tradedAt + dayMillis
    })
  }
  const deal = (security: Security, quantity: bigint, at: number, price: bigint, fees = 0n): void =>
    add({
      tradedAt: at,
      type: quantity < 0n ? "sell" : "buy",
      description: `${quantity < 0n ? "SOLD" : "BOUGHT"} ${security.ticker}`,
      security,
      quantity,
      price,
      fees,
      amount: -worth(quantity, price) - fees
    })
  return { trades, add, deal }
}

const priceAt = (security: Security, at: number): bigint => priceOn(security, Math.floor(at / dayMillis))

const orderOf = (key: string, month: Month, book: Book): ReadonlyArray<Order> => {
  const draw = book.draws
  const placedAt = instant(month, 8, 15, 10)
  const quantity = BigInt(draw.between(2, 4)) * pieces
  const close = placedAt + draw.between(9, 14) * dayMillis
  const first = { at: placedAt + 4 * dayMillis, quantity: pieces }
  const stopAt = instant(month, 15, 16, 30)
  return [
    {
      id: `dor_${fingerprint(`${key}|order|${month}|limit`)}`,
      security: robotics,
      action: "BUY",
      orderType: "LIMIT",
      timeInForce: "GTC",
      quantity,
      price: proportion(priceAt(robotics, placedAt), 99n, 100n),
      placedAt,
      closesAt: close,
      // Two in three are filled whole, the others only in part.
      fills: draw.perMille(667) ? [first, { at: close, quantity: quantity - pieces }] : [first]
    },
    {
      id: `dor_${fingerprint(`${key}|order|${month}|stop`)}`,
      security: market,
      action: "SELL",
      orderType: draw.perMille(500) ? "STOP" : "TRAILING_STOP",
      timeInForce: "GTD",
      quantity: 2n * pieces,
      price: proportion(priceAt(market, stopAt), 80n, 100n),
      placedAt: stopAt,
      closesAt: stopAt + 24 * dayMillis,
      fills: []
    }
  ]
}

/** All that begins in the month; fills of an order may lie in the next one. */
export const brokerMonth = (key: string, month: Month): BrokerMonth => {
  const book = open(`${key}|broker|${month}`)
  const draw = book.draws
  const { add, deal, trades } = dealing(`${key}|${month}`)
  const saved = instant(month, 2, 10)
  book.post({
    account: "sweep",
    at: instant(month, 1, 6),
    text: "ACH DEPOSIT DEMO NATIONAL BANK",
    units: 1_540_00n,
    type: "DIRECT_CREDIT",
    category: "TRANSFER_IN",
    reference: `ACH${month}`
  })
  book.post({
    account: "sweep",
    at: saved,
    text: "JOURNAL TO INDIVIDUAL INVESTING",
    units: -monthlySaving,
    type: "TRANSFER_OUTGOING",
    category: "TRANSFER_OUT",
    reference: `JNL${month}`
  })
  book.post({
    account: "sweep",
    at: instant(month, 31, 22),
    text: "SWEEP INTEREST",
    units: BigInt(draw.between(4_10, 9_80)),
    type: "INTEREST",
    category: "INCOME"
  })
  add({ tradedAt: saved, type: "deposit", description: "JOURNAL FROM CASH SWEEP", amount: monthlySaving })
  for (const [security, cents] of [[market, 640_00n] as const, [bond, 210_00n] as const]) {
    const at = instant(month, draw.between(3, 5), draw.between(14, 19), draw.between(0, 59))
    const price = priceAt(security, at)
    deal(security, (cents * pieces) / price, at, price)
  }
  const orders = orderOf(key, month, book)
  for (const order of orders) for (const fill of order.fills) deal(order.security, fill.quantity, fill.at, order.price)
  if (month % 3 === 2) {
    const paid = instant(month, 20, 13)
    const dividend = BigInt(draw.between(18_10, 44_90))
    // The broker lists dividends two days after their date.
    add({
      tradedAt: paid,
      type: "dividend",
      description: "DIVIDEND DTMX",
      security: market,
      amount: dividend,
      lateDays: 2
    })
    add({
      tradedAt: paid,
      type: "reinvest",
      description: "DIVIDEND REINVESTED DTMX",
      security: market,
      quantity: (dividend * pieces) / priceAt(market, paid),
      price: priceAt(market, paid),
      amount: -dividend,
      lateDays: 2
    })
    const sale = instant(month, 24, 17, 5)
    deal(bond, -3n * pieces, sale, priceAt(bond, sale), 2n)
  }
  if (month % 12 === 0)
    add({ tradedAt: instant(month, 28, 8), type: "fee", description: "ADVISORY FEE", amount: -12_50n })
  add({
    tradedAt: instant(month, 31, 23),
    type: "interest",
    description: "CREDIT INTEREST",
    amount: BigInt(draw.between(80, 3_20))
  })
  return { trades, orders, entries: book.entries }
}
