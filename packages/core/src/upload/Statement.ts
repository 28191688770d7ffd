/**
 * What a bank statement file says, whatever its format (decisions 7.1).
 *
 * A reader gives these values or one `StatementFault`. Rows that cannot be read are named one by one beside the
 * rows that can; where the rows show that the file is not understood as a whole, it is a fault.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { CsvOptions } from "../feed/CsvOptions.ts"
import type { AccountType } from "../provider/AccountType.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Currency } from "../shared/Currency.ts"
import type { Decimal } from "../shared/Decimal.ts"

export const statementFormats = ["ofx", "csv", "qif", "camt", "mt940"] as const
export type StatementFormat = (typeof statementFormats)[number]

/** One booked movement as the file states it. `amount` is signed: negative = money leaves the account. */
export interface StatementRow {
  /** Line of the file the row begins on, from 1. */
  readonly line: number
  /** The bank's own id of the movement (FITID, AcctSvcrRef ...), `""` when the file gives none. */
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
  /** Number of the bank or branch, where the file states it apart from the account's. */
  readonly bankId?: string
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

/** A row that books nothing: what is wrong with it, and where. */
export interface RefusedRow {
  /** Line of the file at which it is wrong, from 1. */
  readonly line: number
  /** Place in that line, from 1. */
  readonly column?: number
  /** Element, field or column. */
  readonly element?: string
  readonly message: string
}

export interface Statement {
  readonly format: StatementFormat
  readonly accounts: ReadonlyArray<StatementAccount>
  /** Rows that could not be read, in the order of the file: quarantined one by one. */
  readonly refused?: ReadonlyArray<RefusedRow>
  /** Decisions the reader took where the file does not say: `{ delimiter: ";", dateFormat: "DD.MM.YYYY" ...}`. */
  readonly assumed: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
}

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
  /** Place in that line, from 1. */
  column: Schema.optionalKey(Schema.Int),
  /** Element (`STMTTRN.DTPOSTED`, `Ntry.Amt`), field (`:61:`) or column. */
  element: Schema.optionalKey(Schema.String)
}) {}

/** Port: reads a whole statement file, format detected by content. */
export class StatementReader extends Context.Service<
  StatementReader,
  {
    readonly read: (bytes: Uint8Array, options: StatementOptions) => Effect.Effect<Statement, StatementFault>
  }
>()("@millrace/core/upload/Statement/StatementReader") {}
