/**
 * All sixteen kinds at once over random records: every link is explained by its own evidence, and when everything that they did is
 * taken back, rows are what the provider says, byte for byte.
 *
 * MILLRACE_LONG=1 plays 300 worlds.
 */
import { describe, expect } from "@effect/vitest"
import { casesOf, countCases, seedsOf } from "@millrace/verification/cases/Cases"
import * as Effect from "effect/Effect"
import { bundledKinds } from "../../src/enrichment/Kinds.ts"
import { Explanations } from "../../src/explain/Explanations.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import { Undo } from "../../src/explain/Undo.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { configs, worldOf } from "@millrace/verification/quality/undo/AllKinds"
import { scene } from "./ExplainScenes.ts"

const seeds = seedsOf(casesOf({ short: 1, long: 300 }))

describe("all sixteen kinds at once", () => {
  // Each world has an installation of its own: what is undone is sought among all that it holds.
  for (const seed of seeds) {
    scene(
      `are undone to the values of the provider, and every link follows from its evidence (seed ${seed})`,
      (simulation) =>
        Effect.gen(function* () {
          const { caller, ids, rows, run, workspace } = yield* worldOf(simulation, seed)
          expect(Object.keys(configs).toSorted()).toEqual(
            bundledKinds({ patterns: provenPatterns, sha256: String })
              .map(({ type }) => type)
              .toSorted()
          )
          yield* run
          const provided = yield* rows
          const made = yield* Effect.forEach(Object.entries(configs), ([type, config]) =>
            enrichmentOf(workspace, type, config)
          )
          yield* run
          yield* run
          const enriched = yield* rows
          expect(enriched).not.toEqual(provided)
          const undoing = yield* Undo
          const all = yield* ids
          const kinds = new Set<string>()
          for (const id of all) {
            for (const link of (yield* (yield* Explanations).explain(caller, id)).links) {
              kinds.add(link.kind)
              expect([seed, link.kind, link.holds, link.sentence]).toEqual([seed, link.kind, true, link.sentence])
            }
          }
          expect([...kinds].toSorted()).toEqual(["fee", "transfer"])
          for (const id of all) {
            for (const { id: enrichmentId } of made) yield* undoing.undo(caller, id, { enrichmentId })
          }
          yield* run
          expect([seed, yield* rows]).toEqual([seed, provided])
          yield* run
          expect([seed, yield* rows]).toEqual([seed, provided])
          // What people say afterwards is theirs.
          yield* (yield* RecordOverrides).set(caller, all[0]!, { fields: { notes: "mine" } })
          yield* run
          expect((yield* rows).filter((row) => row.includes("notes=mine"))).toHaveLength(1)
          yield* (yield* RecordOverrides).clear(caller, all[0]!, ["notes"])
          for (const id of all) {
            for (const { id: enrichmentId } of made) yield* undoing.undo(caller, id, { enrichmentId, redo: true })
          }
          yield* run
          expect([seed, yield* rows]).toEqual([seed, enriched])
          countCases(all.length * made.length)
        })
    )
  }
})
