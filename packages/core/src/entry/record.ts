/** Records of the ledger: data types, their fields and values. */
export {
  DataType,
  dataTypes,
  type DocumentDataType,
  documentDataTypes,
  type FieldSpec,
  type FieldSpecs,
  fieldsOf,
  type FieldType,
  fieldTypes,
  idKindOf,
  isDatedType,
  isDocumentType,
  isSyncType,
  namesOf,
  ownerFieldKeys,
  SyncDataType,
  syncDataTypes
} from "../record/DataType.ts"
export { blankOf } from "../record/BlankFields.ts"
export { catalogOf, type FieldCatalog } from "../record/FieldCatalog.ts"
export { Fields, FieldValue } from "../record/FieldValue.ts"
export {
  type HeldRecord,
  type IndexEntry,
  type LedgerRecord,
  type ShownRecord,
  type RecordState,
  recordStates,
  type RecordWrite
} from "../record/LedgerRecord.ts"
export {
  type DayHash,
  type DayHashChanges,
  type DayHashes,
  noDayHashes,
  notShown,
  type RecordDay
} from "../record/DayHashes.ts"
export { matches } from "../record/RecordMatch.ts"
export type { ShownStep } from "../record/Shown.ts"
export { categories, type Category, type TransactionType } from "../record/TransactionType.ts"
