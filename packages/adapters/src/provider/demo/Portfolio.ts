/** What the investment account holds, what was traded and which orders are open. */
import type { Fields } from "@millrace/core/record"
import { Decimal, Timestamp } from "@millrace/core"
import { type BrokerMonth, type Order, type Trade, worth } from "./BrokerMonth.ts"
import { dateOf, dayMillis, hourMillis } from "./Calendar.ts"
import { proportion } from "./Entry.ts"
import type { DemoAccount } from "./Institutions.ts"
import { priceOn, type Security, securities } from "./Securities.ts"

const quantityText = (quantity: bigint): Decimal.Decimal => Decimal.fromUnits(quantity, 6)
const money = (cents: bigint): Decimal.Decimal => Decimal.fromUnits(cents, 2)

export interface Position {
  readonly security: Security
  readonly quantity: bigint
  /** Total, not per piece; sells take it away by average. */
  readonly cost: bigint
  readonly price: bigint
}

export interface Portfolio {
  readonly trades: ReadonlyArray<Trade>
  readonly orders: ReadonlyArray<Order>
  readonly cash: bigint
  readonly positions: ReadonlyArray<Position>
  /** Cash and positions. */
  readonly value: bigint
}

export const portfolio = (account: DemoAccount, months: ReadonlyArray<BrokerMonth>, now: number): Portfolio => {
  const trades = months
    .flatMap((month) => month.trades)
    .filter((trade) => trade.from <= now)
    .toSorted((a, b) => a.tradedAt - b.tradedAt || (a.id < b.id ? -1 : 1))
  let cash = account.opening
  const held = new Map<string, { quantity: bigint; cost: bigint }>()
  for (const trade of trades) {
    cash += trade.amount
    if (trade.security === undefined || trade.quantity === undefined) continue
    const before = held.get(trade.security.id) ?? { quantity: 0n, cost: 0n }
    const cost =
      trade.quantity > 0n
        ? before.cost - trade.amount
        : before.cost + proportion(before.cost, trade.quantity, before.quantity)
    held.set(trade.security.id, { quantity: before.quantity + trade.quantity, cost })
  }
  const today = Math.floor(now / dayMillis)
  const positions = securities.flatMap((security) => {
    const found = held.get(security.id)
    return found === undefined ? [] : [{ security, ...found, price: priceOn(security, today) }]
  })
  return {
    trades,
    orders: months.flatMap((month) => month.orders).filter((order) => order.placedAt <= now && order.closesAt > now),
    cash,
    positions,
    value: positions.reduce((sum, position) => sum + worth(position.quantity, position.price), cash)
  }
}

export const tradeFields = (account: DemoAccount, trade: Trade): Fields => ({
  date: dateOf(trade.tradedAt),
  settlementDate: dateOf(trade.settlesAt),
  type: trade.type,
  description: trade.description,
  ...(trade.security === undefined
    ? {}
    : { securityName: trade.security.name, securityId: trade.security.id, ticker: trade.security.ticker }),
  ...(trade.quantity === undefined ? {} : { quantity: quantityText(trade.quantity) }),
  ...(trade.price === undefined ? {} : { price: money(trade.price) }),
  amount: money(trade.amount),
  fees: money(trade.fees),
  currency: account.currency
})

/** One record for each security and one for the cash. */
export const holdingFields = (account: DemoAccount, own: Portfolio, now: number): ReadonlyArray<Fields> => {
  const asOf = Timestamp.fromMillis(Math.floor(now / hourMillis) * hourMillis)
  const cash: Fields = {
    securityName: "US Dollar",
    securityId: `CUR:${account.currency}`,
    quantity: money(own.cash),
    costBasis: money(own.cash),
    currentValue: money(own.cash),
    currentPrice: "1",
    currency: account.currency,
    isCashEquivalent: true,
    asOf
  }
  return [
    cash,
    ...own.positions.map((position) => ({
      securityName: position.security.name,
      securityId: position.security.id,
      ticker: position.security.ticker,
      quantity: quantityText(position.quantity),
      costBasis: money(position.cost),
      currentValue: money(worth(position.quantity, position.price)),
      currentPrice: money(position.price),
      currency: account.currency,
      isCashEquivalent: false,
      asOf
    }))
  ]
}

export const orderFields = (account: DemoAccount, order: Order, now: number): Fields => {
  const filled = order.fills.filter((fill) => fill.at <= now)
  const filledQuantity = filled.reduce((sum, fill) => sum + fill.quantity, 0n)
  const last = filled.at(-1)
  const limit = order.orderType === "LIMIT"
  return {
    brokerageOrderId: order.id,
    date: Timestamp.fromMillis(order.placedAt),
    status: filledQuantity > 0n ? "PARTIALLY_FILLED" : "ACCEPTED",
    action: order.action,
    orderType: order.orderType,
    timeInForce: order.timeInForce,
    totalQuantity: quantityText(order.quantity),
    filledQuantity: quantityText(filledQuantity),
    openQuantity: quantityText(order.quantity - filledQuantity),
    canceledQuantity: "0",
    ...(limit ? { limitPrice: money(order.price) } : {}),
    ...(order.orderType === "STOP" ? { stopPrice: money(order.price) } : {}),
    ...(order.orderType === "TRAILING_STOP" ? { trailingStop: money(proportion(order.security.price, 1n, 10n)) } : {}),
    ...(last === undefined ? {} : { executionPrice: money(order.price), executedAt: Timestamp.fromMillis(last.at) }),
    currency: account.currency,
    security: order.security.name,
    ticker: order.security.ticker,
    ...(order.timeInForce === "GTD" ? { expiresAt: Timestamp.fromMillis(order.closesAt) } : {})
  }
}
