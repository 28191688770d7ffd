/** Values that nobody can change, so that they can be stored and handed out without another copy. */
import type { Fields } from "@millrace/core/record"

const copied = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copied))
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const part = copied((value as Record<string, unknown>)[key])
    // Assigning to it would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: part, enumerable: true })
    else copy[key] = part
  }
  return Object.freeze(copy)
}

/** A deep copy of plain data (objects, arrays and primitive values), frozen. */
export const frozen = <A>(value: A): A => copied(value) as A

/** The same for the flat contents of records: they come by the hundred thousand. */
export const frozenFields = (fields: Fields): Fields => Object.freeze({ ...fields })
