/**
 * Conformance of a whole storage layer: every store and the transactions over them, on one instance.
 *
 * The layer also provides `StoreClock`; a store with a clock of its own asks for `liveClock`.
 */
import { describe } from "@effect/vitest"
import * as AnalysisStoreSuite from "./AnalysisStoreSuite.ts"
import * as AnswerCacheSuite from "./AnswerCacheSuite.ts"
import * as AccountLooksSuite from "./AccountLooksSuite.ts"
import * as ApiKeyStoreSuite from "./ApiKeyStoreSuite.ts"
import * as AuditStoreSuite from "./AuditStoreSuite.ts"
import * as BankStoreSuite from "./BankStoreSuite.ts"
import * as ConnectionAttemptStoreSuite from "./ConnectionAttemptStoreSuite.ts"
import * as ConnectionSubjectStoreSuite from "./ConnectionSubjectStoreSuite.ts"
import * as CursorStoreSuite from "./CursorStoreSuite.ts"
import * as DataKeysSuite from "./DataKeysSuite.ts"
import * as DeliveryStoreSuite from "./DeliveryStoreSuite.ts"
import * as EnrichmentStoreSuite from "./EnrichmentStoreSuite.ts"
import * as EnrichmentRunStoreSuite from "./EnrichmentRunStoreSuite.ts"
import * as MemoryPatternStoreSuite from "./MemoryPatternStoreSuite.ts"
import * as EventStoreSuite from "./EventStoreSuite.ts"
import * as FeedStoreSuite from "./FeedStoreSuite.ts"
import * as FindingStoreSuite from "./FindingStoreSuite.ts"
import * as IdempotencyStoreSuite from "./IdempotencyStoreSuite.ts"
import * as IdentityStoreSuite from "./IdentityStoreSuite.ts"
import * as JobEventSuite from "./JobEventSuite.ts"
import * as JobLeaseSuite from "./JobLeaseSuite.ts"
import * as JobStoreSuite from "./JobStoreSuite.ts"
import * as KeyLookupSuite from "./KeyLookupSuite.ts"
import * as LeasesSuite from "./LeasesSuite.ts"
import * as MadeAccountSuite from "./MadeAccountSuite.ts"
import * as ReceivedWebhooksSuite from "./ReceivedWebhooksSuite.ts"
import * as RecordChangeStoreSuite from "./RecordChangeStoreSuite.ts"
import * as OutboxStoreSuite from "./OutboxStoreSuite.ts"
import * as RecordPageSuite from "./RecordPageSuite.ts"
import * as RecordStoreSuite from "./RecordStoreSuite.ts"
import * as RecordTypeSuite from "./RecordTypeSuite.ts"
import * as StageStoreSuite from "./StageStoreSuite.ts"
import { suiteOf, type StorageTests } from "./StorageTests.ts"
import * as SimulationStoreSuite from "./SimulationStoreSuite.ts"
import * as TableStoreSuite from "./TableStoreSuite.ts"
import * as TableTrashSuite from "./TableTrashSuite.ts"
import * as TaskStoreSuite from "./TaskStoreSuite.ts"
import * as TransactorSuite from "./TransactorSuite.ts"
import * as TokenBudgetSuite from "./TokenBudgetSuite.ts"
import * as UploadStoreSuite from "./UploadStoreSuite.ts"
import * as WorkspaceStoreSuite from "./WorkspaceStoreSuite.ts"

const suites: Readonly<Record<string, StorageTests>> = {
  Transactor: TransactorSuite.tests,
  DataKeys: DataKeysSuite.tests,
  CursorStore: CursorStoreSuite.tests,
  WorkspaceStore: WorkspaceStoreSuite.tests,
  ApiKeyStore: ApiKeyStoreSuite.tests,
  KeyLookup: KeyLookupSuite.tests,
  BankStore: BankStoreSuite.tests,
  AccountLooks: AccountLooksSuite.tests,
  ConnectionAttemptStore: ConnectionAttemptStoreSuite.tests,
  ConnectionSubjectStore: ConnectionSubjectStoreSuite.tests,
  "accounts made for a feed": MadeAccountSuite.tests,
  RecordStore: RecordStoreSuite.tests,
  "RecordStore pages": RecordPageSuite.tests,
  "Types of records": RecordTypeSuite.tests,
  FeedStore: FeedStoreSuite.tests,
  JobStore: JobStoreSuite.tests,
  "JobStore leases": JobLeaseSuite.tests,
  Leases: LeasesSuite.tests,
  DeliveryStore: DeliveryStoreSuite.tests,
  StageStore: StageStoreSuite.tests,
  TableStore: TableStoreSuite.tests,
  "TableStore trash": TableTrashSuite.tests,
  TaskStore: TaskStoreSuite.tests,
  UploadStore: UploadStoreSuite.tests,
  EnrichmentStore: EnrichmentStoreSuite.tests,
  EnrichmentRunStore: EnrichmentRunStoreSuite.tests,
  MemoryPatternStore: MemoryPatternStoreSuite.tests,
  AnalysisStore: AnalysisStoreSuite.tests,
  FindingStore: FindingStoreSuite.tests,
  SimulationStore: SimulationStoreSuite.tests,
  RecordChangeStore: RecordChangeStoreSuite.tests,
  AnswerCache: AnswerCacheSuite.tests,
  TokenBudget: TokenBudgetSuite.tests,
  OutboxStore: OutboxStoreSuite.tests,
  IdempotencyStore: IdempotencyStoreSuite.tests,
  IdentityStore: IdentityStoreSuite.tests,
  EventStore: EventStoreSuite.tests,
  AuditStore: AuditStoreSuite.tests,
  "Events of jobs": JobEventSuite.tests,
  ReceivedWebhooks: ReceivedWebhooksSuite.tests
}

export const tests: StorageTests = (it) => {
  for (const [port, register] of Object.entries(suites)) describe(port, () => register(it))
}

export const suite = suiteOf(tests)
