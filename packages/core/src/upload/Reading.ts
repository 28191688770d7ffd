/** What a file is read with: a reading is a function of its bytes and this. */
import type { Currency } from "../shared/Currency.ts"
import type { Digest } from "../shared/Digest.ts"
import type { CsvOptions } from "../feed/CsvOptions.ts"
import type { StatementFormat, StatementOptions } from "./Statement.ts"

/** What a feed and its workspace say about how its files are read. */
export interface ReadingOptions {
  readonly baseCurrency: Currency
  readonly csv: CsvOptions | undefined
}

export const statementOptions = (fileName: string, { baseCurrency, csv }: ReadingOptions): StatementOptions => ({
  fileName,
  baseCurrency,
  ...(csv === undefined ? {} : { csv })
})

/** With the keys of all objects in one order, so that what says the same is the same. */
const canonical = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, canonical(inner)])
      )
    : value

/** What of the options of CSV counts for files of other formats that say as little of themselves. */
const counting: Readonly<Record<StatementFormat, ReadonlyArray<keyof CsvOptions> | "all">> = {
  csv: "all",
  ofx: [],
  camt: [],
  mt940: ["encoding"],
  qif: ["encoding", "decimal", "dateFormat", "currency", "accountNumber", "negate"]
}

const optionsOf = (format: StatementFormat, csv: CsvOptions = {}): CsvOptions => {
  const keys = counting[format]
  if (keys === "all") return csv
  return Object.fromEntries(keys.filter((key) => csv[key] !== undefined).map((key) => [key, csv[key]]))
}

/** Equal for what reads a file alike. What only concerns other formats is left out. */
export const readingKey = (
  format: StatementFormat,
  { baseCurrency, csv }: ReadingOptions,
  digest: Digest["Service"]
): string => {
  const own = optionsOf(format, csv)
  const said = Object.keys(own).length > 0 ? own : undefined
  return digest.contentHash(JSON.stringify(canonical({ baseCurrency, csv: said })))
}
