/**
 * The rows that a feed delivers of one document: itself, or one for each of its items (decision 26).
 *
 * A document without items is one row of itself. Every row that the document could have had is among them, those that it
 * does not have now as removed: whatever the feed asked for before, and whatever the document listed, is taken away.
 */
import { isItemized, type RowsAsked } from "../feed/Extraction.ts"
import type { Feed } from "../feed/Feed.ts"
import { isDocumentType } from "../record/DataType.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import { itemsField, itemsOf } from "../record/Items.ts"

export interface DocumentRow {
  /** Its key at the destination, without the data type. */
  readonly rowId: string
  /** The document as this row tells it; part of another record where the document does not have the row now. */
  readonly record: LedgerRecord
  readonly shown: boolean
}

/** Between the id of a document and the key of an item. */
const separator = ":"

/** The id of the document that a row is of. */
export const documentOf = (rowId: string): string => rowId.split(separator, 1)[0]!

export const documentRows = (feed: RowsAsked, document: LedgerRecord): ReadonlyArray<DocumentRow> => {
  const items = itemsOf(document.fields)
  const { [itemsField]: _, ...fields } = document.fields
  const perItem = isItemized(feed) && items.some(({ gone }) => gone === undefined)
  const rowOf = (rowId: string, record: LedgerRecord, shown: boolean): DocumentRow => ({
    rowId,
    record: shown ? record : { ...record, state: "removed", mergedInto: document.id },
    shown
  })
  return [
    rowOf(document.id, { ...document, fields }, !perItem),
    ...items.map(({ fields: own, gone, key }) =>
      rowOf(
        `${document.id}${separator}${key}`,
        { ...document, fields: { ...fields, ...own } },
        perItem && gone === undefined
      )
    )
  ]
}

/** The rows that a record has for a feed at present. */
export const shownRows = (
  feed: RowsAsked & Pick<Feed, "dataType">,
  record: LedgerRecord
): ReadonlyArray<Pick<DocumentRow, "record" | "rowId">> =>
  isDocumentType(feed.dataType)
    ? documentRows(feed, record).filter(({ shown }) => shown)
    : [{ record, rowId: record.id }]
