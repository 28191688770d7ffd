/** One value as one line of text. */
import { clean } from "./Clean.ts"
import { isArray, isNumber, isObject, stringify, type Json } from "./ExactJson.ts"

const isPlain = (value: Json): boolean => !isArray(value) && !isObject(value)

/** As it is, without quotes: lists of plain values with commas between them, everything else as JSON. */
export const textOf = (value: Json | undefined): string => {
  if (value === undefined || value === null) return ""
  if (typeof value === "string") return value
  if (typeof value === "boolean") return String(value)
  if (isNumber(value)) return value.rawJSON
  if (isArray(value) && value.every(isPlain)) return value.map(textOf).join(", ")
  return stringify(value)
}

/** For a table on a terminal. */
export const cellOf = (value: Json | undefined): string => clean(textOf(value))
