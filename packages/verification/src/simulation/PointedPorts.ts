/** The ports of the kernel with a point to fail at around every call, over scripted upstreams and destinations. */
import { type AnyKind, Kinds, memoryPatterns, modelUse } from "@millrace/core/enrichment"
import { recordPasts } from "@millrace/core/identity"
import { NodeDigest } from "@millrace/adapters"
import { TableDestination } from "@millrace/adapters/destination"
import * as StatementReader from "../../../adapters/src/statement/StatementReader.ts"
import {
  AnalysisStore,
  AnswerCache,
  ApiKeyStore,
  AccountJoinStore,
  BankDataPurge,
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  DataKeys,
  DeliveryStore,
  EnrichmentStore,
  FeedStore,
  FindingStore,
  IdentityStore,
  JobStore,
  Leases,
  RecordChangeStore,
  EnrichmentRunStore,
  MemoryPatternStore,
  OutboxStore,
  RecordStore,
  ScratchAnalysis,
  SimulationStore,
  StageStore,
  TableStore,
  TaskStore,
  TokenBudget,
  Transactor,
  UploadStore,
  WorkspaceStore
} from "@millrace/core/storage"
import { StageBounds } from "../../../core/src/sync/PageSpool.ts"
import { Destinations, type DestinationSession } from "@millrace/core/destination"
import { type Kernel, SyncRun } from "@millrace/core/kernel"
import { type OpenSession, type ProviderDriver, Providers } from "@millrace/core/provider"
import { Patterns } from "@millrace/core/pattern"
import { TableSnapshotReader } from "@millrace/core/table"
import { Ids } from "@millrace/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ScriptedDestination, ScriptedProvider } from "@millrace/testing/fake"
import type { FaultPoints } from "@millrace/testing/fault"
import { CurrentRun, type Watch } from "./Watch.ts"

const stores = {
  AnalysisStore,
  AnswerCache,
  RecordChangeStore,
  RecordStore,
  ScratchAnalysis,
  SimulationStore,
  StageStore,
  FeedStore,
  FindingStore,
  JobStore,
  DeliveryStore,
  AccountJoinStore,
  BankDataPurge,
  BankStore,
  ConnectionAttemptStore,
  ConnectionSubjectStore,
  IdentityStore,
  Transactor,
  UploadStore,
  WorkspaceStore,
  ApiKeyStore,
  EnrichmentStore,
  EnrichmentRunStore,
  MemoryPatternStore,
  OutboxStore,
  TableStore,
  TaskStore,
  TokenBudget,
  DataKeys,
  Leases
} as const

/** The stores beneath, pointed. */
export const pointedStores = (points: FaultPoints): Layer.Layer<Kernel.Stores, never, Kernel.Stores> =>
  Layer.effectContext(
    Effect.map(Effect.context<Kernel.Stores>(), (beneath) =>
      // One layer for all of them: worlds are built by the thousand.
      Context.makeUnsafe<Kernel.Stores>(
        new Map(
          Object.entries(stores).map(([name, key]) => [key.key, points.wrap(name, beneath.mapUnsafe.get(key.key)!)])
        )
      )
    )
  )

/** Pulls of more rows than this put pages aside: a few of those that are simulated. */
export const fewHeld = Layer.succeed(StageBounds, { held: 7, characters: 200, packed: 400, readBack: 3 })

/** What one simulated world has outside of the kernel. */
export interface Outside {
  readonly upstreams: ReadonlyArray<ScriptedProvider>
  /** Providers beside the scripted ones. */
  readonly drivers?: ReadonlyArray<ProviderDriver>
  readonly destination: ScriptedDestination
  readonly watch: Watch
  /** Kinds of enrichment beside the bundled ones. */
  readonly kinds?: ReadonlyArray<AnyKind>
}

/** The driver and its sessions, pointed. */
export const pointedProvider = (points: FaultPoints, driver: ProviderDriver): ProviderDriver =>
  points.wrap("Provider", {
    ...driver,
    open: (request: OpenSession) => Effect.map(driver.open(request), (session) => points.wrap("Provider", session))
  })

const watchedDriver = ({ sometimes }: Watch, driver: ProviderDriver): ProviderDriver => ({
  ...driver,
  open: (request) =>
    Effect.map(driver.open(request), (session) => ({
      ...session,
      pull: (asked) =>
        Effect.tapError(session.pull(asked), (error) =>
          Effect.sync(() => {
            sometimes.happened("provider error")
            if (error._tag === "MutationDuringPagination") sometimes.happened("pagination restarted")
          })
        )
    }))
})

const watchedSession = (watch: Watch, session: DestinationSession): DestinationSession => ({
  ...session,
  lookup: (keys) =>
    Effect.tap(session.lookup(keys), (found) =>
      Effect.sync(() => {
        if (found.size > 0) watch.sometimes.happened("look-up found a row", found.size)
      })
    ),
  write: (batch) =>
    Effect.tap(session.write(batch), (receipts) =>
      Effect.sync(() => {
        watch.wrote("Destination.write")
        for (const { outcome } of receipts) {
          if (outcome === "skipped") watch.sometimes.happened("row skipped that a person deleted")
          else if (outcome === "failed") watch.sometimes.happened("destination refuses a row")
        }
      })
    ),
  replace: (rows) =>
    Effect.tap(session.replace(rows), () =>
      Effect.sync(() => {
        watch.wrote("Destination.replace")
        watch.sometimes.happened("whole file written")
      })
    )
})

/** Providers and destinations of the world, pointed; tables are those of `TableStore`. */
export const pointedAdapters = (
  points: FaultPoints,
  { destination, drivers = [], kinds = [], upstreams, watch }: Outside
): Layer.Layer<Exclude<Kernel.Ports, Kernel.Stores>, never, Kernel.Stores> => {
  const session = <E, R>(open: Effect.Effect<DestinationSession, E, R>) =>
    Effect.map(open, (opened) => points.wrap("Destination", watchedSession(watch, opened)))
  return Layer.mergeAll(
    Providers.layer(
      [...upstreams.map(({ driver }) => driver), ...drivers].map((driver) =>
        pointedProvider(points, watchedDriver(watch, driver))
      )
    ),
    Layer.unwrap(
      Effect.map(TableDestination.make, (table) =>
        Destinations.layer([
          { ...table, open: (...args) => session(table.open(...(args as Parameters<typeof table.open>))) },
          {
            ...destination.driver,
            open: (...args) => session(destination.driver.open(...(args as Parameters<typeof destination.driver.open>)))
          }
        ])
      )
    ).pipe(Layer.provide([Ids.layer, NodeDigest.layer])),
    StatementReader.layer,
    Kinds.layerBundled(kinds).pipe(
      Layer.provide([TableSnapshotReader.layer, memoryPatterns, modelUse, recordPasts]),
      Layer.provide(NodeDigest.layer),
      Layer.provideMerge(Patterns.layerProven)
    ),
    NodeDigest.layer
  )
}

/** Runs that the watch knows of: what they write is held against their claim. */
export const watchedRun = (watch: Watch): Layer.Layer<SyncRun, never, SyncRun> =>
  Layer.effect(
    SyncRun,
    Effect.map(SyncRun, (real) =>
      SyncRun.of({
        ...real,
        run: (claimed) =>
          Effect.suspend(() => {
            watch.began(claimed.fence)
            return Effect.provideService(real.run(claimed), CurrentRun, claimed.fence)
          })
      })
    )
  )
