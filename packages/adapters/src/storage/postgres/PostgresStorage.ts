/** Everything Millrace stores, in one PostgreSQL database (18 or newer is tested, 17 is needed). */
import type { Secrets } from "@millrace/core/bank"
import type { Kernel } from "@millrace/core/kernel"
import type { RateLimiter, UpstreamBudget } from "@millrace/core/rate"
import type { Resources } from "@millrace/core/resource"
import {
  ApiKeyStore,
  EnrichmentRunStore,
  EnrichmentStore,
  FindingStore,
  MemoryPatternStore,
  SimulationStore
} from "@millrace/core/storage"
import type { PgClient } from "@effect/sql-pg/PgClient"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as PostgresAnalysisStore from "./PostgresAnalysisStore.ts"
import * as PostgresAnswerCache from "./PostgresAnswerCache.ts"
import * as PostgresAccountLooks from "./PostgresAccountLooks.ts"
import * as PostgresAuditStore from "./PostgresAuditStore.ts"
import * as PostgresAccountJoinStore from "./PostgresAccountJoinStore.ts"
import * as PostgresBankDataPurge from "./PostgresBankDataPurge.ts"
import * as PostgresBankStore from "./PostgresBankStore.ts"
import * as PostgresConnectionAttemptStore from "./PostgresConnectionAttemptStore.ts"
import * as PostgresConnectionSubjectStore from "./PostgresConnectionSubjectStore.ts"
import * as PostgresScratchAnalysis from "./PostgresScratchAnalysis.ts"
import * as PostgresStageStore from "./PostgresStageStore.ts"
import * as PostgresCursorStore from "./PostgresCursorStore.ts"
import * as PostgresDataKeys from "./PostgresDataKeys.ts"
import * as PostgresDeliveryStore from "./PostgresDeliveryStore.ts"
import * as PostgresEventStore from "./PostgresEventStore.ts"
import * as PostgresFeedStore from "./PostgresFeedStore.ts"
import * as PostgresIdempotencyStore from "./PostgresIdempotencyStore.ts"
import * as PostgresIdentityStore from "./PostgresIdentityStore.ts"
import * as PostgresJobStore from "./PostgresJobStore.ts"
import * as PostgresKeyLookup from "./PostgresKeyLookup.ts"
import * as PostgresLeases from "./PostgresLeases.ts"
import * as PostgresOutboxStore from "./PostgresOutboxStore.ts"
import * as PostgresRateLimiter from "./PostgresRateLimiter.ts"
import * as PostgresRecordChangeStore from "./PostgresRecordChangeStore.ts"
import * as PostgresReceivedWebhooks from "./PostgresReceivedWebhooks.ts"
import * as PostgresRecordStore from "./PostgresRecordStore.ts"
import * as PostgresResources from "./PostgresResources.ts"
import * as PostgresTableStore from "./PostgresTableStore.ts"
import * as PostgresTaskStore from "./PostgresTaskStore.ts"
import * as PostgresTokenBudget from "./PostgresTokenBudget.ts"
import * as PostgresTransactor from "./PostgresTransactor.ts"
import * as PostgresUploadStore from "./PostgresUploadStore.ts"
import * as PostgresUpstreamBudget from "./PostgresUpstreamBudget.ts"
import * as PostgresWorkspaceStore from "./PostgresWorkspaceStore.ts"

export { migrate } from "./Migrations.ts"
export { createResourceTable, type TableShape } from "./ResourceTable.ts"

export type PostgresStorage = Kernel.Stores | Resources | RateLimiter | UpstreamBudget

/** All stores over one client; the database has been migrated. */
export const layer: Layer.Layer<PostgresStorage, never, SqlClient | PgClient | Secrets> = Layer.mergeAll(
  PostgresTransactor.layer,
  PostgresDataKeys.layer,
  PostgresLeases.layer,
  PostgresCursorStore.layer,
  PostgresStageStore.layer,
  PostgresWorkspaceStore.layer,
  PostgresAccountJoinStore.layer,
  PostgresBankDataPurge.layer,
  PostgresReceivedWebhooks.layer,
  PostgresBankStore.layer,
  PostgresConnectionAttemptStore.layer,
  PostgresConnectionSubjectStore.layer,
  PostgresRecordStore.layer,
  PostgresFeedStore.layer,
  PostgresJobStore.layer,
  PostgresDeliveryStore.layer,
  PostgresTableStore.layer,
  PostgresTaskStore.layer,
  PostgresUploadStore.layer,
  PostgresIdempotencyStore.layer,
  Layer.mergeAll(
    ApiKeyStore.layer,
    EnrichmentStore.layerSealed,
    EnrichmentRunStore.layer,
    FindingStore.layer,
    MemoryPatternStore.layer,
    SimulationStore.layerSealed
  ).pipe(Layer.provideMerge(PostgresResources.layer)),
  PostgresKeyLookup.layer,
  PostgresAccountLooks.layer,
  PostgresIdentityStore.layer,
  PostgresEventStore.layer,
  PostgresAnalysisStore.layer,
  PostgresScratchAnalysis.layer,
  PostgresRecordChangeStore.layer,
  PostgresAnswerCache.layer,
  PostgresTokenBudget.layer,
  PostgresOutboxStore.layer,
  PostgresAuditStore.layer,
  PostgresRateLimiter.layer,
  PostgresUpstreamBudget.layer
)
