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
import type { DataType, FieldSpecs } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { itemsText } from "../record/Items.ts"
import type { Observation, Quarantined } from "../record/Observation.ts"
import { cleanText } from "../text/CleanText.ts"
import {
  contentOf,
  type FieldPlan,
  fieldsFrom,
  nextField,
  nextItem,
  noValue,
  rowPlan,
  type RowPlan,
  rowText
} from "./RowText.ts"

// What a source may leave out because there is a right answer without it.
const defaults: Readonly<Partial<Record<DataType, Readonly<Record<string, FieldValue>>>>> = {
  // Money counts without a word about it: a row needs an amount and a day.
  transactions: { category: "UNCATEGORIZED", type: "OTHER", reference: "", description: "", originalDescription: "" }
}

/** Where a field that was left out is known by another: a pending row has no booking day of its own yet, a text another one. */
const elsewhere = (dataType: DataType, key: string, observed: ObservedRecord): FieldValue | undefined => {
  if (dataType !== "transactions") return undefined
  const { fields, pending } = observed
  const value =
    key === "date" && pending
      ? fields["authorizedDate"]
      : key === "description"
        ? fields["originalDescription"]
        : key === "originalDescription"
          ? fields["description"]
          : undefined
  return typeof value === "string" ? (key === "date" ? CalendarDate.parse(value) : cleanText(value)) : undefined
}

const noneDeclared: FieldSpecs = {}

const number = (value: string, plan: FieldPlan, currency: Currency.Currency | undefined): string | undefined => {
  const decimal = Decimal.parse(value)
  if (decimal === undefined || Decimal.wholeDigits(decimal) > limits.amountWholeDigits) return undefined
  return plan.money && currency !== undefined
    ? Currency.toMinorUnit(decimal, currency)
    : Decimal.roundHalfEven(decimal, limits.rateFractionDigits)
}

const read = (value: FieldValue, plan: FieldPlan, currency: Currency.Currency | undefined): FieldValue | undefined => {
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

/** The text of a record while it is read, value by value: put together once, and not piece by piece. */
const contents: Array<string> = [""]

/** What a document lists, as far as it says anything of it, and the text of it that is hashed; or what cannot be read. */
const readItems = (
  plan: ReadonlyArray<FieldPlan>,
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

/** A row that was taken in, but for what follows from its text. */
export interface Taken {
  readonly providerId: string
  readonly pendingProviderId: string
  readonly pending: boolean
  readonly date: CalendarDate.CalendarDate | null
  /** As in `RowText`. */
  readonly text: string
}

/** Takes in one observation. `declared` as in `ingest`. */
export const takeIn = (
  dataType: DataType,
  observed: ObservedRecord,
  declared: FieldSpecs = noneDeclared
): Taken | { readonly quarantined: Quarantined } => {
  const refuse = (reason: string) => ({ quarantined: { providerId: cleanText(observed.providerId), reason } })
  const { date: day, item, record } = rowPlan(dataType, declared)
  const source = observed.fields
  const currencyText = source["currency"]
  const currency = typeof currencyText === "string" ? Currency.parse(currencyText) : undefined
  if (currencyText !== undefined && currencyText !== null && currency === undefined) {
    return refuse(`currency: "${String(currencyText).slice(0, 40)}" is not a currency`)
  }
  const fallback = defaults[dataType]
  let at = 0
  for (const plan of record) {
    at++
    const raw = plan.key === "pending" ? observed.pending : source[plan.key]
    if (raw === undefined || raw === null) {
      const value = elsewhere(dataType, plan.key, observed) ?? fallback?.[plan.key]
      if (value === undefined && plan.required) return refuse(`${plan.key}: is missing`)
      contents[at] = value === undefined ? noValue : String(value)
      continue
    }
    const value = plan.key === "currency" ? currency : read(raw, plan, currency)
    if (value === undefined) return refuse(`${plan.key}: cannot be read as ${plan.type}`)
    contents[at] = value === "" && !plan.required ? noValue : String(value)
  }
  contents.length = at + 1
  const listed = item.length === 0 ? undefined : readItems(item, observed.items ?? [], currency)
  if (listed !== undefined && "fault" in listed) return refuse(listed.fault)
  const lists = listed !== undefined && listed.items.length > 0
  const date = day === 0 ? noValue : contents[day]!
  return {
    providerId: cleanText(observed.providerId),
    pendingProviderId: cleanText(observed.pendingProviderId ?? ""),
    pending: observed.pending,
    date: date === noValue ? null : (date.slice(0, 10) as CalendarDate.CalendarDate),
    text: lists ? rowText(contents, listed.content, itemsText([], listed.items)) : rowText(contents, "", undefined)
  }
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
  const taken = takeIn(dataType, observed, declared)
  if ("quarantined" in taken) return taken
  const { text, ...row } = taken
  const fields = fieldsFrom(rowPlan(dataType, declared), text)
  return { observation: { ...row, hash: digest.contentHash(contentOf(text)), fields } }
}

/** What rows of one type have in common, as they are taken in from a source. */
export interface RowForm {
  readonly plan: RowPlan
  readonly contentHash: (text: string) => string
}

/** What is hashed of the text of a row: all of it where its type lists no items. */
export const saidIn = ({ plan }: RowForm, text: string): string => (plan.item.length === 0 ? text : contentOf(text))

export const rowForm = (dataType: DataType, { contentHash }: Digest["Service"]): RowForm => ({
  plan: rowPlan(dataType, noneDeclared),
  contentHash
})

/** A row that was taken in: its hash and its fields are worked out when somebody asks for them. */
export class TakenRow implements Observation {
  readonly providerId: string
  readonly pendingProviderId: string
  readonly pending: boolean
  readonly date: CalendarDate.CalendarDate | null
  readonly text: string
  readonly #form: RowForm
  #hash: string | undefined
  #fields: Fields | undefined

  constructor({ date, pending, pendingProviderId, providerId, text }: Taken, form: RowForm) {
    this.providerId = providerId
    this.pendingProviderId = pendingProviderId
    this.pending = pending
    this.date = date
    this.text = text
    this.#form = form
  }

  get content(): string {
    return saidIn(this.#form, this.text)
  }

  get hash(): string {
    return (this.#hash ??= this.#form.contentHash(this.content))
  }

  get fields(): Fields {
    return (this.#fields ??= fieldsFrom(this.#form.plan, this.text))
  }
}
