/**
 * Fields of a record as `record.fields` stores them: JSON with the public names and public values. Decimal text is a number there,
 * with all its digits, as it is in the API.
 */
import { type DataType, type Fields, fieldsOf } from "@millrace/core/record"

/** Decimal text that PostgreSQL writes back as it is. */
const decimal = /^(?!-0(?:\.0+)?$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** The fields in JSON. */
export const storedFields = (dataType: DataType, fields: Fields): string => {
  const specs = fieldsOf[dataType]
  const members = Object.entries(fields).map(([name, value]) => {
    const isNumber = typeof value === "string" && specs[name]?.type === "num" && decimal.test(value)
    return `${JSON.stringify(name)}:${isNumber ? value : JSON.stringify(value)}`
  })
  return `{${members.join(",")}}`
}

/** With the text of each number, of which a number of JavaScript would lose digits. */
const exact = (_name: string, value: unknown, context?: { readonly source: string }): unknown =>
  typeof value === "number" ? context!.source : value

/** The fields of a record, from the text of their column. */
export const fieldsIn = (text: string): Fields => JSON.parse(text, exact) as Fields
