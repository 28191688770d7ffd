/** For authors of enrichment kinds: what a kind promises, and the pipeline that runs kinds over records. */
export { enrichmentResource, sealedFor } from "../enrichment/EnrichmentStore.ts"
export {
  type EnrichmentChange,
  enrichmentContract,
  type EnrichmentView,
  type NewEnrichment
} from "../enrichment/EnrichmentContract.ts"
export { Enrichment, type EnrichmentId } from "../enrichment/Enrichment.ts"
export { Authority, RecordChange, type RecordChangeId } from "../enrichment/history/RecordChange.ts"
export { Finding, type FindingId, findingStatuses, FindingStatus } from "../enrichment/Finding.ts"
export { EnrichmentFact, type FactRequest, suppression, type UndoTarget } from "../enrichment/kinds/EnrichmentFact.ts"
export { type AnyKind, bundledKinds, Kinds, kindsOf } from "../enrichment/Kinds.ts"
export { memoryPatternResource, memoryPatterns } from "../enrichment/MemoryPatternStore.ts"
export { type Simulation, type SimulationInput, simulationResource } from "../explain/Simulation.ts"
export { findingResource } from "../enrichment/FindingStore.ts"
export { enrichmentRunResource } from "../enrichment/EnrichmentRunStore.ts"
export { EnrichmentRun, runIdOf } from "../enrichment/EnrichmentRun.ts"
export { MemoryPattern } from "../enrichment/kinds/memory/MemoryPattern.ts"
export { MemoryPatterns } from "../enrichment/kinds/memory/MemoryPatterns.ts"
export { type Starter, starterBody, starters } from "../enrichment/starter/Starters.ts"
export * as Pipeline from "../enrichment/Pipeline.ts"
export {
  planHere,
  type PlanData,
  SetPlanner,
  type SetPlanRequest,
  type SetPlans,
  type StoredPartition,
  type StoredPlan,
  tooMuchWork
} from "../enrichment/SetPlanner.ts"
export { WarmUp } from "../enrichment/WarmUp.ts"
export { EnrichmentsOn } from "../enrichment/EnrichmentsOn.ts"
export { PlanningTurns } from "../enrichment/PlanningTurns.ts"
export { asideMessage, RunWork } from "../enrichment/RunWork.ts"
export { mergeOf as mergeMerchants } from "../enrichment/kinds/ai/merchant.ts"
export { modelUse } from "../enrichment/ModelUseLayer.ts"
export { proseWriter } from "../enrichment/ProseWriter.ts"
export { notesOf, type RecordNotes } from "../enrichment/RecordNotes.ts"
export { BusinessCalendars, Rates } from "../enrichment/kinds/Rates.ts"
export { type TableSnapshot, TableSnapshots } from "../enrichment/kinds/TableSnapshots.ts"
export {
  authorities,
  type Capabilities,
  EnrichmentFault,
  type EnrichmentScope,
  type GatherScope,
  type Outcome,
  type RecordKind
} from "../enrichment/kinds/Kind.ts"
export type {
  AccountStatus,
  Explained,
  Explanation,
  Partition,
  PartitionKey,
  PartitionPlan,
  Plan,
  PlannedFinding,
  PlanFigure,
  PlanInput,
  Remembered,
  PlannedMessage,
  SetAccount,
  SetClaim,
  SetKind,
  SetRecord,
  Surrounding
} from "../enrichment/kinds/SetKind.ts"
export {
  type Expected,
  forecast,
  type Forecastable,
  scheduledDays,
  yearFrom
} from "../enrichment/kinds/recurring/Forecast.ts"
export {
  confirmSeries,
  endSeries,
  mergeSeries,
  nameSeries,
  rejectSeries,
  type SeriesRef,
  splitSeries
} from "../enrichment/kinds/recurring/SeriesFacts.ts"
