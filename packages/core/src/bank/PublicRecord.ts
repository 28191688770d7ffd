/** Records as everybody reads them: ledger fields, completed with the id and the owner's fields. */
import type { Bank } from "./Bank.ts"
import { fieldsOf, type DataType, type FieldSpecs } from "../record/DataType.ts"
import { blankOf } from "../record/BlankFields.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { reordered, type ShownPage } from "../record/ShownPage.ts"
import type { Account } from "./Account.ts"

const lastFour = (masked: string): string => masked.replaceAll("*", "")

/** The owner's fields of an account, for the types that show them. */
export const ownerOf = (bank: Bank, account: Account): Fields => ({
  accountId: account.id,
  accountName: account.accountName,
  accountNumber: account.accountNumber,
  accountType: account.accountType,
  account: `${lastFour(account.accountNumber) || account.accountName} (${account.accountType})`,
  bankId: bank.id,
  bank: bank.name
})

/** The keys of a data type in their order, and blanks of records that have the same of them. */
interface Form {
  readonly keys: ReadonlyArray<string>
  /** By the keys that a record has, as bits: the first key is the lowest. */
  readonly blanks: Map<number, ReturnType<typeof blankOf>>
  readonly values: Array<FieldValue | undefined>
}

/** Asked for with every record. */
const formOf = (() => {
  const known = new WeakMap<FieldSpecs, Form>()
  return (specs: FieldSpecs): Form => {
    let found = known.get(specs)
    if (found === undefined) known.set(specs, (found = { keys: Object.keys(specs), blanks: new Map(), values: [] }))
    return found
  }
})()

const noOther = "pendingTransactionId"

/** Bits of a number that can be shifted into. */
const fewKeys = 31

/** Source field keys -> values, in the order of the data type; absent where unknown. `specs`: those of a feed that declares some as well. */
export const toPublic = (
  dataType: DataType,
  record: Pick<LedgerRecord, "id" | "fields">,
  owner: Fields,
  specs: FieldSpecs = fieldsOf[dataType]
): Fields => {
  const { blanks, keys, values } = formOf(specs)
  const { fields } = record
  let had = 0
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!
    const value = key === "id" ? record.id : (fields[key] ?? owner[key])
    values[at] = value
    if (value !== undefined && at < fewKeys) had |= 1 << at
  }
  // Of more keys, each record has a form of its own.
  let blank = keys.length > fewKeys ? undefined : blanks.get(had)
  if (blank === undefined) {
    const own = keys.filter((_, at) => values[at] !== undefined)
    // The one field that is always present and may be null: a row that kept its id names no other.
    if (dataType === "transactions" && !own.includes(noOther)) own.push(noOther)
    blank = blankOf(own)
    if (keys.length <= fewKeys) blanks.set(had, blank)
  }
  const result = blank()
  for (let at = 0; at < keys.length; at++) {
    const value = values[at]
    if (value !== undefined) result[keys[at]!] = value
  }
  return result
}

/** The first records of a page as everybody reads them. They are read where somebody asks for them. */
export class PublicRows {
  readonly dataType: DataType
  readonly page: ShownPage
  readonly owner: Fields
  readonly length: number
  private read: ReadonlyArray<Fields> | undefined

  constructor(dataType: DataType, page: ShownPage, owner: Fields, length: number) {
    this.dataType = dataType
    this.page = page
    this.owner = owner
    this.length = length
  }

  /** The same rows in the order of what they say in some fields, which are those of records and not of the owner. */
  sortedBy(fields: ReadonlyArray<string>, compare: (a: Fields, b: Fields) => number): PublicRows {
    const { dataType, length, owner, page } = this
    const said = Array.from({ length }, (_, at): Fields =>
      Object.fromEntries(
        fields.flatMap((field) => {
          const value = page.value(at, field)
          return value === undefined ? [] : [[field, value] as const]
        })
      )
    )
    const order = said.map((_, at) => at).toSorted((a, b) => compare(said[a]!, said[b]!))
    return new PublicRows(dataType, reordered(page, order), owner, length)
  }

  get fields(): ReadonlyArray<Fields> {
    return (this.read ??= this.page.records
      .slice(0, this.length)
      .map((record) => toPublic(this.dataType, record, this.owner)))
  }
}
