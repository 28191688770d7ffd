/** Records as anomalies are looked for in them (enrichments C11, D4.1). */
import type { FieldCatalog } from "../../../record/FieldCatalog.ts"
import type { Fields } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { clustersOf, merchantNameKey } from "../../../text/MerchantClusters.ts"
import type { SetRecord } from "../SetKind.ts"

export const entryFields = [
  "date",
  "currency",
  "category",
  "pending",
  "type",
  "merchantName",
  "supplierName",
  "description",
  "transfer.kind",
  "transfer.state",
  "fee.isFee",
  "recurring.seriesId",
  "recurring.state",
  "recurring.amountKind",
  "recurring.amountDelta",
  "recurring.provisional",
  "recurring.expectedDate"
] as const

/** The field that says how much it was. */
export const amountField = (catalog: FieldCatalog): "amount" | "totalAmount" =>
  catalog.has("totalAmount") ? "totalAmount" : "amount"

export interface Entry {
  readonly recordId: string
  readonly day: number
  readonly isOut: boolean
  /** Without a sign. */
  readonly amount: Decimal.Decimal
  /** Its logarithm. */
  readonly value: number
  readonly currency: string
  readonly category: string
  /** Cluster of the merchant; `""` for none. */
  readonly merchant: string
  readonly pending: boolean
  readonly fields: Fields
}

const textOf = (value: Fields[string] | undefined): string => (typeof value === "string" ? value : "")

const keyOf = (fields: Fields): string => {
  for (const field of ["merchantName", "supplierName", "description"]) {
    const key = merchantNameKey(textOf(fields[field]))
    if (key !== "") return key
  }
  return ""
}

const linked: ReadonlySet<string> = new Set(["auto", "confirmed", ""])

const isOther = (fields: Fields): boolean =>
  (fields["transfer.kind"] !== undefined && linked.has(textOf(fields["transfer.state"]))) ||
  fields["fee.isFee"] === true ||
  fields["type"] === "REFUND"

/** Whether a record is looked at: it has a day, a currency and an amount, and is no transfer, fee or refund. */
export const isLookedAt = ({ fields }: SetRecord, amountKey: string): boolean => {
  const amount = fields[amountKey]
  return (
    CalendarDate.is(fields["date"]) &&
    textOf(fields["currency"]) !== "" &&
    Decimal.is(amount) &&
    Decimal.sign(amount) !== 0 &&
    !isOther(fields)
  )
}

const refundDays = 60

/** In the order of time. `documents`: amounts without a sign are what was paid. */
export const entriesOf = (
  records: ReadonlyArray<SetRecord>,
  amountKey: "amount" | "totalAmount"
): ReadonlyArray<Entry> => {
  const looked = records.filter((record) => isLookedAt(record, amountKey))
  const keys = new Map(looked.map(({ fields, recordId }) => [recordId, keyOf(fields)]))
  const clusters = clustersOf([...keys.values()].filter((key) => key !== ""))
  const all = looked.map(({ fields, recordId }): Entry => {
    const signed = Decimal.make(textOf(fields[amountKey]))
    const amount = Decimal.abs(signed)
    return {
      recordId,
      day: CalendarDate.toEpochDay(CalendarDate.make(textOf(fields["date"]))),
      isOut: amountKey === "totalAmount" ? !Decimal.isNegative(signed) : Decimal.isNegative(signed),
      amount,
      value: Math.log(Number(amount)),
      currency: textOf(fields["currency"]),
      category: textOf(fields["category"]),
      merchant: clusters.get(keys.get(recordId)!) ?? "",
      pending: fields["pending"] === true,
      fields
    }
  })
  return all.toSorted((a, b) => a.day - b.day || (a.recordId < b.recordId ? -1 : 1))
}

/** What came back of payments to the same merchant in the two months before: no income, and the payment was undone. */
export const refundsIn = (
  entries: ReadonlyArray<Entry>
): { readonly refunds: ReadonlySet<Entry>; readonly refunded: ReadonlySet<Entry> } => {
  const [refunds, refunded] = [new Set<Entry>(), new Set<Entry>()]
  const paid = new Map<string, Array<Entry>>()
  for (const one of entries) {
    if (one.merchant === "") continue
    const key = `${one.merchant}\n${one.currency}\n${one.amount}`
    if (one.isOut) {
      const known = paid.get(key)
      if (known === undefined) paid.set(key, [one])
      else known.push(one)
      continue
    }
    const of = paid.get(key)?.findLast((each) => one.day - each.day <= refundDays && !refunded.has(each))
    if (of === undefined) continue
    refunds.add(one)
    refunded.add(of)
  }
  return { refunds, refunded }
}
