/**
 * JSON whose numbers stay as they were written: amounts have more digits than a double can hold, so no number
 * is ever made of them (decisions 10.2).
 */

/** A JSON number as the text it was written with. */
export interface ExactNumber {
  readonly rawJSON: string
}

export interface JsonObject {
  readonly [key: string]: Json
}

export type Json = null | boolean | string | ExactNumber | JsonObject | ReadonlyArray<Json>

// The one marked place: the types of this version of TypeScript do not know these parts of JSON yet.
const exact = JSON as unknown as {
  readonly rawJSON: (text: string) => ExactNumber
  readonly isRawJSON: (value: unknown) => value is ExactNumber
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => Json
}

export const isNumber = (value: Json | undefined): value is ExactNumber => exact.isRawJSON(value)

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !exact.isRawJSON(value)

export const isArray = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Throws a `SyntaxError` on text that is no JSON. */
export const parse = (text: string): Json =>
  exact.parse(text, (_, value, { source }) =>
    typeof value === "number" ? exact.rawJSON(source ?? String(value)) : value
  )

export const stringify = (value: Json, indent?: number): string => JSON.stringify(value, null, indent)
