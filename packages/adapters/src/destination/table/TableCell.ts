/** Values of records as cells of a table field. */
import type { FieldType, FieldValue } from "@millrace/core/record"
import { CalendarDate, Decimal, Timestamp } from "@millrace/core"
import { type CellForm, readCell, type TableField } from "@millrace/core/table"
import * as Result from "effect/Result"

/** Types whose cells the values of records can be. */
type CellType = TableField["type"]

/** Field type that a column gets when it is created. */
export const cellTypeOf: Readonly<Record<FieldType, CellType>> = {
  str: "text",
  num: "number",
  date: "date",
  ts: "datetime",
  bool: "boolean"
}

const accepted: Readonly<Record<FieldType, ReadonlySet<CellType>>> = {
  // Custom fields are text until an enrichment says otherwise: whether a value fits is seen value by value.
  str: new Set(["text", "number", "currency", "date", "datetime", "boolean", "select", "email", "url"]),
  num: new Set(["number", "currency", "text"]),
  date: new Set(["date", "text"]),
  ts: new Set(["datetime", "text"]),
  bool: new Set(["boolean", "text"])
}

/** Whether a field can hold the values of a column at all. */
export const fits = (from: FieldType, to: CellType): boolean => accepted[from].has(to)

// Storage keeps neither NUL nor half a surrogate pair. Halves first: without the NUL between them, two would
// join to a letter that nobody wrote.
const storable = (text: string): string => {
  const whole = text.toWellFormed()
  return whole.includes("\0") ? whole.replaceAll("\0", "") : whole
}

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false }

const ofText = (text: string, field: CellForm): FieldValue | undefined => {
  switch (field.type) {
    case "text":
      return storable(text)
    case "number":
    case "currency":
      return Decimal.parse(text)
    case "date":
      return CalendarDate.ofText(text)
    case "datetime":
      return Timestamp.parse(text)
    case "boolean":
      return Object.hasOwn(booleans, text) ? booleans[text] : undefined
    case "select":
    case "email":
    case "url": {
      const cell = Result.getOrUndefined(readCell(field, text))
      return typeof cell === "string" ? cell : undefined
    }
    default:
      return undefined
  }
}

/** The cell, or `undefined` when the value is none of the field's type. An absent value clears the cell. */
export const toCell = (value: FieldValue | undefined, field: CellForm): FieldValue | undefined => {
  if (typeof value === "string") return value === "" && field.type !== "text" ? null : ofText(value, field)
  if (typeof value === "boolean")
    return field.type === "boolean" ? value : field.type === "text" ? String(value) : undefined
  return null
}
