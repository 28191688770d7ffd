/**
 * The rows that a feed delivers of its records, as they are enriched: the records themselves, or the lines that they fall into
 * (enrichments C7).
 *
 * Every row that a record has had is among them. Those that it does not have now are reported as removed and part of the record:
 * whatever the enrichments said before, the destination never has both a record and what it fell into by mistake, and the
 * amounts of its rows have the sum that was booked.
 */
import type { DeliveryEntry } from "../destination/DeliveryStore.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import type { Feed } from "../feed/Feed.ts"
import { isDocumentType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { Enriched } from "./Decision.ts"
import type { DocumentRow } from "./DocumentRows.ts"
import { besideOf, enriched, type Enriching, enrichedOf, type Standing, viewBeside } from "./EnrichedRecord.ts"

export interface EnrichedRow extends DocumentRow {
  readonly enriched: Enriched
}

interface RowsOfRow {
  readonly rows: ReadonlyArray<EnrichedRow>
  /** What would say which lines it has was set aside: those that were delivered stay. */
  readonly keepsLines: boolean
}

/** The record as a row tells it that it does not have now. */
const partOf = (record: LedgerRecord): LedgerRecord =>
  record.mergedInto === undefined ? { ...record, state: "removed", mergedInto: record.id } : record

/** A row and its lines, where there are any. `note` hears of enrichments that failed on it. */
export const rowsOfRow = (
  enriching: Enriching,
  row: DocumentRow,
  standing: Standing,
  note: (fault: Pipeline.PipelineFault) => void = () => {}
): RowsOfRow => {
  const { pipeline } = enriching
  if (!Pipeline.mayFall(pipeline, standing.notes.get(row.record.id)))
    return { rows: [{ ...row, enriched: enriched(enriching, row, standing, note) }], keepsLines: false }
  const view = viewBeside(enriching, row, standing)
  const result = Pipeline.runWithLines(pipeline, view, enriching, besideOf(row, standing))
  const { keepsLines, lines, linesShown, record, shown } = result
  const told = new Set<string>()
  for (const { faults } of [record, ...lines.values()]) {
    for (const fault of faults) {
      const key = `${fault.enrichmentId}\n${fault.message}`
      if (!told.has(key)) note(fault)
      told.add(key)
    }
  }
  const part = partOf(row.record)
  const rows: Array<EnrichedRow> = [
    row.shown && !shown
      ? { ...row, record: part, shown: false, enriched: enrichedOf(record) }
      : { ...row, enriched: enrichedOf(record) }
  ]
  const there = row.shown && linesShown
  for (const [rowId, line] of lines) {
    rows.push({ rowId, record: there ? row.record : part, shown: there, enriched: enrichedOf(line) })
  }
  return { rows, keepsLines }
}

/** What a line holds that is no more, where it stays as a mark: nothing of the amount is in it. */
const emptied = (fields: Fields, recordId: string): Fields => ({
  ...fields,
  ...("amount" in fields ? { amount: "0" } : {}),
  ...("totalAmount" in fields ? { totalAmount: "0" } : {}),
  ...("creditAmount" in fields ? { creditAmount: "0", debitAmount: "0" } : {}),
  "split.parentId": recordId
})

/** Rows of the record that the destination has had and that are none of it now. */
const formerRows = (
  { enriched: whole, record, rowId }: EnrichedRow,
  rows: ReadonlySet<string>,
  under: ReadonlyArray<DeliveryEntry>
): ReadonlyArray<EnrichedRow> =>
  under
    .filter(({ recordId }) => !rows.has(recordId))
    .map(({ recordId }) => ({
      rowId: recordId,
      record: partOf(record),
      shown: false,
      enriched: {
        fields: emptied(whole.fields, rowId),
        verdict: "deliver",
        removeWhenDropped: false,
        provenance: []
      }
    }))

/** The ids under which lines of these rows are found. */
export const basesOf = (feed: Pick<Feed, "dataType">, rows: ReadonlyArray<DocumentRow>): ReadonlyArray<string> =>
  isDocumentType(feed.dataType) ? [...new Set(rows.map(({ record }) => record.id))] : rows.map(({ rowId }) => rowId)

/** All rows of some records, those of one together. `under`: what is in the delivery ledger under their bases. */
export const linesOfRows = (
  enriching: Enriching,
  rows: ReadonlyArray<DocumentRow>,
  standing: Standing,
  under: ReadonlyMap<string, ReadonlyArray<DeliveryEntry>>,
  note: (fault: Pipeline.PipelineFault) => void
): ReadonlyArray<EnrichedRow> => {
  const found: Array<EnrichedRow> = []
  for (let at = 0; at < rows.length;) {
    const { record, rowId } = rows[at]!
    const own: Array<EnrichedRow> = []
    let keepsLines = false
    for (; at < rows.length && rows[at]!.record.id === record.id; at++) {
      const made = rowsOfRow(enriching, rows[at]!, standing, note)
      for (const row of made.rows) own.push(row)
      keepsLines ||= made.keepsLines
    }
    const former = under.get(rowId)
    if (former !== undefined && !keepsLines)
      own.push(...formerRows(own[0]!, new Set(own.map((row) => row.rowId)), former))
    for (const row of own) found.push(row)
  }
  return found
}
