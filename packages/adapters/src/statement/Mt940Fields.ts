/** Values of the fields of MT940 and MT942 (SWIFT User Handbook, category 9): days, amounts, balances, accounts. */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import { parseIban } from "@millrace/core/bank"
import { plainAmount } from "./AmountText.ts"

const fullYear = (year: number): number => (year < 80 ? 2000 + year : 1900 + year)

/** The day of `YYMMDD`; of the last of February where the text says the 29th or 30th, as calendars of interest do. */
export const mtDate = (text: string): CalendarDate.CalendarDate | undefined => {
  if (!/^\d{6}$/.test(text)) return undefined
  const year = fullYear(Number(text.slice(0, 2)))
  const month = Number(text.slice(2, 4))
  const day = Number(text.slice(4))
  const longest = month === 2 && day <= 30 ? CalendarDate.daysInMonth(year, month) : 31
  return CalendarDate.fromParts(year, month, Math.min(day, longest))
}

/** The day of `MMDD` that lies nearest to another one: bookings stand without their year. */
export const nearestDay = (text: string, to: CalendarDate.CalendarDate): CalendarDate.CalendarDate | undefined => {
  const year = Number(to.slice(0, 4))
  let best: CalendarDate.CalendarDate | undefined
  for (const candidate of [year, year - 1, year + 1]) {
    const date = CalendarDate.fromParts(candidate, Number(text.slice(0, 2)), Number(text.slice(2)))
    if (date === undefined) continue
    if (
      best === undefined ||
      Math.abs(CalendarDate.daysBetween(date, to)) < Math.abs(CalendarDate.daysBetween(best, to))
    )
      best = date
  }
  return best
}

/** `15d`: digits with a comma as the decimal sign. A point instead is read alike. */
export const mtAmount = (text: string): Decimal.Decimal | undefined => {
  if (!/^\d{1,30}(?:[,.]\d{0,15})?$/.test(text)) return undefined
  const plain = text.replace(",", ".")
  return plainAmount(plain, 0, plain.endsWith(".") ? plain.length - 1 : plain.length)
}

export interface MtBalance {
  readonly date: CalendarDate.CalendarDate
  readonly currency: Currency.Currency
  readonly amount: Decimal.Decimal
}

const balance = /^([CD])(\d{6})([A-Z]{3})([\d,.]{1,40})$/

/** Fields 60, 62, 64 and 65. */
export const mtBalance = (text: string): MtBalance | undefined => {
  const found = balance.exec(text.trim())
  if (found === null) return undefined
  const date = mtDate(found[2]!)
  const currency = Currency.parse(found[3]!)
  const amount = mtAmount(found[4]!)
  if (date === undefined || currency === undefined || amount === undefined) return undefined
  return { date, currency, amount: found[1] === "D" ? Decimal.negate(amount) : amount }
}

export interface MtAccount {
  readonly bankId: string
  readonly number: string
  readonly currency: Currency.Currency | undefined
}

const currencyBehind = /^(.*\d)\s*\/?\s*([A-Z]{3})$/

/** Field 25: an IBAN, a number, or bank and number with `/` between, and the currency behind where a bank writes it. */
export const mtAccount = (text: string): MtAccount => {
  const whole = text.trim()
  if (parseIban(whole) !== undefined) return { bankId: "", number: whole, currency: undefined }
  const found = currencyBehind.exec(whole)
  const currency = found === null ? undefined : Currency.parse(found[2]!)
  const rest = currency === undefined ? whole : found![1]!
  const slash = rest.indexOf("/")
  const number = slash < 0 ? rest : rest.slice(slash + 1)
  const isIban = parseIban(number) !== undefined
  return { bankId: slash < 0 || isIban ? "" : rest.slice(0, slash).trim(), number: number.trim(), currency }
}
