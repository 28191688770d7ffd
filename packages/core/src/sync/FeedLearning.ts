/**
 * What people changed at the destinations of feeds, as their own words about records (enrichments A6, D5.2).
 *
 * A cell that somebody wrote over what was delivered is kept as a fact: it locks the field, is never written over, and
 * enrichments learn from it. Anyone who reads twice finds what the first one kept, and keeps nothing more.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActorRef } from "../access/ActorRef.ts"
import { columnsOf } from "../destination/Columns.ts"
import { rowKey } from "../destination/Delivery.ts"
import { DeliveryStore } from "../destination/DeliveryStore.ts"
import type { DestinationError, Edit } from "../destination/Destination.ts"
import { Destinations } from "../destination/Destinations.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import { EnrichmentFacts } from "../enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { covers, FeedPipelines } from "../enrichment/FeedPipelines.ts"
import type { EnrichmentFact, FactRequest } from "../enrichment/kinds/EnrichmentFact.ts"
import { Learning } from "../enrichment/Learning.ts"
import { editedThere, isPerson, PersonsActs } from "../enrichment/PersonsActs.ts"
import type { Unprocessable } from "../failure/Failure.ts"
import type { Feed } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { FieldType } from "../record/DataType.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import { coerce } from "../rule/ActionPlan.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"

/** Edits that are looked at, and kept in one transaction. */
const editChunk = 500

/** Who wrote a cell; `undefined` where it was no person. */
const authorOf = ({ by }: Edit): ActorRef | undefined => {
  if (by === undefined) return editedThere
  if (isPerson(by)) return by
  // The feed wrote other cells of the row since: who wrote this one is not known any more.
  return by.kind === "sync" || by.kind === "extractor" ? editedThere : undefined
}

/** Whether the edit says something that was not known; `words` are all that were said of the field, lifted or not. */
const isNews = (edit: Edit, value: FieldValue, words: ReadonlyArray<EnrichmentFact>): boolean => {
  const isOld = words.some((word) => (word.value ?? null) === value)
  if (!isOld) return true
  const latest = words.toSorted((a, b) => (a.at < b.at || (a.at === b.at && a.id < b.id) ? -1 : 1)).at(-1)!
  const isSaid = latest.lifted === undefined && (latest.value ?? null) === value
  const since = latest.lifted?.at ?? latest.at
  // Said before, taken back or corrected since, and written again after that.
  return !isSaid && edit.at !== undefined && edit.by !== undefined && isPerson(edit.by) && edit.at > since
}

const valueOf = (cell: FieldValue, type: FieldType): FieldValue | undefined =>
  cell === null || cell === "" ? null : typeof cell === "boolean" ? cell : coerce(cell, type)

interface Found {
  readonly edit: Edit
  readonly recordId: string
}

export class FeedLearning extends Context.Service<
  FeedLearning,
  {
    /**
     * Keeps what people changed at the destination since. Returns how many words that were; none where nothing learns from
     * the feed, or its destination does not tell. `guard` is the first call of each transaction.
     */
    readonly read: <E>(
      feed: Feed,
      guard: Effect.Effect<void, E>
    ) => Effect.Effect<number, E | DestinationError | Unprocessable | StorageUnavailable>
  }
