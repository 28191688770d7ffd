/**
 * What a bank statement file says, whatever its format (decisions 7.1).
 *
 * A reader gives these values or one `StatementFault`; it never gives half a file.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { AccountType } from "../account/AccountType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Decimal } from "../shared/Decimal.ts"

export const statementFormats = ["ofx", "csv"] as const
export type StatementFormat = (typeof statementFormats)[number]

/** One booked movement as the file states it. `amount` is signed: negative = money leaves the account. */
export interface StatementRow {
  /** Line of the file the row begins on, from 1. */
  readonly line: number
  /** The bank's own id of the movement (OFX FITID ...), `""` when the file gives none. */
  readonly providerId: string
  readonly date: CalendarDate
  readonly authorizedDate?: CalendarDate
  readonly amount: Decimal
  /** The amount exactly as it stands in the file: kept as evidence. */
  readonly amountText: string
  readonly currency: Currency
  readonly description: string
  readonly originalDescription: string
  readonly merchantName?: string
  /** One of the transaction types of decisions 4.2 (`CARD`, `ATM`, `FEE` ...). */
  readonly type: string
  readonly category?: string
  /** Cheque number, payment reference ...; `""` when there is none. */
  readonly reference: string
  readonly pending: boolean
}

export interface StatementAccount {
  /** Stable over files of the same account: normalised IBAN, or bank id + account number + type. */
  readonly key: string
  /** The full number as in the file; only its masked form is ever shown. `""` when unknown. */
  readonly number: string
  readonly name: string
  readonly type: AccountType
  readonly currency: Currency
  /** Period that the file says it covers. */
  readonly from?: CalendarDate
  readonly to?: CalendarDate
  readonly openingBalance?: Decimal
  readonly closingBalance?: Decimal
  readonly availableBalance?: Decimal
  readonly balanceDate?: CalendarDate
  readonly rows: ReadonlyArray<StatementRow>
  /**
   * opening + sum - closing (or the running balances of the rows), when the file states enough to tell:
   * `"0"` ties out, anything else is what is missing.
   */
  readonly difference?: Decimal
}

export interface Statement {
  readonly format: StatementFormat
  readonly accounts: ReadonlyArray<StatementAccount>
  /** Decisions the reader took where the file does not say: `{ delimiter: ";", dateFormat: "DD.MM.YYYY" ...}`. */
  readonly assumed: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
}

/** Overrides of what CSV detection would assume: `sourceConfig.csv` (decisions 7.2). */
export const CsvOptions = Schema.Struct({
  delimiter: Schema.optionalKey(Schema.Literals([",", ";", "\t", "|"])),
  encoding: Schema.optionalKey(Schema.Literals(["utf-8", "windows-1252", "utf-16le", "utf-16be"])),
  decimal: Schema.optionalKey(Schema.Literals([".", ","])),
  /** Tokens `YYYY`, `YY`, `MM`, `M`, `DD`, `D`, `MMM` and separators. */
  dateFormat: Schema.optionalKey(Schema.String.check(Schema.isMinLength(4), Schema.isMaxLength(20))),
  /** Field of ours -> header (or 1-based number) of the column. */
  columns: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** True where the file writes money that leaves as a positive number. */
  negate: Schema.optionalKey(Schema.Boolean),
  accountNumber: Schema.optionalKey(Schema.String),
  currency: Schema.optionalKey(Schema.String)
})
export type CsvOptions = typeof CsvOptions.Type

export interface StatementOptions {
  readonly fileName: string
  /** Used where neither the file nor the options name a currency; reported in `assumed`. */
  readonly baseCurrency: Currency
  readonly csv?: CsvOptions
}

/** Why a file cannot be read: what is wrong, and where. Nothing of the file is stored. */
export class StatementFault extends Schema.TaggedError<StatementFault>()("StatementFault", {
  message: Schema.String,
  /** Line of the file, from 1. */
  line: Schema.optionalKey(Schema.Int),
  /** OFX element (`STMTTRN.DTPOSTED`) or CSV column. */
  element: Schema.optionalKey(Schema.String)
}) {}

/** Port: reads a whole statement file, format detected by content. */
export class StatementReader extends Context.Service<
  StatementReader,
  {
    readonly read: (bytes: Uint8Array, options: StatementOptions) => Effect.Effect<Statement, StatementFault>
  }
>()("@millrace/core/upload/Statement/StatementReader") {}
