/**
 * The kernel, put together: every use case as a layer over the ports.
 *
 * Embedders provide storage (in memory or PostgreSQL), providers, destinations, a statement reader, an engine for
 * patterns and a job engine, and get typed services. The bundled server does the same.
 */
import type * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { ApiKeyStore } from "./access/ApiKeyStore.ts"
import * as Audited from "./Audited.ts"
import { Authenticator } from "./access/Authenticator.ts"
import { Families } from "./access/Families.ts"
import type { KeyArrivals } from "./access/KeyArrivals.ts"
import { AccountChanges } from "./usecase/AccountChanges.ts"
import { AccountData } from "./usecase/AccountData.ts"
import type { AccountLooks } from "./bank/AccountLooks.ts"
import type { AccountJoinStore } from "./bank/AccountJoinStore.ts"
import type { BankRemains } from "./bank/BankRemains.ts"
import type { ReceivedWebhooks } from "./bank/ReceivedWebhooks.ts"
import type { BankStore } from "./bank/BankStore.ts"
import type { ConnectionAttemptStore } from "./bank/ConnectionAttemptStore.ts"
import type { ConnectionSubjectStore } from "./bank/ConnectionSubject.ts"
import { Banks } from "./bank/Banks.ts"
import type { Connecting } from "./bank/Connecting.ts"
import { ConnectReturns } from "./bank/ConnectReturns.ts"
import { Institutions } from "./bank/Institutions.ts"
import type { Looks } from "./bank/Looks.ts"
import type { Sessions } from "./bank/Sessions.ts"
import type { Starting } from "./bank/Starting.ts"
import { Collections } from "./collection/Collections.ts"
import { Deliverer } from "./destination/Deliverer.ts"
import type { DeliveryStore } from "./destination/DeliveryStore.ts"
import { Destinations } from "./destination/Destinations.ts"
import { FeedRecords } from "./destination/FeedRecords.ts"
import { FeedPipelines } from "./enrichment/FeedPipelines.ts"
import { Enrichments } from "./enrichment/Enrichments.ts"
import { Findings } from "./enrichment/Findings.ts"
import { Analysis } from "./enrichment/Analysis.ts"
import type { AnalysisStore } from "./enrichment/AnalysisStore.ts"
import type { RecordChangeStore } from "./enrichment/history/RecordChangeStore.ts"
import type { FindingStore } from "./enrichment/FindingStore.ts"
import type { ScratchAnalysis } from "./enrichment/ScratchAnalysis.ts"
import type { AnswerCache } from "./model/AnswerCache.ts"
import type { TokenBudget } from "./model/TokenBudget.ts"
import { RowRemoval } from "./enrichment/RowRemoval.ts"
import { EnrichmentFacts } from "./enrichment/EnrichmentFacts.ts"
import type { EnrichmentStore } from "./enrichment/EnrichmentStore.ts"
import type { AuditStore } from "./audit/AuditStore.ts"
import { Audit } from "./audit/Audit.ts"
import { Events } from "./event/Events.ts"
import type { EventStore } from "./event/EventStore.ts"
import type { Kinds } from "./enrichment/Kinds.ts"
import type { EnrichmentRunStore } from "./enrichment/EnrichmentRunStore.ts"
import { PlanningMarks } from "./enrichment/PlanningMarks.ts"
import { RunNotes } from "./enrichment/RunNotes.ts"
import type { MemoryPatternStore } from "./enrichment/MemoryPatternStore.ts"
import { Learning } from "./enrichment/Learning.ts"
import { PersonsActs } from "./enrichment/PersonsActs.ts"
import { AccountJoins } from "./usecase/AccountJoins.ts"
import { BankRemovals } from "./usecase/BankRemovals.ts"
import { ProviderCallbacks } from "./usecase/ProviderCallbacks.ts"
import { DataTypeSchemas } from "./usecase/DataTypeSchemas.ts"
import { Feeds } from "./usecase/Feeds.ts"
import type { FeedStore } from "./feed/FeedStore.ts"
import { Rehearsal } from "./enrichment/Rehearsal.ts"
import { Previews } from "./explain/Previews.ts"
import type { SimulationStore } from "./explain/Simulation.ts"
import { SimulationRuns } from "./explain/SimulationTask.ts"
import { Simulations } from "./explain/Simulations.ts"
import { Explanations } from "./explain/Explanations.ts"
import { RecordLooks } from "./explain/RecordLooks.ts"
import { Decisions } from "./explain/Decisions.ts"
import { EnrichmentInsights } from "./explain/EnrichmentInsights.ts"
import { Withheld } from "./explain/Withheld.ts"
import { RecordWords } from "./explain/RecordWords.ts"
import { Undoing } from "./explain/Undoing.ts"
import { Corrections } from "./identity/Corrections.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import type { IdempotencyStore } from "./idempotency/IdempotencyStore.ts"
import type { IdentityStore } from "./identity/IdentityStore.ts"
import type { JobEngine } from "./job/JobEngine.ts"
import { Jobs } from "./job/Jobs.ts"
import type { JobStore } from "./job/JobStore.ts"
import type { Providers } from "./provider/Providers.ts"
import type { Resources } from "./resource/Resources.ts"
import type { RateLimiter } from "./rate/RateLimiter.ts"
import type { RecordStore } from "./record/RecordStore.ts"
import type { Patterns } from "./pattern/Pattern.ts"
import { Cursors } from "./cursor/Cursors.ts"
import type { CursorStore } from "./cursor/CursorStore.ts"
import type { Digest } from "./shared/Digest.ts"
import { Ids } from "./shared/Ids.ts"
import type { DataKeys } from "./storage/DataKeys.ts"
import type { Leases } from "./storage/Lease.ts"
import type { Transactor } from "./storage/Transactor.ts"
import { ConnectionSource } from "./sync/ConnectionSource.ts"
import { Projector } from "./sync/Projector.ts"
import type { StageStore } from "./sync/StageStore.ts"
import * as RecordValues from "./sync/RecordValues.ts"
import { SourceReader } from "./sync/SourceReader.ts"
import { MadeAccounts } from "./sync/MadeAccounts.ts"
import { PushedRecords } from "./sync/PushedRecords.ts"
import { ReadThrough } from "./sync/ReadThrough.ts"
import { Source } from "./usecase/Source.ts"
import { LocalRun } from "./usecase/LocalRun.ts"
import { SyncRun } from "./usecase/SyncRun.ts"
import { FeedLearning } from "./sync/FeedLearning.ts"
import { LedgerWriter } from "./sync/LedgerWriter.ts"
import * as RowEdits from "./table/RowEdits.ts"
import { Outbox } from "./message/Outbox.ts"
import type { OutboxStore } from "./message/OutboxStore.ts"
import { Tasks } from "./task/Tasks.ts"
import type { TaskStore } from "./task/TaskStore.ts"
import { Tables } from "./table/Tables.ts"
import type { TableStore } from "./table/TableStore.ts"
import type { StatementReader } from "./upload/Statement.ts"
import { StatementSource } from "./upload/StatementSource.ts"
import { UploadPages } from "./upload/UploadPages.ts"
import { Uploads } from "./upload/Uploads.ts"
import { UploadSource } from "./upload/UploadSource.ts"
import type { UploadStore } from "./upload/UploadStore.ts"
import { WaitingUploads } from "./upload/WaitingUploads.ts"
import { Workspaces } from "./usecase/Workspaces.ts"
import { withinCaller } from "./workspace/Reach.ts"
import type { WorkspaceStore } from "./workspace/WorkspaceStore.ts"

