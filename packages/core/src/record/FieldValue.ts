/** Values inside records. */
import * as Schema from "effect/Schema"

/**
 * Text, boolean or nothing. Numbers are canonical decimal text (`shared/Decimal`), dates and timestamps
 * are text too: what a value means is known by the declared type of its field, never by its shape.
 */
export type FieldValue = string | boolean | null

/** A record as field key -> value; an absent key is an unknown value. */
export type Fields = Readonly<Record<string, FieldValue>>

export const FieldValue = Schema.Union([Schema.String, Schema.Boolean, Schema.Null])
export const Fields = Schema.Record(Schema.String, FieldValue)
