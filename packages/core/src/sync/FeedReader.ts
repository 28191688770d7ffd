/** Port between the runs of a feed and what they read: one reader for each form of source configuration. */
import type * as Effect from "effect/Effect"
import type { BankId } from "../bank/Bank.ts"
import type { Feed } from "../feed/Feed.ts"
import type { SourceConfig } from "../feed/FeedConfig.ts"
import type { Fenced } from "../job/JobStore.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { SourceResult, SourceRun } from "./SourceResult.ts"

export type ConfigOf<Type extends SourceConfig["type"]> = Extract<SourceConfig, { readonly type: Type }>

export interface FeedReader<Config> {
  /** The banks whose ledgers a run writes: it gets their leases. */
  readonly banksOf: (feed: Feed, config: Config) => Effect.Effect<ReadonlyArray<BankId>, StorageUnavailable>
  /** The accounts that the feed projects, as they are known. */
  readonly accountsOf: (feed: Feed, config: Config) => Effect.Effect<SourceResult["accounts"], StorageUnavailable>
  /** Brings the ledger up to date, and returns the accounts that the feed projects. */
  readonly refresh: (run: SourceRun, config: Config) => Effect.Effect<SourceResult, Fenced | StorageUnavailable>
}
