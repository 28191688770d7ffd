/** The use cases of what enrichments worked out and of decisions about it, in memory: one of each. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Decisions, EnrichmentInsights, Withheld } from "@millrace/core/kernel"
import { checkCursor, only } from "./Checks.ts"
import * as Records from "./Records.ts"

type Note = (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>

const within = <A>(id: string, value: A) => only("Enrichment", Records.enrichment.enrichment.id, id, value)
const series = <A>(id: string, value: A) => only("Series", Records.series.id, id, value)

export const layer = (note: Note) =>
  Layer.mergeAll(
    Layer.succeed(
      Withheld,
      Withheld.of({
        list: Effect.fnUntraced(function* (_, id, query) {
          yield* note("listWithheld", query)
          yield* only("Feed", Records.feed.id, id, undefined)
          yield* checkCursor(query)
          return { rows: [Records.withheld], hasMore: query.cursor === undefined, cursor: "next" }
        })
      })
    ),
    Layer.succeed(
      EnrichmentInsights,
      EnrichmentInsights.of({
        periods: (_, id, query) => Effect.andThen(note("listBudgetPeriods", query), within(id, [Records.period])),
        series: (_, id) => Effect.andThen(note("listSeries"), within(id, [Records.series])),
        links: Effect.fnUntraced(function* (_, id, query) {
          yield* note("listLinks", query)
          yield* within(id, undefined)
          yield* checkCursor(query)
          return { rows: [Records.link], hasMore: query.cursor === undefined, cursor: "next" }
        })
      })
    ),
    Layer.succeed(
      Decisions,
      Decisions.of({
        list: Effect.fnUntraced(function* (_, id, query) {
          yield* note("listDecisions", query)
          yield* within(id, undefined)
          yield* checkCursor(query)
          return { rows: [Records.decision], hasMore: query.cursor === undefined, cursor: "next" }
        }),
        undo: Effect.fnUntraced(function* (_, id, decision) {
          yield* note("undoDecision", decision)
          yield* within(id, undefined)
          return yield* only("Decision", Records.decision.id, decision, Records.decision)
        }),
        nameSeries: Effect.fnUntraced(function* (_, id, one, name) {
          yield* note("updateSeries", name)
          yield* within(id, undefined)
          return yield* series(one, { ...Records.series, name })
        }),
        mergeSeries: Effect.fnUntraced(function* (_, id, one, other) {
          yield* note("mergeSeries", other)
          yield* within(id, undefined)
          return yield* series(one, Records.decision)
        }),
        splitSeries: Effect.fnUntraced(function* (_, id, one, recordId) {
          yield* note("splitSeries", recordId)
          yield* within(id, undefined)
          return yield* series(one, Records.decision)
        }),
        mergeMerchants: (_, id, from, into) =>
          Effect.andThen(note("mergeMerchants", from, into), within(id, Records.decision))
      })
    )
  )
