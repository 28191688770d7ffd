/** Small values of answers: words, days, currencies, products. */
import { createHash } from "node:crypto"
import { CalendarDate, Currency, type DecimalText, Decimal } from "@millrace/core"

/** Text without white space around it; `undefined` where nothing is left. */
export const wordsOf = (text: string | null | undefined): string | undefined => {
  const words = text?.toWellFormed().replaceAll("\u0000", "").trim()
  return words === undefined || words === "" ? undefined : words
}

/** The day of a date or of an instant, as it is written: no zone is converted, since many brokers give days alone. */
export const dayOf = (text: string | null | undefined): CalendarDate.CalendarDate | undefined =>
  text === undefined || text === null ? undefined : CalendarDate.ofText(text.trim())

/** An ISO 4217 code, or an unofficial one such as that of a coin. */
export const currencyOf = (code: string | null | undefined): Currency.Currency | undefined => {
  const written = wordsOf(code)
  return written === undefined ? undefined : (Currency.parse(written) ?? Currency.parse(`x:${written}`))
}

/** Exact product. */
export const times = (a: DecimalText, b: DecimalText): DecimalText => {
  const [left, right] = [Decimal.scale(a), Decimal.scale(b)]
  return Decimal.fromUnits(Decimal.toUnits(a, left) * Decimal.toUnits(b, right), left + right)
}

/** An https address that a browser may be shown. */
export const addressOf = (text: string | null | undefined): string | undefined => {
  const written = wordsOf(text)
  return written !== undefined && URL.canParse(written) && new URL(written).protocol === "https:" ? written : undefined
}

/** A key that an account is known by again, made of what must not be kept as it is: its number, or the bank's own id. */
export const accountKey = (...parts: ReadonlyArray<string>): string =>
  createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 22)
