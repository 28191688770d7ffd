/** Simulations that are played in the background; MILLRACE_LONG=1 plays 100 worlds. */
import { describe, expect } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { Caller } from "../../src/access/Caller.ts"
import { AnalysisExtent } from "../../src/enrichment/AnalysisExtent.ts"
import { AnalysisStore } from "../../src/enrichment/AnalysisStore.ts"
import { EventStore } from "../../src/event/EventStore.ts"
import { RecordOverrides } from "../../src/explain/RecordOverrides.ts"
import type { Simulation } from "../../src/explain/Simulation.ts"
import { SimulationRuns } from "../../src/explain/SimulationTask.ts"
import { type SimulationPayload, simulationTask } from "../../src/explain/SimulationTaskKind.ts"
import { AnsweredAtOnce, type SimulationRequest, Simulations } from "../../src/explain/Simulations.ts"
import type { Supposed } from "../../src/explain/WhatIf.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Transactor } from "../../src/storage/Transactor.ts"
import type { RunningTask } from "../../src/task/TaskHandler.ts"
import { TaskFenced, TaskStore } from "../../src/task/TaskStore.ts"
import { enrichmentOf, when } from "../sync/FilteredScenes.ts"
import { configs, worldOf } from "@millrace/verification/quality/undo/AllKinds"
import { fed, scene, setting, simulated } from "./ExplainScenes.ts"

/** Asks for it although it would fit into one answer. */
const begin = Effect.fnUntraced(
  function* (caller: Caller, request: SimulationRequest) {
    const answer = yield* (yield* Simulations).simulate(caller, request)
    return "simulation" in answer ? answer.simulation : yield* Effect.die(new Error("it was answered at once"))
  },
  Effect.provideService(AnsweredAtOnce, { records: 0, seconds: Number.POSITIVE_INFINITY })
)

/** One try of its task, in slices of few records. */
const play = Effect.fnUntraced(
  function* ({ id, workspaceId }: Simulation, guard: RunningTask<SimulationPayload>["guard"] = Effect.void) {
    const { atomically } = yield* Transactor
    const task: RunningTask<SimulationPayload> = {
      id: "task_1" as RunningTask<SimulationPayload>["id"],
      key: id,
      payload: { workspaceId, simulationId: id },
      workspaceId,
      attempt: 1,
      guard,
      finish: (writes) => atomically(Effect.andThen(guard, writes))
    }
    yield* (yield* SimulationRuns).run(task)
  },
  Effect.provideService(AnalysisExtent, { changes: 3, planned: 4, held: 0 })
)

const seeds = Array.from({ length: process.env["MILLRACE_LONG"] === undefined ? 1 : 100 }, (_, n) => n + 1)

