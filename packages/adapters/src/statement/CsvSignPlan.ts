/** What decides the signs of a file, and what is decided. */
import type { AccountType } from "@millrace/core/provider"
import type { CsvOptions } from "@millrace/core/feed"
import type { CsvLayout } from "./CsvLayout.ts"
import type { CsvProfile } from "./CsvProfiles.ts"
import type { CsvSelection } from "./CsvSelection.ts"

export interface SignPlan {
  /** Turns every amount round, after what `rows` says. */
  readonly negate: boolean
  /** The balance column counts what is owed. */
  readonly negateBalance: boolean
  /** Sign of each movement in the order of the selection, 0 where the printed one holds; absent = all printed. */
  readonly rows: Int8Array | undefined
  /** A minus in the debit column is a sign of its own: money that comes back. */
  readonly printedDebit: boolean
  /** No minus in the credit column means anything. */
  readonly plainCredit: boolean
  readonly assumed: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
}

export interface SignInput {
  readonly layout: CsvLayout
  readonly selection: CsvSelection
  /** Code of the decimal separator. */
  readonly decimal: number
  readonly options: CsvOptions
  readonly profile: CsvProfile | undefined
  /** What the preamble, the profile or the name of the account says. */
  readonly accountType: AccountType
}

/** A plan under construction. */
export interface SignDraft {
  negate: boolean
  negateBalance: boolean
  rows: Int8Array | undefined
  printedDebit: boolean
  plainCredit: boolean
  readonly assumed: Record<string, string>
  readonly warnings: Array<string>
}

// How people override what a warning says.
export const override = "set sourceConfig.csv.negate to override"
export const overrideWords =
  'set sourceConfig.csv.columns.sign to the column of words, or to "" for the signs, to override'
export const overrideBalance = "set sourceConfig.csv.negateBalance to override"
