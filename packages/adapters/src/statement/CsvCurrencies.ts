/** The currency of a file: what it states counts before what its language, its numbers and the workspace suggest. */
import { parseIban } from "@millrace/core/bank"
import { Currency } from "@millrace/core"
import { StatementFault, type StatementOptions } from "@millrace/core/upload"
import type { CsvLayout } from "./CsvLayout.ts"
import { comma } from "./CsvDecimals.ts"
import { languageOf } from "./CsvHeaders.ts"
import { locales } from "./CsvLocales.ts"
import type { CsvPreamble } from "./CsvPreamble.ts"
import type { CsvMovements } from "./CsvMovements.ts"
import { amountColumnsOf, type CsvSelection } from "./CsvSelection.ts"

export interface CsvCurrency {
  readonly currency: Currency.Currency
  /** Why it was chosen, where nothing states it. */
  readonly guess: string | undefined
}

/** Countries of IBANs outside of the euro. */
const ofCountry: ReadonlyMap<string, string> = new Map(
  (
    "AE:AED AL:ALL AZ:AZN BA:BAM BG:BGN BH:BHD BI:BIF BR:BRL BY:BYN CH:CHF CR:CRC CZ:CZK DJ:DJF DK:DKK DO:DOP EG:EGP FK:FKP FO:DKK GB:GBP GE:GEL GI:GIP GL:DKK GT:GTQ HN:HNL " +
    "HU:HUF IL:ILS IQ:IQD IS:ISK JO:JOD KW:KWD KZ:KZT LB:LBP LI:CHF LY:LYD MD:MDL MK:MKD MN:MNT MR:MRU MU:MUR NI:NIO NO:NOK OM:OMR PK:PKR PL:PLN PS:ILS QA:QAR RO:RON RS:RSD RU:RUB SA:SAR SC:SCR " +
    "SD:SDG SE:SEK SO:SOS ST:STN SV:USD TL:USD TN:TND TR:TRY UA:UAH VG:USD YE:YER"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string])
)
const euroCountries = new Set(
  "AD AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK".split(" ")
)

/** The currency of the country that an IBAN is of. */
const currencyOfIban = (iban: string): Currency.Currency | undefined => {
  const country = iban.slice(0, 2)
  return Currency.parse(euroCountries.has(country) ? "EUR" : (ofCountry.get(country) ?? ""))
}

const pointCurrencies = new Set("USD GBP AUD CAD NZD SGD HKD JPY CNY INR ZAR MXN ILS THB PHP MYR TWD KRW".split(" "))
const dollars = new Set("USD CAD AUD NZD SGD HKD MXN TWD ARS CLP COP BBD BSD BZD FJD JMD TTD XCD".split(" "))

const codeInCell = /(?:^|[\s\d.,'’+()-])([A-Z]{3})(?=$|[\s\d.,'’+()-])/
const signInCell: ReadonlyArray<readonly [RegExp, string]> = [
  [/zł/i, "PLN"],
  [/kč/i, "CZK"],
  [/\bft\b/i, "HUF"],
  [/₽/, "RUB"],
  [/₺/, "TRY"],
  [/₴/, "UAH"],
  [/₹/, "INR"],
  [/₪/, "ILS"],
  [/₩/, "KRW"],
  [/us\$/i, "USD"],
  [/r\$/i, "BRL"],
  [/(?:ca|c)\$/i, "CAD"],
  [/(?:au|a)\$/i, "AUD"],
  [/\bfr\.?(?=[\s\d]|$)/i, "CHF"]
]

/** What the amounts themselves name, when all of the first rows that name something name the same. */
const ofCells = (layout: CsvLayout, { first, table }: CsvMovements): Currency.Currency | undefined => {
  const found = new Set<string>()
  for (const row of first.slice(0, 50)) {
    for (const column of amountColumnsOf(layout)) {
      if (!table.locate(row, column) || table.to - table.from > 40) continue
      const cell = table.text.slice(table.from, table.to)
      const code = Currency.parse(codeInCell.exec(cell)?.[1] ?? "")
      const sign = code ?? signInCell.find(([pattern]) => pattern.test(cell))?.[1]
      if (sign !== undefined) found.add(sign)
    }
  }
  return found.size === 1 ? Currency.parse([...found][0]!) : undefined
}

/** The number that every movement of the file is booked on, when the file names it. */
const ownNumber = (layout: CsvLayout, preamble: CsvPreamble, options: StatementOptions): string => {
  if (options.csv?.accountNumber !== undefined) return options.csv.accountNumber
  const { account } = layout.single
  const distinct = account < 0 ? undefined : layout.contents[account]?.distinct
  return distinct?.size === 1 ? [...distinct][0]! : preamble.number
}

const byLocale = (
  layout: CsvLayout,
  selection: CsvSelection,
  decimal: number,
  base: Currency.Currency
): readonly [currency: string, why: string] | undefined => {
  const { decimals } = selection
  if (decimals.hasDollar) return dollars.has(base) ? undefined : ["USD", "the amounts have a dollar sign"]
  if (decimals.apostrophes && base !== "CHF") return ["CHF", "the amounts are grouped as in Switzerland"]
  const language = languageOf(layout.headers)
  if (language !== undefined && language !== "en") {
    const { currencies, decimalComma } = locales[language]
    if (currencies.includes(base)) return undefined
    // With decimal points a language is no proof of its country.
    const plural = decimalComma && decimal !== comma && decimals.certainPoints
    if (!plural) return [currencies[0]!, "the language of the file suggests it"]
  }
  return decimal === comma && decimals.certainCommas && pointCurrencies.has(base)
    ? ["EUR", "the amounts have a decimal comma"]
    : undefined
}

/** The currency of rows that name none. */
export const chooseCurrency = (
  layout: CsvLayout,
  selection: CsvSelection,
  preamble: CsvPreamble,
  decimal: number,
  options: StatementOptions
): CsvCurrency | StatementFault => {
  const wanted = options.csv?.currency
  if (wanted !== undefined) {
    const currency = Currency.parse(wanted)
    return currency === undefined
      ? new StatementFault({ message: `currency "${wanted}" is not a currency code`, line: 1, element: "currency" })
      : { currency, guess: undefined }
  }
  const { hasDollar, hasEuro, hasPound } = selection.decimals
  const single = Number(hasEuro) + Number(hasPound) + Number(hasDollar) === 1
  const signed = single && !hasDollar ? Currency.make(hasEuro ? "EUR" : "GBP") : undefined
  const main = [layout.single.amount, layout.single.debit, layout.single.credit].find((column) =>
    layout.units.has(column)
  )
  const stated =
    (main === undefined ? undefined : layout.units.get(main)) ??
    preamble.currency ??
    ofCells(layout, selection.movements) ??
    signed
  if (stated !== undefined) return { currency: stated, guess: undefined }
  const iban = parseIban(ownNumber(layout, preamble, options))
  const ofIban = iban === undefined ? undefined : currencyOfIban(iban)
  if (ofIban !== undefined) return { currency: ofIban, guess: "the account is of a country that has it" }
  const base = options.baseCurrency
  const local = byLocale(layout, selection, decimal, base)
  const currency = local === undefined ? undefined : Currency.parse(local[0])
  return currency === undefined
    ? { currency: base, guess: "it is the currency of the workspace" }
    : { currency, guess: local![1] }
}
