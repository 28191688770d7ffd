/** Whether a record passes the filters of a list, told from the record itself. Stores agree with this. */
import * as Decimal from "../shared/Decimal.ts"
import type { LedgerRecord } from "./LedgerRecord.ts"
import type { RecordFilter } from "./RecordStore.ts"

const contains = (value: unknown, text: string): boolean =>
  typeof value === "string" && value.toLowerCase().includes(text.toLowerCase())

export const matches = (record: Pick<LedgerRecord, "date" | "fields" | "pending">, filter: RecordFilter): boolean => {
  const { date, fields, pending } = record
  if (filter.from !== undefined && (date === null || date < filter.from)) return false
  if (filter.to !== undefined && (date === null || date > filter.to)) return false
  if (filter.pending !== undefined && pending !== filter.pending) return false
  if (filter.type !== undefined && fields["type"] !== filter.type) return false
  if (filter.category !== undefined && fields["category"] !== filter.category) return false
  if (filter.text !== undefined) {
    if (!contains(fields["description"], filter.text) && !contains(fields["merchantName"], filter.text)) return false
  }
  const amount = fields["amount"]
  if (filter.minAmount !== undefined || filter.maxAmount !== undefined) {
    if (typeof amount !== "string") return false
    const value = amount as Decimal.Decimal
    if (filter.minAmount !== undefined && Decimal.compare(value, filter.minAmount) < 0) return false
    if (filter.maxAmount !== undefined && Decimal.compare(value, filter.maxAmount) > 0) return false
  }
  return true
}
