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
  type SetPlans,
  type StoredPlan,
  tooMuchWork
} from "@millrace/core/enrichment"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sha256 } from "../digest/NodeDigest.ts"
import { re2Patterns } from "../pattern/Re2Patterns.ts"
import { isBuilt, type LimitedThread } from "../thread/LimitedThread.ts"
import { makeThreadPool, type ThreadPoolOptions } from "../thread/ThreadPool.ts"
import { type Answer, portion, type Request } from "./Messages.ts"

/** Work is counted, so only what is not counted, or a machine that stands still, runs into the limit of time. */
const ordinary: ThreadPoolOptions = {
  threads: 2,
  seconds: 600,
  megabytes: 1_024,
  entry: new URL(isBuilt ? "PlanningThread.js" : "PlanningThread.ts", import.meta.url)
}

/** Kinds that a thread knows. Those of a configuration file are made of what only this thread has. */
const known = new Set(
  bundledKinds({ patterns: re2Patterns, sha256 }).flatMap(({ family, type }) => (family === "set" ? [type] : []))
)

type Planning = LimitedThread<Request, Answer>

/** The version of the rates that a thread has. */
const ratesVersions = new WeakMap<Planning, string>()

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
  const isKnown = ratesVersions.get(planning) === rates.version
  planning.begin()
  ratesVersions.set(planning, rates.version)
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
    const answer = yield* planning.next
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
        planning.finish()
        return yield* new EnrichmentFault({ reason: answer.reason, message: answer.message })
      case "limit":
        planning.finish()
        return yield* tooMuchWork
      case "died":
        yield* Effect.logError("A plan of an enrichment was ended", answer.message)
        return yield* tooMuchWork
      case "end":
        planning.finish()
        return plans
      default:
    }
  }
})

const isApart: SetPlans["isApart"] = ({ type }) => known.has(type)

/** `SetPlanner` in threads. They begin with the first plan. */
export const layer = (changed: Partial<ThreadPoolOptions> = {}): Layer.Layer<never> =>
  Layer.effect(
    SetPlanner,
    Effect.map(makeThreadPool<Request, Answer>({ ...ordinary, ...changed }), (withThread) => ({
      isApart,
      plan: (request) =>
        isApart(request.kind) ? withThread((planning) => planIn(planning, request)) : planHere(request)
    }))
  )