>()("@millrace/core/sync/FeedLearning") {
  static readonly layer: Layer.Layer<
    FeedLearning,
    never,
    | AnalysisStore
    | DeliveryStore
    | Destinations
    | EnrichmentFacts
    | EnrichmentStore
    | FeedPipelines
    | FeedStore
    | Learning
    | PersonsActs
    | Transactor
  > = Layer.effect(
    FeedLearning,
    Effect.gen(function* () {
      const store = yield* AnalysisStore
      const deliveries = yield* DeliveryStore
      const destinations = yield* Destinations
      const facts = yield* EnrichmentFacts
      const enrichments = yield* EnrichmentStore
      const pipelines = yield* FeedPipelines
      const feeds = yield* FeedStore
      const { learners } = yield* Learning
      const acts = yield* PersonsActs
      const { atomically } = yield* Transactor

      const keep = Effect.fnUntraced(function* <E>(
        feed: Feed,
        /** Column -> the field that it shows, with its type. */
        fields: ReadonlyMap<string, readonly [field: string, type: FieldType]>,
        found: ReadonlyArray<Found>,
        guard: Effect.Effect<void, E>
      ) {
        const scope = { workspaceId: feed.workspaceId, dataType: feed.dataType }
        const ids = found.map(({ recordId }) => recordId)
        const delivered = yield* deliveries.entries(feed.id, ids)
        const seen = yield* acts.records([feed], new Set(ids.filter((id) => delivered.has(id))))
        const accountOf = new Map(
          seen.flatMap(({ account, records }) => records.map(({ id }) => [id, account.id] as const))
        )
        return yield* atomically(
          Effect.gen(function* () {
            yield* guard
            const words = (yield* store.facts(scope, { recordIds: [...accountOf.keys()], lifted: true })).filter(
              ({ kind }) => kind === "set"
            )
            const said = Map.groupBy(words, ({ field, recordId }) => JSON.stringify([recordId, field]))
            const byAuthor = new Map<string, { readonly by: ActorRef; readonly made: Array<FactRequest> }>()
            let count = 0
            for (const { edit, recordId } of found) {
              const by = authorOf(edit)
              if (by === undefined || !accountOf.has(recordId)) continue
              for (const [column, [field, type]] of fields) {
                if (!Object.hasOwn(edit.values, column)) continue
                const value = valueOf(edit.values[column]!, type)
                if (value === undefined) continue
                if (!isNews(edit, value, said.get(JSON.stringify([recordId, field])) ?? [])) continue
                const author = JSON.stringify(by)
                const group = byAuthor.get(author) ?? { by, made: [] }
                byAuthor.set(author, group)
                group.made.push({ kind: "set", recordId, field, value })
                count++
              }
            }
            for (const { by, made } of byAuthor.values()) {
              const about = Map.groupBy(new Set(made.map(({ recordId }) => recordId!)), (id) => accountOf.get(id)!)
              const touched = Array.from(about, ([accountId, recordIds]) => ({
                scope: { ...scope, accountId },
                recordIds
              }))
              yield* facts.add(scope, touched, made, by)
            }
            return count
          })
        )
      })

      const read = Effect.fn("FeedLearning.read")(function* <E>(feed: Feed, guard: Effect.Effect<void, E>) {
        const config = feed.destinationConfig
        if (config === undefined) return 0
        const all = yield* enrichments.list([feed.workspaceId])
        const learnt = new Set(
          learners(all).flatMap(({ enrichment, fields }) => (covers(enrichment, feed) ? fields : []))
        )
        if (learnt.size === 0) return 0
        const driver = Option.getOrUndefined(yield* Effect.option(destinations.get(config.type)))
        if (driver?.edits === undefined) return 0
        const { catalog } = yield* pipelines.among(all, feed)
        const columns = columnsOf(feed, catalog, yield* feeds.boundColumns(feed.id))
        const fields = new Map(
          feed.fieldMappings.flatMap(({ destinationField, sourceField }) =>
            learnt.has(sourceField)
              ? [[destinationField, [sourceField, catalog.get(sourceField) ?? "str"] as const] as const]
              : []
          )
        )
        if (fields.size === 0) return 0
        const prefix = rowKey(feed.dataType, "")
        let count = 0
        let after: string | undefined
        for (;;) {
          const edits = yield* driver.edits(feed, config, columns, { after, limit: editChunk })
          const found = edits.flatMap((edit): ReadonlyArray<Found> => {
            const recordId = edit.key.startsWith(prefix) ? edit.key.slice(prefix.length) : ""
            // Lines and items are parts of a record: what is said of them says nothing about it.
            return recordId === "" || recordId.includes(":") ? [] : [{ edit, recordId }]
          })
          if (found.length > 0) count += yield* keep(feed, fields, found, guard)
          if (edits.length < editChunk) return count
          after = edits.at(-1)!.key
        }
      })

      return FeedLearning.of({ read: read as FeedLearning["Service"]["read"] })
    })
  )
}
