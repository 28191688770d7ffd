/**
 * What people decided about what an enrichment says (enrichments A8): as a list, taken back one by one, and made: series of
 * payments and merchants that are named, joined and parted. Each is a fact, so that it holds for whatever is worked out again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { analysisTask, taskKey } from "../enrichment/AnalysisTaskKind.ts"
import { AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { Enrichment, EnrichmentId } from "../enrichment/Enrichment.ts"
import { EnrichmentFacts } from "../enrichment/EnrichmentFacts.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { mergeOf } from "../enrichment/kinds/ai/merchant.ts"
import type { EnrichmentFact, EnrichmentFactId, FactRequest } from "../enrichment/kinds/EnrichmentFact.ts"
import { isNameOf, mergeSeries, nameSeries, splitSeries } from "../enrichment/kinds/recurring/SeriesFacts.ts"
import { Kinds } from "../enrichment/Kinds.ts"
import { ofType, makeOwnedEnrichment } from "../enrichment/OwnedEnrichment.ts"
import { type CursorUnusable, type Forbidden, NotFound, Unprocessable } from "../failure/Failure.ts"
import { Id, type Ids } from "../shared/Ids.ts"
import { limits } from "../shared/Limits.ts"
import { type Page, type PageRequest, sizeOf } from "../shared/Page.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { Tasks } from "../task/Tasks.ts"
import type { TaskStore } from "../task/TaskStore.ts"
import { decisionsOf, type Decision } from "./Decision.ts"
import { type RecurringSeries, seriesOf } from "./EnrichmentInsights.ts"
import { aboutOf, linkUndo } from "./LinkUndo.ts"

type Failed = NotFound | Forbidden | Unprocessable | StorageUnavailable
type Decides = Effect.Effect<Decision, Failed>

const DecisionsCursor = Schema.Struct({ before: Id("fact") })

const unusable = (field: string, message: string) =>
  new Unprocessable({ code: "VALIDATION_FAILED", message: `${field} ${message}`, details: [{ field, message }] })

const oneOf = (all: ReadonlyArray<RecurringSeries>, id: string) => {
  const found = all.find((one) => one.id === id)
  return found === undefined ? Effect.fail(new NotFound({ resource: "Series" })) : Effect.succeed(found)
}

const refOf = ({ id: enrichmentId }: Enrichment, { partition, recordIds }: RecurringSeries) => ({
  enrichmentId,
  partition,
  // Enough to know it again by, whatever is found again.
  recordIds: recordIds.slice(-limits.seriesAnchors)
})

const make = Effect.gen(function* () {
  const open = yield* makeOwnedEnrichment
  const store = yield* AnalysisStore
  const facts = yield* EnrichmentFacts
  const kinds = yield* Kinds
  const tasks = yield* Tasks
  const cursors = yield* Cursors
  const links = yield* linkUndo
  const series = yield* seriesOf
  const { atomically } = yield* Transactor

  /** What holds, the newest first. */
  const held = ({ dataType, id, workspaceId }: Enrichment) =>
    Effect.map(store.facts({ workspaceId, dataType }, { enrichmentId: id }), (all) =>
      decisionsOf(all.filter(({ enrichmentId }) => enrichmentId === id))
    )

  /** Enrichments of sets are planned again at once, and not only when their feeds run. */
  const followed = ({ dataType, type, workspaceId }: Enrichment) => {
    const payload = { workspaceId, dataType }
    return kinds.get(type)?.family === "set"
      ? tasks.enqueue(analysisTask, { payload, workspaceId, key: taskKey(payload) })
      : Effect.void
  }

  /** Keeps facts in the place of those that say something else about the same. */
  const decide = Effect.fnUntraced(function* (
    caller: Caller,
    enrichment: Enrichment,
    requests: ReadonlyArray<FactRequest>,
    instead: ReadonlyArray<EnrichmentFact> = []
  ) {
    const { dataType, id, workspaceId } = enrichment
    const of = { workspaceId, dataType }
    return yield* atomically(
      Effect.gen(function* () {
        const places = yield* links.placesOf(of, id, aboutOf([...requests, ...instead]))
        if (instead.length > 0) {
          const which = instead.map((fact) => fact.id)
          yield* facts.lift(of, places, which, caller.cause)
        }
        const made = requests.length === 0 ? [] : yield* facts.add(of, places, requests, caller.cause)
        yield* followed(enrichment)
        return decisionsOf(made)
      })
    )
  })

  const opened = Effect.fnUntraced(function* (
    caller: Caller,
    operation: "updateSeries" | "mergeSeries" | "splitSeries",
    enrichmentId: EnrichmentId,
    seriesId: string
  ) {
    const enrichment = yield* open(caller, operation, enrichmentId)
    yield* ofType(enrichment, "recurring")
    const all = yield* series(enrichment, enrichment.id)
    return { enrichment, all, one: yield* oneOf(all, seriesId) }
  })

  return Decisions.of({
    list: Effect.fn("Decisions.list")(function* (caller, enrichmentId, { cursor, limit: asked }) {
      const enrichment = yield* open(caller, "listDecisions", enrichmentId)
      const bound = { workspaceId: enrichment.workspaceId, list: `decisions/${enrichmentId}` }
      const before = cursor === undefined ? undefined : (yield* cursors.decode(bound, DecisionsCursor, cursor)).before
      const limit = sizeOf(limits.page, asked)
      const found = (yield* held(enrichment)).filter(({ id }) => before === undefined || id < before)
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      if (found.length <= limit || last === undefined) return { rows, hasMore: false }
      return { rows, hasMore: true, cursor: yield* cursors.encode(bound, "page", { before: last.id }) }
    }),
    undo: Effect.fn("Decisions.undo")(function* (caller, enrichmentId, id) {
      const enrichment = yield* open(caller, "undoDecision", enrichmentId)
      const found = (yield* held(enrichment)).find((one) => one.facts.some((fact) => fact.id === id))
      if (found === undefined) return yield* new NotFound({ resource: "Decision" })
      yield* decide(caller, enrichment, [], found.facts)
      return found
    }),
    nameSeries: Effect.fn("Decisions.nameSeries")(function* (caller, enrichmentId, seriesId, name) {
      const { enrichment, one } = yield* opened(caller, "updateSeries", enrichmentId, seriesId)
      const own = new Set(one.recordIds)
      const before = (yield* held(enrichment)).flatMap((decision) =>
        decision.facts.filter((fact) => isNameOf(fact, own))
      )
      const [made] = yield* decide(
        caller,
        enrichment,
        name === null ? [] : nameSeries(refOf(enrichment, one), name),
        before
      )
      return { ...one, name: made === undefined ? null : name }
    }),
    mergeSeries: Effect.fn("Decisions.mergeSeries")(function* (caller, enrichmentId, seriesId, otherId) {
      const { all, enrichment, one } = yield* opened(caller, "mergeSeries", enrichmentId, seriesId)
      const other = all.find(({ id }) => id === otherId)
      if (other === undefined) return yield* unusable("seriesId", "is no series of this enrichment")
      if (other.id === one.id) return yield* unusable("seriesId", "is the series itself")
      if (other.direction !== one.direction) {
        return yield* unusable("seriesId", `goes ${other.direction}: only series of one direction can be one`)
      }
      const [made] = yield* decide(caller, enrichment, mergeSeries(refOf(enrichment, one), refOf(enrichment, other)))
      return made!
    }),
    splitSeries: Effect.fn("Decisions.splitSeries")(function* (caller, enrichmentId, seriesId, recordId) {
      const { enrichment, one } = yield* opened(caller, "splitSeries", enrichmentId, seriesId)
      const at = one.recordIds.indexOf(recordId)
      if (at < 0) return yield* unusable("recordId", "is no payment of the series")
      if (at === 0) return yield* unusable("recordId", "is the first payment: nothing is left before it")
      const [made] = yield* decide(caller, enrichment, splitSeries(enrichment.id, one.recordIds[at - 1]!, recordId))
      return made!
    }),
    mergeMerchants: Effect.fn("Decisions.mergeMerchants")(function* (caller, enrichmentId, from, into) {
      const enrichment = yield* open(caller, "mergeMerchants", enrichmentId)
      yield* ofType(enrichment, "ai_merchant")
      const wanted = mergeOf(enrichment.id, from, into)
      const all = (yield* held(enrichment)).flatMap((decision) => decision.facts)
      if (from === into) return yield* unusable("into", "is the name itself")
      const round = all.find(({ field, value }) => field === mergeOf(enrichment.id, into, from).field && value === from)
      if (round !== undefined) return yield* unusable("into", `is called ${from} already: take that back first`)
      const same = all.filter(({ field }) => field === wanted.field)
      const [made] = yield* decide(caller, enrichment, [wanted], same)
      return made!
    })
  })
})

