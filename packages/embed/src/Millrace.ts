/** The kernel with storage, adapters, an engine for jobs and recurring work: everything but a server. */
import { randomBytes } from "node:crypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Adapters } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { chooseServerRole, PostgresStorage, startupParameters, TenantClient } from "@millrace/adapters/postgres"
import { AesSecrets, keysFor } from "@millrace/adapters/secrets"
import { AddedCollections, type AnyCollection } from "@millrace/core/collection"
import { FeedSources, withExtractor } from "@millrace/core/feed"
import {
  bankHandlers,
  connectionHandlers,
  dueAnalysis,
  Kernel,
  learnHandlers,
  simulationHandler,
  messageHandlers
} from "@millrace/core/kernel"
import { type ProviderMaking } from "@millrace/core/provider"
import type { UpstreamBudget } from "@millrace/core/rate"
import type { DocumentDataType } from "@millrace/core/record"
import { type TaskHandlerSource, TaskKinds } from "@millrace/core/task"
import { housekeeping, layerMemory, TaskRunner } from "@millrace/jobs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** Where everything is kept. */
export type Storage<E = never> = Layer.Layer<Kernel.Stores | UpstreamBudget, E>

/** Keeps everything in memory, until the program ends. */
export const memory: Storage = MemoryStorage.layer

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. The tables are made and migrated when the layer is built. */
  readonly url: Redacted.Redacted
  /** Seals what is secret in the database: at least 32 characters, the same for as long as the data lives. */
  readonly secret: Redacted.Redacted
  /** Connections to the database; 10 unless given. */
  readonly maxConnections?: number
}

/** Keeps everything in PostgreSQL 17 or newer. */
export const postgres = ({ maxConnections = 10, secret, url }: PostgresOptions) =>
  PostgresStorage.layer.pipe(
    Layer.provide([
      Layer.unwrap(
        Effect.gen(function* () {
          const owner = PgClient.layer({ url, maxConnections: 1, startupParameters })
          const role = yield* Effect.provide(Effect.andThen(PostgresStorage.migrate, chooseServerRole), owner)
          const parameters = role === undefined ? startupParameters : { ...startupParameters, role }
          return TenantClient.layer({ url, maxConnections, acrossConnections: 0, startupParameters: parameters })
        })
      ),
      AesSecrets.layer(keysFor({ current: secret, previous: [] }, "bank secrets"))
    ])
  )

export interface Options<EProvider = never, EStorage = never> extends Omit<
  Adapters.AdapterOptions<EProvider>,
  "folder" | "providers"
> {
  /** Where banks are read from. */
  readonly providers: ReadonlyArray<ProviderMaking<EProvider>>
  /** `memory` unless given. */
  readonly storage?: Storage<EStorage>
  /** Folder for the files that destinations write; without one there are no such destinations. */
  readonly filesFolder?: string
  /** Signs the cursors of lists. Processes that share a database need the same; otherwise one is made at the start. */
  readonly secret?: Redacted.Redacted
  /** Plain things of your own that callers work with: `Collections.of(notes)` has their use cases. */
  readonly collections?: ReadonlyArray<AnyCollection>
  /**
   * The types of documents that this program reads by itself. Feeds with the source `extractor` can be made over them, and
   * `PushedRecords.push` brings in what was read.
   */
  readonly extracts?: ReadonlyArray<DocumentDataType>
  /** Durable tasks of kinds of your own. */
  readonly tasks?: ReadonlyArray<TaskHandlerSource>
  /** Whether tasks are run, schedules fire and what is old is removed, in this process; yes unless it is `false`. */
  readonly recurring?: boolean
}

/** Every use case as a service, and the work behind them, until the layer ends. */
export const layer = <EProvider = never, EStorage = never>({
  collections = [],
  extracts = [],
  filesFolder,
  recurring = true,
  secret = Redacted.make(randomBytes(32).toString("base64url")),
  storage,
  tasks = [],
  ...adapters
}: Options<EProvider, EStorage>) => {
  const kernel = Kernel.layerUseCases(secret).pipe(
    Layer.provideMerge(layerMemory()),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(Adapters.layer({ ...adapters, folder: filesFolder })),
    Layer.provideMerge(storage ?? (memory as Storage<EStorage>)),
    Layer.provide([Layer.succeed(AddedCollections, collections), Layer.succeed(FeedSources, withExtractor(extracts))])
  )
  return recurring
    ? TaskRunner.layer().pipe(
        Layer.provide(
          TaskKinds.layer(
            ...housekeeping,
            ...bankHandlers,
            dueAnalysis,
            ...learnHandlers,
            simulationHandler,
            ...messageHandlers,
            ...connectionHandlers,
            ...tasks
          )
        ),
        Layer.provideMerge(kernel)
      )
    : kernel
}
