/** Objects that are filled field by field, many of them with the same fields. */
import type { FieldValue } from "./FieldValue.ts"

/**
 * Makes objects that have all the keys already, each `null`. One that gets a dozen keys one after the other becomes a table of
 * keys and values, which takes ten times the memory of what is in it, and time whenever it is read.
 */
export const blankOf = (keys: ReadonlyArray<string>): (() => Record<string, FieldValue>) => {
  // As it is parsed there is room for each key inside the object, and copies are laid out as what they are copied from.
  const blank: Readonly<Record<string, null>> = JSON.parse(
    JSON.stringify(Object.fromEntries(keys.map((key) => [key, null])))
  )
  return () => ({ ...blank })
}
