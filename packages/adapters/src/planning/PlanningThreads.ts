/**
 * Plans for the bundled set kinds in threads beside the one that answers requests (decision 74). A plan that breaks a limit of time
 * or memory ends with its thread, and its enrichment is set aside; the next one has a new thread.
 */
import {
  bundledKinds,
  EnrichmentFault,
  planHere,
  SetPlanner,
  type SetPlanRequest,
  type StoredPlan,
  tooMuchWork
} from "@millrace/core/enrichment"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { sha256 } from "../digest/NodeDigest.ts"
import { re2Patterns } from "../pattern/Re2Patterns.ts"
import { type Answer, portion } from "./Messages.ts"
import { type Died, isBuilt, Planning, type PlanningLimits } from "./Planning.ts"

export interface PlanningOptions extends PlanningLimits {
  /** Plans that are made at the same time. */
  readonly threads: number
  /** What runs in a thread. */
  readonly entry: URL
}

const ordinary: PlanningOptions = {
  threads: 2,
  seconds: 600,
  megabytes: 1_024,
  entry: new URL(isBuilt ? "PlanningThread.js" : "PlanningThread.ts", import.meta.url)
}

/** Kinds that a thread knows. Those of a configuration file are made of what only this thread has. */
const known = new Set(
  bundledKinds({ patterns: re2Patterns, sha256 }).flatMap(({ family, type }) => (family === "set" ? [type] : []))
)

const nextOf = (planning: Planning) =>
  Effect.callback<Answer | Died>((resume) => planning.next((answer) => resume(Effect.succeed(answer))))

/** Partitions that the thread asked for. */
const pass = Effect.fnUntraced(function* (
  planning: Planning,
  { isPast, kind, read }: SetPlanRequest,
  { id, keys }: Extract<Answer, { readonly kind: "read" }>
) {
  const news: Array<string> = []
  let passed = 0
  for (const [key, { records, state }] of yield* read(keys)) {
    for (let at = 0; at === 0 || at < records.length; at += portion) {
      const some = records.slice(at, at + portion)
      // Only these kinds ask.
      if (kind.begins !== undefined) for (const { recordId } of some) if (!isPast(recordId)) news.push(recordId)
      planning.send({ kind: "records", id, key, records: some, state })
      passed += some.length
      if (passed < portion) continue
      passed = 0
      yield* Effect.yieldNow
    }
  }
  planning.send({ kind: "read", id, news })
})

const planIn = Effect.fnUntraced(function* (planning: Planning, request: SetPlanRequest) {
  const { catalog, config, data, kind, units } = request
  const { rates, ...rest } = data
  const isKnown = planning.ratesVersion === rates.version
  planning.begin()
  planning.ratesVersion = rates.version
  planning.send({
    kind: "plan",
    question: {
      type: kind.type,
      catalog,
      config,
      units,
      data: rest,
      ratesVersion: rates.version,
      ...(isKnown ? {} : { rates })
    }
  })
  const plans = new Map<string, StoredPlan>()
  for (;;) {
    const answer = yield* nextOf(planning)
    switch (answer.kind) {
      case "read":
        yield* pass(planning, request, answer)
        break
      case "figures":
        planning.send({ kind: "figures", id: answer.id, figures: yield* request.figures })
        break
      case "plans":
        for (const [key, plan] of answer.plans) plans.set(key, plan)
        planning.send({ kind: "next" })
        break
      case "fault":
        return yield* new EnrichmentFault({ reason: answer.reason, message: answer.message })
      case "limit":
        return yield* tooMuchWork
      case "died":
        yield* Effect.logError("A plan of an enrichment was ended", answer.message)
        return yield* tooMuchWork
      case "end":
        return plans
      default:
    }
  }
})

/** `SetPlanner` in threads. They begin with the first plan. */
export const layer = (changed: Partial<PlanningOptions> = {}): Layer.Layer<never> =>
  Layer.effect(
    SetPlanner,
    Effect.gen(function* () {
      const options = { ...ordinary, ...changed }
      const turns = yield* Semaphore.make(options.threads)
      const idle: Array<Planning> = []
      const busy = new Set<Planning>()
      yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...idle, ...busy].map((one) => one.end()))))

      /** A thread can die while it has nothing to do. */
      const next = (): Planning => {
        const one = idle.pop()
        return one === undefined ? new Planning(options.entry, options) : one.isAlive ? one : next()
      }

      const inThread = (request: SetPlanRequest) =>
        Effect.suspend(() => {
          const planning = next()
          busy.add(planning)
          let isOver = false
          return planIn(planning, request).pipe(
            Effect.tap(() => Effect.sync(() => (isOver = true))),
            Effect.tapErrorTag("EnrichmentFault", () => Effect.sync(() => (isOver = true))),
            Effect.ensuring(
              Effect.suspend(() => {
                busy.delete(planning)
                planning.finish()
                // One that was left in the middle of a plan can make no other.
                if (isOver && planning.isAlive) idle.push(planning)
                else return Effect.promise(() => planning.end())
                return Effect.void
              })
            )
          )
        })

      return (request) => (known.has(request.kind.type) ? turns.withPermit(inThread(request)) : planHere(request))
    })
  )
