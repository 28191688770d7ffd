/**
 * How much a property test plays. `MILLRACE_LONG=1` plays its long form; `npm run cases` plays forms that are longer still, in
 * parts: `MILLRACE_CASES` worlds from `MILLRACE_FROM` on, and what was tried is reported in the file `MILLRACE_COUNTS`.
 */
import { appendFileSync } from "node:fs"

export interface Cases {
  /** The seed of the first world. */
  readonly first: number
  readonly count: number
}

const numberOf = (name: string): number | undefined => {
  const text = process.env[name]
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} must be a whole number, not "${text}"`)
  return value
}

export const casesOf = ({ long, short }: { readonly short: number; readonly long: number }): Cases => ({
  first: numberOf("MILLRACE_FROM") ?? 0,
  count: numberOf("MILLRACE_CASES") ?? (process.env["MILLRACE_LONG"] === "1" ? long : short)
})

/** The seeds of those worlds. */
export const seedsOf = ({ count, first }: Cases): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => first + n)

/** Tells how many cases were tried, without a violation: records that were decided about, or whatever the property is of. */
export const countCases = (tried: number): void => {
  const file = process.env["MILLRACE_COUNTS"]
  if (file !== undefined) appendFileSync(file, `${tried}\n`)
}
