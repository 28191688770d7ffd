/**
 * Exact decimals as canonical text (specification 2, decisions 1.3).
 *
 * A `Decimal` is the shortest plain text of a number: no exponent, no leading or trailing zeros, no
 * negative zero. Equal numbers are therefore equal strings, and the text is the wire form as well.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

declare const DecimalBrand: unique symbol

/** Canonical decimal text such as `-12.5` or `0`. */
export type Decimal = string & { readonly [DecimalBrand]: true }

export const zero = "0" as Decimal

const plain = /^([+-]?)(\d*)(?:\.(\d*))?$/
const scientific = /^([+-]?\d*(?:\.\d*)?)[eE]([+-]?\d{1,4})$/

const canonical = (negative: boolean, whole: string, fraction: string): Decimal => {
  let start = 0
  while (start < whole.length - 1 && whole.charCodeAt(start) === 48) start++
  let end = fraction.length
  while (end > 0 && fraction.charCodeAt(end - 1) === 48) end--
  const w = start === 0 ? (whole === "" ? "0" : whole) : whole.slice(start)
  const text = end === 0 ? w : `${w}.${end === fraction.length ? fraction : fraction.slice(0, end)}`
  return (negative && text !== "0" ? `-${text}` : text) as Decimal
}

/** Whether it is what would be made of it: most of what is read is canonical already. */
const isCanonical = (text: string): boolean => {
  const first = text.charCodeAt(0) === 45 ? 1 : 0
  const end = text.length
  let at = first
  let code = 0
  while (at < end && (code = text.charCodeAt(at)) >= 48 && code <= 57) at++
  if (at === first || (at - first > 1 && text.charCodeAt(first) === 48)) return false
  if (at === end) return first === 0 || end > 2 || text !== "-0"
  if (code !== 46 || at + 1 === end) return false
  while (++at < end) if ((code = text.charCodeAt(at)) < 48 || code > 57) return false
  return code !== 48
}

/**
 * Reads a plain decimal number, with an optional exponent as JSON allows it.
 * Grouping, currency signs and white space are refused: `undefined`.
 */
export const parse = (text: string): Decimal | undefined => {
  if (isCanonical(text)) return text as Decimal
  const match = plain.exec(text)
  if (match !== null) {
    const whole = match[2]!
    const fraction = match[3] ?? ""
    if (whole.length === 0 && fraction.length === 0) return undefined
    return canonical(match[1] === "-", whole, fraction)
  }
  const exponential = scientific.exec(text)
  if (exponential === null) return undefined
  const mantissa = plain.exec(exponential[1]!)
  if (mantissa === null) return undefined
  const shift = Number(exponential[2])
  if (Math.abs(shift) > 400) return undefined
  const whole = mantissa[2]!
  const fraction = mantissa[3] ?? ""
  const digits = whole + fraction
  if (digits.length === 0) return undefined
  const point = whole.length + shift
  return point <= 0
    ? canonical(mantissa[1] === "-", "0", "0".repeat(-point) + digits)
    : point >= digits.length
      ? canonical(mantissa[1] === "-", digits + "0".repeat(point - digits.length), "")
      : canonical(mantissa[1] === "-", digits.slice(0, point), digits.slice(point))
}

/** For literals in code; dies on anything that is not a decimal. */
export const make = (text: string): Decimal => {
  const value = parse(text)
  if (value === undefined) throw new RangeError(`not a decimal: ${text}`)
  return value
}

export const is = (value: unknown): value is Decimal => typeof value === "string" && parse(value) === value

/** Digits after the point. */
export const scale = (value: Decimal): number => {
  const point = value.indexOf(".")
  return point < 0 ? 0 : value.length - point - 1
}

/** With at least so many digits after the point, as people read amounts: `-42.1` and 2 give `-42.10`. Never rounds. */
export const padded = (value: Decimal, digits: number): string => {
  const missing = digits - scale(value)
  return missing <= 0 ? value : `${value}${scale(value) === 0 ? "." : ""}${"0".repeat(missing)}`
}

export const isNegative = (value: Decimal): boolean => value.charCodeAt(0) === 45

export const negate = (value: Decimal): Decimal =>
  (value === "0" ? value : isNegative(value) ? value.slice(1) : `-${value}`) as Decimal

export const abs = (value: Decimal): Decimal => (isNegative(value) ? value.slice(1) : value) as Decimal

export const sign = (value: Decimal): -1 | 0 | 1 => (value === "0" ? 0 : isNegative(value) ? -1 : 1)

/** The value times 10^digits as an integer. The caller has made sure that `digits >= scale(value)`. */
export const toUnits = (value: Decimal, digits: number): bigint => {
  const point = value.indexOf(".")
  if (point < 0) return BigInt(value + "0".repeat(digits))
  return BigInt(value.slice(0, point) + value.slice(point + 1) + "0".repeat(digits - (value.length - point - 1)))
}

export const fromUnits = (units: bigint, digits: number): Decimal => {
  const negative = units < 0n
  const text = (negative ? -units : units).toString().padStart(digits + 1, "0")
  return digits === 0 ? canonical(negative, text, "") : canonical(negative, text.slice(0, -digits), text.slice(-digits))
}

/** Texts of at most this many characters, scaled by at most four digits, stay within the safe integers. */
const safeLength = 11
const safeDigits = 4
const powers = [10_000, 1_000, 100, 10, 1] as const

/**
 * Ten-thousandths as a safe integer; NaN where a double might not hold them exactly, or where the text is no plain
 * decimal. For most amounts, and much faster than anything that works for all.
 */
