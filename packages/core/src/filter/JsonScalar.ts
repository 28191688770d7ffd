/** The scalar in a cell of JSON text, where it is of one JSON type (decisions 8.1: undeclared fields). */
import * as Result from "effect/Result"

export type JsonType = "string" | "number" | "boolean"

/** Numbers that are written longer, or with a larger exponent, are compared with nothing. */
export const jsonNumberLength = 1_000
const readableNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?(?:0?[0-3]?\d{1,2}|0?400))?$/

/** Text of a string or the digits of a number; a truth value as its word. `undefined`: another type. */
export const jsonScalar = (json: string, type: JsonType): string | undefined => {
  const first = json.charCodeAt(0)
  if (type === "string") {
    if (first !== 34) return undefined
    const text = Result.try((): unknown => JSON.parse(json))
    return Result.isSuccess(text) && typeof text.success === "string" ? text.success : undefined
  }
  if (type === "boolean") return json === "true" || json === "false" ? json : undefined
  const isNumber = first === 45 || (first >= 48 && first <= 57)
  return isNumber && json.length <= jsonNumberLength && readableNumber.test(json) ? json : undefined
}
