/** Amounts as bank files print them -> exact decimals (decisions 1.3). `undefined` = not an amount. */
import type { Decimal } from "@millrace/core"

/** Longer texts are no amounts of money; padded broker amounts have about twenty characters. */
const maxLength = 40

const isDigit = (c: number): boolean => c >= 48 && c <= 57

/** Spaces of every width that occur as grouping: blank, no-break, thin, narrow no-break. */
export const isSpace = (c: number): boolean =>
  c === 32 || (c >= 9 && c <= 13) || c === 0xa0 || c === 0x202f || c === 0x2009 || c === 0x2007 || c === 0xfeff

/**
 * `[+-]digits[.digits]` between `start` and `end`, without white space. The canonical text is one slice of
 * the source in the usual case, so reading an amount allocates nothing else.
 */
export const plainAmount = (text: string, start: number, end: number): Decimal.Decimal | undefined => {
  if (end - start > maxLength) return undefined
  let at = start
  let negative = false
  const first = text.charCodeAt(at)
  if (first === 45 || first === 43) {
    negative = first === 45
    at++
  }
  const digitsFrom = at
  while (at < end && text.charCodeAt(at) === 48) at++
  const wholeFrom = at
  while (at < end && isDigit(text.charCodeAt(at))) at++
  const wholeTo = at
  let fractionTo = at
  if (at < end && text.charCodeAt(at) === 46) {
    at++
    const fractionFrom = at
    while (at < end && isDigit(text.charCodeAt(at))) at++
    if (at === fractionFrom && wholeTo === digitsFrom) return undefined
    fractionTo = at
    while (fractionTo > fractionFrom && text.charCodeAt(fractionTo - 1) === 48) fractionTo--
    if (fractionTo === fractionFrom) fractionTo = wholeTo
  } else if (wholeTo === digitsFrom) return undefined
  if (at !== end) return undefined
  if (wholeTo === wholeFrom) {
    if (fractionTo === wholeTo) return "0" as Decimal.Decimal
    return ((negative ? "-0" : "0") + text.slice(wholeTo, fractionTo)) as Decimal.Decimal
  }
  if (!negative) return text.slice(wholeFrom, fractionTo) as Decimal.Decimal
  return (
    wholeFrom === digitsFrom ? text.slice(start, fractionTo) : `-${text.slice(wholeFrom, fractionTo)}`
  ) as Decimal.Decimal
}

const isGrouping = (c: number, decimal: number): boolean =>
  c === 39 || c === 0x2019 || isSpace(c) || ((c === 44 || c === 46) && c !== decimal)

const isMinus = (c: number): boolean => c === 45 || c === 0x2212 || c === 0x2013

const currencySigns = "$€£¥₹₽₺₩₪₫₴₱฿₦₡₲₵₸"

const isCurrencyPart = (c: number): boolean =>
  (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 0x142 || currencySigns.includes(String.fromCharCode(c))

const blankAmount = /^(?:[-–—−]{1,3}|n\/?a|null|nil|none)$/i

/** What stands where there is no amount: a dash, `n/a`. */
export const isBlankAmount = (cell: string): boolean => cell.length <= 4 && blankAmount.test(cell)

/** The suffix that some banks print instead of a sign. */
const sideOf = (letters: string): -1 | 0 | 1 => {
  const upper = letters.toUpperCase()
  return upper === "DR" || upper === "DB" ? -1 : upper === "CR" ? 1 : 0
}

/**
 * An amount with grouping, parentheses or a trailing minus as negative, and, when `currencies` is true,
 * a currency sign or code around it. `decimal` is the code of the decimal separator (`.` 46, `,` 44).
 * Groups are checked (`1,23,456` passes, `1,23` does not), so a wrong separator is refused, not misread.
 */
export const groupedAmount = (
  text: string,
  from: number,
  to: number,
  decimal: number,
  currencies: boolean
): Decimal.Decimal | undefined => {
  let start = from
  let end = to
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  if (end === start || end - start > maxLength) return undefined
  let negative = false
  let signs = 0
  if (text.charCodeAt(start) === 40 && text.charCodeAt(end - 1) === 41) {
    negative = true
    start++
    end--
  }
  let whole = ""
  let fraction = ""
  let letters = ""
  let run = 0
  let groups = 0
  // 0 before the digits, 1 in the whole part, 2 in the fraction, 3 after the digits
  let state = 0
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at)
    if (isDigit(c)) {
      if (state === 3) return undefined
      if (state === 2) fraction += text[at]
      else {
        state = 1
        whole += text[at]
        run++
      }
      continue
    }
    if (c === decimal && state < 2) {
      // The full stop of "Rs. 500" belongs to the currency.
      if (state === 0 && !isDigit(text.charCodeAt(at + 1))) {
        if (letters === "") return undefined
        continue
      }
      if (groups > 0 && run !== 3) return undefined
      state = 2
      run = 3
      // "50,-": a dash in place of the minor units
      if (at + 2 === end && isMinus(text.charCodeAt(at + 1))) at++
      continue
    }
    if (state === 1 && isGrouping(c, decimal) && isDigit(text.charCodeAt(at + 1))) {
      if (groups === 0 ? run > 3 : run !== 3 && run !== 2) return undefined
      groups++
      run = 0
      continue
    }
    if (isSpace(c)) {
      if (state === 1 || state === 2) {
        if (groups > 0 && run !== 3) return undefined
        state = 3
      }
      continue
    }
    if (isMinus(c) || c === 43) {
      if (++signs > 1 || negative) return undefined
      if (state === 1 || state === 2) {
        if (groups > 0 && run !== 3) return undefined
        state = 3
      }
      negative = c !== 43
      continue
    }
    if (currencies && isCurrencyPart(c)) {
      if (state === 1 || state === 2) {
        if (groups > 0 && run !== 3) return undefined
        letters = ""
        state = 3
      }
      letters += text[at]
      if (letters.length > 4) return undefined
      continue
    }
    if (currencies && c === 46 && letters !== "" && (state === 0 || state === 3)) continue
    return undefined
  }
  if (state === 0 || whole.length + fraction.length === 0) return undefined
  if (state === 1 && groups > 0 && run !== 3) return undefined
  if (state === 3 && letters !== "") {
    const side = sideOf(letters)
    if (side !== 0 && signs === 0 && !negative) negative = side < 0
  }
  const canonical = `${negative ? "-" : ""}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}`
  return plainAmount(canonical, 0, canonical.length)
}
