/** An account of a CSV file: its rows as they are collected, then its balances and whether they tie out. */
import { accountKey } from "./AccountKey.ts"
import { type CalendarDate, type Currency, Decimal } from "@millrace/core"
import type { StatementAccount } from "@millrace/core/upload"
import { groupedAmount } from "./AmountText.ts"
import { normaliseHeader } from "./CsvHeaders.ts"
import type { CsvReading } from "./CsvReading.ts"
import type { StatedRow } from "./StatedRow.ts"
import { accountTypeOf } from "./CsvWords.ts"
import { ownText } from "./Wording.ts"
import { difference, reconcileRunning } from "./BalanceReconciliation.ts"

/** An account under construction. */
export class CsvAccountDraft {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new CsvAccountDraft("", "")
  readonly number: string
  readonly name: string
  /** Those that nobody took, complete once it is closed. */
  readonly rows: Array<StatedRow>
  #count = 0
  readonly balances: Array<Decimal.Decimal | undefined> = []
  hasBalance = false
  currency: Currency.Currency | undefined
  mixed = false

  /** `room`: rows that are expected. An array that grows is copied again and again. */
  constructor(number: string, name: string, room = 0) {
    this.number = number
    this.name = name
    this.rows = Array.from({ length: room })
  }

  add(row: StatedRow): void {
    this.rows[this.#count++] = row
  }

  /** Gives back the room that no row took. */
  close(): void {
    this.rows.length = this.#count
  }
}

/** A draft without rows: the number and name that its cells state, else those of the lines above the table. */
export const newDraft = (reading: CsvReading, accountText: string, nameText: string, room: number): CsvAccountDraft => {
  const isNumber = /\d{3}/.test(accountText)
  const number = isNumber ? accountText : accountText === "" ? reading.preamble.number : ""
  const name = isNumber || accountText === "" ? reading.preamble.name : accountText
  return new CsvAccountDraft(
    ownText(reading.options.accountNumber ?? number),
    ownText(nameText === "" ? name : nameText),
    room
  )
}

const stated = (text: string | undefined, decimal: number): Decimal.Decimal | undefined =>
  text === undefined ? undefined : groupedAmount(text, 0, text.length, decimal, true)

/** The account of a draft. What does not tie out is said in `warnings`. */
export const finish = (
  draft: CsvAccountDraft,
  reading: CsvReading,
  only: boolean,
  warnings: Array<string>
): StatementAccount => {
  const named = accountTypeOf(draft.name)
  const header = normaliseHeader(reading.layout.headers[reading.layout.single.account] ?? "")
  const type = named !== "unknown" ? named : header.startsWith("card") ? "credit_card" : reading.accountType
  const turned = (balance: Decimal.Decimal | undefined) =>
    balance !== undefined && reading.signs.negateBalance ? Decimal.negate(balance) : balance
  let opening = only
    ? turned(stated(reading.selection.opening ?? reading.preamble.opening, reading.decimal))
    : undefined
  let closing = only
    ? turned(stated(reading.selection.closing ?? reading.preamble.closing, reading.decimal))
    : undefined
  let balanceDate: CalendarDate.CalendarDate | undefined
  let missing: Decimal.Decimal | undefined
  if (draft.hasBalance) {
    const settled = draft.rows.every((row) => !row.pending)
    const result = draft.mixed
      ? undefined
      : settled
        ? reconcileRunning(draft.rows, draft.balances)
        : reconcileRunning(
            draft.rows.filter((row) => !row.pending),
            draft.balances.filter((_, index) => !draft.rows[index]!.pending)
          )
    if (result !== undefined) {
      opening ??= result.opening
      closing ??= result.closing
      if (closing !== undefined) balanceDate = result.closingDate as CalendarDate.CalendarDate
      missing = result.difference
      if (result.gapLine !== undefined) {
        warnings.push(`line ${result.gapLine}: the balance does not follow from the rows, ${missing} is missing`)
      }
    }
  } else if (opening !== undefined && closing !== undefined && !draft.mixed) {
    missing = difference(
      opening,
      draft.rows.filter((row) => !row.pending).map((row) => row.amount),
      closing
    )
    if (missing !== "0") warnings.push(`the balances do not tie out: ${missing} is missing`)
  }
  return {
    key: accountKey("", draft.number === "" ? draft.name : draft.number, type),
    number: draft.number,
    name: draft.name,
    type,
    currency: draft.currency ?? reading.currency,
    ...(opening === undefined ? {} : { openingBalance: opening }),
    ...(closing === undefined ? {} : { closingBalance: closing }),
    ...(balanceDate === undefined ? {} : { balanceDate }),
    rows: draft.rows,
    ...(missing === undefined ? {} : { difference: missing })
  }
}