/** What storage has to provide. */
export type Stores =
  | WorkspaceStore
  | ApiKeyStore
  | KeyArrivals
  | BankStore
  | BankRemains
  | AccountJoinStore
  | ReceivedWebhooks
  | AccountLooks
  | ConnectionAttemptStore
  | ConnectionSubjectStore
  | RecordStore
  | FeedStore
  | JobStore
  | DeliveryStore
  | TableStore
  | UploadStore
  | EnrichmentStore
  | EnrichmentRunStore
  | MemoryPatternStore
  | AnalysisStore
  | ScratchAnalysis
  | SimulationStore
  | FindingStore
  | RecordChangeStore
  | AnswerCache
  | TokenBudget
  | OutboxStore
  | IdempotencyStore
  | IdentityStore
  | EventStore
  | AuditStore
  | DataKeys
  | Leases
  | CursorStore
  | StageStore
  | TaskStore
  | Resources
  | RateLimiter
  | Transactor

/** Everything outside the kernel besides the job engine. */
export type Ports = Stores | Providers | Destinations | Kinds | StatementReader | Patterns | Digest

/** Runs jobs; the job engine stands on this. */
export const layerRun: Layer.Layer<
  | SyncRun
  | LocalRun
  | Analysis
  | Learning
  | FeedLearning
  | Banks
  | Connecting
  | Starting
  | ConnectReturns
  | Looks
  | Sessions
  | SourceReader
  | LedgerWriter
  | PushedRecords
  | Outbox
  | Tasks
  | Ids,
  never,
  Ports
> = Layer.merge(SyncRun.layer, LocalRun.layer).pipe(
  Layer.provide(Source.layer),
  Layer.provide([ConnectionSource.layer, UploadSource.layer, Projector.layer, Deliverer.layer]),
  Layer.provide([RecordValues.layer, RunNotes.layer, PlanningMarks.layer]),
  Layer.provideMerge(FeedLearning.layer.pipe(Layer.provide([EnrichmentFacts.layer, PersonsActs.layer]))),
  Layer.provideMerge(Analysis.layer),
  Layer.provideMerge(Outbox.layer),
  Layer.provideMerge(Learning.layer.pipe(Layer.provide(PersonsActs.layer))),
  Layer.provide(FeedPipelines.layer),
  Layer.provide(StatementSource.layer),
  Layer.provideMerge([SourceReader.layer, PushedRecords.layer]),
  Layer.provide(MadeAccounts.layer),
  Layer.provideMerge([
    LedgerWriter.layer.pipe(Layer.provide(RowEdits.layer)),
    ConnectReturns.layer.pipe(Layer.provideMerge(Banks.layer)),
    Tasks.layer
  ]),
  Layer.provideMerge(Ids.layer)
)

