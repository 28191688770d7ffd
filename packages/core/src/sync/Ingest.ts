/**
 * From what a source showed to what the ledger keeps: exact, complete, in one canonical form
 * (decisions 1.3 and 4.2). A record that cannot be taken in is quarantined with its reason; the run goes on.
 */
import * as Currency from "../shared/Currency.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import * as Decimal from "../shared/Decimal.ts"
import type { Digest } from "../shared/Digest.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { ObservedRecord } from "../provider/Provider.ts"
import { fieldsOf, ownerFieldKeys, type DataType, type FieldSpecs, type FieldType } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { itemsField, itemsText } from "../record/Items.ts"
import type { Observation, Quarantined } from "../record/Observation.ts"
import { cleanText } from "../text/CleanText.ts"

interface Plan {
  readonly key: string
  readonly type: FieldType
  readonly required: boolean
  /** Rounded to the minor unit of the record's currency. */
  readonly money: boolean
}

// What a source may leave out because there is a right answer without it.
const defaults: Readonly<Partial<Record<DataType, Readonly<Record<string, FieldValue>>>>> = {
  transactions: { category: "UNCATEGORIZED", type: "OTHER", reference: "" }
}

const derived: ReadonlySet<string> = new Set(["creditAmount", "debitAmount", "pendingTransactionId"])

interface Plans {
  readonly record: ReadonlyArray<Plan>
  /** Of each item, where the type lists any. */
  readonly item: ReadonlyArray<Plan>
}

const plansOf = (dataType: DataType, declared: FieldSpecs): Plans => {
  const all = Object.entries({ ...fieldsOf[dataType], ...declared }).filter(
    ([key]) => !ownerFieldKeys.has(key) && !derived.has(key)
  )
  const planned = (ofItem: boolean): ReadonlyArray<Plan> =>
    all.flatMap(([key, { item = false, money = false, required, type }]) =>
      item === ofItem ? [{ key, type, required, money }] : []
    )
  return { record: planned(false), item: planned(true) }
}

/** Where a field that was left out is told by another: a pending row has no booking day of its own yet. */
const elsewhere = (dataType: DataType, key: string, observed: ObservedRecord): FieldValue | undefined => {
  if (dataType !== "transactions") return undefined
  const { fields, pending } = observed
  const value =
    key === "date" && pending
      ? fields["authorizedDate"]
      : key === "description"
        ? fields["originalDescription"]
        : undefined
  return typeof value === "string" ? (key === "date" ? CalendarDate.parse(value) : cleanText(value)) : undefined
}

const plans = new WeakMap<FieldSpecs, Map<DataType, Plans>>()

const planned = (dataType: DataType, declared: FieldSpecs): Plans => {
  let byType = plans.get(declared)
  if (byType === undefined) plans.set(declared, (byType = new Map()))
  let found = byType.get(dataType)
  if (found === undefined) byType.set(dataType, (found = plansOf(dataType, declared)))
  return found
}

const noneDeclared: FieldSpecs = {}

const number = (value: string, plan: Plan, currency: Currency.Currency | undefined): string | undefined => {
  const decimal = Decimal.parse(value)
  if (decimal === undefined || Decimal.wholeDigits(decimal) > limits.amountWholeDigits) return undefined
  return plan.money && currency !== undefined
    ? Currency.toMinorUnit(decimal, currency)
    : Decimal.roundHalfEven(decimal, limits.rateFractionDigits)
}

const read = (value: FieldValue, plan: Plan, currency: Currency.Currency | undefined): FieldValue | undefined => {
  if (plan.type === "bool") return typeof value === "boolean" ? value : undefined
  if (typeof value !== "string") return undefined
  switch (plan.type) {
    case "str":
      return cleanText(value)
    case "num":
      return number(value, plan, currency)
    case "date":
      return CalendarDate.parse(value)
    case "ts":
      return Timestamp.parse(value)
  }
}

const dateOf = (fields: Readonly<Record<string, FieldValue>>): CalendarDate.CalendarDate | null => {
  const date = fields["date"]
  return typeof date === "string" ? (date.slice(0, 10) as CalendarDate.CalendarDate) : null
}