export class Decisions extends Context.Service<
  Decisions,
  {
    /** What holds, the newest first. */
    readonly list: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      request: PageRequest
    ) => Effect.Effect<Page<Decision>, Failed | CursorUnusable>
    /** Takes a decision back: what follows is as if nobody had decided. */
    readonly undo: (caller: Caller, enrichmentId: EnrichmentId, id: EnrichmentFactId) => Decides
    /** `null` takes the name away. */
    readonly nameSeries: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      seriesId: string,
      name: string | null
    ) => Effect.Effect<RecurringSeries, Failed>
    /** Two series are one, of one merchant or of two. */
    readonly mergeSeries: (caller: Caller, enrichmentId: EnrichmentId, seriesId: string, otherId: string) => Decides
    /** The payment begins a series of its own. */
    readonly splitSeries: (caller: Caller, enrichmentId: EnrichmentId, seriesId: string, recordId: string) => Decides
    /** What is called `from` is called `into` from now on: another name for it, or that of another merchant, whose it is then. */
    readonly mergeMerchants: (caller: Caller, enrichmentId: EnrichmentId, from: string, into: string) => Decides
  }
>()("@millrace/core/explain/Decisions") {
  static readonly layer: Layer.Layer<
    Decisions,
    never,
    EnrichmentStore | AnalysisStore | EnrichmentFacts | Kinds | TaskStore | Ids | Cursors | Transactor
  > = Layer.effect(Decisions, make).pipe(Layer.provide(Tasks.layer))
}
