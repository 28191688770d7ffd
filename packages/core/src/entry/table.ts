/** Tables, their fields and rows, and what a store of rows has to do with them. */
export { type CellForm, readCell } from "../table/CellReader.ts"
export { type LookupEntry, type LookupHint, prefixOf } from "../table/Facet.ts"
export { type FeedOutcome, isPlain, makeFeedRows } from "../table/FeedRows.ts"
export { fieldKey } from "../table/FieldKey.ts"
export { fieldMeant } from "../table/FieldName.ts"
export * as RowEdits from "../table/RowEdits.ts"
export { makeRowRoom, noRowRoom, rowLimitOf, TableSettings } from "../table/RowLimit.ts"
export type { RowView, SortRequest } from "../table/RowRequest.ts"
export { makeRowRevival } from "../table/RowRevival.ts"
export { type RowPosition, type RowScan, type SortKey, type SortValue, wholeScan } from "../table/RowScan.ts"
export { folding, isTooLarge, type StoredRow } from "../table/RowShape.ts"
export { comparePositions, positionOf } from "../table/RowSort.ts"
export {
  askableFieldTypes,
  fieldKeyForm,
  FieldOptions,
  Row,
  type RowId,
  Table,
  TableField,
  type TableFieldType,
  tableFieldTypes,
  type TableId
} from "../table/Table.ts"
export { purgeAt } from "../shared/Trash.ts"
export * as TableSnapshotReader from "../table/TableSnapshotReader.ts"
export { filterValues } from "../table/TableFilter.ts"
export type { NewField } from "../table/TableRequest.ts"