// Separators of the text that is hashed; clean text holds neither.
const nextField = "\u001f"
const noValue = "\u0000"

/** The text of a record while it is read, value by value: put together once, and not piece by piece. */
const contents: Array<string> = [""]

// Begins the values of an item in the text that is hashed.
const nextItem = "\u001e"

/** What a document lists, as far as it says anything of it, and the text of it that is hashed; or what cannot be read. */
const readItems = (
  plan: ReadonlyArray<Plan>,
  items: ReadonlyArray<Fields>,
  currency: Currency.Currency | undefined
): { readonly items: ReadonlyArray<Fields>; readonly content: string } | { readonly fault: string } => {
  const found: Array<Fields> = []
  let content = ""
  for (const [at, source] of items.entries()) {
    const item: Record<string, FieldValue> = {}
    let text = nextItem
    for (const one of plan) {
      const raw = source[one.key]
      const value = raw === undefined || raw === null ? "" : read(raw, one, currency)
      if (value === undefined) return { fault: `items[${at}].${one.key}: cannot be read as ${one.type}` }
      if (value !== "") item[one.key] = value
      text += nextField + (value === "" ? noValue : String(value))
    }
    if (Object.keys(item).length === 0) continue
    found.push(item)
    content += text
  }
  return found.length > limits.documentItems
    ? { fault: `items: are more than ${limits.documentItems}` }
    : { items: found, content }
}

/**
 * Reads one observation. The hash is over the values in the order of the data type, so equal contents have
 * equal hashes; fields that follow from others are left out of it, and so are the keys of items. `declared`: fields that
 * the feed of a document asks for besides those of its type, always the same object for the same fields.
 */
export const ingest = (
  dataType: DataType,
  observed: ObservedRecord,
  digest: Digest["Service"],
  declared: FieldSpecs = noneDeclared
): { readonly observation: Observation } | { readonly quarantined: Quarantined } => {
  const refuse = (reason: string) => ({ quarantined: { providerId: cleanText(observed.providerId), reason } })
  const { item, record: list } = planned(dataType, declared)
  const source = observed.fields
  const currencyText = source["currency"]
  const currency = typeof currencyText === "string" ? Currency.parse(currencyText) : undefined
  if (currencyText !== undefined && currencyText !== null && currency === undefined) {
    return refuse(`currency: "${String(currencyText).slice(0, 40)}" is not a currency`)
  }
  const fallback = defaults[dataType]
  const fields: Record<string, FieldValue> = {}
  let at = 0
  for (const plan of list) {
    at++
    const raw = plan.key === "pending" ? observed.pending : source[plan.key]
    if (raw === undefined || raw === null) {
      const value = elsewhere(dataType, plan.key, observed) ?? fallback?.[plan.key]
      if (value !== undefined) fields[plan.key] = value
      else if (plan.required) return refuse(`${plan.key}: is missing`)
      contents[at] = value === undefined ? noValue : String(value)
      continue
    }
    const value = plan.key === "currency" ? currency : read(raw, plan, currency)
    if (value === undefined) return refuse(`${plan.key}: cannot be read as ${plan.type}`)
    if (value === "" && !plan.required) {
      contents[at] = noValue
      continue
    }
    fields[plan.key] = value
    contents[at] = String(value)
    if (plan.key === "amount" && dataType === "transactions") {
      const amount = value as Decimal.Decimal
      fields["creditAmount"] = Decimal.isNegative(amount) ? Decimal.zero : amount
      fields["debitAmount"] = Decimal.isNegative(amount) ? Decimal.negate(amount) : Decimal.zero
    }
  }
  contents.length = at + 1
  let content = contents.join(nextField)
  const listed = item.length === 0 ? undefined : readItems(item, observed.items ?? [], currency)
  if (listed !== undefined && "fault" in listed) return refuse(listed.fault)
  if (listed !== undefined && listed.items.length > 0) {
    fields[itemsField] = itemsText([], listed.items)
    content += listed.content
  }
  return {
    observation: {
      providerId: cleanText(observed.providerId),
      pendingProviderId: cleanText(observed.pendingProviderId ?? ""),
      pending: observed.pending,
      date: dateOf(fields),
      hash: digest.contentHash(content),
      fields
    }
  }
}
