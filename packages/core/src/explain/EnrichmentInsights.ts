/** What enrichments of sets know, as people read it: periods of budgets, series of payments, links between records. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Caller } from "../access/Caller.ts"
import { Cursors } from "../cursor/Cursors.ts"
import { type AnalysisLink, AnalysisStore } from "../enrichment/AnalysisStore.ts"
import type { EnrichmentId } from "../enrichment/Enrichment.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { RecurringState } from "../enrichment/kinds/recurring/RecurringState.ts"
import { ofType, makeOwnedEnrichment } from "../enrichment/OwnedEnrichment.ts"
import type { CursorUnusable, Forbidden, NotFound, Unprocessable } from "../failure/Failure.ts"
import { limits } from "../shared/Limits.ts"
import { type Page, type PageRequest, sizeOf } from "../shared/Page.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { type BudgetPeriod, budgetPeriods, type PeriodsRequest } from "./BudgetPeriods.ts"

export type { BudgetPeriod, PeriodsRequest } from "./BudgetPeriods.ts"

/** Payments that recur, as they were found last. */
export type RecurringSeries = (typeof RecurringState.Type)["series"][number] & {
  /** Where it was found; for those who say something of it. */
  readonly partition: string
}

export interface LinksRequest extends PageRequest {
  readonly state?: AnalysisLink["state"]
}

type Failed = NotFound | Forbidden | Unprocessable | StorageUnavailable

const LinksCursor = Schema.Struct({
  after: Schema.String,
  state: Schema.optionalKey(Schema.Literals(["suggested", "auto", "confirmed", "broken"]))
})

/** All series of an enrichment, by what they are called. */
export const seriesOf = Effect.gen(function* () {
  const store = yield* AnalysisStore
  return Effect.fnUntraced(function* (scope: Parameters<typeof store.states>[0], id: EnrichmentId) {
    const found: Array<RecurringSeries> = []
    for (let after = ""; ;) {
      const states = yield* store.states(scope, id, { after, limit: limits.page.max })
      for (const { partition, state } of states) {
        // What does not decode was planned under another version of the kind; the next run plans it again.
        const decoded = decode(RecurringState, state)
        if (Result.isSuccess(decoded)) found.push(...decoded.success.series.map((one) => ({ ...one, partition })))
      }
      if (states.length < limits.page.max) break
      after = states.at(-1)!.partition
    }
    const nameOf = ({ merchant, name }: RecurringSeries) => name ?? merchant
    return found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a.id < b.id ? -1 : 1))
  })
})

export class EnrichmentInsights extends Context.Service<
  EnrichmentInsights,
  {
    /** The periods of a budget, the newest first; none before it was worked out for the first time. */
    readonly periods: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      request: PeriodsRequest
    ) => Effect.Effect<ReadonlyArray<BudgetPeriod>, Failed>
    /** By name, then id. */
    readonly series: (
      caller: Caller,
      enrichmentId: EnrichmentId
    ) => Effect.Effect<ReadonlyArray<RecurringSeries>, Failed>
    /** By id. Pairs that a person keeps apart are no links: they are among the decisions. */
    readonly links: (
      caller: Caller,
      enrichmentId: EnrichmentId,
      request: LinksRequest
    ) => Effect.Effect<Page<AnalysisLink>, Failed | CursorUnusable>
  }
>()("@millrace/core/explain/EnrichmentInsights") {
  static readonly layer: Layer.Layer<EnrichmentInsights, never, EnrichmentStore | AnalysisStore | Cursors> =
    Layer.effect(
      EnrichmentInsights,
      Effect.gen(function* () {
        const open = yield* makeOwnedEnrichment
        const store = yield* AnalysisStore
        const cursors = yield* Cursors
        const periods = yield* budgetPeriods
        const series = yield* seriesOf
        return EnrichmentInsights.of({
          periods: Effect.fn("EnrichmentInsights.periods")(function* (caller, enrichmentId, request) {
            const enrichment = yield* open(caller, "listBudgetPeriods", enrichmentId)
            yield* ofType(enrichment, "budget")
            return yield* periods(enrichment, caller.principal.workspace, request)
          }),
          series: Effect.fn("EnrichmentInsights.series")(function* (caller, enrichmentId) {
            const enrichment = yield* open(caller, "listSeries", enrichmentId)
            yield* ofType(enrichment, "recurring")
            return yield* series(enrichment, enrichment.id)
          }),
          links: Effect.fn("EnrichmentInsights.links")(function* (caller, enrichmentId, request) {
            const enrichment = yield* open(caller, "listLinks", enrichmentId)
            const { dataType, workspaceId } = enrichment
            const bound = { workspaceId, list: `links/${enrichmentId}` }
            const { cursor, limit: asked, ...filters } = request
            const start =
              cursor === undefined ? { ...filters, after: "" } : yield* cursors.decode(bound, LinksCursor, cursor)
            const limit = sizeOf(limits.page, asked)
            const found = yield* store.linksOf({ workspaceId, dataType }, enrichmentId, { ...start, limit: limit + 1 })
            const rows = found.slice(0, limit)
            const last = rows.at(-1)
            if (found.length <= limit || last === undefined) return { rows, hasMore: false }
            return { rows, hasMore: true, cursor: yield* cursors.encode(bound, "page", { ...start, after: last.id }) }
          })
        })
      })
    )
}
