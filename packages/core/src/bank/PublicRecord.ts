/** Records as everybody reads them: ledger fields, completed with the id and the owner's fields. */
import type { Bank } from "./Bank.ts"
import { fieldsOf, type DataType, type FieldSpecs } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
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

/** The keys of a data type in their order: asked for with every record. */
const keysOf = (() => {
  const known = new WeakMap<FieldSpecs, ReadonlyArray<string>>()
  return (specs: FieldSpecs): ReadonlyArray<string> => {
    const found = known.get(specs) ?? Object.keys(specs)
    known.set(specs, found)
    return found
  }
})()

/** Source field keys -> values, in the order of the data type; absent where unknown. `specs`: those of a feed that declares some as well. */
export const toPublic = (
  dataType: DataType,
  record: Pick<LedgerRecord, "id" | "fields">,
  owner: Fields,
  specs: FieldSpecs = fieldsOf[dataType]
): Fields => {
  const result: Record<string, FieldValue> = {}
  for (const key of keysOf(specs)) {
    const value = key === "id" ? record.id : (record.fields[key] ?? owner[key])
    if (value !== undefined) result[key] = value
  }
  // The one field that is always present and may be null: a row that kept its id names no other.
  if (dataType === "transactions") result["pendingTransactionId"] ??= null
  return result
}
