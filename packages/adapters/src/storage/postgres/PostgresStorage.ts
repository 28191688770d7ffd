/** Everything Millrace stores, in one PostgreSQL database (18 or newer is tested, 17 is needed). */
import type { BankStore } from "@millrace/core/bank/BankStore"
import type { Secrets } from "@millrace/core/bank/Secrets"
import type { DeliveryStore } from "@millrace/core/destination/DeliveryStore"
import type { EnrichmentStore } from "@millrace/core/enrichment/EnrichmentStore"
import type { FeedStore } from "@millrace/core/feed/FeedStore"
import type { JobStore } from "@millrace/core/job/JobStore"
import type { RateLimiter } from "@millrace/core/rate/RateLimiter"
import type { RecordStore } from "@millrace/core/record/RecordStore"
import type { Transactor } from "@millrace/core/storage/Transactor"
import type { TableStore } from "@millrace/core/table/TableStore"
import type { UploadStore } from "@millrace/core/upload/UploadStore"
import type { WorkspaceStore } from "@millrace/core/workspace/WorkspaceStore"
import * as Layer from "effect/Layer"
import type { SqlClient } from "effect/sql/SqlClient"
import * as PostgresBankStore from "./PostgresBankStore.ts"
import * as PostgresDeliveryStore from "./PostgresDeliveryStore.ts"
import * as PostgresEnrichmentStore from "./PostgresEnrichmentStore.ts"
import * as PostgresFeedStore from "./PostgresFeedStore.ts"
import * as PostgresJobStore from "./PostgresJobStore.ts"
import * as PostgresRateLimiter from "./PostgresRateLimiter.ts"
import * as PostgresRecordStore from "./PostgresRecordStore.ts"
import * as PostgresTableStore from "./PostgresTableStore.ts"
import * as PostgresTransactor from "./PostgresTransactor.ts"
import * as PostgresUploadStore from "./PostgresUploadStore.ts"
import * as PostgresWorkspaceStore from "./PostgresWorkspaceStore.ts"

export { migrate } from "./Migrations.ts"

export type PostgresStorage =
  | Transactor
  | WorkspaceStore
  | BankStore
  | RecordStore
  | FeedStore
  | JobStore
  | DeliveryStore
  | TableStore
  | UploadStore
  | EnrichmentStore
  | RateLimiter

/** All stores over one client; the database has been migrated. */
export const layer: Layer.Layer<PostgresStorage, never, SqlClient | Secrets> = Layer.mergeAll(
  PostgresTransactor.layer,
  PostgresWorkspaceStore.layer,
  PostgresBankStore.layer,
  PostgresRecordStore.layer,
  PostgresFeedStore.layer,
  PostgresJobStore.layer,
  PostgresDeliveryStore.layer,
  PostgresTableStore.layer,
  PostgresUploadStore.layer,
  PostgresEnrichmentStore.layer,
  PostgresRateLimiter.layer
)