export const safeUnits = (text: string): number => {
  const size = text.length
  const negative = text.charCodeAt(0) === 45
  const start = negative ? 1 : 0
  if (size > safeLength || size === start) return Number.NaN
  let units = 0
  let at = start
  for (; at < size; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >>> 0 > 9) break
    units = units * 10 + digit
  }
  if (at === size) units *= powers[0]
  else {
    const places = size - at - 1
    // No digit on one side of the point is allowed elsewhere, and not worth while here.
    if (text.charCodeAt(at) !== 46 || at === start || places === 0 || places > safeDigits) return Number.NaN
    for (at++; at < size; at++) {
      const digit = text.charCodeAt(at) - 48
      if (digit >>> 0 > 9) return Number.NaN
      units = units * 10 + digit
    }
    units *= powers[places]!
  }
  return negative ? -units : units
}

export const add = (a: Decimal, b: Decimal): Decimal => {
  const digits = Math.max(scale(a), scale(b))
  return fromUnits(toUnits(a, digits) + toUnits(b, digits), digits)
}

export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b))

/** Exact. Ordinary amounts are added as safe integers; whatever does not fit is added as big ones. */
export const sum = (values: Iterable<Decimal>): Decimal => {
  let small = 0
  let bigDigits = safeDigits
  let big = 0n
  for (const value of values) {
    const units = safeUnits(value)
    if (Number.isNaN(units)) {
      const own = scale(value)
      if (own > bigDigits) {
        big *= 10n ** BigInt(own - bigDigits)
        bigDigits = own
      }
      big += toUnits(value, bigDigits)
    } else {
      small += units
      // Long before it could leave the safe integers.
      if (small > 4e15 || small < -4e15) {
        big += BigInt(small) * 10n ** BigInt(bigDigits - safeDigits)
        small = 0
      }
    }
  }
  return fromUnits(big + BigInt(small) * 10n ** BigInt(bigDigits - safeDigits), bigDigits)
}

/** Digits before the point, sign left out; `0.5` has 1. */
export const wholeDigits = (value: Decimal): number => {
  const start = isNegative(value) ? 1 : 0
  const point = value.indexOf(".")
  return (point < 0 ? value.length : point) - start
}

/** With as many whole digits, the order of the texts is the order of the numbers. */
const magnitude = (a: Decimal, b: Decimal, skip: number): -1 | 0 | 1 => {
  const [wholeA, wholeB] = [wholeDigits(a), wholeDigits(b)]
  if (wholeA !== wholeB) return wholeA < wholeB ? -1 : 1
  const [left, right] = skip === 0 ? [a, b] : [a.slice(skip), b.slice(skip)]
  return left < right ? -1 : left > right ? 1 : 0
}

export const compare = (a: Decimal, b: Decimal): -1 | 0 | 1 => {
  if (a === b) return 0
  const negative = isNegative(a)
  if (negative !== isNegative(b)) return negative ? -1 : 1
  return negative ? magnitude(b, a, 1) : magnitude(a, b, 0)
}

const tenTo = (digits: number): bigint => 10n ** BigInt(digits)

const round = (
  value: Decimal,
  digits: number,
  up: (whole: bigint, twice: bigint, unit: bigint) => boolean
): Decimal => {
  const own = scale(value)
  if (own <= digits) return value
  const negative = isNegative(value)
  const units = toUnits(abs(value), own)
  const unit = tenTo(own - digits)
  const whole = units / unit
  const rounded = up(whole, (units % unit) * 2n, unit) ? whole + 1n : whole
  return fromUnits(negative ? -rounded : rounded, digits)
}

/** Ties go to the even neighbour: how amounts finer than the minor unit are taken in (decisions 1.3). */
export const roundHalfEven = (value: Decimal, digits: number): Decimal =>
  round(value, digits, (whole, twice, unit) => twice > unit || (twice === unit && whole % 2n === 1n))

/** Ties go away from zero: the `round2` action and every rounding of enrichments. */
export const roundHalfAway = (value: Decimal, digits: number): Decimal =>
  round(value, digits, (_, twice, unit) => twice >= unit)

/** Decimal text on both sides: what storage and internal documents use. */
export const DecimalText: Schema.Codec<Decimal, string> = Schema.String.pipe(
  Schema.refine((text): text is Decimal => is(text), {
    expected: "a canonical decimal",
    // Drawn at random, hardly any text is one.
    arbitraryConstraint: {
      patterns: [{ source: "^(0|-?[1-9][0-9]{0,19}([.][0-9]{0,8}[1-9])?|-?0[.][0-9]{0,9}[1-9])$", flags: "" }]
    }
  })
)

/**
 * A value that JSON writes with exactly these digits: a double where one does, which most amounts are, and raw JSON
 * otherwise, which costs twenty times as much.
 */
export const toJsonNumber = (text: string): number => {
  const number = Number(text)
  return String(number) === text
    ? number
    : (JSON as unknown as { readonly rawJSON: (text: string) => number }).rawJSON(text)
}

/**
 * A JSON number on the wire, exact decimal text inside. Encoding yields a number that is written with exactly the digits
 * kept: a double where that is so, raw JSON otherwise. Decoding takes a number or decimal text.
 */
export const DecimalNumber: Schema.Codec<Decimal, unknown> = Schema.Unknown.annotate({
  jsonSchema: { type: "number" }
}).pipe(
  Schema.decodeTo(
    DecimalText,
    SchemaTransformation.transform<string, unknown>({
      // Text that is no decimal goes on to DecimalText, which refuses it with the better message.
      decode: (input) => parse(String(input)) ?? String(input),
      encode: toJsonNumber
    })
  )
)
