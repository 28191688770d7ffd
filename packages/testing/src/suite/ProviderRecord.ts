/** What every record of every driver has to look like; each finding is one sentence. */
import type { ObservedRecord } from "@millrace/core/provider"
import {
  categories,
  fieldsOf,
  type FieldType,
  type FieldValue,
  ownerFieldKeys,
  type DataType
} from "@millrace/core/record"
import { CalendarDate, Currency, Decimal, limits, Timestamp } from "@millrace/core"

/** `0.30000000000000004` and the like: digits that no bank has written. */
const floatArtefact = /\.\d*(?:0{9,}|9{9,})\d*$/

const isOf: { readonly [Type in FieldType]: (value: FieldValue) => boolean } = {
  str: (value) => typeof value === "string" && value.isWellFormed(),
  num: (value) =>
    Decimal.is(value) && !floatArtefact.test(value) && Decimal.wholeDigits(value) <= limits.amountWholeDigits,
  date: (value) => CalendarDate.is(value),
  ts: (value) => typeof value === "string" && Timestamp.parse(value) === value,
  bool: (value) => typeof value === "boolean"
}

const decimal = (value: FieldValue | undefined): Decimal.Decimal => (Decimal.is(value) ? value : Decimal.zero)

const transactionFindings = (record: ObservedRecord): ReadonlyArray<string> => {
  const { fields } = record
  const [amount, credit, debit] = [fields["amount"], fields["creditAmount"], fields["debitAmount"]].map(decimal)
  const found: Array<string> = []
  if (amount !== Decimal.subtract(credit ?? Decimal.zero, debit ?? Decimal.zero)) {
    found.push("amount is not creditAmount minus debitAmount")
  }
  if ([credit, debit].some((side) => side !== undefined && Decimal.isNegative(side))) found.push("a side is negative")
  if (credit !== "0" && debit !== "0") found.push("both sides are used")
  if (fields["pending"] !== record.pending) found.push("the field pending differs from the record")
  if (!categories.some((category) => category === fields["category"])) found.push("category is not a known one")
  if (typeof fields["type"] === "string" && !/^[A-Z][A-Z_]*$/.test(fields["type"])) found.push("type is not a constant")
  if (record.pendingProviderId !== undefined && record.pending) found.push("a pending row settles another one")
  return found
}

/** Everything that is wrong with a record; empty for a good one. */
export const findings = (dataType: DataType, record: ObservedRecord): ReadonlyArray<string> => {
  const specs = fieldsOf[dataType]
  const found: Array<string> = []
  for (const [key, value] of Object.entries(record.fields)) {
    const spec = specs[key]
    if (spec === undefined) found.push(`${key} is not declared`)
    else if (ownerFieldKeys.has(key)) found.push(`${key} belongs to the kernel`)
    else if (value === null ? spec.required : !isOf[spec.type](value)) found.push(`${key} is no ${spec.type}: ${value}`)
  }
  for (const [key, spec] of Object.entries(specs)) {
    if (spec.required && !ownerFieldKeys.has(key) && record.fields[key] === undefined) found.push(`${key} is missing`)
  }
  const currency = record.fields["currency"]
  if (typeof currency === "string" && Currency.parse(currency) !== currency) found.push("currency is not a code")
  if (record.providerId !== record.providerId.trim()) found.push("the id has white space around it")
  if (dataType === "transactions") found.push(...transactionFindings(record))
  return found.map((finding) => `${record.providerAccountId} ${record.providerId}: ${finding}`)
}
