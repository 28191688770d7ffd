/** How much one transaction of an analysis covers. What is said does not depend on it, which tests show by making it small. */
import * as Context from "effect/Context"
import { limits } from "../shared/Limits.ts"

export interface Extent {
  /** Records that changed, with where they stand. */
  readonly changes: number
  /** Records of the partitions that are planned. */
  readonly planned: number
  /** Values of records in their partitions that are held until they are planned. */
  readonly held: number
}

export const AnalysisExtent = Context.Reference<Extent>("@millrace/core/enrichment/AnalysisExtent", {
  defaultValue: () => ({ changes: limits.commitChunk, planned: limits.plannedRecords, held: limits.heldValues })
})
