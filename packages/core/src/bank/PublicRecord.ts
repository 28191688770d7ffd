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

/** The one field of transactions that is always present and may be null: a row that kept its id names no other. */
const pendingId = "pendingTransactionId"

/** Source field keys -> values, in the order of the data type; absent where unknown. `specs`: those of a feed that declares some as well. */
export const toPublic = (
  dataType: DataType,
  { fields, id }: Pick<LedgerRecord, "id" | "fields">,
  owner: Fields,
  specs: FieldSpecs = fieldsOf[dataType]
): Fields => {
  const result: Record<string, FieldValue> = {}
  for (const key of Object.keys(specs)) {
    const value = key === "id" ? id : (fields[key] ?? owner[key])
    if (value !== undefined && value !== null) result[key] = value
  }
  if (dataType === "transactions") result[pendingId] ??= null
  return result
}
