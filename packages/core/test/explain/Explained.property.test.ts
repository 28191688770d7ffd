/** Random enrichments over random records: every chain gives the value that is delivered, and every undo can be undone. */
import { describe, expect } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { drive, type Simulation } from "@millrace/verification/simulation/Simulation"
import * as Effect from "effect/Effect"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { fed, scene } from "./ExplainScenes.ts"
import { someEnrichment, targets, words } from "./RandomEnrichments.ts"

const worldOf = Effect.fnUntraced(function* (simulation: Simulation, seed: number) {
  const random = new Seeded(seed)
  const world = yield* fed(simulation)
  for (const [type, config] of random.list(1, 5, () => someEnrichment(random))) {
    yield* enrichmentOf(world.workspace, type, config as never)
  }
  for (let n = 0; n < 6; n++) world.post(`${random.pick(words)} ${n}`, String(random.below(9) - 4.5), random.below(60))
  const { job } = yield* world.run
  expect(job.status).toBe("completed")
  const ids = [...(yield* world.ledger).values()].map(({ id }) => id).toSorted()
  /** All that is derived: rows at the destination, and what stands beside records without what people did. */
  const state = Effect.gen(function* () {
    const notes = yield* (yield* AnalysisStore).notes(world.workspace.id, ids)
    return JSON.stringify([yield* world.rows, ids.map((id) => [...(notes.get(id)?.claims ?? [])])])
  })
  return { ...world, random, ids, state }
})

const seeds = Array.from({ length: process.env["MILLRACE_LONG"] === undefined ? 12 : 1_000 }, (_, n) => n + 1)

describe("random enrichments over random records", () => {
  scene("explain each value by a chain whose first word it is, and each word holds", (simulation) =>
    Effect.forEach(
      seeds,
      Effect.fnUntraced(function* (seed) {
        const { caller, ids, random } = yield* worldOf(simulation, seed)
        const spoken = random.pick(ids)
        yield* (yield* RecordOverrides).set(caller, spoken, { fields: { [random.pick(targets)]: "mine" } })
        yield* (yield* Undo)
          .undo(caller, random.pick(ids), { field: random.pick(targets) })
          .pipe(Effect.catchTag("Unprocessable", () => Effect.void))
        for (const id of ids) {
          for (const { fields } of (yield* (yield* Explanations).explain(caller, id)).rows) {
            for (const { chain, field, value } of fields) {
              expect([seed, id, field, chain[0]!.value, chain[0]!.prevails]).toEqual([seed, id, field, value, true])
              expect(chain.filter(({ holds }) => !holds)).toEqual([])
              expect(chain.map(({ recomputed }) => recomputed)).toEqual(chain.map((link) => link.value))
            }
          }
        }
      }),
      { discard: true }
    )
  )

  scene("are what they were where something is done and taken back", (simulation) =>
    Effect.forEach(
      seeds,
      Effect.fnUntraced(function* (seed) {
        const { caller, feed, ids, random, state } = yield* worldOf(simulation, seed)
        const before = yield* state
        const people = yield* RecordOverrides
        const undoing = yield* Undo
        const id = random.pick(ids)
        const field = random.pick(targets)
        if (random.once(2)) {
          yield* people.set(caller, id, { fields: { [field]: "mine" } })
          yield* drive(simulation, feed)
          yield* people.clear(caller, id, [field])
        } else {
          const done = yield* Effect.option(undoing.undo(caller, id, { field }))
          yield* drive(simulation, feed)
          if (done._tag === "Some") yield* undoing.undo(caller, id, { field, redo: true })
        }
        yield* drive(simulation, feed)
        expect([seed, yield* state]).toEqual([seed, before])
      }),
      { discard: true }
    )
  )
})
