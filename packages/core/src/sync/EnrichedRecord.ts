/** A record as one feed sees it: with its owner's fields, and run through the enrichments of the feed. */
import { toPublic } from "../bank/PublicRecord.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import type { DataType, FieldSpecs } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
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
}

/** `note` hears of enrichments that failed on the record; `rowId` names it to them. */
export const enriched = (
  { dataType, ownerFields, pipeline, reading, specs, today }: Enriching,
  record: LedgerRecord,
  note: (fault: Pipeline.EnrichmentFault) => void = () => {},
  rowId = record.id
): Enriched => {
  const view = { recordId: rowId, fields: { ...toPublic(dataType, record, ownerFields, specs), ...reading } }
  const outcome = Pipeline.run(pipeline, view, { today })
  for (const fault of outcome.faults) note(fault)
  return {
    fields: outcome.fields,
    verdict: outcome.verdict.value,
    removeWhenDropped: outcome.verdict.removeDelivered,
    provenance: outcome.changes
  }
}
