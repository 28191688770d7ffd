/** What digests tell of transactions. */
import type { Fields } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import type { SetRecord } from "../SetKind.ts"
import { decimalOf, type Measured, type Measuring, Tally, textOf } from "./DigestFact.ts"

/** Money that only went from one pocket to another. */
const isOwn = (fields: Fields): boolean => {
  const kind = textOf(fields, "transfer.kind")
  return kind !== "" && kind !== "loan_payment"
}

export const transactionFields = [
  "date",
  "amount",
  "currency",
  "category",
  "merchantName",
  "description",
  "transfer.kind",
  "fee.isFee",
  "fee.avoidable",
  "recurring.amountDelta",
  "anomaly.kinds",
  "budget.keys"
]

/** All facts of the records of a period. */
export const transactionFacts = (records: ReadonlyArray<SetRecord>, measuring: Measuring): Measured => {
  const tally = new Tally(measuring)
  for (const { fields, recordId } of records) {
    const amount = decimalOf(fields, "amount")
    const from = Currency.parse(textOf(fields, "currency"))
    const date = CalendarDate.ofText(textOf(fields, "date"))
    if (amount === undefined || from === undefined || date === undefined || amount === "0") continue
    if (isOwn(fields)) {
      tally.count("transfers", "own", recordId)
      continue
    }
    if (textOf(fields, "category") === "") tally.count("dataQuality", "uncategorised", recordId)
    if (textOf(fields, "anomaly.kinds") !== "") tally.count("anomalies", "flagged", recordId)
    const delta = decimalOf(fields, "recurring.amountDelta")
    const merchant = textOf(fields, "merchantName") || textOf(fields, "description")
    const value = tally.inBase(amount, from, recordId, date)
    if (value === undefined) continue
    const spent = Decimal.negate(value)
    tally.money("flow", "net", value, recordId)
    // What came back reduces what was spent.
    for (const key of textOf(fields, "budget.keys").split(",")) {
      if (key !== "") tally.money("budgets", key, spent, recordId)
    }
    if (!Decimal.isNegative(value)) {
      tally.money("flow", "income", value, recordId)
      continue
    }
    tally.money("flow", "spending", spent, recordId)
    tally.money("categories", textOf(fields, "category") || "none", spent, recordId)
    if (merchant !== "") tally.money("merchants", merchant, spent, recordId)
    if (fields["fee.isFee"] === true) {
      tally.money("fees", fields["fee.avoidable"] === true ? "avoidable" : "charged", spent, recordId)
    }
    if (delta !== undefined && delta !== "0" && merchant !== "") {
      tally.money("recurring", merchant, Decimal.negate(delta), recordId)
    }
  }
  return tally.measured(records.length)
}
