/**
 * Fields of a record as `record.fields` stores them: JSON with the public names and public values. Decimal text is a number there, as
 * it is in the API, where a number of JavaScript says it exactly; with more digits it stays text.
 */
import { type DataType, type Fields, fieldsOf, type FieldValue } from "@millrace/core/record"

/** Whether the text comes back from a number. */
const isExact = (text: string): boolean => String(Number(text)) === text && Number.isFinite(Number(text))

/** The fields in JSON. */
export const storedFields = (dataType: DataType, fields: Fields): string => {
  const specs = fieldsOf[dataType]
  const members = Object.entries(fields).map(([name, value]) => {
    const isNumber = typeof value === "string" && specs[name]?.type === "num" && isExact(value)
    return `${JSON.stringify(name)}:${isNumber ? value : JSON.stringify(value)}`
  })
  return `{${members.join(",")}}`
}

/** What was parsed of the column. */
export type StoredFields = Record<string, FieldValue | number>

/** The fields of a record, in the place of what was parsed of their column. */
export const fieldsIn = (stored: StoredFields): Fields => {
  for (const name in stored) {
    const value = stored[name]
    if (typeof value === "number") stored[name] = String(value)
  }
  return stored as Fields
}
