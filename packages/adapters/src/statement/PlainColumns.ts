/** Which columns of a plain table are read, and where their cells are noted. */
import type { CsvLayout } from "./CsvLayout.ts"

export interface PlainColumns {
  /** For each column of the table where its bounds stand among those of a row, -1 where it is not read. */
  readonly slots: Int16Array<ArrayBuffer>
  /** Numbers that are noted for each row: two for each cell, and four for the texts that are put together. */
  readonly stride: number
  /** Texts of a description that can be put together in place; none where they have to be read one by one. */
  readonly texts: ReadonlyArray<number>
  /** The name that stands before them, -1 where it has to be read by itself. */
  readonly payeeText: number
  /** Where the cells of each field are noted, -1 where there is none. */
  readonly date: number
  readonly amount: number
  readonly balance: number
  readonly currency: number
  readonly payee: number
  readonly original: number
  readonly id: number
  readonly type: number
  readonly category: number
  readonly account: number
  readonly accountName: number
  readonly authorizedDate: number
  readonly descriptions: ReadonlyArray<number>
  readonly references: ReadonlyArray<number>
}

/** The columns of a table that has none of them. */
export const noColumns: PlainColumns = {
  slots: new Int16Array(0),
  stride: 0,
  texts: [],
  payeeText: -1,
  date: -1,
  amount: -1,
  balance: -1,
  currency: -1,
  payee: -1,
  original: -1,
  id: -1,
  type: -1,
  category: -1,
  account: -1,
  accountName: -1,
  authorizedDate: -1,
  descriptions: [],
  references: []
}

/** Rows of more columns than these are nothing plain. */
const maxColumns = 200
const maxTexts = 4

/** The columns of a layout with one amount for each row; `undefined` where a row needs more than its own cells. */
export const plainColumns = (layout: CsvLayout, splitAccounts: boolean): PlainColumns | undefined => {
  const { descriptions, headers, references, single } = layout
  const isPlain =
    layout.header >= 0 &&
    headers.length <= maxColumns &&
    single.amount >= 0 &&
    single.debit < 0 &&
    single.credit < 0 &&
    layout.alternates.length === 0 &&
    single.status < 0 &&
    layout.payer < 0
  if (!isPlain) return undefined
  const slots = new Int16Array(headers.length).fill(-1)
  const uses = new Map<number, number>()
  let next = 0
  const slotOf = (column: number): number => {
    if (column < 0 || column >= headers.length) return -1
    uses.set(column, (uses.get(column) ?? 0) + 1)
    if (slots[column]! < 0) {
      slots[column] = next
      next += 2
    }
    return slots[column]!
  }
  const authorized = single.authorizedDate === single.date ? -1 : single.authorizedDate
  const fields = {
    date: slotOf(single.date),
    amount: slotOf(single.amount),
    balance: slotOf(single.balance),
    currency: slotOf(single.currency),
    payee: slotOf(single.payee),
    original: slotOf(single.originalDescription),
    id: slotOf(single.id),
    type: slotOf(single.type),
    category: slotOf(single.category),
    account: slotOf(splitAccounts ? single.account : -1),
    accountName: slotOf(splitAccounts ? single.accountName : -1),
    authorizedDate: slotOf(authorized),
    descriptions: descriptions.map(slotOf),
    references: references.map(slotOf)
  }
  if (fields.date < 0 || fields.amount < 0) return undefined
  const isAlone = (column: number) => uses.get(column) === 1
  const [first = -1] = descriptions
  const isJoined =
    first >= 0 &&
    descriptions.length <= maxTexts &&
    descriptions.every((column, index) => column === first + index && isAlone(column))
  const isNamed = isJoined && single.payee >= 0 && single.payee === first - 1 && isAlone(single.payee)
  return {
    slots,
    stride: next + 4,
    texts: isJoined ? fields.descriptions : [],
    payeeText: isNamed ? fields.payee : -1,
    ...fields
  }
}
