/**
 * What a row says, as one text: the values of its fields in the order of their type, without names. It is what the hash of a
 * row is of, and the fields can be read off it again. So a row that says what it said before is never taken apart.
 */
import { blankOf } from "../record/BlankFields.ts"
import { fieldsOf, ownerFieldKeys, type DataType, type FieldSpecs, type FieldType } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import { itemsField } from "../record/Items.ts"
import * as Decimal from "../shared/Decimal.ts"

/** Begins each value. Clean text holds none of these signs. */
export const nextField = "\u001f"
/** Begins the values of an item. */
export const nextItem = "\u001e"
/** Stands where a row says nothing. */
export const noValue = "\u0000"
/** Behind it are the items as they are stored, which are no part of what is hashed. */
const itemsFollow = "\u001d"
const rowEnd = "\u001c"

export interface FieldPlan {
  readonly key: string
  readonly type: FieldType
  readonly required: boolean
  /** Rounded to the minor unit of the record's currency. */
  readonly money: boolean
}

/** What follows from other fields: it is no part of the text. */
const derived: ReadonlySet<string> = new Set(["creditAmount", "debitAmount", "pendingTransactionId"])

export interface RowPlan {
  readonly record: ReadonlyArray<FieldPlan>
  /** Of each item, where the type lists any. */
  readonly item: ReadonlyArray<FieldPlan>
  /** Number of the value that is the day of a row; 0 where it has none. */
  readonly date: number
  readonly layouts: Layouts
}

const planOf = (dataType: DataType, declared: FieldSpecs): RowPlan => {
  const all = Object.entries({ ...fieldsOf[dataType], ...declared }).filter(
    ([key]) => !ownerFieldKeys.has(key) && !derived.has(key)
  )
  const planned = (ofItem: boolean): ReadonlyArray<FieldPlan> =>
    all.flatMap(([key, { item = false, money = false, required, type }]) =>
      item === ofItem ? [{ key, type, required, money }] : []
    )
  const record = planned(false)
  return {
    record,
    item: planned(true),
    date: record.findIndex(({ key }) => key === "date") + 1,
    layouts: new Layouts(record, dataType === "transactions")
  }
}

const plans = new WeakMap<FieldSpecs, Map<DataType, RowPlan>>()

/** The fields of a type in the order of the text, with those that are declared besides. */
export const rowPlan = (dataType: DataType, declared: FieldSpecs): RowPlan => {
  let byType = plans.get(declared)
  if (byType === undefined) plans.set(declared, (byType = new Map()))
  let found = byType.get(dataType)
  if (found === undefined) byType.set(dataType, (found = planOf(dataType, declared)))
  return found
}

/** Rows of one type that say something in the same fields. */
interface Layout {
  readonly blank: () => Record<string, FieldValue>
  readonly keys: ReadonlyArray<string>
  /** Numbers of their values. */
  readonly places: ReadonlyArray<number>
  readonly flags: ReadonlySet<string>
  /** Number of the amount that credit and debit follow from; 0 where they do not. */
  readonly amount: number
}

interface Branch {
  said?: Branch
  unsaid?: Branch
  layout?: Layout
}

/** What rows have in common by the fields in which they say something. */
class Layouts {
  readonly #root: Branch = {}
  readonly #plan: ReadonlyArray<FieldPlan>
  readonly #hasSides: boolean

  constructor(plan: ReadonlyArray<FieldPlan>, hasSides: boolean) {
    this.#plan = plan
    this.#hasSides = hasSides
  }

  of(values: ReadonlyArray<string>): Layout {
    let branch = this.#root
    for (let at = 1; at <= this.#plan.length; at++) {
      branch = values[at] === noValue ? (branch.unsaid ??= {}) : (branch.said ??= {})
    }
    return (branch.layout ??= this.#made(values))
  }

  #made(values: ReadonlyArray<string>): Layout {
    const said = this.#plan.flatMap((plan, n) => (values[n + 1] === noValue ? [] : [{ ...plan, place: n + 1 }]))
    const amount = this.#hasSides ? (said.find(({ key }) => key === "amount")?.place ?? 0) : 0
    return {
      blank: blankOf(
        said.flatMap(({ key, place }) => (place === amount ? [key, "creditAmount", "debitAmount"] : [key]))
      ),
      keys: said.map(({ key }) => key),
      places: said.map(({ place }) => place),
      flags: new Set(said.flatMap(({ key, type }) => (type === "bool" ? [key] : []))),
      amount
    }
  }
}

/** A text of its values and, where it has any, of its items as they are hashed and as they are stored. */
export const rowText = (values: ReadonlyArray<string>, hashed: string, items: string | undefined): string => {
  const content = hashed === "" ? values.join(nextField) : values.join(nextField) + hashed
  return items === undefined ? content : content + itemsFollow + items
}

/** What is hashed of a row. */
export const contentOf = (text: string): string => {
  const at = text.indexOf(itemsFollow)
  return at < 0 ? text : text.slice(0, at)
}

/** The fields of a row, in the order of their type. */
export const fieldsFrom = ({ item, layouts, record }: RowPlan, text: string): Fields => {
  let said = text
  let items: string | undefined
  if (item.length > 0) {
    const stored = text.indexOf(itemsFollow)
    if (stored >= 0) items = text.slice(stored + 1)
    said = contentOf(text)
    const first = said.indexOf(nextItem)
    if (first >= 0) said = said.slice(0, first)
  }
  const values = said.split(nextField)
  // What stands before the first value is none.
  if (values.length !== record.length + 1) {
    throw new RangeError(`${record.length} values of a row came back as ${values.length - 1}`)
  }
  const { amount, blank, flags, keys, places } = layouts.of(values)
  const fields = blank()
  for (let n = 0; n < keys.length; n++) {
    const [key, place] = [keys[n]!, places[n]!]
    const value = values[place]!
    fields[key] = flags.has(key) ? value === "true" : value
    if (place !== amount) continue
    const decimal = value as Decimal.Decimal
    fields["creditAmount"] = Decimal.isNegative(decimal) ? Decimal.zero : decimal
    fields["debitAmount"] = Decimal.isNegative(decimal) ? Decimal.negate(decimal) : Decimal.zero
  }
  if (items !== undefined) fields[itemsField] = items
  return fields
}

/** The texts of several rows as one. */
export const joined = (texts: ReadonlyArray<string>): string => texts.join(rowEnd)

export const parted = (text: string): Array<string> => text.split(rowEnd)
