/** Facts of a period: every number of a digest, with the records that it comes from (enrichments C16). */
import * as Schema from "effect/Schema"
import type { Fields } from "../../../record/FieldValue.ts"
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { derivedId, type Sha256 } from "../../../shared/DerivedId.ts"
import { convert, type RateTable } from "../../../shared/RateTable.ts"
import type { SetRecord } from "../SetKind.ts"
import type { DigestSection } from "./DigestConfig.ts"

export const DigestFact = Schema.Struct({
  /** Section and subject: the same in every period. */
  id: Schema.String,
  section: Schema.String,
  subject: Schema.String,
  /** An amount in the currency of the workspace, or a number of records. */
  value: Decimal.DecimalText,
  unit: Schema.Literals(["money", "count"]),
  /** Names the records that it comes from. */
  records: Schema.String
})
export type DigestFact = typeof DigestFact.Type

export interface Measuring {
  readonly currency: Currency.Currency
  readonly rates: RateTable
  readonly sha256: Sha256
}

export interface Measured {
  readonly facts: ReadonlyMap<string, DigestFact>
  /** What is not in any sum, for want of a rate. */
  readonly unconverted: ReadonlyArray<{ readonly currency: string; readonly amount: Decimal.Decimal }>
  /** Money in and out together. */
  readonly turnover: Decimal.Decimal
  readonly records: number
}

const text = (fields: Fields, name: string): string => {
  const value = fields[name]
  return typeof value === "string" ? value.trim() : ""
}

/** Money that only went from one pocket to another. */
const isOwn = (fields: Fields): boolean => {
  const kind = text(fields, "transfer.kind")
  return kind !== "" && kind !== "loan_payment"
}

export const reads = [
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

/** All facts of the records of a period; those that are nothing are left out. */
export const measure = (records: ReadonlyArray<SetRecord>, { currency, rates, sha256 }: Measuring): Measured => {
  const sums = new Map<
    string,
    { section: DigestSection; subject: string; unit: "money" | "count"; value: Decimal.Decimal; ids: Array<string> }
  >()
  const unconverted = new Map<string, Decimal.Decimal>()
  let turnover = Decimal.zero
  const digits = Currency.minorDigits(currency)
  const add = (
    section: DigestSection,
    subject: string,
    unit: "money" | "count",
    value: Decimal.Decimal,
    id: string
  ) => {
    const key = `${section}:${subject}`
    const one = sums.get(key) ?? { section, subject, unit, value: Decimal.zero, ids: [] }
    sums.set(key, { ...one, value: Decimal.add(one.value, value), ids: [...one.ids, id] })
  }
  for (const { fields, recordId } of records) {
    const amount = Decimal.parse(text(fields, "amount"))
    const from = Currency.parse(text(fields, "currency"))
    const date = CalendarDate.ofText(text(fields, "date"))
    if (amount === undefined || from === undefined || date === undefined || amount === "0") continue
    if (isOwn(fields)) {
      add("transfers", "own", "count", Decimal.make("1"), recordId)
      continue
    }
    if (text(fields, "category") === "") add("dataQuality", "uncategorised", "count", Decimal.make("1"), recordId)
    if (text(fields, "anomaly.kinds") !== "") add("anomalies", "flagged", "count", Decimal.make("1"), recordId)
    const delta = Decimal.parse(text(fields, "recurring.amountDelta"))
    const merchant = text(fields, "merchantName") || text(fields, "description")
    const inBase = from === currency ? amount : convert(rates, amount, from, currency, date)?.amount
    if (inBase === undefined) {
      unconverted.set(from, Decimal.add(unconverted.get(from) ?? Decimal.zero, amount))
      add("dataQuality", "unconverted", "count", Decimal.make("1"), recordId)
      continue
    }
    const value = Decimal.roundHalfAway(inBase, digits)
    const spent = Decimal.negate(value)
    turnover = Decimal.add(turnover, Decimal.abs(value))
    add("flow", "net", "money", value, recordId)
    // What came back reduces what was spent.
    for (const key of text(fields, "budget.keys").split(",")) {
      if (key !== "") add("budgets", key, "money", spent, recordId)
    }
    if (!Decimal.isNegative(value)) {
      add("flow", "income", "money", value, recordId)
      continue
    }
    add("flow", "spending", "money", spent, recordId)
    add("categories", text(fields, "category") || "none", "money", spent, recordId)
    if (merchant !== "") add("merchants", merchant, "money", spent, recordId)
    if (fields["fee.isFee"] === true) {
      add("fees", fields["fee.avoidable"] === true ? "avoidable" : "charged", "money", spent, recordId)
    }
    if (delta !== undefined && delta !== "0" && merchant !== "")
      add("recurring", merchant, "money", Decimal.negate(delta), recordId)
  }
  const facts = [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, { ids, section, subject, unit, value }]) =>
      value === "0" ? [] : [[id, { id, section, subject, value, unit, records: derivedId(sha256, ...ids) }] as const]
    )
  return {
    facts: new Map(facts),
    unconverted: [...unconverted]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([of, amount]) => ({ currency: of, amount })),
    turnover,
    records: records.length
  }
}
