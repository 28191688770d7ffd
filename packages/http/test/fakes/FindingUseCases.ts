/** The use cases of findings in memory: one of them. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Findings } from "@millrace/core/kernel"
import { checkCursor, only } from "./Checks.ts"
import * as Records from "./Records.ts"

type Note = (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>

const within = (id: string) => only("Enrichment", Records.enrichment.enrichment.id, id, undefined)

export const layer = (note: Note) =>
  Layer.succeed(
    Findings,
    Findings.of({
      list: Effect.fnUntraced(function* (_, enrichmentId, query) {
        yield* note("listFindings", query)
        yield* within(enrichmentId)
        yield* checkCursor(query)
        return { rows: [Records.finding], hasMore: query.cursor === undefined, cursor: "next" }
      }),
      update: Effect.fnUntraced(function* (_, enrichmentId, id, decision) {
        yield* note("updateFinding", decision)
        yield* within(enrichmentId)
        return yield* only("Finding", Records.finding.id, id, { ...Records.finding, ...decision })
      })
    })
  )
