/** The account of an OFX statement, as it is put together. */
import type { AccountType } from "@millrace/core/provider"
import type { CalendarDate, Currency, Decimal } from "@millrace/core"
import type { StatementAccount, StatementRow } from "@millrace/core/upload"
import type { Mutable, StatedRow } from "./StatedRow.ts"
import { difference } from "./BalanceReconciliation.ts"

/** An account under construction. */
export class AccountDraft {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new AccountDraft()

  bankId = ""
  number = ""
  type: AccountType = "unknown"
  currency: Currency.Currency | undefined
  from: CalendarDate.CalendarDate | undefined
  to: CalendarDate.CalendarDate | undefined
  opening: Decimal.Decimal | undefined
  closing: Decimal.Decimal | undefined
  available: Decimal.Decimal | undefined
  balanceDate: CalendarDate.CalendarDate | undefined
  /** Those that nobody took. */
  readonly rows: Array<Mutable<StatementRow>> = []
  /** Rows that were read. */
  count = 0
  /** Rows that could not be read. */
  refused = 0
  /** Whether the file has said whose account it is. */
  isNamed = false
  /** Rows of securities, whose names stand at the end of the file. */
  readonly securities: Array<readonly [row: number, uniqueId: string]> = []
  /** Rows that name no currency of their own. */
  inherits = false
}

/** Where a row goes that its statement does not keep. `security`: the id of what moved, `""` for none. */
export type TakeOfxRow = (draft: AccountDraft, row: StatedRow, security: string) => void

const earlier = (a: CalendarDate.CalendarDate | undefined, b: CalendarDate.CalendarDate | undefined) =>
  a === undefined ? b : b === undefined || a < b ? a : b
const later = (a: CalendarDate.CalendarDate | undefined, b: CalendarDate.CalendarDate | undefined) =>
  a === undefined ? b : b === undefined || a > b ? a : b

/** A second statement of the same account: its rows follow, the later balance counts. */
export const merge = (into: AccountDraft, more: AccountDraft): void => {
  into.refused += more.refused
  const newer = later(into.balanceDate, more.balanceDate) === more.balanceDate
  for (const row of more.rows) into.rows.push(row)
  if (newer || into.closing === undefined) {
    into.closing = more.closing ?? into.closing
    into.available = more.available ?? into.available
    into.balanceDate = more.balanceDate ?? into.balanceDate
  }
  if (into.opening === undefined || earlier(into.from, more.from) === more.from) into.opening = more.opening
  into.from = earlier(into.from, more.from)
  into.to = later(into.to, more.to)
}

export const finish = (key: string, draft: AccountDraft): StatementAccount => ({
  key,
  ...(draft.bankId === "" ? {} : { bankId: draft.bankId }),
  number: draft.number,
  name: "",
  type: draft.type,
  currency: draft.currency!,
  ...(draft.from === undefined ? {} : { from: draft.from }),
  ...(draft.to === undefined ? {} : { to: draft.to }),
  ...(draft.opening === undefined ? {} : { openingBalance: draft.opening }),
  ...(draft.closing === undefined ? {} : { closingBalance: draft.closing }),
  ...(draft.available === undefined ? {} : { availableBalance: draft.available }),
  ...(draft.balanceDate === undefined ? {} : { balanceDate: draft.balanceDate }),
  rows: draft.rows,
  ...(draft.opening === undefined || draft.closing === undefined
    ? {}
    : {
        difference: difference(
          draft.opening,
          draft.rows.filter((row) => !row.pending).map((row) => row.amount),
          draft.closing
        )
      })
})
