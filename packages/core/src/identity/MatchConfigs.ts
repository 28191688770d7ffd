/** How the records of an account are identified: by defaults, or as an enrichment says (enrichments C1). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { BankStore } from "../bank/BankStore.ts"
import { showsAccount } from "../enrichment/AnalysisPlaces.ts"
import type { Enrichment } from "../enrichment/Enrichment.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { checkDedupe, DedupeConfig, dedupeType } from "../enrichment/kinds/dedupe/DedupeConfig.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import type { RecordScope } from "../record/RecordStore.ts"
import type { Id } from "../shared/Ids.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { defaultMatchConfig, type MatchConfig } from "./match/Matching.ts"

export interface TunedMatching {
  readonly config: MatchConfig
  /** Whether an enrichment says so; then it learns what happens to records. */
  readonly isTuned: boolean
  /** Another for another configuration; `""` for the defaults. What earlier reads settled under another one is not settled. */
  readonly key: string
}

const byDefault: TunedMatching = { config: defaultMatchConfig, isTuned: false, key: "" }

const tuned = ({ config, dataType }: Enrichment): TunedMatching | undefined => {
  const read = decode(DedupeConfig, config)
  if (Result.isFailure(read) || checkDedupe(read.success, catalogOf(dataType)).errors.length > 0) return undefined
  const text = JSON.stringify(Object.entries(read.success).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const plain = JSON.stringify(Object.entries(defaultMatchConfig).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { config: read.success, isTuned: true, key: text === plain ? "" : text }
}

export class MatchConfigs extends Context.Service<
  MatchConfigs,
  {
    /** The enrichments of a workspace that may say so, for who asks about many of its accounts. */
    readonly dedupes: (
      scope: Pick<RecordScope, "workspaceId" | "dataType">
    ) => Effect.Effect<ReadonlyArray<Enrichment>, StorageUnavailable>
    /**
     * Of the enrichments that feeds of the account have in common, the first by order and id counts. `among`: those that were
     * found before.
     */
    readonly of: (
      scope: RecordScope & { readonly bankId: Id<"bank"> },
      among?: ReadonlyArray<Enrichment>
    ) => Effect.Effect<TunedMatching, StorageUnavailable>
  }
>()("@millrace/core/identity/MatchConfigs") {
  static readonly layer: Layer.Layer<MatchConfigs, never, EnrichmentStore | FeedStore | BankStore> = Layer.effect(
    MatchConfigs,
    Effect.gen(function* () {
      const enrichments = yield* EnrichmentStore
      const feeds = yield* FeedStore
      const banks = yield* BankStore
      // By order, then id.
      const dedupes = Effect.fn("MatchConfigs.dedupes")(function* ({
        dataType,
        workspaceId
      }: Pick<RecordScope, "workspaceId" | "dataType">) {
        const all = yield* enrichments.list([workspaceId], { type: dedupeType })
        return all.filter((one) => one.enabled && one.dataType === dataType)
      })
      return MatchConfigs.of({
        dedupes,
        of: Effect.fn("MatchConfigs.of")(function* (scope, among) {
          const { accountId, bankId, dataType, workspaceId } = scope
          for (const one of among ?? (yield* dedupes(scope))) {
            const found = tuned(one)
            if (found === undefined) continue
            if (one.allFeeds) return found
            const named = new Set<string>(one.feedIds)
            for (const feed of yield* feeds.list([workspaceId], { dataType })) {
              if (!named.has(feed.id)) continue
              if (showsAccount(feed, { bankId, id: accountId })) return found
              if ((yield* banks.made(feed.id)).some(({ id }) => id === bankId)) return found
            }
          }
          return byDefault
        })
      })
    })
  )
}
