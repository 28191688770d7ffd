/** A row of a statement, whatever its format. */
import { CalendarDate, Currency, Decimal } from "@millrace/core"
import type { StatementRow } from "@millrace/core/upload"

export type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/**
 * A row with all of its properties inside the object: a literal that grows later costs twice the memory. `""` stands for
 * a merchant or category that is not known.
 */
export class StatedRow implements Mutable<StatementRow> {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new StatedRow(
    1,
    "",
    CalendarDate.make("2000-01-01"),
    Decimal.zero,
    "",
    Currency.make("CHF"),
    "",
    "",
    "",
    "",
    false,
    "",
    ""
  )

  // Declared only: a field of its own would be set twice, to nothing and to what it is.
  declare line: number
  declare providerId: string
  declare date: CalendarDate.CalendarDate
  declare amount: Decimal.Decimal
  declare amountText: string
  declare currency: Currency.Currency
  declare description: string
  declare originalDescription: string
  declare type: string
  declare reference: string
  declare pending: boolean
  declare authorizedDate?: CalendarDate.CalendarDate
  declare merchantName?: string
  declare category?: string

  constructor(
    line: number,
    providerId: string,
    date: CalendarDate.CalendarDate,
    amount: Decimal.Decimal,
    amountText: string,
    currency: Currency.Currency,
    description: string,
    originalDescription: string,
    type: string,
    reference: string,
    pending: boolean,
    merchantName: string,
    category: string
  ) {
    this.line = line
    this.providerId = providerId
    this.date = date
    this.amount = amount
    this.amountText = amountText
    this.currency = currency
    this.description = description
    this.originalDescription = originalDescription
    this.type = type
    this.reference = reference
    this.pending = pending
    if (merchantName !== "") this.merchantName = merchantName
    if (category !== "") this.category = category
  }
}
