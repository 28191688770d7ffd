/** What digests tell of the other data types: of what happened in a period, and of what stands at its end. */
import type { Fields } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { decimalOf, type Measured, type Measuring, Tally, textOf } from "./DigestFact.ts"

/** Facts of all records, each told by `tell`. */
const factsBy =
  (tell: (tally: Tally, fields: Fields, recordId: string) => void) =>
  (records: ReadonlyArray<SetRecord>, measuring: Measuring): Measured => {
    const tally = new Tally(measuring)
    for (const { fields, recordId } of records) tell(tally, fields, recordId)
    return tally.measured(records.length)
  }

const securityOf = (fields: Fields): string =>
  textOf(fields, "ticker") || textOf(fields, "securityName") || textOf(fields, "security") || "none"

/** An amount in the currency of the workspace; what is not there, or not told in a known currency, is no amount. */
const amountOf = (tally: Tally, fields: Fields, name: string, recordId: string): Decimal.Decimal | undefined => {
  const amount = decimalOf(fields, name)
  const currency = Currency.parse(textOf(fields, "currency"))
  if (amount === undefined || currency === undefined) return undefined
  return tally.inBase(amount, currency, recordId, CalendarDate.ofText(textOf(fields, "date").slice(0, 10)))
}

export const tradeFacts = factsBy((tally, fields, recordId) => {
  const value = amountOf(tally, fields, "amount", recordId)
  if (value === undefined) return
  const size = Decimal.abs(value)
  tally.money("flow", "net", value, recordId)
  tally.money("flow", Decimal.isNegative(value) ? "spending" : "income", size, recordId)
  tally.money("categories", textOf(fields, "type") || "none", size, recordId)
  tally.money("merchants", securityOf(fields), size, recordId)
  const fees = decimalOf(fields, "fees")
  const currency = Currency.parse(textOf(fields, "currency"))
  if (fees === undefined || fees === "0" || currency === undefined) return
  const charged = tally.inBase(fees, currency, recordId, CalendarDate.ofText(textOf(fields, "date")))
  if (charged !== undefined) tally.money("fees", "charged", charged, recordId)
})

/** Receipts and invoices: `party` is the field that names the other side, `kind` the one that they fall apart by. */
export const billFacts = (party: string, kind: string) =>
  factsBy((tally, fields, recordId) => {
    if (textOf(fields, "anomaly.kinds") !== "") tally.count("anomalies", "flagged", recordId)
    if (decimalOf(fields, "totalAmount") === undefined) tally.count("dataQuality", "unpriced", recordId)
    const total = amountOf(tally, fields, "totalAmount", recordId)
    if (total === undefined) return
    tally.money("flow", "spending", total, recordId)
    tally.money("categories", textOf(fields, kind) || "none", total, recordId)
    tally.money("merchants", textOf(fields, party) || "none", total, recordId)
  })

export const documentFacts = factsBy((tally, fields, recordId) => {
  tally.count("flow", "count", recordId)
  tally.count("categories", textOf(fields, "documentType") || "none", recordId)
  tally.count("merchants", textOf(fields, "sender") || "none", recordId)
})

export const orderFacts = factsBy((tally, fields, recordId) => {
  tally.count("flow", "count", recordId)
  tally.count("categories", textOf(fields, "action") || "none", recordId)
  tally.count("merchants", securityOf(fields), recordId)
})

/** What stands has no day of its own that counts: all of it is converted by the rates of the last day of the period. */
const standing = (tally: Tally, fields: Fields, name: string, recordId: string): Decimal.Decimal | undefined =>
  amountOf(tally, { ...fields, date: "" }, name, recordId)

export const balanceFacts = factsBy((tally, fields, recordId) => {
  const value = standing(tally, fields, "amount", recordId)
  if (value === undefined) return
  tally.money("flow", "net", value, recordId)
  tally.money("flow", Decimal.isNegative(value) ? "owed" : "owned", Decimal.abs(value), recordId)
  tally.money("categories", textOf(fields, "accountType") || "none", value, recordId)
  tally.money("merchants", textOf(fields, "accountName") || "none", value, recordId)
})

export const holdingFacts = factsBy((tally, fields, recordId) => {
  if (decimalOf(fields, "currentValue") === undefined) tally.count("dataQuality", "unpriced", recordId)
  const value = standing(tally, fields, "currentValue", recordId)
  if (value === undefined) return
  tally.money("flow", "net", value, recordId)
  tally.money("merchants", securityOf(fields), value, recordId)
  tally.money("categories", fields["isCashEquivalent"] === true ? "cash" : "securities", value, recordId)
  const [currency, cost] = [Currency.parse(textOf(fields, "currency")), decimalOf(fields, "costBasis")]
  const paid = currency === undefined || cost === undefined ? undefined : tally.inBase(cost, currency, recordId)
  if (paid !== undefined) tally.money("flow", "gain", Decimal.subtract(value, paid), recordId)
})

export const loanFacts = factsBy((tally, fields, recordId) => {
  if (fields["isOverdue"] === true) tally.count("anomalies", "overdue", recordId)
  const owed = standing(tally, fields, "principalBalance", recordId)
  if (owed !== undefined) {
    tally.money("flow", "owed", owed, recordId)
    tally.money("categories", textOf(fields, "loanType") || "none", owed, recordId)
  }
  const next = standing(tally, fields, "nextPaymentAmount", recordId)
  if (next !== undefined) tally.money("flow", "due", next, recordId)
})
