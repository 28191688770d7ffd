/**
 * Reads rates between currencies: the history that the European Central Bank publishes as CSV, or a JSON document
 * (enrichments A12.4).
 */
import {
  CalendarDate,
  Currency,
  type CurrencyCode,
  Decimal,
  type DecimalText,
  RateTable,
  StrictDecoding
} from "@millrace/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const Document = Schema.Struct({
  /** One unit of it is worth what is given of the others. */
  base: Currency.Currency,
  /** Day -> currency -> what one unit of the base is worth in it. */
  days: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Number])))
})

type Quote = readonly [CurrencyCode, DecimalText]

const quoteOf = (code: string, text: string): Quote | string => {
  const currency = Currency.parse(code)
  if (currency === undefined) return `"${code}" is no currency`
  const rate = Decimal.parse(text)
  if (rate === undefined || Decimal.sign(rate) <= 0)
    return `"${text}" of ${code} is no rate: a number above 0 is needed`
  return [currency, rate]
}

const ofDocument = (text: string, version: string): Result.Result<RateTable.RateTable, string> => {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return Result.fail("is not JSON: check its commas, quotes and brackets")
  }
  const read = StrictDecoding.decode(Document, json)
  if (Result.isFailure(read)) {
    return Result.fail(read.failure.map(({ field, message }) => `${field} ${message}`.trim()).join("; "))
  }
  const { base, days } = read.success
  const all: Array<RateTable.RateDay> = []
  for (const [day, given] of Object.entries(days)) {
    const date = CalendarDate.parse(day)
    if (date === undefined) return Result.fail(`days.${day} is not a date of the form YYYY-MM-DD`)
    const quotes = Object.entries(given).map(([code, value]) => quoteOf(code, String(value)))
    const fault = quotes.find((one) => typeof one === "string")
    if (fault !== undefined) return Result.fail(`days.${day}: ${fault}`)
    all.push({ date, quotes: new Map(quotes.filter((one) => typeof one !== "string")) })
  }
  return Result.succeed(RateTable.rateTable(version, base, all))
}

const absent: ReadonlySet<string> = new Set(["", "N/A", "-"])

/** A line for each day, a column for each currency; what one euro is worth. */
const ofCsv = (text: string, version: string): Result.Result<RateTable.RateTable, string> => {
  const [head = "", ...lines] = text.split(/\r?\n/u)
  const codes = head.split(",").map((cell) => cell.trim())
  const all: Array<RateTable.RateDay> = []
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue
    const [day = "", ...cells] = line.split(",").map((cell) => cell.trim())
    const date = CalendarDate.parse(day)
    if (date === undefined) return Result.fail(`line ${at + 2}: "${day}" is not a date of the form YYYY-MM-DD`)
    const quotes: Array<Quote> = []
    for (const [n, cell] of cells.entries()) {
      const code = codes[n + 1] ?? ""
      if (code === "" || absent.has(cell)) continue
      const quote = quoteOf(code, cell)
      if (typeof quote === "string") return Result.fail(`line ${at + 2}: ${quote}`)
      quotes.push(quote)
    }
    all.push({ date, quotes: new Map(quotes) })
  }
  return Result.succeed(RateTable.rateTable(version, Currency.make("EUR"), all))
}

/** The table, or what is wrong with the text. `version` names its content. */
export const readRates = (text: string, version: string): Result.Result<RateTable.RateTable, string> => {
  const plain = text.replace(/^\uFEFF/u, "").trimStart()
  if (plain.startsWith("{")) return ofDocument(plain, version)
  return /^date\s*,/iu.test(plain)
    ? ofCsv(plain, version)
    : Result.fail('must be JSON with "base" and "days", or CSV that begins with "Date,"')
}
