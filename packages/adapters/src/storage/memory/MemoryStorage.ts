/**
 * Everything that is stored, in the memory of one process: for tests, trials and embedding without a
 * database. It keeps the promises of the ports, but nothing survives the process.
 */
import type { Kernel } from "@millrace/core/kernel"
import type { RateLimiter, UpstreamBudget } from "@millrace/core/rate"
import type { Resources } from "@millrace/core/resource"
import {
  AnalysisStore,
  AnswerCache,
  AccountJoinStore,
  AccountLooks,
  ApiKeyStore,
  AuditStore,
  OutboxStore,
  BankDataPurge,
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  CursorStore,
  SimulationStore,
  StageStore,
  DeliveryStore,
  EnrichmentStore,
  EventStore,
  FeedStore,
  FindingStore,
  IdempotencyStore,
  IdentityStore,
  JobStore,
  KeyLookup,
  RecordChangeStore,
  EnrichmentRunStore,
  MemoryPatternStore,
  RecordStore,
  TableStore,
  TaskStore,
  TokenBudget,
  UploadStore,
  WorkspaceStore
} from "@millrace/core/storage"
import * as Layer from "effect/Layer"
import * as MemoryRateLimiter from "../../rate/MemoryRateLimiter.ts"
import * as MemoryUpstreamBudget from "../../rate/MemoryUpstreamBudget.ts"
import * as MemoryAccountJoinStore from "./MemoryAccountJoinStore.ts"
import * as MemoryAnalysisStore from "./MemoryAnalysisStore.ts"
import * as MemoryAnswerCache from "./MemoryAnswerCache.ts"
import * as MemoryAuditStore from "./MemoryAuditStore.ts"
import * as MemoryBankDataPurge from "./MemoryBankDataPurge.ts"
import * as MemoryBankStore from "./MemoryBankStore.ts"
import { BankTable } from "./MemoryBankTable.ts"
import * as MemoryConnectionAttemptStore from "./MemoryConnectionAttemptStore.ts"
import * as MemoryConnectionSubjectStore from "./MemoryConnectionSubjectStore.ts"
import * as MemoryCursorStore from "./MemoryCursorStore.ts"
import * as MemoryDataKeys from "./MemoryDataKeys.ts"
import * as MemoryDeliveryStore from "./MemoryDeliveryStore.ts"
import * as MemoryEventStore from "./MemoryEventStore.ts"
import { EventTable } from "./MemoryEventTable.ts"
import * as MemoryFeedStore from "./MemoryFeedStore.ts"
import * as MemoryIdempotencyStore from "./MemoryIdempotencyStore.ts"
import * as MemoryIdentityStore from "./MemoryIdentityStore.ts"
import * as MemoryJobStore from "./MemoryJobStore.ts"
import { JobTable } from "./MemoryJobTable.ts"
import * as MemoryLeases from "./MemoryLeases.ts"
import * as MemoryRecordChangeStore from "./MemoryRecordChangeStore.ts"
import * as MemoryOutboxStore from "./MemoryOutboxStore.ts"
import * as MemoryReceivedWebhooks from "./MemoryReceivedWebhooks.ts"
import * as MemoryRecordStore from "./MemoryRecordStore.ts"
import { RecordTable } from "./MemoryRecordTable.ts"
import * as MemoryResources from "./MemoryResources.ts"
import * as MemoryScratchAnalysis from "./MemoryScratchAnalysis.ts"
import * as MemoryStageStore from "./MemoryStageStore.ts"
import * as MemoryTableStore from "./MemoryTableStore.ts"
import * as MemoryTaskStore from "./MemoryTaskStore.ts"
import * as MemoryTokenBudget from "./MemoryTokenBudget.ts"
import * as MemoryTransactor from "./MemoryTransactor.ts"
import * as MemoryUploadStore from "./MemoryUploadStore.ts"
import { layerOwners, wall } from "./MemoryWall.ts"
import * as MemoryWorkspaceStore from "./MemoryWorkspaceStore.ts"

/**
 * Each build is a store of its own, empty. `JobLease` sets how long claims last. Where nobody said for which
 * workspaces the work is (`CurrentTenantScope`), it is for all of them: nobody else is in the process.
 */
export const layer: Layer.Layer<Kernel.Stores | Resources | RateLimiter | UpstreamBudget> = Layer.mergeAll(
  MemoryDataKeys.layer,
  MemoryLeases.layer,
  wall(CursorStore, MemoryCursorStore.layer),
  wall(StageStore, MemoryStageStore.layer),
  wall(WorkspaceStore, MemoryWorkspaceStore.layer),
  wall(ConnectionAttemptStore, MemoryConnectionAttemptStore.layer),
  wall(ConnectionSubjectStore, MemoryConnectionSubjectStore.layer),
  AccountLooks.layer.pipe(
    Layer.provideMerge([wall(BankStore, MemoryBankStore.layer), wall(RecordStore, MemoryRecordStore.layer)])
  ),
  wall(AccountJoinStore, MemoryAccountJoinStore.layer),
  wall(BankDataPurge, MemoryBankDataPurge.layer.pipe(Layer.provide(MemoryBankStore.layer))),
  MemoryReceivedWebhooks.layer,
  wall(FeedStore, MemoryFeedStore.layer),
  wall(JobStore, MemoryJobStore.layer),
  wall(DeliveryStore, MemoryDeliveryStore.layer),
  wall(TableStore, MemoryTableStore.layer),
  wall(TaskStore, MemoryTaskStore.layer),
  wall(UploadStore, MemoryUploadStore.layer.pipe(Layer.provide(MemoryFeedStore.layer))),
  wall(IdempotencyStore, MemoryIdempotencyStore.layer),
  KeyLookup.layer.pipe(
    Layer.provideMerge(MemoryRateLimiter.layer),
    Layer.provide(wall(WorkspaceStore, MemoryWorkspaceStore.layer)),
    Layer.provideMerge(
      Layer.mergeAll(
        ApiKeyStore.layer,
        EnrichmentStore.layer,
        EnrichmentRunStore.layer,
        FindingStore.layer,
        MemoryPatternStore.layer,
        SimulationStore.layer
      )
    ),
    Layer.provideMerge(MemoryResources.layer)
  ),
  wall(IdentityStore, MemoryIdentityStore.layer),
  wall(EventStore, MemoryEventStore.layer),
  wall(AnalysisStore, MemoryAnalysisStore.layer),
  MemoryScratchAnalysis.layer,
  wall(RecordChangeStore, MemoryRecordChangeStore.layer),
  wall(AnswerCache, MemoryAnswerCache.layer),
  wall(TokenBudget, MemoryTokenBudget.layer),
  wall(AuditStore, MemoryAuditStore.layer),
  wall(OutboxStore, MemoryOutboxStore.layer),
  MemoryUpstreamBudget.layer
).pipe(
  Layer.provide(layerOwners),
  Layer.provideMerge(MemoryTransactor.layer),
  Layer.provide(JobTable.layer),
  Layer.provide(EventTable.layer),
  Layer.provide(MemoryLeases.LeaseTable.layer),
  Layer.provide([
    MemoryTransactor.Memory.layer,
    BankTable.layer,
    RecordTable.layer,
    MemoryUpstreamBudget.UpstreamTurns.layer
  ])
)
