/** How the CSV files of a feed are read, where detection is not enough (decisions 7.2). */
import * as Schema from "effect/Schema"
import * as CurrencyCode from "../shared/Currency.ts"

/** What a column of a CSV file may hold: the keys of `sourceConfig.csv.columns`. */
export const csvFields = [
  "date",
  "authorizedDate",
  "valueDate",
  "amount",
  "debit",
  "credit",
  "sign",
  "type",
  "description",
  "originalDescription",
  "payee",
  "reference",
  "id",
  "category",
  "balance",
  "currency",
  "account",
  "accountName",
  "status",
  "note"
] as const
export type CsvField = (typeof csvFields)[number]

/** Encodings that are read besides those of the Encoding standard: tables of DOS, which old programs of banks still write. */
const dosEncodings = ["ibm850", "ibm852"] as const
export type DosEncoding = (typeof dosEncodings)[number]

const isEncoding = (label: string): boolean => {
  if ((dosEncodings as ReadonlyArray<string>).includes(label)) return true
  try {
    return new TextDecoder(label).encoding !== "replacement"
  } catch {
    return false
  }
}

const csvText = Schema.String.check(Schema.isMaxLength(100))

/** A header, a column number from 1, or `""` where the file has no such column. */
const csvColumn = Schema.Union([csvText, Schema.Array(csvText).check(Schema.isMinLength(1), Schema.isMaxLength(20))])

const csvColumns = Schema.Record(Schema.String, csvColumn).check(
  Schema.makeFilter((columns) => {
    const unknown = Object.keys(columns).find((field) => !(csvFields as ReadonlyArray<string>).includes(field))
    return unknown === undefined || `"${unknown}" is not a field; known are ${csvFields.join(", ")}`
  })
)

/** Overrides of what CSV detection would assume: `sourceConfig.csv` (decisions 7.2). */
export const CsvOptions = Schema.Struct({
  /** The character between cells. */
  delimiter: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[^\p{L}\p{N}"\r\n\0\ufeff\ud800-\udfff]$/u, {
        message: "must be one character that is no letter, digit, quote or line break"
      })
    )
  ),
  /** A label of the Encoding standard (`utf-8`, `windows-1252`, `iso-8859-2`, `shift_jis` ...), `ibm850` or `ibm852`. */
  encoding: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (label) => isEncoding(label) || "must be an encoding such as utf-8, windows-1252, iso-8859-2 or shift_jis"
      )
    )
  ),
  decimal: Schema.optionalKey(Schema.Literals([".", ","])),
  /** Tokens `YYYY`, `YY`, `MM`, `M`, `DD`, `D`, `MMM` and separators. */
  dateFormat: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^(?=.*D)(?=.*M)(?=.*Y)[DMY\s./,_-]{3,20}$/, {
        message: "must name day, month and year, such as DD.MM.YYYY, M/D/YY or D MMM YYYY"
      })
    )
  ),
  /** Line of the header, from 1; 0 where the file has none. */
  headerLine: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
  /** Field of ours -> its column, or several (of descriptions and references). */
  columns: Schema.optionalKey(csvColumns),
  /** True where the file writes money that leaves as a positive number, false where the signs are right. */
  negate: Schema.optionalKey(Schema.Boolean),
  /** True where the balances count what is owed, false where they count what is there. */
  negateBalance: Schema.optionalKey(Schema.Boolean),
  /** A minus in a debit or credit column: `ignore` it, or `keep` it as money that goes the other way. */
  sideSigns: Schema.optionalKey(Schema.Literals(["ignore", "keep"])),
  accountNumber: Schema.optionalKey(csvText),
  currency: Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (code) => CurrencyCode.parse(code) !== undefined || "must be a currency code such as EUR, or x:<code>"
      )
    )
  )
})
export type CsvOptions = typeof CsvOptions.Type
