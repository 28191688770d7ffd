/** The use cases around values of records, in memory: one record that is explained, spoken about and undone. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Explanations, Previews, RecordOverrides, Simulations, Undo } from "@millrace/core/kernel"
import { only } from "./Checks.ts"
import * as Records from "./Records.ts"

type Note = (operation: string, ...args: ReadonlyArray<unknown>) => Effect.Effect<void>

const recordId = Records.match.match.recordId

const of = <A>(id: string, value: A) => only("Record", recordId, id, value)
const words = { recordId, words: [Records.fact], shadows: [] }

export const layer = (note: Note) =>
  Layer.mergeAll(
    Layer.succeed(
      Explanations,
      Explanations.of({
        explain: (_, id) => Effect.andThen(note("explainRecord", id), of(id, Records.explanation))
      })
    ),
    Layer.succeed(
      RecordOverrides,
      RecordOverrides.of({
        set: (_, id, request) => Effect.andThen(note("setRecordFields", request), of(id, words)),
        clear: (_, id, names) =>
          Effect.andThen(note("clearRecordFields", names), of(id, { recordId, words: [], shadows: [] }))
      })
    ),
    Layer.succeed(
      Previews,
      Previews.of({
        preview: (_, id, samples) =>
          Effect.andThen(
            note("previewEnrichment", samples),
            only("Feed", Records.feed.id, id, Records.preview(samples))
          )
      })
    ),
    Layer.succeed(
      Simulations,
      Simulations.of({
        simulate: (_, request) => Effect.as(note("simulateEnrichments", request), { report: Records.simulation }),
        get: (_, id) =>
          Effect.andThen(
            note("getSimulation", id),
            only("Simulation", Records.longSimulation.id, id, Records.longSimulation)
          ),
        cancel: (_, id) =>
          Effect.andThen(
            note("cancelSimulation", id),
            only("Simulation", Records.longSimulation.id, id, {
              ...Records.longSimulation,
              status: "cancelled" as const
            })
          )
      })
    ),
    Layer.succeed(
      Undo,
      Undo.of({
        undo: (_, id, request) =>
          Effect.andThen(note("undoChange", request), of(id, { recordId, facts: [Records.fact] })),
        undoRun: (_, id, redo) =>
          Effect.andThen(
            note("undoRun", redo),
            only("Job", Records.job.id, id, { jobId: Records.job.id, fields: 2, links: 0, kept: 1 })
          )
      })
    )
  )
