/** Which elements of OFX end others whose end tag is missing, because they cannot stand in them. */
import { Tag, tagNames } from "./OfxTags.ts"

const statement = 1
const account = 2
const list = 4
const row = 8
const movement = 16
const balance = 32
const balances = 64
const named = 128
const status = 256

const kinds = new Uint16Array(tagNames.length)
const ended = new Uint16Array(tagNames.length)

const describe = (kind: number, ends: number, ...tags: ReadonlyArray<number>): void => {
  for (const tag of tags) {
    kinds[tag] = kind
    ended[tag] = ends
  }
}

const inStatement = account | list | row | movement | balance | balances | named | status

describe(status, status, Tag.STATUS)
describe(statement, statement | inStatement, Tag.STMTRS, Tag.CCSTMTRS, Tag.INVSTMTRS, Tag.LOANSTMTRS)
// Movements name accounts of other people too: an account ends no row.
describe(account, account | balance | balances | named | status, Tag.BANKACCTFROM, Tag.CCACCTFROM, Tag.INVACCTFROM)
describe(list, inStatement, Tag.BANKTRANLIST, Tag.BANKTRANLISTP, Tag.INVTRANLIST)
describe(row, account | balance | balances | named | row | status, Tag.STMTTRN, Tag.STMTTRNP)
describe(balance, inStatement, Tag.LEDGERBAL, Tag.AVAILBAL)
describe(balances, inStatement, Tag.INVBAL)
describe(balances, account | list | row | movement | balance | named | status, Tag.BALLIST)
describe(named, balance | named, Tag.BAL)
for (let tag: number = Tag.BUYDEBT; tag <= Tag.CLOSUREOPT; tag++) describe(movement, movement, tag)

/** Whether an element that opens ends another one that is still open. */
export const endsOpen = (opening: number, open: number): boolean => (ended[opening]! & kinds[open]!) !== 0

/** Whether there is anything that the element ends. */
export const endsAny = (opening: number): boolean => ended[opening] !== 0

/** Elements that tell whose the rows are, or that a bank refused to answer: their missing beginning is no trifle. */
export const isNeeded = (tag: number): boolean => (kinds[tag]! & (statement | account | status)) !== 0

export const isRow = (tag: number): boolean => tag === Tag.STMTTRN || tag === Tag.STMTTRNP
