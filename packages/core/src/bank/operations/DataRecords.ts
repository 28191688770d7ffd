import * as Schema from "effect/Schema"
import { Amount } from "../../operation/Amount.ts"
import { fieldsOf, type FieldType, type SyncDataType } from "../../record/DataType.ts"
import type { FieldValue, Fields } from "../../record/FieldValue.ts"

export const valueOf: Readonly<Record<FieldType, Schema.Codec<FieldValue, unknown>>> = {
  str: Schema.String,
  num: Amount,
  date: Schema.String.annotate({ format: "date" }),
  ts: Schema.String.annotate({ format: "date-time" }),
  bool: Schema.Boolean
}

/** Fields that are always sent, `null` where the value is unknown. */
const nullable: Readonly<Partial<Record<SyncDataType, ReadonlyArray<string>>>> = {
  transactions: ["pendingTransactionId"],
  balances: ["availableBalance", "limit"],
  holdings: ["costBasis"],
  orders: ["limitPrice", "stopPrice", "trailingStop", "executionPrice", "ticker", "executedAt", "expiresAt"]
}

/** Second names of balance fields. */
const aliases: Readonly<Record<string, string>> = {
  current: "amount",
  available: "availableBalance",
  asOf: "date"
}

export const schemaOf = (dataType: SyncDataType, identifier: string) => {
  const always = nullable[dataType] ?? []
  const fields: Record<string, Schema.Codec<FieldValue, unknown>> = {}
  const optional: Record<string, Schema.optionalKey<Schema.Codec<FieldValue, unknown>>> = {}
  const add = (key: string, from: string) => {
    const spec = fieldsOf[dataType][from]
    if (spec === undefined) return
    if (always.includes(from)) fields[key] = Schema.NullOr(valueOf[spec.type])
    else if (spec.required) fields[key] = valueOf[spec.type]
    else optional[key] = Schema.optionalKey(valueOf[spec.type])
  }
  for (const key of Object.keys(fieldsOf[dataType])) add(key, key)
  if (dataType === "balances") for (const [key, from] of Object.entries(aliases)) add(key, from)
  return Schema.Struct({ ...fields, ...optional }).annotate({ identifier })
}

export const Transaction = schemaOf("transactions", "Transaction")

/** A record as it is sent. What is unknown is null or absent in it; which of them is sent is the schema's to say. */
export const recordToWire = (dataType: SyncDataType, record: Fields): Fields => {
  if (dataType !== "balances") return record
  const result: Record<string, FieldValue> = { ...record }
  for (const [key, from] of Object.entries(aliases)) {
    const value = record[from]
    if (value !== undefined) result[key] = value
  }
  return result
}
