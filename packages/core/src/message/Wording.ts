/** Amounts and days as people of a locale write them. Amounts stay exact: no digit is lost on the way. */
import type * as CalendarDate from "../shared/CalendarDate.ts"
import * as Currency from "../shared/Currency.ts"
import * as Decimal from "../shared/Decimal.ts"

/** Formats are costly to make, and a workspace uses few. */
const numbers = new Map<string, Intl.NumberFormat>()
const days = new Map<string, Intl.DateTimeFormat>()
const most = 200

const kept = <A>(all: Map<string, A>, key: string, make: () => A): A => {
  let found = all.get(key)
  if (found === undefined) {
    found = make()
    if (all.size >= most) all.clear()
    all.set(key, found)
  }
  return found
}

/** The locale itself, or English where it is none. */
const knownLocale = (locale: string): string => {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? "en"
  } catch {
    return "en"
  }
}

const numberFormat = (locale: string, least: number, currency?: Currency.Currency): Intl.NumberFormat =>
  kept(numbers, `${locale} ${least} ${currency}`, () => {
    const digits = { minimumFractionDigits: least, maximumFractionDigits: Math.max(least, 20) }
    const known = knownLocale(locale)
    return currency === undefined
      ? new Intl.NumberFormat(known, digits)
      : new Intl.NumberFormat(known, { ...digits, style: "currency", currency, currencyDisplay: "narrowSymbol" })
  })

/** `format` takes decimals as text, which its types do not say of all of them. */
const formatted = (format: Intl.NumberFormat, value: Decimal.Decimal): string =>
  format.format(value as Intl.StringNumericLiteral)

/** `−1.250,00 €`, or the bare number where no currency is known. */
export const moneyText = (amount: Decimal.Decimal, currency: string | undefined, locale: string): string => {
  const known = currency === undefined ? undefined : Currency.parse(currency)
  if (known === undefined) return formatted(numberFormat(locale, Math.min(20, Decimal.scale(amount))), amount)
  const least = Math.max(Currency.minorDigits(known), Math.min(20, Decimal.scale(amount)))
  return formatted(numberFormat(locale, least, known), amount)
}

/** `FOOD_AND_DRINK` -> `Food and drink`; what is written otherwise stays as it is. */
export const labelText = (text: string): string => {
  if (!/^[A-Z][A-Z0-9_]*$/.test(text)) return text
  const words = text.replaceAll("_", " ").toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** `20 Mar 2026`. */
export const dayText = (day: CalendarDate.CalendarDate, locale: string): string =>
  kept(
    days,
    locale,
    () => new Intl.DateTimeFormat(knownLocale(locale), { dateStyle: "medium", timeZone: "UTC" })
  ).format(Date.parse(`${day}T00:00:00.000Z`))
