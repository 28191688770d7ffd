/** Conformance of `SimulationStore`, and of the place in which what is only supposed is planned. */
import { Ids, Timestamp } from "@millrace/core"
import { type Simulation, simulationResource } from "@millrace/core/enrichment"
import { Resources } from "@millrace/core/resource"
import { AnalysisStore, ScratchAnalysis, SimulationStore } from "@millrace/core/storage"
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { makeAnalysisChanges } from "../fixture/Analysis.ts"
import { makeSimulation, makeSimulationInput } from "../fixture/Simulations.ts"
import { storeWorkspace } from "../fixture/Workspace.ts"
import { testsOf } from "./ResourceSuite.ts"
import type { StorageTests } from "./StorageTests.ts"

export const tests: StorageTests = (it) => {
  testsOf(
    simulationResource,
    Effect.map(Resources, ({ open }) => open(simulationResource))
  )(it)

  it.effect("keeps what is to be played until the simulation has ended", () =>
    Effect.gen(function* () {
      const { id: workspaceId } = yield* storeWorkspace()
      const store = yield* SimulationStore
      const one = yield* makeSimulation(workspaceId)
      const input = makeSimulationInput({ today: "2026-02-28" as never })
      yield* store.insert(one, input)
      const held = Option.getOrThrow(yield* store.get(workspaceId, one.id))
      expect(yield* store.inputOf(held)).toEqual(input)
      expect((yield* store.open(workspaceId)).map(({ id }) => id)).toEqual([one.id])
      const ended: Simulation = { ...one, status: "failed", error: "none", version: 2 }
      expect(yield* store.update(ended)).toBe(true)
      expect(yield* store.update(ended)).toBe(false)
      expect(yield* store.get(workspaceId, one.id)).toEqual(Option.some(ended))
      expect(yield* store.inputOf(ended)).toBe(undefined)
      expect(yield* store.open(workspaceId)).toEqual([])
    })
  )

  it.effect("forgets those that were made before an instant", () =>
    Effect.gen(function* () {
      const { id: workspaceId } = yield* storeWorkspace()
      const store = yield* SimulationStore
      const [old, young] = [
        yield* makeSimulation(workspaceId, { createdAt: Timestamp.make("2026-01-01T00:00:00.000Z") }),
        yield* makeSimulation(workspaceId)
      ]
      for (const one of [old, young]) yield* store.insert(one, makeSimulationInput())
      yield* store.forget(workspaceId, young.createdAt)
      expect((yield* store.open(workspaceId)).map(({ id }) => id)).toEqual([young.id])
    })
  )

  it.effect("has a place for analyses that is empty for its opener, and touches nothing that is kept", () =>
    Effect.gen(function* () {
      const { id: workspaceId } = yield* storeWorkspace()
      const ids = yield* Ids
      const scope = { workspaceId, dataType: "transactions" } as const
      const enrichmentId = yield* ids.next("enrichment")
      const accountId = yield* ids.next("account")
      const [real, supposed] = yield* ids.batch("transaction", 2)
      const store = yield* AnalysisStore
      const told = (of: AnalysisStore["Service"]) =>
        Effect.gen(function* () {
          return [
            yield* of.members(scope, enrichmentId, ["part"]),
            yield* of.partitions(scope, enrichmentId, ["part"]),
            yield* of.outputs(scope, enrichmentId, ["part"]),
            yield* of.notes(workspaceId, [real!, supposed!]),
            yield* of.linksOf(scope, enrichmentId, { after: "", limit: 10 }),
            yield* of.head(scope)
          ]
        })
      // As often as statements take to be prepared.
      for (let version = 0; version < 8; version++) {
        yield* store.commit(scope, version, makeAnalysisChanges(enrichmentId, accountId, real!))
      }
      const before = yield* told(store)
      const scratches = yield* ScratchAnalysis
      const fill = Effect.scoped(
        Effect.gen(function* () {
          const [one, other] = [yield* scratches.open, yield* scratches.open]
          const empty = yield* told(one)
          expect(yield* told(other)).toEqual(empty)
          for (let version = 0; version < 8; version++) {
            yield* one.commit(scope, version, makeAnalysisChanges(enrichmentId, accountId, supposed!))
          }
          const filled = yield* told(one)
          expect(JSON.stringify(filled)).toContain(supposed)
          expect(JSON.stringify(filled)).not.toContain(real)
          expect([...(yield* one.notes(workspaceId, [supposed!])).keys()]).toEqual([supposed])
          expect(yield* told(other)).toEqual(empty)
          expect(yield* told(store)).toEqual(before)
        })
      )
      yield* fill
      yield* fill
      expect(yield* told(store)).toEqual(before)
      yield* store.commit(scope, 8, makeAnalysisChanges(enrichmentId, accountId, real!))
      expect((yield* store.head(scope)).version).toBe(9)
    })
  )
}
