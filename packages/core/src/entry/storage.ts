/** For authors of storage: the ports that a store implements, the transactions over them and the errors that they may give. */
export { ApiKeyStore } from "../access/ApiKeyStore.ts"
export { type AuditChain, type AuditQuery, type AuditRow, AuditStore, type ChainedRow } from "../audit/AuditStore.ts"
export { type AccountLook, AccountLooks } from "../bank/AccountLooks.ts"
export { AccountJoinStore, type RecordMove } from "../bank/AccountJoinStore.ts"
export { BankDataPurge } from "../bank/BankDataPurge.ts"
export {
  type AccountDetails,
  type BankDetails,
  type BankConnection,
  BankStore,
  isSameConnection,
  type SyntheticBank
} from "../bank/BankStore.ts"
export {
  type AttemptOutcome,
  type AttemptPart,
  type AttemptParts,
  ConnectionAttemptStore
} from "../bank/ConnectionAttemptStore.ts"
export { ConnectionSubjectStore } from "../bank/ConnectionSubject.ts"
export { ReceivedWebhooks } from "../bank/ReceivedWebhooks.ts"
export { CursorStore } from "../cursor/CursorStore.ts"
export {
  type Arrived,
  type DeliveryEntry,
  DeliveryStore,
  type Intent,
  type ListPlace,
  type OpenPlace,
  type Outcome,
  reopenableStates,
  type Settlement
} from "../destination/DeliveryStore.ts"
export {
  type AnalysisChanges,
  type AnalysisEntry,
  type AnalysisHead,
  type AnalysisLink,
  type AnalysisMark,
  type AnalysisNote,
  type AnalysisScope,
  AnalysisStore,
  type PartitionOutput,
  type PartitionState
} from "../enrichment/AnalysisStore.ts"
export { RecordChangeStore } from "../enrichment/history/RecordChangeStore.ts"
export { ScratchAnalysis } from "../enrichment/ScratchAnalysis.ts"
export { SimulationStore } from "../explain/Simulation.ts"
export { type FindingPlace, type FindingsQuery, FindingStore } from "../enrichment/FindingStore.ts"
export { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
export { AnswerCache, type CachedAnswer, type NewAnswer } from "../model/AnswerCache.ts"
export {
  type BudgetScope,
  type BudgetUse,
  TokenBudget,
  type TokenLimits,
  type TokenReservation
} from "../model/TokenBudget.ts"
export { EnrichmentRunStore } from "../enrichment/EnrichmentRunStore.ts"
export { MemoryPatternStore } from "../enrichment/MemoryPatternStore.ts"
export { type Backlog, EventsForgotten, EventStore } from "../event/EventStore.ts"
export { type FeedMark, FeedStore } from "../feed/FeedStore.ts"
export { IdempotencyStore, type KeyedRequest, type KeyState } from "../idempotency/IdempotencyStore.ts"
export { type Alias, IdentityStore, type LogQuery } from "../identity/IdentityStore.ts"
export { JobLease, pokeLease } from "../job/JobLease.ts"
export {
  type ClaimedJob,
  FeedLocked,
  type Fence,
  Fenced,
  holderOf,
  JobStateConflict,
  JobStore,
  type Progress
} from "../job/JobStore.ts"
export { type Lane, OutboxStore } from "../message/OutboxStore.ts"
export { type CountedKey, KeyLookup, type RequestLimits } from "../access/KeyLookup.ts"
export {
  type Checkpoint,
  type IndexQuery,
  type RecordFilter,
  type RecordScope,
  type PageQuery,
  RecordStore
} from "../record/RecordStore.ts"
export { type DataKeyName, DataKeys } from "../storage/DataKeys.ts"
export { type Lease, LeaseLost, Leases } from "../storage/Lease.ts"
export { StorageRoom } from "../storage/StorageRoom.ts"
export { StorageUnavailable } from "../storage/StorageUnavailable.ts"
export { Transactor } from "../storage/Transactor.ts"
export { type FeedRow, markKey, TableStore } from "../table/TableStore.ts"
export { type PackedText, type StageChunk, type StageKey, StageStore } from "../sync/StageStore.ts"
export { type Claims, TaskFenced, type TaskRoom, TaskStore } from "../task/TaskStore.ts"
export { FileDamaged, type ShownAt, UploadStore } from "../upload/UploadStore.ts"
export { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
