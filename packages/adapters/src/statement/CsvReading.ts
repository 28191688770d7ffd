/** How a CSV file is to be read. */
import type { AccountType } from "@millrace/core/provider"
import type { Currency } from "@millrace/core"
import type { CsvOptions } from "@millrace/core/feed"
import type { DateReader } from "./CsvDates.ts"
import type { CsvLayout } from "./CsvLayout.ts"
import type { CsvPreamble } from "./CsvPreamble.ts"
import type { CsvSelection } from "./CsvSelection.ts"
import type { SignPlan } from "./CsvSignPlan.ts"

/** What detection and the overrides came to. */
export interface CsvReading {
  readonly layout: CsvLayout
  readonly selection: CsvSelection
  readonly preamble: CsvPreamble
  readonly dates: DateReader
  /** Code of the decimal separator. */
  readonly decimal: number
  readonly signs: SignPlan
  readonly currency: Currency.Currency
  readonly accountType: AccountType
  readonly options: CsvOptions
}
