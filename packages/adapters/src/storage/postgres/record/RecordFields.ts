/**
 * Fields of a record as they are stored: `["CPE…", value, …]`, a list that begins with the codes of its names. A value that the
 * row has elsewhere is a number. So they take less than half of what they take under their names, which is how records
 * of earlier versions have them, and those that have a name without a code.
 */
import { blankOf, fieldCode, fieldName, type Fields, type FieldValue, ofForms } from "@millrace/core/record"

/** What a row says beside its fields. */
interface Beside {
  readonly date: string | null
  readonly pending: boolean
}

/** 0: as the column of the same name says. n: as the value at n. -n: the same without its sign. */
type StoredValue = FieldValue | number
type Packed = readonly [codes: string, ...values: ReadonlyArray<StoredValue>]

/** Fields that often have the value of another one, or that without its sign. */
const often: ReadonlyArray<readonly [field: string, other: string]> = [
  ["originalDescription", "description"],
  ["creditAmount", "amount"],
  ["debitAmount", "amount"]
]

/** Values stand in the order of their codes, so that equal fields are equal in storage, whoever put them together. */
const writeForm = ofForms((keys) => {
  const order = keys.toSorted((a, b) => ((fieldCode(a) ?? a) < (fieldCode(b) ?? b) ? -1 : 1))
  const codes = order.map(fieldCode)
  // Behind the codes, so from 1 on.
  const at = (name: string): number => order.indexOf(name) + 1
  return {
    keys,
    order,
    codes: codes.every((code) => code !== undefined) ? codes.join("") : undefined,
    date: at("date"),
    pending: at("pending"),
    twins: often.flatMap(([field, other]) => (at(field) > 0 && at(other) > 0 ? [[at(field), at(other)] as const] : []))
  }
})

/** The fields in JSON. */
export const packFields = (fields: Fields, beside: Beside): string => {
  const { codes, date, order, pending, twins } = writeForm(fields)
  if (codes === undefined) return JSON.stringify(Object.fromEntries(order.map((name) => [name, fields[name]])))
  const values: Array<StoredValue> = [codes]
  for (const name of order) values.push(fields[name]!)
  for (const [at, other] of twins) {
    const value = values[at]
    const its = values[other]
    if (typeof value !== "string" || typeof its !== "string") continue
    if (value === its) values[at] = other
    else if (its.length === value.length + 1 && its.startsWith("-") && its.endsWith(value)) values[at] = -other
  }
  if (date > 0 && beside.date !== null && values[date] === beside.date) values[date] = 0
  if (pending > 0 && values[pending] === beside.pending) values[pending] = 0
  return JSON.stringify(values)
}

interface ReadForm {
  readonly names: ReadonlyArray<string>
  readonly blank: ReturnType<typeof blankOf>
}

const mostForms = 1_000
const readForms = new Map<string, ReadForm>()

const readForm = (codes: string): ReadForm => {
  let form = readForms.get(codes)
  if (form === undefined) {
    const names = Array.from(codes, (code) => {
      const name = fieldName(code)
      if (name === undefined) throw new RangeError(`no field has the code ${code}: it was written by a later version`)
      return name
    })
    if (readForms.size === mostForms) readForms.clear()
    readForms.set(codes, (form = { names, blank: blankOf(names) }))
  }
  return form
}

/** What the codes at the front of stored fields stand for; the same list each time. */
export const namesOf = (codes: string): ReadonlyArray<string> => readForm(codes).names

const referred = (values: Packed, no: number, name: string, beside: Beside): FieldValue => {
  if (no === 0) return name === "date" ? beside.date : beside.pending
  const other = values[Math.abs(no)]! as FieldValue
  return no > 0 ? other : (other as string).slice(1)
}

/** What is stored, with the rest of its row, as fields. */
export const unpackFields = (stored: Packed | Fields, beside: Beside): Fields => {
  if (!Array.isArray(stored)) return stored as Fields
  const values = stored as unknown as Packed
  const { blank, names } = readForm(values[0])
  const fields = blank()
  for (let at = 0; at < names.length; at++) {
    const value = values[at + 1]!
    fields[names[at]!] = typeof value === "number" ? referred(values, value, names[at]!, beside) : value
  }
  return fields
}

/** A row with its fields as they are stored. */
export interface PackedRow extends Beside {
  readonly fields: Packed | Fields
}

export const fieldsOf = (row: PackedRow): Fields => unpackFields(row.fields, row)
