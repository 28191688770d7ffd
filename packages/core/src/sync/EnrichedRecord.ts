/** A record as one feed sees it: with its owner's fields, and run through the enrichments of the feed. */
import { toPublic } from "../bank/PublicRecord.ts"
import * as Pipeline from "../enrichment/Pipeline.ts"
import type { DataType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { CalendarDate } from "../shared/CalendarDate.ts"
import type { Enriched } from "./Decision.ts"

export interface Enriching {
  readonly pipeline: Pipeline.CompiledPipeline
  readonly dataType: DataType
  readonly ownerFields: Fields
  readonly today: CalendarDate
  /** Fields that are another's at each reading. */
  readonly reading?: Fields
}

/** `note` hears of enrichments that failed on the record. */
export const enriched = (
  { dataType, ownerFields, pipeline, reading, today }: Enriching,
  record: LedgerRecord,
  note: (fault: Pipeline.EnrichmentFault) => void = () => {}
): Enriched => {
  const view = { recordId: record.id, fields: { ...toPublic(dataType, record, ownerFields), ...reading } }
  const outcome = Pipeline.run(pipeline, view, { today })
  for (const fault of outcome.faults) note(fault)
  return {
    fields: outcome.fields,
    verdict: outcome.verdict.value,
    removeWhenDropped: outcome.verdict.removeDelivered,
    provenance: outcome.changes
  }
}