describe("a simulation in the background", () => {
  for (const seed of seeds) {
    scene(`finds to the figure what one at once does, for all kinds (seed ${seed})`, (simulation) =>
      Effect.gen(function* () {
        const { caller, ids, run, workspace } = yield* worldOf(simulation, seed)
        yield* run
        const made = yield* Effect.forEach(Object.entries(configs), ([type, config]) =>
          enrichmentOf(workspace, type, config)
        )
        yield* run
        const all = yield* ids
        const random = new Seeded(seed)
        yield* (yield* RecordOverrides).set(caller, random.pick(all), { fields: { category: "mine" } })
        yield* run
        const kept = Effect.gen(function* () {
          const { head } = yield* AnalysisStore
          return [
            yield* head({ workspaceId: workspace.id, dataType: "transactions" }),
            yield* (yield* EventStore).newest(workspace.id)
          ]
        })
        const before = yield* kept
        const rule = setting("description", "Supposed")
        const changes: ReadonlyArray<ReadonlyArray<Supposed>> = [
          ...made.map(({ id: enrichmentId }): ReadonlyArray<Supposed> => [{ kind: "delete", enrichmentId }]),
          [
            {
              kind: "create",
              enrichment: { name: "a", type: "rule", dataType: "transactions", allFeeds: true, config: rule }
            },
            { kind: "silence", enrichmentId: random.pick(made).id, recordId: random.pick(all) }
          ]
        ]
        const found = new Set<string>()
        for (const some of changes) {
          const request = { changes: some, ...(random.once(3) ? { from: "2026-01-01" as never } : {}) }
          const short = yield* simulated(caller, request)
          const waiting = yield* begin(caller, request)
          expect(waiting).toMatchObject({ status: "queued", records: 0 })
          yield* play(waiting)
          const { input, report, status } = yield* (yield* Simulations).get(caller, waiting.id)
          expect([seed, status, input]).toEqual([seed, "completed", undefined])
          expect([seed, some, report]).toEqual([seed, some, short])
          for (const [name, value] of Object.entries(short)) if (/[1-9]/u.test(JSON.stringify(value))) found.add(name)
        }
        expect(yield* kept).toEqual(before)
        // It would tell nothing if there were nothing to find.
        expect([...found].toSorted()).toEqual(
          expect.arrayContaining(["budgets", "cases", "deliveries", "fields", "findings", "lines", "links", "series"])
        )
      })
    )
  }

  scene("is the same one for whoever asks again, is cancelled, and not played by whoever lost it", (simulation) =>
    Effect.gen(function* () {
      const { caller, post, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      for (const text of ["green tea", "black tea"]) post(text)
      yield* run
      const simulations = yield* Simulations
      const request: SimulationRequest = { changes: [{ kind: "delete", enrichmentId: rule.id }] }
      const one = yield* begin(caller, request)
      expect((yield* begin(caller, request)).id).toBe(one.id)
      const another = yield* begin(caller, { changes: [{ kind: "enable", enrichmentId: rule.id, enabled: false }] })
      expect(another.id).not.toBe(one.id)
      const tasks = yield* TaskStore
      const open = Effect.map(tasks.list({ kind: simulationTask.name, limit: 10 }), (all) =>
        all.map(({ key }) => key).toSorted()
      )
      expect(yield* open).toEqual([one.id, another.id].toSorted())
      // A process that was taken for dead writes nothing; the next one plays it from the beginning.
      const fenced = yield* Effect.exit(play(one, Effect.fail(new TaskFenced({ taskId: "task_1" }))))
      expect(Exit.isFailure(fenced)).toBe(true)
      expect(yield* simulations.get(caller, one.id)).toMatchObject({ status: "queued" })
      const cancelled = yield* simulations.cancel(caller, one.id)
      expect(cancelled).toMatchObject({ status: "cancelled" })
      expect(yield* open).toEqual([another.id])
      yield* play(one)
      expect(yield* simulations.get(caller, one.id)).toEqual(cancelled)
      yield* play(another)
      const ended = yield* simulations.cancel(caller, another.id)
      expect(ended).toMatchObject({ status: "completed", records: 2, report: { records: 2 } })
      expect((yield* begin(caller, request)).id).not.toBe(one.id)
    })
  )

  scene("is refused where too many are open, and unknown to other workspaces", (simulation) =>
    Effect.gen(function* () {
      const { caller, post, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      post("green tea")
      yield* run
      const ask = (order: number) => begin(caller, { changes: [{ kind: "reorder", enrichmentId: rule.id, order }] })
      const [first] = yield* Effect.forEach([1, 2, 3, 4, 5], ask)
      expect(yield* Effect.flip(ask(6))).toMatchObject({ code: "LIMIT_EXCEEDED" })
      yield* (yield* Simulations).cancel(caller, first!.id)
      yield* ask(6)
      const other = yield* fed(simulation)
      expect(yield* Effect.flip((yield* Simulations).get(other.caller, first!.id))).toMatchObject({
        _tag: "NotFound",
        resource: "Simulation"
      })
    })
  )

  scene("is refused where too many are asked for at the same time", (simulation) =>
    Effect.gen(function* () {
      const { caller, post, run, workspace } = yield* fed(simulation)
      const rule = yield* enrichmentOf(workspace, "rule", setting("category", "Drinks"))
      post("green tea")
      yield* run
      const { simulate } = yield* Simulations
      const ask = (order: number) =>
        Effect.result(simulate(caller, { changes: [{ kind: "reorder", enrichmentId: rule.id, order }] }))
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => n),
        ask,
        { concurrency: "unbounded" }
      ).pipe(Effect.provideService(AnsweredAtOnce, { records: 0, seconds: Number.POSITIVE_INFINITY }))
      const codes = answers.map((one) =>
        Result.isSuccess(one) ? "made" : "code" in one.failure ? one.failure.code : ""
      )
      expect(codes.filter((one) => one === "made")).toHaveLength(limits.openSimulations)
      expect(codes.filter((one) => one === "LIMIT_EXCEEDED")).toHaveLength(12 - limits.openSimulations)
    })
  )

  scene("does not tell apart what is told in other words", (simulation) =>
    Effect.gen(function* () {
      const { caller, post, run, workspace } = yield* fed(simulation)
      post("green tea", "-150")
      const destinations = [{ type: "email", recipients: ["owner@example.com"] }]
      const alert = yield* enrichmentOf(workspace, "alert", { conditions: when("amount", "lt", "-100"), destinations })
      yield* run
      post("black tea", "-200")
      yield* run
      const request: SimulationRequest = { changes: [{ kind: "delete", enrichmentId: alert.id }] }
      const short = yield* simulated(caller, request)
      const waiting = yield* begin(caller, request)
      yield* play(waiting)
      expect((yield* (yield* Simulations).get(caller, waiting.id)).report).toEqual(short)
      expect(short.messages).toEqual({ told: 0, untold: 1 })
    })
  )
})
