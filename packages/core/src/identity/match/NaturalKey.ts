/** What makes a record of the other data types of banks the same one where its id does not (enrichments C1). */
import type { SyncDataType } from "../../record/DataType.ts"
import type { Fields } from "../../record/FieldValue.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { MatchInput } from "./Matching.ts"
import type { Pairing } from "./Pairing.ts"
import { compareObservations, compareOwners } from "./RowOrder.ts"

const keyFields: Readonly<Record<Exclude<SyncDataType, "transactions">, ReadonlyArray<string>>> = {
  balances: ["date", "currency"],
  holdings: ["security", "currency"],
  loans: ["loanType", "currency"],
  orders: ["brokerageOrderId"],
  trades: ["date", "security", "type", "quantity", "amount", "currency"]
}

const securityOf = (fields: Fields): Fields[string] =>
  fields["securityId"] ?? fields["ticker"] ?? fields["securityName"] ?? null

/** The day of an instant: the same balance is not asked for at the same second. */
const valueOf = (fields: Fields, name: string): Fields[string] => {
  if (name === "security") return securityOf(fields)
  const value = fields[name] ?? null
  return name === "date" && typeof value === "string" ? value.slice(0, 10) : value
}

/** `undefined` where the record does not say what it is about. */
const naturalKey = (dataType: SyncDataType, fields: Fields): string | undefined => {
  if (dataType === "transactions") return undefined
  const values = keyFields[dataType].map((name) => valueOf(fields, name))
  return values[0] === null && dataType !== "loans" ? undefined : JSON.stringify(values)
}

/** Pairs what is about the same thing, one for one. */
export const pairByKeys = (
  input: MatchInput,
  dataType: SyncDataType,
  pairing: Pairing,
  candidates: ReadonlyArray<IndexEntry>,
  fieldsOf: (entry: IndexEntry) => Fields
): void => {
  const { observations } = input
  const records = new Map<string, Array<IndexEntry>>()
  for (const entry of candidates.toSorted(compareOwners).toReversed()) {
    const key = naturalKey(dataType, fieldsOf(entry))
    if (key === undefined) continue
    const list = records.get(key)
    if (list === undefined) records.set(key, [entry])
    else list.push(entry)
  }
  const open = pairing.open.toSorted((a, b) => compareObservations(observations[a]!, observations[b]!))
  for (const at of open) {
    const key = naturalKey(dataType, observations[at]!.fields)
    const entry = key === undefined ? undefined : records.get(key)?.pop()
    pairing.take(at, entry, { tier: "equal" })
  }
}
