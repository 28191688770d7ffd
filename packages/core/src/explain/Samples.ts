/** Records that are given to be looked at, as the ledger would hold them (enrichments F1). */
import type { Account } from "../bank/Account.ts"
import type { Bank } from "../bank/Bank.ts"
import type { OwnedRecord } from "../enrichment/Rehearsal.ts"
import { type DataType, type FieldSpecs, ownerFieldKeys } from "../record/DataType.ts"
import type { Fields, FieldValue } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { coerce } from "../rule/ActionPlan.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import type * as Timestamp from "../shared/Timestamp.ts"

/** A record as it is sent: numbers by their text. */
export type Sample = Readonly<Record<string, FieldValue>>

export interface SampledRecord extends OwnedRecord {
  /** Fields of no field of the data type: seen by conditions, and by nothing else. */
  readonly custom: Fields
}

const ownerKeys: ReadonlySet<string> = new Set([...ownerFieldKeys, "id"])

/** What stands for a value of the field's type is one; what does not stays as it was sent. */
const read = (value: FieldValue, type: FieldSpecs[string]["type"]): FieldValue => {
  if (value === null || value === "") return null
  return coerce(String(value), type) ?? value
}

export const sampled = (
  sample: Sample,
  dataType: DataType,
  specs: FieldSpecs,
  /** The record of the ledger with its id. */
  held: LedgerRecord | undefined,
  owner: { readonly bank: Bank; readonly account: Account },
  index: number,
  now: Timestamp.Timestamp
): SampledRecord => {
  const fields: Record<string, FieldValue> = {}
  const custom: Record<string, FieldValue> = {}
  for (const [key, value] of Object.entries(sample)) {
    if (ownerKeys.has(key)) continue
    const spec = Object.hasOwn(specs, key) ? specs[key] : undefined
    if (spec === undefined) custom[key] = value
    else fields[key] = read(value, spec.type)
  }
  // What every record of the account has: set kinds pass over amounts without a currency.
  if (held === undefined && specs["currency"]?.required === true && !Object.hasOwn(fields, "currency")) {
    fields["currency"] = owner.account.currency
  }
  const { id } = sample
  const date = typeof fields["date"] === "string" ? CalendarDate.ofText(fields["date"]) : undefined
  const base = held ?? {
    id: typeof id === "string" && id !== "" ? id : `preview-${index}`,
    accountId: owner.account.id,
    dataType,
    providerId: "",
    state: "live" as const,
    version: 0,
    annotated: false,
    createdAt: now
  }
  const record: LedgerRecord = {
    ...base,
    date: date ?? held?.date ?? null,
    pending: fields["pending"] === true,
    hash: "",
    fields,
    // It comes after all that is there.
    changeNo: Number.MAX_SAFE_INTEGER,
    publicChangeNo: Number.MAX_SAFE_INTEGER,
    version: base.version + 1,
    updatedAt: now
  }
  return { ...owner, record, custom }
}

/** The record before it is enriched. */
export const providedOf = ({ custom }: SampledRecord, shown: Fields): Fields => ({ ...shown, ...custom })
