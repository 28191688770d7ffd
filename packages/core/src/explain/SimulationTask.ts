/** Plays simulations that are too large for one answer. A process that dies leaves nothing behind: another one starts again. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EnrichmentsOn } from "../enrichment/EnrichmentsOn.ts"
import { EnrichmentStore } from "../enrichment/EnrichmentStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import * as Timestamp from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { Transactor } from "../storage/Transactor.ts"
import { handleTask, type RunningTask } from "../task/TaskHandler.ts"
import type { TaskFenced } from "../task/TaskStore.ts"
import { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isOpen, type Simulation, type SimulationInput, SimulationStore } from "./Simulation.ts"
import { type Progress, simulationPlay } from "./SimulationPlay.ts"
import { type SimulationPayload, simulationTask } from "./SimulationTaskKind.ts"

/** Seconds after which it is looked again whether enrichments are on. */
const offSeconds = 3_600

/** Milliseconds between two notes of how far it came. */
const noteMillis = 1_000

const make = Effect.gen(function* () {
  const enrichments = yield* EnrichmentStore
  const feeds = yield* FeedStore
  const simulations = yield* SimulationStore
  const workspaces = yield* WorkspaceStore
  const { atomically } = yield* Transactor
  const { long } = yield* simulationPlay

  /** The enrichments as they are, and with what would be others. */
  const sidesOf = Effect.fnUntraced(function* (workspaceId: Simulation["workspaceId"], { changed }: SimulationInput) {
    const present = yield* enrichments.list([workspaceId])
    const supposed = new Map<string, (typeof present)[number]>(present.map((one) => [one.id, one]))
    for (const [id, after] of changed) {
      if (after === null) supposed.delete(id)
      else supposed.set(id, after)
    }
    return { present, supposed: [...supposed.values()] }
  })

  const play = Effect.fnUntraced(function* (
    { guard, payload }: RunningTask<SimulationPayload>,
    begun: Simulation,
    input: SimulationInput
  ) {
    const workspace = Option.getOrUndefined(yield* workspaces.get(payload.workspaceId))
    if (workspace === undefined) return undefined
    const { dataTypes, facts, feedIds, lifted } = input
    const told = new Set<string>(feedIds)
    let known = begun
    let noted = 0
    const note = ({ records, stage }: Progress): Effect.Effect<void, TaskFenced | StorageUnavailable> =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        if (stage === known.stage && now - noted < noteMillis) return
        noted = now
        known = { ...known, stage, records, version: known.version + 1 }
        // Where it was cancelled, the guard fails.
        yield* atomically(Effect.andThen(guard, simulations.update(known)))
      })
    const all = yield* Effect.forEach(dataTypes, (dataType) => feeds.list([workspace.id], { dataType }))
    const report = yield* long(
      {
        ...(yield* sidesOf(workspace.id, input)),
        workspace,
        dataTypes,
        facts: { added: facts, lifted: new Set<string>(lifted) },
        today: input.today,
        from: input.from,
        to: input.to,
        feeds: all.flat(),
        isTold: ({ id }) => told.has(id)
      },
      note
    )
    return { known, report }
  })

  return SimulationRuns.of({
    run: Effect.fn("SimulationRuns.run")(function* (task) {
      const { simulationId, workspaceId } = task.payload
      const found = Option.getOrUndefined(yield* simulations.get(workspaceId, simulationId))
      if (found === undefined || !isOpen(found)) return
      const begun: Simulation = {
        ...found,
        status: "running",
        records: 0,
        startedAt: yield* Timestamp.now,
        version: found.version + 1
      }
      yield* atomically(Effect.andThen(task.guard, simulations.update(begun)))
      const end = Effect.fnUntraced(function* (
        latest: Simulation,
        what: Pick<Simulation, "status" | "report" | "error">
      ) {
        const { input: _, ...known } = latest
        const ended = { ...known, ...what, endedAt: yield* Timestamp.now, version: known.version + 1 }
        yield* task.finish(simulations.update(ended))
      })
      const failed = Effect.fnUntraced(function* (error: string) {
        const latest = Option.getOrUndefined(yield* simulations.get(workspaceId, simulationId))
        if (latest !== undefined && isOpen(latest)) yield* end(latest, { status: "failed", error })
      })
      const input = yield* Effect.option(simulations.inputOf(begun))
      if (Option.isNone(input)) return yield* failed("What was to be simulated cannot be read any more: ask again")
      if (input.value === undefined) return
      yield* play(task, begun, input.value).pipe(
        Effect.flatMap((played) =>
          played === undefined ? Effect.void : end(played.known, { status: "completed", report: played.report })
        ),
        Effect.catchCause((cause): Effect.Effect<void, TaskFenced | StorageUnavailable> => {
          const isDefect = cause.reasons.some(Cause.isDieReason)
          if (!isDefect && task.attempt < simulationTask.attempts) return Effect.failCause(cause)
          return Effect.andThen(
            Effect.logError("A simulation failed", cause),
            failed("It could not be played to its end: ask again, or for fewer changes")
          )
        })
      )
    })
  })
})

export class SimulationRuns extends Context.Service<
  SimulationRuns,
  {
    /** One try; what it found is kept with its end. */
    readonly run: (task: RunningTask<SimulationPayload>) => Effect.Effect<void, TaskFenced | StorageUnavailable>
  }
>()("@millrace/core/explain/SimulationRuns") {
  static readonly layer = Layer.effect(SimulationRuns, make)
}

export const simulationHandler = Effect.gen(function* () {
  const { run } = yield* SimulationRuns
  const isOn = yield* EnrichmentsOn
  return handleTask(simulationTask, (task) => (isOn ? run(task) : Effect.succeed({ againSeconds: offSeconds })))
})
