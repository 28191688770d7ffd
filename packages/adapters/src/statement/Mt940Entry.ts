/** Field 61, one movement: value date, booking day, side, amount, kind and references. */
import { type CalendarDate, Decimal, limits } from "@millrace/core"
import { mtAmount, mtDate, nearestDay } from "./Mt940Fields.ts"

export interface MtEntry {
  /** The day of booking; the value date where the bank names none. */
  readonly date: CalendarDate.CalendarDate
  readonly valueDate: CalendarDate.CalendarDate
  readonly amount: Decimal.Decimal
  readonly amountText: string
  /** An entry that is expected (MT942), not booked. */
  readonly isExpected: boolean
  readonly isReversal: boolean
  /** Three letters or digits: `TRF`, `166`. */
  readonly code: string
  /** What the holder called the payment; `""` for none. */
  readonly reference: string
  /** The bank's own reference; `""` for none. */
  readonly bankReference: string
}

/** Why a movement cannot be read. */
export interface MtProblem {
  readonly problem: string
}

/**
 * Value date; booking day or blanks; mark: credit, debit, their reversals and what is expected; the third letter of
 * the currency; amount; kind; references. The mark and the letter are distinguished by their order: `CR`, `RC`, `RCR`.
 */
const entry = /^(\d{6})(\d{4}|[ ]{4})? ?([RE]?[CD])([A-Z])? ?([\d,.]{1,40})(?:([A-Z][A-Z0-9 ]{3})(.*))?$/

/** Where a bank has no reference, it says so. */
const none = /^(?:NONREF|NOREF|NOTPROVIDED|NONE|NOT PROVIDED|N\/A|[0\s.-]*)$/i

export const meaningfulReference = (text: string): string => {
  const reference = text.trim()
  return none.test(reference) ? "" : reference
}

/** The first line of the field. */
export const mtEntry = (line: string): MtEntry | MtProblem => {
  const text = line.trim()
  const found = entry.exec(text)
  const shown = `"${text.slice(0, 40)}"`
  if (found === null) {
    return {
      problem: `${shown} is no movement: a value date (YYMMDD), C or D and an amount such as 12,50 are expected`
    }
  }
  const [, value = "", booked = "", mark = "", , amountText = "", kind = "", references = ""] = found
  const valueDate = mtDate(value)
  if (valueDate === undefined) return { problem: `"${value}" is not a date` }
  const date = /^\d/.test(booked) ? nearestDay(booked, valueDate) : valueDate
  if (date === undefined) return { problem: `"${booked}" is not a day of booking` }
  const amount = mtAmount(amountText)
  if (amount === undefined) return { problem: `"${amountText}" is not an amount` }
  if (Decimal.wholeDigits(amount) > limits.amountWholeDigits) {
    return { problem: `"${amountText}" is too large: at most ${limits.amountWholeDigits} digits` }
  }
  const slashes = references.indexOf("//")
  // The reversal of a credit takes money out, that of a debit brings it back.
  const leaves = mark === "D" || mark === "RC" || mark === "ED"
  return {
    date,
    valueDate,
    amount: leaves ? Decimal.negate(amount) : amount,
    amountText: `${mark}${amountText}`,
    isExpected: mark.startsWith("E"),
    isReversal: mark.startsWith("R"),
    code: kind.slice(1).trim(),
    reference: meaningfulReference(slashes < 0 ? references : references.slice(0, slashes)),
    bankReference: slashes < 0 ? "" : meaningfulReference(references.slice(slashes + 2))
  }
}
