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

/** Equal for what reads a file alike. What only concerns other formats is left out. */
export const readingKey = (
  format: StatementFormat,
  { baseCurrency, csv }: ReadingOptions,
  digest: Digest["Service"]
): string => {
  const own = format === "csv" && csv !== undefined && Object.keys(csv).length > 0 ? csv : undefined
  return digest.contentHash(JSON.stringify(canonical({ baseCurrency, csv: own })))
}
