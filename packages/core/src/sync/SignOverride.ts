/**
 * Accounts whose connection shows which way money moved the wrong way round (`Account.signOverride`): amounts of movements
 * are turned as they are read, and those that we hold when a person says so. Balances are positions, and stay.
 */
import type { RecordContent } from "../identity/LoggedMatch.ts"
import type { ObservedRecord } from "../provider/Provider.ts"
import type { SyncDataType } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import * as Decimal from "../shared/Decimal.ts"
import type { Digest } from "../shared/Digest.ts"
import { ingest } from "./Ingest.ts"

/** Types whose `amount` says which way money moved. */
export const signedTypes = ["transactions", "trades"] as const satisfies ReadonlyArray<SyncDataType>
export type SignedType = (typeof signedTypes)[number]

export const isSignedType = (dataType: string): dataType is SignedType =>
  signedTypes.some((signed) => signed === dataType)

/** What cannot be read stays as it is: taking it in refuses it and says why. */
const opposite = (amount: FieldValue | undefined): FieldValue | undefined => {
  const decimal = typeof amount === "string" ? Decimal.parse(amount) : undefined
  return decimal === undefined ? amount : Decimal.negate(decimal)
}

/** What a source showed, with the amount flipped. */
export const turned = (observed: ObservedRecord): ObservedRecord => {
  const amount = opposite(observed.fields["amount"])
  return amount === undefined ? observed : { ...observed, fields: { ...observed.fields, amount } }
}

/**
 * What we hold, with the amount flipped: the same as if it had been read so, down to the hash. What a record says
 * besides what was read is the day on which it was pending (`settledFields`).
 */
export const turnedContent = (
  dataType: SignedType,
  content: RecordContent,
  digest: Digest["Service"]
): RecordContent => {
  const { fields, hash, pending, providerId } = content
  const hashOf = (read: Fields): string => {
    const taken = ingest(dataType, { providerAccountId: "", providerId, pending, fields: read }, digest)
    return "observation" in taken ? taken.observation.hash : digest.contentHash(JSON.stringify(read))
  }
  const amount = opposite(fields["amount"])
  if (amount === undefined) return content
  const { creditAmount, debitAmount } = fields
  const next: Fields = {
    ...fields,
    amount,
    ...(debitAmount === undefined ? {} : { creditAmount: debitAmount }),
    ...(creditAmount === undefined ? {} : { debitAmount: creditAmount })
  }
  if (hashOf(fields) === hash) return { ...content, fields: next, hash: hashOf(next) }
  const { authorizedDate: _, ...read } = next
  return { ...content, fields: next, hash: hashOf(read) }
}
