/** The records of a partition as payments of merchants (enrichments D3.1). */
import { type Currency, minorDigits } from "../../../shared/Currency.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { blockOf, clustersOf, merchantNameKey } from "../../../text/MerchantClusters.ts"
import type { Fields } from "../../../record/FieldValue.ts"
import type { SetRecord } from "../SetKind.ts"
import { byTime, type Observation } from "./Lanes.ts"

export type Direction = "out" | "in"

/** The fields that say who was paid, when, and how much. */
export const paymentFields = [
  "date",
  "amount",
  "currency",
  "pending",
  "type",
  "merchantName",
  "description",
  "transfer.kind",
  "transfer.state"
] as const

export interface Payment extends Observation {
  readonly record: SetRecord
  readonly direction: Direction
  readonly pending: boolean
  readonly key: string
}

/** Payments of one merchant in one direction. */
export interface MerchantPayments {
  /** The smallest of its keys. */
  readonly cluster: string
  readonly direction: Direction
  /** In the order of time; those of one day, account and amount once. */
  readonly posted: ReadonlyArray<Payment>
  readonly pending: ReadonlyArray<Payment>
}

/** Key of the merchant that a record names; `""` for none. */
const merchantOf = (fields: Fields): string => {
  const name = fields["merchantName"]
  if (typeof name === "string") {
    const key = merchantNameKey(name)
    if (key !== "") return key
  }
  const text = fields["description"]
  return typeof text === "string" ? merchantNameKey(text) : ""
}

const currencyOf = ({ currency }: Fields): Currency | undefined =>
  typeof currency === "string" && currency !== "" ? (currency as Currency) : undefined

/** The partition that a record belongs to; none where it has no merchant, day, currency or amount. */
export const partitionOf = ({ fields }: SetRecord): string | undefined => {
  const { amount, date } = fields
  const currency = currencyOf(fields)
  if (currency === undefined || !CalendarDate.is(date) || !Decimal.is(amount) || Decimal.sign(amount) === 0)
    return undefined
  const key = merchantOf(fields)
  return key === "" ? undefined : `${currency}|${blockOf(key)}`
}

const linked: ReadonlySet<unknown> = new Set(["auto", "confirmed"])

const isTransfer = (fields: Fields): boolean =>
  typeof fields["transfer.kind"] === "string" && linked.has(fields["transfer.state"] ?? "auto")

export interface PaymentOptions {
  readonly digits: number
  /** The first day that is looked at. */
  readonly from: number
  readonly includeTransfers: boolean
}

/** Digits after the point that the amounts of a partition need. */
export const digitsOf = (records: ReadonlyArray<SetRecord>): number => {
  let digits = 0
  for (const { fields } of records) {
    const { amount } = fields
    const currency = currencyOf(fields)
    if (currency === undefined || !Decimal.is(amount)) continue
    digits = Math.max(digits, minorDigits(currency), Decimal.scale(amount))
  }
  return Math.min(digits, 8)
}

const paymentOf = (record: SetRecord, { digits, from, includeTransfers }: PaymentOptions): Payment | undefined => {
  const { accountId, fields, recordId } = record
  const { amount, date, pending, type } = fields
  if (!Decimal.is(amount) || !CalendarDate.is(date) || type === "REFUND") return undefined
  if (!includeTransfers && isTransfer(fields)) return undefined
  const day = CalendarDate.toEpochDay(date)
  const units = Number(Decimal.toUnits(Decimal.abs(amount), digits))
  if (day < from || units === 0 || !Number.isSafeInteger(units)) return undefined
  return {
    record,
    recordId,
    accountId,
    day,
    amount: units,
    direction: Decimal.isNegative(amount) ? "out" : "in",
    pending: pending === true,
    key: merchantOf(fields)
  }
}

const returnedWithin = 3
const refundedWithin = 60

/** Payments that came back within days, what came back, and refunds. */
const undone = (payments: ReadonlyArray<Payment>): ReadonlySet<Payment> => {
  const gone = new Set<Payment>()
  if (!payments.some(({ direction }) => direction === "in")) return gone
  const sideOf = ({ accountId, amount }: Payment) => `${accountId} ${amount}`
  const outs = Map.groupBy(
    payments.filter(({ direction }) => direction === "out"),
    sideOf
  )
  for (const back of payments) {
    if (back.direction === "out") continue
    const paid = (outs.get(sideOf(back)) ?? []).findLast(
      (one) => one.day <= back.day && back.day - one.day <= refundedWithin && !gone.has(one)
    )
    if (paid === undefined) continue
    gone.add(back)
    if (back.day - paid.day <= returnedWithin) gone.add(paid)
  }
  return gone
}

const once = (payments: ReadonlyArray<Payment>): ReadonlyArray<Payment> => {
  const seen = new Set<string>()
  return payments.filter(({ accountId, amount, day }) => {
    const key = `${day} ${amount} ${accountId}`
    return !seen.has(key) && seen.add(key) !== undefined
  })
}

/** By merchant, then direction. `same`: records that people say are of one merchant. */
export const merchantsOf = (
  records: ReadonlyArray<SetRecord>,
  options: PaymentOptions,
  same: ReadonlyArray<{ readonly a: string; readonly b: string }>
): ReadonlyArray<MerchantPayments> => {
  const payments = records.flatMap((record) => paymentOf(record, options) ?? [])
  const clusters = new Map(clustersOf(payments.map(({ key }) => key)))
  if (same.length > 0) {
    const keys = new Map(payments.map(({ key, recordId }) => [recordId, key]))
    for (const { a, b } of same) {
      const [left, right] = [keys.get(a), keys.get(b)].map((key) => (key === undefined ? undefined : clusters.get(key)))
      if (left === undefined || right === undefined || left === right) continue
      const [smaller, larger] = left < right ? [left, right] : [right, left]
      for (const [key, cluster] of clusters) if (cluster === larger) clusters.set(key, smaller)
    }
  }
  const merchants: Array<MerchantPayments> = []
  const byCluster = [...Map.groupBy(payments, ({ key }) => clusters.get(key)!)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  for (const [cluster, own] of byCluster) {
    const ordered = own.toSorted(byTime)
    const gone = undone(ordered)
    for (const direction of ["out", "in"] as const) {
      const these = ordered.filter((one) => one.direction === direction && !gone.has(one))
      if (these.length === 0) continue
      merchants.push({
        cluster,
        direction,
        posted: once(these.filter(({ pending }) => !pending)),
        pending: these.filter(({ pending }) => pending)
      })
    }
  }
  return merchants
}
