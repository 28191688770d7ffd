/** A record as one feed sees it: with its owner's fields, and run through the enrichments of the feed. */
import { toPublic } from "../bank/PublicRecord.ts"
import type { PlanContext, View } from "../enrichment/kinds/Kind.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import { timedRecord } from "../enrichment/RecordTime.ts"
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
  /** Milliseconds, where enrichments that take too long for a record are told. */
  readonly now?: () => number
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

/** What stands beside the record of a row. */
export const besideOf = ({ record, rowId }: RowOfRecord, { gathered, notes }: Pick<Beside, "gathered" | "notes">) => ({
  notes: notes.get(record.id),
  gathered: gathered.get(rowId)?.gathered
})

/** The record before it is enriched, where it may have been asked for already. */
export const viewBeside = (enriching: Enriching, row: RowOfRecord, { gathered }: Pick<Beside, "gathered">): View =>
  gathered.get(row.rowId)?.view ?? viewOf(enriching, row)

export const enrichedOf = ({ changes, fields, verdict }: Pipeline.PipelineResult): Enriched => ({
  fields,
  verdict: verdict.value,
  removeWhenDropped: verdict.removeDelivered,
  provenance: changes
})

/** Goes through the pipeline of the feed. `note` hears of enrichments that take too long. */
export const ran = <A>(
  { now, pipeline, today }: Enriching,
  note: (fault: Pipeline.PipelineFault) => void,
  go: (pipeline: Pipeline.CompiledPipeline, context: PlanContext) => A
): A => {
  const context = { today }
  return now === undefined ? go(pipeline, context) : timedRecord(now, pipeline, note, (timed) => go(timed, context))
}

/** The record without the lines that it may fall into. `note` hears of enrichments that failed on it. */
export const enriched = (
  enriching: Enriching,
  row: RowOfRecord,
  standing: Pick<Beside, "gathered" | "notes">,
  note: (fault: Pipeline.PipelineFault) => void = () => {}
): Enriched => {
  const outcome = ran(enriching, note, (pipeline, context) =>
    Pipeline.run(pipeline, viewBeside(enriching, row, standing), context, besideOf(row, standing))
  )
  for (const fault of outcome.faults) note(fault)
  return enrichedOf(outcome)
}
