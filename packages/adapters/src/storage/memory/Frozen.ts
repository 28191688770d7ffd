/** Values that nobody can change, so that they can be stored and handed out without another copy. */
import type { Fields } from "@millrace/core/record/FieldValue"

const freeze = (value: unknown): void => {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) freeze(part)
}

/** A deep copy of plain data, frozen. */
export const frozen = <A>(value: A): A => {
  const copy = structuredClone(value)
  freeze(copy)
  return copy
}

/** The same for the flat contents of records: they come by the hundred thousand. */
export const frozenFields = (fields: Fields): Fields => Object.freeze({ ...fields })
