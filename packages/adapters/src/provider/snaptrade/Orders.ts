/** Open orders of an account: one record for each leg. */
import { type CurrencyCode, Decimal, type DecimalText } from "@millrace/core"
import type { ObservedRecord, Translated } from "@millrace/core/provider"
import * as Result from "effect/Result"
import type { Order } from "./Forms.ts"
import { currencyOf, wordsOf } from "../upstream/Texts.ts"
import { instantOf } from "../upstream/UpstreamForm.ts"

/** Statuses of orders with nothing left to trade. */
const closed: ReadonlySet<string> = new Set([
  "FAILED",
  "REJECTED",
  "CANCELED",
  "PARTIAL_CANCELED",
  "EXECUTED",
  "REPLACED",
  "STOPPED",
  "EXPIRED"
])

const actions: ReadonlyMap<string, string> = new Map([
  ["BUY_COVER", "BUY_TO_COVER"],
  ["BUY_TO_OPEN", "BUY"],
  ["BUY_TO_CLOSE", "BUY_TO_COVER"],
  ["BUY_OPEN", "BUY"],
  ["BUY_CLOSE", "BUY_TO_COVER"],
  ["SELL_TO_OPEN", "SELL_SHORT"],
  ["SELL_TO_CLOSE", "SELL"],
  ["SELL_OPEN", "SELL_SHORT"],
  ["SELL_CLOSE", "SELL"]
])

const orderTypes: ReadonlyMap<string, string> = new Map([
  ["STOPLIMIT", "STOP_LIMIT"],
  ["STOPLOSS", "STOP"],
  ["TRAILINGSTOP", "TRAILING_STOP"]
])

const constant = (text: string | null | undefined): string | undefined =>
  wordsOf(text)?.toUpperCase().replaceAll(/\W+/g, "_")

/** The type that the broker names, else the one that the prices make it. */
const orderTypeOf = ({
  limit_price: limit,
  order_type: type,
  stop_price: stop,
  trailing_stop: trailing
}: Order): string => {
  if (trailing !== undefined && trailing !== null) return "TRAILING_STOP"
  const named = constant(type)
  if (named !== undefined) return orderTypes.get(named.replaceAll("_", "")) ?? named
  if (typeof limit === "string") return typeof stop === "string" ? "STOP_LIMIT" : "LIMIT"
  return typeof stop === "string" ? "STOP" : "MARKET"
}

const isPositive = (price: DecimalText | null | undefined): price is DecimalText =>
  typeof price === "string" && Decimal.sign(price) > 0

/** Whether it is an order with something left to trade; a status that is new counts as such. */
export const isOpen = ({ status }: Order): boolean => !closed.has(constant(status) ?? "PENDING")

/** The records of an order. */
export const orderRecords =
  (providerAccountId: string, accountCurrency: CurrencyCode) =>
  (order: Order): Translated<ReadonlyArray<ObservedRecord>> => {
    const placed = instantOf(order.time_placed)
    if (placed === undefined) return Result.fail("time_placed is no instant")
    if (order.legs.length === 0) return Result.fail("legs is empty")
    const written = wordsOf(order.price_currency)
    const currency = written === undefined ? accountCurrency : currencyOf(written)
    if (currency === undefined) return Result.fail("price_currency is no code")
    const executed = instantOf(order.time_executed)
    const orderId = order.brokerage_order_id
    const records: Array<ObservedRecord> = []
    for (const [n, leg] of order.legs.entries()) {
      const { canceled_quantity: canceled, filled_quantity: filled, total_quantity: total } = leg
      if (typeof total !== "string") return Result.fail(`legs[${n}].total_quantity is not told`)
      const gone = Decimal.sum([filled ?? Decimal.zero, canceled ?? Decimal.zero])
      const open = Decimal.subtract(total, gone)
      const action = constant(leg.action)
      if (action === undefined) return Result.fail(`legs[${n}].action is not told`)
      const ticker = wordsOf(leg.instrument?.symbol)
      const price = leg.execution_price ?? order.execution_price
      records.push({
        providerAccountId,
        // An order of one leg is that leg.
        providerId: order.legs.length === 1 ? orderId : `${orderId}/${n + 1}`,
        pending: false,
        fields: {
          brokerageOrderId: orderId,
          date: placed,
          status: constant(leg.status) ?? constant(order.status) ?? "PENDING",
          action: actions.get(action) ?? action,
          orderType: orderTypeOf(order),
          timeInForce: constant(order.time_in_force) ?? "UNKNOWN",
          totalQuantity: total,
          filledQuantity: filled ?? Decimal.zero,
          openQuantity: Decimal.isNegative(open) ? Decimal.zero : open,
          canceledQuantity: canceled ?? Decimal.zero,
          ...(isPositive(order.limit_price) ? { limitPrice: order.limit_price } : {}),
          ...(isPositive(order.stop_price) ? { stopPrice: order.stop_price } : {}),
          ...(isPositive(order.trailing_stop?.amount) ? { trailingStop: order.trailing_stop!.amount! } : {}),
          ...(isPositive(price) ? { executionPrice: price } : {}),
          currency,
          security: wordsOf(leg.instrument?.description) ?? ticker ?? "Security",
          ...(ticker === undefined ? {} : { ticker }),
          ...(executed === undefined ? {} : { executedAt: executed })
        }
      })
    }
    return Result.succeed(records)
  }
