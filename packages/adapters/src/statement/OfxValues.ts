/** Dates, amounts and text of OFX elements (OFX 1.0.2 sections 3.2.8 and 3.2.9). */
import { CalendarDate, type Decimal } from "@millrace/core"
import { groupedAmount, plainAmount } from "./AmountText.ts"

const digit = (text: string, at: number): number => {
  const value = text.charCodeAt(at) - 48
  return value >= 0 && value <= 9 ? value : Number.NaN
}

// A file names few days many times.
const days = new Map<number, CalendarDate.CalendarDate | undefined>()
const maxDays = 20_000

let lastNumber = 0
let lastDay: CalendarDate.CalendarDate | undefined

const dayOf = (number: number): CalendarDate.CalendarDate | undefined => {
  // Rows of one day follow each other.
  if (number === lastNumber) return lastDay
  const day = findDay(number)
  lastNumber = number
  lastDay = day
  return day
}

const findDay = (number: number): CalendarDate.CalendarDate | undefined => {
  const known = days.get(number)
  if (known !== undefined) return known
  const date = CalendarDate.fromParts(Math.floor(number / 10_000), Math.floor(number / 100) % 100, number % 100)
  if (days.size >= maxDays) days.clear()
  days.set(number, date)
  return date
}

/**
 * The day of `YYYYMMDD[HHMMSS[.mmm]][[offset:zone]]`, as written: no zone conversion. What follows the day
 * does not count, but must look like a time. `undefined` when the calendar has no such day.
 */
export const ofxDate = (text: string, start: number, end: number): CalendarDate.CalendarDate | undefined => {
  if (end - start < 8) return undefined
  let number = 0
  for (let at = start; at < start + 8; at++) number = number * 10 + digit(text, at)
  if (Number.isNaN(number)) return undefined
  for (let at = start + 8; at < end; at++) {
    const c = text.charCodeAt(at)
    if (c === 91) break
    if (!((c >= 48 && c <= 58) || c === 46 || c === 32 || c === 84 || c === 43 || c === 45 || c === 90))
      return undefined
  }
  return dayOf(number)
}

/** An amount, and whether a lone comma before three digits was taken for grouping. */
export interface OfxAmount {
  readonly value: Decimal.Decimal
  readonly ambiguous: boolean
}

/**
 * Amounts that are not plain: comma decimals, grouping, a sign apart. The last separator is the decimal one;
 * a single comma before exactly three digits groups thousands unless `minorDigits` is 3.
 */
export const ofxGroupedAmount = (
  text: string,
  start: number,
  end: number,
  minorDigits: number
): OfxAmount | undefined => {
  const part = text.slice(start, end)
  const comma = part.lastIndexOf(",")
  const point = part.lastIndexOf(".")
  let decimal = comma > point ? 44 : 46
  let ambiguous = false
  if (comma >= 0 && point < 0) {
    const single = part.indexOf(",") === comma
    const threeBehind = /^\d{3}\D*$/.test(part.slice(comma + 1))
    const wholeIsZero = /^\D*0*$/.test(part.slice(0, comma))
    if (!single) decimal = 46
    else if (threeBehind && !wholeIsZero && minorDigits !== 3) {
      decimal = 46
      ambiguous = true
    }
  } else if (point >= 0 && comma < 0 && part.indexOf(".") !== point) decimal = 44
  const value = groupedAmount(part, 0, part.length, decimal, false)
  return value === undefined ? undefined : { value, ambiguous }
}

export const ofxPlainAmount = plainAmount

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "]
])

const entity = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,4}));/g

const decodeAny = (text: string): string =>
  text.replace(entity, (whole, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return entities.get(name.toLowerCase()) ?? whole
    const code = decimal === undefined ? Number.parseInt(hexadecimal!, 16) : Number(decimal)
    if (code === 0xa0) return " "
    return code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
  })

/** Entities that XML knows, and characters by number; others stay as they are. */
export const decodeEntities = (text: string): string => {
  let decoded = ""
  let from = 0
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", from)) {
    const next = text.charCodeAt(at + 1)
    const [length, value] =
      next === 97 && text.startsWith("amp;", at + 1)
        ? [5, "&"]
        : next === 108 && text.startsWith("lt;", at + 1)
          ? [4, "<"]
          : next === 103 && text.startsWith("gt;", at + 1)
            ? [4, ">"]
            : [0, ""]
    if (length === 0) return decoded + decodeAny(text.slice(from))
    decoded += text.slice(from, at) + value
    from = at + length
  }
  return from === 0 ? text : decoded + text.slice(from)
}

/** What is to be done to the text of an element, told while its end was looked for. */
export const TextForm = {
  /** Entities and line breaks may stand in it. */
  written: 0,
  /** It comes from CDATA: entities stay as they are. */
  raw: 1,
  /** Nothing: it holds neither entities nor control characters. */
  plain: 2
} as const
export type TextForm = (typeof TextForm)[keyof typeof TextForm]

/** Text of an element: entities decoded unless raw, line breaks and tabs as blanks, ends trimmed. */
export const ofxText = (source: string, start: number, end: number, form: TextForm): string => {
  const text = source.slice(start, end)
  if (form === TextForm.plain) return text
  return (form === TextForm.raw ? text : decodeEntities(text)).replace(/[\t\r\n\u00a0]+/g, " ").trim()
}
