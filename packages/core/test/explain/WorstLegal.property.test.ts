/** The worst legal configurations of every kind: what is done between two turns is bounded, whatever they are. */
import { describe, expect } from "@effect/vitest"
import { Seeded } from "@millrace/testing/model"
import { longText, templates, worst } from "@millrace/verification/planning/WorstLegal"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Enrichment } from "../../src/enrichment/Enrichment.ts"
import { bundledKinds, kindsOf } from "../../src/enrichment/Kinds.ts"
import { PlanningTurns } from "../../src/enrichment/PlanningTurns.ts"
import { asideMessage } from "../../src/enrichment/RunWork.ts"
import { Previews } from "../../src/explain/Previews.ts"
import { provenPatterns } from "../../src/pattern/Pattern.ts"
import { catalogOf } from "../../src/record/FieldCatalog.ts"
import { limits } from "../../src/shared/Limits.ts"
import { decode } from "../../src/shared/StrictDecoding.ts"
import * as Result from "effect/Result"
import { enrichmentOf } from "../sync/FilteredScenes.ts"
import { fed, scene, simulated } from "./ExplainScenes.ts"

const kinds = kindsOf(bundledKinds({ patterns: provenPatterns, sha256: (text) => text }))
const types = bundledKinds({ patterns: provenPatterns, sha256: (text) => text }).map(({ type }) => type)

/** What may be done between two turns: the rest of a turn, and one record with all that looks at it. */
const mostOfATurn = (enrichments: number): number =>
  limits.turnWork + Math.max(limits.recordWork, enrichments * limits.stepWork) + 6_000_000

/** Hears what is done between turns. */
const listening = () => {
  const done: Array<number> = []
  const pause = (units: number) =>
    Effect.andThen(
      Effect.sync(() => done.push(units)),
      Effect.yieldNow
    )
  return { done, pause }
}

/** A clock on which so many milliseconds pass whenever somebody looks at it. */
const slowly = (millis: number, clock: Clock.Clock): Clock.Clock => {
  let passed = 0
  const now = () => clock.currentTimeMillisUnsafe() + (passed += millis) / 1_000
  return {
    ...clock,
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now)
  }
}

describe("the worst legal configurations", () => {
  for (const seed of [1, 2, 3]) {
    scene(`of all kinds leave others their turns in previews, simulations and runs (seed ${seed})`, (simulation) =>
      Effect.gen(function* () {
        const random = new Seeded(seed)
        const { caller, feed, post, run, workspace } = yield* fed(simulation)
        const drawn = types.map((type) => [type, worst(type, random)] as const)
        for (const [type, config] of drawn) {
          const kind = kinds.get(type)!
          const decoded = decode(kind.Config, config)
          expect(Result.isSuccess(decoded), `${type}: ${JSON.stringify(decoded).slice(0, 300)}`).toBe(true)
          const { errors } = kind.check(Result.getOrThrow(decoded), catalogOf("transactions"))
          expect(errors, type).toEqual([])
          yield* enrichmentOf(workspace, type, config as Enrichment["config"])
        }
        yield* enrichmentOf(workspace, "rule", templates as Enrichment["config"])
        for (let n = 0; n < 12; n++) post(n % 3 === 0 ? longText(1_900) : `tea ${n}`, `-${n + 1}`, n)
        const samples = Array.from({ length: 50 }, (_, n) => ({ description: longText(10_000), amount: `-${n + 1}.5` }))
        const { done, pause } = listening()
        const turns = Effect.provideService(PlanningTurns, pause)

        const preview = Effect.flatMap(Previews, (previews) => previews.preview(caller, feed.id, samples))
        const first = yield* turns(preview)
        expect(first.records.some(({ faults }) => faults.some(({ message }) => message === asideMessage))).toBe(true)
        expect(done.length).toBeGreaterThan(0)
        yield* turns(run)
        yield* turns(simulated(caller, { changes: [] }))
        expect(Math.max(...done)).toBeLessThan(mostOfATurn(drawn.length + 1))

        // Ten times slower, and ten times faster: the same.
        const clock = yield* Clock.Clock
        for (const millis of [0.1, 10]) {
          const again = yield* Effect.provideService(preview, Clock.Clock, slowly(millis, clock))
          expect(again.records).toEqual((yield* preview).records)
        }
      })
    )
  }
})