export type UseCases =
  | Authenticator
  | Families
  | Workspaces
  | Banks
  | BankRemovals
  | Institutions
  | ProviderCallbacks
  | AccountChanges
  | AccountData
  | Feeds
  | DataTypeSchemas
  | Jobs
  | UploadPages
  | Uploads
  | WaitingUploads
  | FeedRecords
  | Tables
  | Enrichments
  | EnrichmentFacts
  | Findings
  | Explanations
  | Previews
  | Simulations
  | SimulationRuns
  | RecordWords
  | Decisions
  | EnrichmentInsights
  | Withheld
  | Undoing
  | Corrections
  | AccountJoins
  | Events
  | Audit
  | Idempotency
  | Collections

/** What the destinations of the program can take away. */
const rowRemoval: Layer.Layer<never, never, Destinations> = Layer.effect(
  RowRemoval,
  Effect.map(Destinations, ({ all }) => {
    const keeping = new Set(all.flatMap(({ capabilities, type }) => (capabilities.canRemove ? [] : [type])))
    return { canRemove: (type) => !keeping.has(type) }
  })
)

/** Use cases that reach no further than whoever calls them. */
const walled = <I, S extends object, E, R>(
  service: Context.Service<I, S>,
  layer: Layer.Layer<I, E, R>
): Layer.Layer<I, E, R> => Layer.effect(service, Effect.map(service, withinCaller<S>)).pipe(Layer.provide(layer))

/**
 * What the API and recurring tasks call. `cursorKeys` sign the cursors of lists and the addresses of upload pages: all servers
 * of one installation share them.
 */
export const layerUseCases = (
  ...cursorKeys: Arr.NonEmptyReadonlyArray<Redacted.Redacted>
): Layer.Layer<UseCases, never, Ports | JobEngine | Banks | Looks | SourceReader | LedgerWriter | Ids> =>
  Layer.mergeAll(
    Workspaces.layer.pipe(Layer.provide(Tasks.layer)),
    Families.layer,
    Institutions.layer,
    walled(AccountChanges, AccountChanges.layer),
    walled(AccountData, AccountData.layer),
    walled(BankRemovals, BankRemovals.layer),
    ProviderCallbacks.layer,
    walled(Feeds, Feeds.layer),
    DataTypeSchemas.layer,
    walled(UploadPages, UploadPages.layer),
    walled(Uploads, Uploads.layer),
    WaitingUploads.layer,
    walled(FeedRecords, FeedRecords.layer.pipe(Layer.provide(RecordValues.layer), Layer.provide(FeedPipelines.layer))),
    walled(Tables, Tables.layer),
    walled(Enrichments, Enrichments.layer.pipe(Layer.provide(rowRemoval))),
    walled(EnrichmentFacts, EnrichmentFacts.layer),
    Layer.mergeAll(
      walled(Explanations, Explanations.layer),
      walled(Previews, Previews.layer),
      walled(Simulations, Simulations.layer),
      SimulationRuns.layer,
      walled(RecordWords, RecordWords.layer),
      walled(Decisions, Decisions.layer),
      walled(EnrichmentInsights, EnrichmentInsights.layer),
      walled(Withheld, Withheld.layer),
      walled(Undoing, Undoing.layer)
    ).pipe(
      Layer.provide(RecordLooks.layer),
      Layer.provide(Rehearsal.layer),
      Layer.provide(EnrichmentFacts.layer),
      Layer.provide(FeedPipelines.layer),
      Layer.provide(Tasks.layer)
    ),
    walled(Findings, Findings.layer.pipe(Layer.provide(EnrichmentFacts.layer))),
    walled(Corrections, Corrections.layer),
    walled(AccountJoins, AccountJoins.layer.pipe(Layer.provide(RowEdits.layer))),
    Idempotency.layer,
    Collections.layer,
    walled(Events, Events.layer),
    walled(Audit, Audit.layer)
  ).pipe(
    Layer.provideMerge(walled(Jobs, Jobs.layer)),
    Layer.provide(ReadThrough.layer),
    Layer.provideMerge(Authenticator.layer),
    Layer.provide(Cursors.layer(...cursorKeys)),
    Layer.provideMerge(Layer.effect(Banks, Effect.map(Banks, withinCaller))),
    (plain) => Layer.merge(plain, Layer.provide(Audited.layer<UseCases | Banks>(), plain))
  )
