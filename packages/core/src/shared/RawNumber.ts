/** Numbers of JSON that no double holds: raw JSON, which no document can hold by itself, with all their digits. */
import * as Decimal from "./Decimal.ts"

export interface RawNumber {
  readonly rawJSON: string
}

// The types of this version of TypeScript do not know these parts of JSON yet.
const raw = JSON as unknown as {
  readonly rawJSON: (text: string) => RawNumber
  readonly isRawJSON: (value: unknown) => value is RawNumber
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
}

export const isRawNumber = raw.isRawJSON

export const isNumber = (value: unknown): value is number | RawNumber => typeof value === "number" || isRawNumber(value)

/** The number that JSON text of one stands for: a double where one holds it exactly. */
export const numberOf = (source: string): number | RawNumber => {
  const number = Number(source)
  const value = Decimal.parse(source)
  return value !== undefined && Number.isFinite(number) && Decimal.parse(String(number)) === value
    ? number
    : raw.rawJSON(source)
}

/** The digits of a number, as they were written where it is raw. */
export const digitsOf = (number: number | RawNumber): string =>
  typeof number === "number" ? String(number) : number.rawJSON

/** Reads JSON that we wrote ourselves, with all digits of its numbers. */
export const parseExactly = (text: string): unknown =>
  raw.parse(text, (_, value, { source }) => (typeof value === "number" ? numberOf(source ?? String(value)) : value))
