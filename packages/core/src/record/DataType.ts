/** The types of records in the ledger, and what sets them apart (decisions 4.2 and 7.1). */
import * as Schema from "effect/Schema"
import type { IdKind } from "../shared/Ids.ts"
import { bankFields, ownerFieldKeys } from "./BankFields.ts"
import { documentFields } from "./DocumentFields.ts"
import { fieldTypes, type FieldSpec, type FieldSpecs, type FieldType } from "./SourceField.ts"

export { fieldTypes, ownerFieldKeys, type FieldSpec, type FieldSpecs, type FieldType }

/**
 * What banks show of their accounts. Only what is about a connection to a bank names these: what drivers pull, what an
 * account at a bank has, what is read live.
 */
export const syncDataTypes = ["transactions", "balances", "trades", "holdings", "orders", "loans"] as const
export const SyncDataType = Schema.Literals(syncDataTypes)
export type SyncDataType = typeof SyncDataType.Type

/** What is read out of documents. */
export const documentDataTypes = ["receipts", "invoices", "documents"] as const
export const DocumentDataType = Schema.Literals(documentDataTypes)
export type DocumentDataType = typeof DocumentDataType.Type

/** A type of record in the ledger. */
export const dataTypes = [...syncDataTypes, ...documentDataTypes] as const
export const DataType = Schema.Literals(dataTypes)
export type DataType = typeof DataType.Type

export const isSyncType: (dataType: DataType) => dataType is SyncDataType = Schema.is(SyncDataType)

export const isDocumentType: (dataType: DataType) => dataType is DocumentDataType = Schema.is(DocumentDataType)

/** Source fields of each data type, in the order they are shown. */
export const fieldsOf: Readonly<Record<DataType, FieldSpecs>> = { ...bankFields, ...documentFields }

/** Kind of the lineage id that the records of a type carry (decisions 1.1). */
export const idKindOf: Readonly<Record<DataType, IdKind>> = {
  transactions: "transaction",
  balances: "balance",
  trades: "trade",
  holdings: "holding",
  orders: "order",
  loans: "loan",
  receipts: "receipt",
  invoices: "invoice",
  documents: "document"
}

/** What a data type and one record of it are called. */
export const namesOf: Readonly<Record<DataType, { readonly label: string; readonly one: string }>> = {
  transactions: { label: "Transactions", one: "Transaction" },
  balances: { label: "Balances", one: "Balance" },
  trades: { label: "Trades", one: "Trade" },
  holdings: { label: "Holdings", one: "Holding" },
  orders: { label: "Orders", one: "Order" },
  loans: { label: "Loans", one: "Loan" },
  receipts: { label: "Receipts", one: "Receipt" },
  invoices: { label: "Invoices", one: "Invoice" },
  documents: { label: "Documents", one: "Document" }
}

/** A type whose records are of a day and stay: an upstream shows the latest of them, and some day no longer the oldest. */
export const isDatedType = (dataType: DataType): boolean =>
  dataType === "transactions" || dataType === "trades" || dataType === "orders"

/** A type whose every read is the whole truth about the account: rows that are not in it are gone. */
export const isSnapshotType = (dataType: DataType): boolean =>
  dataType === "balances" || dataType === "holdings" || dataType === "orders" || dataType === "loans"
