/** What the language of a file suggests where the file itself says nothing. */
import type { Language } from "./CsvVocabulary.ts"

export interface Locale {
  /** Currencies of its countries, the likeliest first. */
  readonly currencies: ReadonlyArray<string>
  readonly decimalComma: boolean
}

export const locales: Readonly<Record<Exclude<Language, "en">, Locale>> = {
  de: { currencies: ["EUR", "CHF"], decimalComma: true },
  fr: { currencies: ["EUR", "CHF", "CAD", "XOF", "XAF", "MAD", "TND"], decimalComma: true },
  es: {
    currencies: ["EUR", "MXN", "ARS", "COP", "CLP", "PEN", "UYU", "CRC", "GTQ", "DOP", "BOB", "PYG", "USD"],
    decimalComma: true
  },
  it: { currencies: ["EUR", "CHF"], decimalComma: true },
  nl: { currencies: ["EUR"], decimalComma: true },
  pt: { currencies: ["EUR", "BRL", "AOA", "MZN"], decimalComma: true },
  pl: { currencies: ["PLN"], decimalComma: true },
  cs: { currencies: ["CZK", "EUR"], decimalComma: true },
  hu: { currencies: ["HUF"], decimalComma: true },
  sv: { currencies: ["SEK", "EUR"], decimalComma: true },
  da: { currencies: ["DKK", "NOK"], decimalComma: true },
  fi: { currencies: ["EUR"], decimalComma: true },
  et: { currencies: ["EUR", "EEK"], decimalComma: true },
  lv: { currencies: ["EUR", "LVL"], decimalComma: true },
  lt: { currencies: ["EUR", "LTL"], decimalComma: true },
  ro: { currencies: ["RON", "MDL"], decimalComma: true },
  hr: { currencies: ["EUR", "HRK", "RSD", "BAM"], decimalComma: true },
  tr: { currencies: ["TRY"], decimalComma: true },
  ru: { currencies: ["RUB", "UAH", "BYN", "KZT"], decimalComma: true }
}
