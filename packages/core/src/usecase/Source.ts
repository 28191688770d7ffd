/** What a feed reads, brought up to date in the ledger: connections, or files. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BankId } from "../bank/Bank.ts"
import type { Feed } from "../feed/Feed.ts"
import type { Fenced } from "../job/JobStore.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { UploadSource } from "../upload/UploadSource.ts"
import { ConnectionSource } from "../sync/ConnectionSource.ts"
import { empty, type SourceResult, type SourceRun } from "../sync/SourceResult.ts"

export class Source extends Context.Service<
  Source,
  {
    /** The banks that a run of the feed writes to. */
    readonly banksOf: (feed: Feed) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
    readonly refresh: (run: SourceRun) => Effect.Effect<SourceResult, Fenced | StorageUnavailable>
  }
>()("@millrace/core/usecase/Source") {
  static readonly layer: Layer.Layer<Source, never, ConnectionSource | UploadSource> = Layer.effect(
    Source,
    Effect.gen(function* () {
      const connections = yield* ConnectionSource
      const uploads = yield* UploadSource

      return Source.of({
        banksOf: Effect.fnUntraced(function* (feed) {
          const config = feed.sourceConfig
          if (config === undefined) return []
          if (config.type === "sync") return [...new Set(config.accounts.map((entry) => entry.bankId))]
          const owner = yield* uploads.ownerOf(feed, config)
          return owner === undefined ? [] : [owner.bank.id]
        }),
        refresh: Effect.fnUntraced(function* (run) {
          const config = run.feed.sourceConfig
          if (config === undefined) return empty
          return config.type === "sync" ? yield* connections.refresh(run, config) : yield* uploads.refresh(run, config)
        })
      })
    })
  )
}
