/** What a feed reads, brought up to date in the ledger: connections, files, or nothing but what comes in by itself. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BankId } from "../bank/Bank.ts"
import type { Feed } from "../feed/Feed.ts"
import type { SourceConfig } from "../feed/FeedConfig.ts"
import type { Fenced } from "../job/JobStore.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { UploadSource } from "../upload/UploadSource.ts"
import { ConnectionSource } from "../sync/ConnectionSource.ts"
import type { ConfigOf, FeedReader } from "../sync/FeedReader.ts"
import { SyntheticAccounts } from "../sync/SyntheticAccounts.ts"
import { combine, empty, type SourceResult, type SourceRun } from "../sync/SourceResult.ts"

type Readers = { readonly [Type in SourceConfig["type"]]: FeedReader<ConfigOf<Type>> }

/** What came in is in the ledger already: a run has nothing to read. */
const nothing: FeedReader<unknown> = {
  banksOf: () => Effect.succeed([]),
  accountsOf: () => Effect.succeed([]),
  refresh: () => Effect.succeed(empty)
}

export class Source extends Context.Service<
  Source,
  {
    /** The banks that a run of the feed writes to. */
    readonly banksOf: (feed: Feed) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
    /** The accounts that `refresh` returns, without reading anything. */
    readonly accountsOf: (feed: Feed) => Effect.Effect<SourceResult["accounts"], StorageUnavailable>
    /** With the accounts that were made for the feed, whatever its source: other things may come in for any. */
    readonly refresh: (run: SourceRun) => Effect.Effect<SourceResult, Fenced | StorageUnavailable>
  }
>()("@millrace/core/usecase/Source") {
  static readonly layer: Layer.Layer<Source, never, ConnectionSource | UploadSource | SyntheticAccounts> = Layer.effect(
    Source,
    Effect.gen(function* () {
      const made = yield* SyntheticAccounts
      const readers: Readers = { sync: yield* ConnectionSource, upload: yield* UploadSource, extractor: nothing }
      const readerOf = (config: SourceConfig) => readers[config.type] as FeedReader<SourceConfig>

      return Source.of({
        banksOf: Effect.fnUntraced(function* (feed) {
          const config = feed.sourceConfig
          return config === undefined ? [] : yield* readerOf(config).banksOf(feed, config)
        }),
        accountsOf: Effect.fnUntraced(function* (feed) {
          const config = feed.sourceConfig
          if (config === undefined) return []
          return [...(yield* readerOf(config).accountsOf(feed, config)), ...(yield* made.of(feed.id))]
        }),
        refresh: Effect.fnUntraced(function* (run) {
          const config = run.feed.sourceConfig
          if (config === undefined) return empty
          const read = yield* readerOf(config).refresh(run, config)
          return combine([read, { ...empty, accounts: yield* made.of(run.feed.id) }])
        })
      })
    })
  )
}
