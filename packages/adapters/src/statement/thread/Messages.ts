/**
 * What passes between the server and a thread that reads files. Rows come in portions of one array for each property,
 * each when the one before has been taken: so much that is taken at once keeps nobody waiting.
 */
import type { RefusedRow, Statement, StatementOptions, StatementRow } from "@millrace/core/upload"

/** To the thread. */
export type Request = { readonly bytes: Uint8Array; readonly options: StatementOptions } | "next"

/** A statement without its rows, which follow. */
export interface Head extends Omit<Statement, "refused"> {
  readonly isRefusing: boolean
}

type Columns = { readonly [Key in keyof StatementRow]-?: ReadonlyArray<StatementRow[Key]> | undefined }

export interface Fault {
  readonly message: string
  readonly line?: number
  readonly column?: number
  readonly element?: string
}

/**
 * From the thread: that it can begin. Then for each file a fault, or a failure of its own, alone; else the head, what
 * belongs to it in portions, and the end.
 */
export type Answer =
  | { readonly kind: "ready" }
  | { readonly kind: "fault"; readonly fault: Fault }
  | { readonly kind: "failure"; readonly stack: string }
  | { readonly kind: "head"; readonly head: Head }
  | { readonly kind: "rows"; readonly account: number; readonly count: number; readonly columns: Columns }
  | { readonly kind: "refused"; readonly rows: ReadonlyArray<RefusedRow> }
  | { readonly kind: "end" }

export const portion = 2_000

/** Every property that a row has, in the order in which readers set them. */
const keys = Object.keys({
  line: 0,
  providerId: 0,
  date: 0,
  amount: 0,
  amountText: 0,
  currency: 0,
  description: 0,
  originalDescription: 0,
  type: 0,
  reference: 0,
  pending: 0,
  authorizedDate: 0,
  merchantName: 0,
  category: 0
} satisfies Record<keyof StatementRow, 0>) as ReadonlyArray<keyof StatementRow>

export const pack = (rows: ReadonlyArray<StatementRow>): Columns =>
  Object.fromEntries(
    keys.map((key) => [key, rows.some((row) => row[key] !== undefined) ? rows.map((row) => row[key]) : undefined])
  ) as unknown as Columns

export const unpack = (columns: Columns, count: number, into: Array<StatementRow>): void => {
  const { authorizedDate, category, merchantName } = columns
  for (let at = 0; at < count; at++) {
    const row: { -readonly [Key in keyof StatementRow]: StatementRow[Key] } = {
      line: columns.line![at]!,
      providerId: columns.providerId![at]!,
      date: columns.date![at]!,
      amount: columns.amount![at]!,
      amountText: columns.amountText![at]!,
      currency: columns.currency![at]!,
      description: columns.description![at]!,
      originalDescription: columns.originalDescription![at]!,
      type: columns.type![at]!,
      reference: columns.reference![at]!,
      pending: columns.pending![at]!
    }
    const day = authorizedDate?.[at]
    if (day !== undefined) row.authorizedDate = day
    const merchant = merchantName?.[at]
    if (merchant !== undefined) row.merchantName = merchant
    const word = category?.[at]
    if (word !== undefined) row.category = word
    into.push(row)
  }
}
