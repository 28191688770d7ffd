/** A record as one feed sees it: with its owner's fields, and run through the enrichments of the feed. */
import { toPublic } from "../bank/PublicRecord.ts"
import type { View } from "../enrichment/kinds/Kind.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import type { RunWork } from "../enrichment/RunWork.ts"
import type { DataType, FieldSpecs } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Beside } from "./BesideRecords.ts"
import type { Enriched } from "./Decision.ts"

export interface Enriching {
  readonly pipeline: Pipeline.CompiledPipeline
  readonly dataType: DataType
  /** The fields of its records. */
  readonly specs: FieldSpecs
  readonly ownerFields: Fields
  readonly today: CalendarDate
  /** Fields that are another's at each reading. */
  readonly reading?: Fields
  /** What enrichments do is counted here, for all records of an account. */
  readonly work: RunWork
}

/** A record, and the name of what is delivered of it: its own id, or that of one of its items. */
export interface RowOfRecord {
  readonly record: LedgerRecord
  readonly rowId: string
}

/** The record before it is enriched. */
export const viewOf = ({ dataType, ownerFields, reading, specs }: Enriching, { record, rowId }: RowOfRecord): View => {
  const fields = toPublic(dataType, record, ownerFields, specs)
  return { recordId: rowId, fields: reading === undefined ? fields : { ...fields, ...reading } }
}

/** What is known of the records. `earlier`: where an enrichment was set aside. */
export interface Standing extends Pick<Beside, "gathered" | "notes"> {
  readonly earlier?: Pipeline.Earlier | undefined
}

/** The annotations of the record of a row. */
export const besideOf = ({ record, rowId }: RowOfRecord, { earlier, gathered, notes }: Standing) => ({
  earlier,
  notes: notes.get(record.id),
  gathered: gathered.get(rowId)?.gathered
})

/** The record before it is enriched, where it may have been asked for already. */
export const viewBeside = (enriching: Enriching, row: RowOfRecord, { gathered }: Pick<Beside, "gathered">): View =>
  gathered.get(row.rowId)?.view ?? viewOf(enriching, row)

export const enrichedOf = ({ changes, fields, isPartial, verdict }: Pipeline.PipelineResult): Enriched => ({
  fields,
  verdict: verdict.value,
  removeWhenDropped: verdict.removeDelivered,
  provenance: changes,
  isPartial
})

/** The record without the lines that it may fall into. `note` hears of enrichments that failed on it. */
export const enriched = (
  enriching: Enriching,
  row: RowOfRecord,
  standing: Standing,
  note: (fault: Pipeline.PipelineFault) => void = () => {}
): Enriched => {
  const view = viewBeside(enriching, row, standing)
  const outcome = Pipeline.run(enriching.pipeline, view, enriching, besideOf(row, standing))
  for (const fault of outcome.faults) note(fault)
  return enrichedOf(outcome)
}
