/** Enrichments: making and listing them (enrichments A1, decisions 5.5). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { permit, shows } from "../access/Access.ts"
import { readableIds, type Caller } from "../access/Caller.ts"
import { userOf } from "../access/Principal.ts"
import { Unprocessable, type Detail, type Forbidden } from "../failure/Failure.ts"
import type { FeedId } from "../feed/Feed.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import type { DataType } from "../record/DataType.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import { Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { Enrichment } from "./Enrichment.ts"
import { EnrichmentStore } from "./EnrichmentStore.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { Issue } from "./kinds/Kind.ts"
import { Kinds, unknownType } from "./Kinds.ts"

export interface NewEnrichment {
  readonly name: string
  readonly emoji?: string
  readonly type: EnrichmentType
  readonly dataType: DataType
  readonly enabled?: boolean
  readonly order?: number
  /** Together with `allFeeds: true` it is refused; without either the enrichment is dormant. */
  readonly feedIds?: ReadonlyArray<FeedId>
  readonly allFeeds?: boolean
  /** The configuration block of the type, as it is sent. */
  readonly config: Schema.Json
}

export interface EnrichmentView {
  readonly enrichment: Enrichment
  /** Faults that block nothing. */
  readonly lints: ReadonlyArray<Issue>
}

/** `transfer_match` -> `transferMatchConfig`: the name of the block, and the root of the paths in its faults. */
export const blockName = (type: EnrichmentType): string =>
  `${type.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}Config`

const orderStep = 10

/** Collects what is wrong with type, data type and block; returns what is only suspicious. */
const judge = (
  { config, dataType, type }: NewEnrichment,
  kinds: Kinds["Service"],
  details: Array<Detail>
): ReadonlyArray<Issue> => {
  const kind = kinds.get(type)
  if (kind === undefined) {
    details.push({ field: "type", message: unknownType(type, kinds) })
    return []
  }
  if (!kind.capabilities.dataTypes.includes(dataType)) {
    details.push({ field: "dataType", message: `${type} does not apply to ${dataType}` })
  }
  const decoded = decode(kind.Config, config)
  const block = blockName(type)
  const at = (field: string) => (field === "" ? block : `${block}.${field}`)
  if (Result.isFailure(decoded)) {
    details.push(...decoded.failure.map(({ field, message }) => ({ field: at(field), message })))
    return []
  }
  const { errors, lints } = kind.check(decoded.success, catalogOf(dataType))
  details.push(...errors.map(({ field, message }) => ({ field: at(field), message })))
  return lints.map(({ field, message }) => ({ field: at(field), message }))
}

export class Enrichments extends Context.Service<
  Enrichments,
  {
    /** Refuses a configuration that could not run, with all its faults at once. */
    readonly create: (
      caller: Caller,
      request: NewEnrichment
    ) => Effect.Effect<EnrichmentView, Unprocessable | Forbidden | StorageUnavailable>
    /** By order, then id. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Enrichment>, Forbidden | StorageUnavailable>
  }
>()("@millrace/core/enrichment/Enrichments") {
  static readonly layer: Layer.Layer<Enrichments, never, EnrichmentStore | FeedStore | Kinds | Ids> = Layer.effect(
    Enrichments,
    Effect.gen(function* () {
      const store = yield* EnrichmentStore
      const feeds = yield* FeedStore
      const ids = yield* Ids
      const kinds = yield* Kinds

      const create: Enrichments["Service"]["create"] = Effect.fn("Enrichments.create")(function* (caller, request) {
        yield* permit(caller, "createEnrichment")
        const { principal } = caller
        const { workspace } = principal
        const details: Array<Detail> = []
        const lints = [...judge(request, kinds, details)]
        const feedIds = request.feedIds ?? []
        const allFeeds = request.allFeeds ?? false
        if (allFeeds && feedIds.length > 0) {
          details.push({ field: "feedIds", message: "cannot be given together with allFeeds" })
        }
        for (const [at, id] of feedIds.entries()) {
          const feed = yield* feeds.get(workspace.id, id)
          if (Option.isNone(feed) || feed.value.dataType !== request.dataType) {
            details.push({ field: `feedIds[${at}]`, message: `is not a feed of ${request.dataType}` })
          }
        }
        const existing = yield* store.list([workspace.id])
        if (existing.length >= limits.enrichmentsPerWorkspace) {
          return yield* new Unprocessable({
            code: "LIMIT_EXCEEDED",
            message: `A workspace has at most ${limits.enrichmentsPerWorkspace} enrichments`,
            details: []
          })
        }
        if (details.length > 0) {
          return yield* new Unprocessable({
            code: "ENRICHMENT_VALIDATION_FAILED",
            message: "Validation failed",
            details: details.slice(0, limits.errorDetails),
            warnings: lints.map((lint) => lint.message)
          })
        }
        if (!allFeeds && feedIds.length === 0) {
          lints.push({ field: "feedIds", message: "names no feed: the enrichment is dormant" })
        }
        const now = yield* Timestamp.now
        const enrichment: Enrichment = {
          id: yield* ids.next("enrichment"),
          workspaceId: workspace.id,
          name: request.name,
          ...(request.emoji === undefined ? {} : { emoji: request.emoji }),
          type: request.type,
          enabled: request.enabled ?? true,
          order: request.order ?? Math.max(0, ...existing.map((other) => other.order)) + orderStep,
          dataType: request.dataType,
          feedIds,
          allFeeds,
          config: request.config,
          createdBy: userOf(principal),
          createdAt: now,
          updatedAt: now,
          version: 1,
          revision: 1
        }
        yield* store.insert(enrichment)
        return { enrichment, lints }
      })

      return Enrichments.of({
        create,
        list: Effect.fn("Enrichments.list")(function* (caller) {
          yield* permit(caller, "listEnrichments")
          const found = yield* store.list(readableIds(caller))
          return found.filter(({ workspaceId }) => shows(caller, "listEnrichments", { workspaceId }))
        })
      })
    })
  )
}
