/** Runs that are undone until nothing is left to undo: are all values those of the provider? */
import { createHash } from "node:crypto"
import { MemoryStorage } from "@millrace/adapters/memory"
import { NodeDigest } from "@millrace/adapters"
import { bundledKinds } from "@millrace/core/enrichment"
import { Ids } from "@millrace/core"
import { provenPatterns } from "@millrace/core/pattern"
import { TableSettings } from "@millrace/core/table"
import { Seeded } from "@millrace/testing/model"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { EnrichmentFacts } from "../../../../core/src/enrichment/EnrichmentFacts.ts"
import { FeedPipelines } from "../../../../core/src/enrichment/FeedPipelines.ts"
import { Kinds, kindsOf } from "../../../../core/src/enrichment/Kinds.ts"
import { RecordLooks } from "../../../../core/src/explain/RecordLooks.ts"
import { Undo } from "../../../../core/src/explain/Undo.ts"
import { makeSimulation } from "../../simulation/Simulation.ts"
import { VirtualClock } from "../../simulation/VirtualClock.ts"
import { type Scene, sizeOf } from "../identity/Scene.ts"
import { configs, worldOf } from "./AllKinds.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const undoing = Undo.layer.pipe(
  Layer.provide([RecordLooks.layer, EnrichmentFacts.layer]),
  Layer.provide(FeedPipelines.layer),
  Layer.provide([
    Layer.succeed(Kinds, kindsOf(bundledKinds({ patterns: provenPatterns, sha256 }))),
    Ids.layer,
    NodeDigest.layer
  ])
)

const shuffled = <A>(random: Seeded, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  all
    .map((one) => [random.below(1_000_000), one] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, one]) => one)

/** Undoing what an undo brought up ends after so many rounds, or never. */
const mostRounds = 12

export interface UndoneWorld {
  readonly seed: number
  readonly types: ReadonlyArray<string>
  readonly records: number
  /** Links that were undone. */
  readonly links: number
  /** Rows that are not as the provider says. */
  readonly wrong: ReadonlyArray<string>
  /** Whether there came an end to what can be undone. */
  readonly isAtEnd: boolean
}

/** Kinds of enrichment that are drawn come one after the other; then all runs are undone, in any order, until nothing is left. */
export const undoneWorld = (seed: number): Effect.Effect<UndoneWorld, unknown> => {
  const clock = new VirtualClock()
  const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model: "upsertByKey" })
  return Effect.gen(function* () {
    const { caller, enrich, ids, rows, run } = yield* worldOf(simulation, seed)
    const random = new Seeded(seed + 1_000_000)
    const { undoRun } = yield* Undo
    const jobs = [(yield* run).job.id]
    const provided = yield* rows
    const types = shuffled(random, Object.keys(configs)).filter(() => random.below(4) > 0)
    for (const type of types) {
      yield* enrich(type)
      if (random.once(3)) jobs.push((yield* run).job.id)
    }
    jobs.push((yield* run).job.id)
    let links = 0
    let changed = 1
    for (let round = 0; changed > 0 && round < mostRounds; round++) {
      changed = 0
      for (const id of shuffled(random, jobs)) {
        const undone = yield* undoRun(caller, id)
        changed += undone.fields + undone.links
        links += undone.links
      }
      jobs.push((yield* run).job.id)
    }
    const values = yield* rows
    // What filters hold back is no value that a run has changed.
    const gone = types.includes("filter") ? [] : provided.filter((row) => !values.includes(row))
    return {
      seed,
      types,
      records: (yield* ids).length,
      links,
      wrong: [...values.filter((row) => !provided.includes(row)), ...gone],
      isAtEnd: changed === 0
    }
  }).pipe(
    Effect.provide(Layer.provideMerge(undoing, Layer.provide(simulation.layer, Layer.succeed(TableSettings, {})))),
    Effect.provideService(Clock.Clock, clock)
  )
}

export const undoneRuns: Scene = {
  name: "undo",
  title: "enrichments of all kinds are at work in an order that is drawn, and then all runs are undone, links included",
  play: (effort) =>
    Effect.gen(function* () {
      const worlds = sizeOf(effort, { small: 3, quick: 20, full: 200 })
      const all: Array<UndoneWorld> = []
      for (let n = 0; n < worlds; n++) all.push(yield* undoneWorld((effort.drawn ?? effort.seed) * 1_009 + n))
      for (const { seed, types, wrong } of all) {
        if (wrong.length > 0) process.stderr.write(`seed ${seed}, ${types.join(" ")}: ${wrong.join("\n")}\n`)
      }
      const sum = (of: (world: UndoneWorld) => number) => all.reduce((total, world) => total + of(world), 0)
      return [
        { name: "records", value: sum(({ records }) => records) },
        { name: "links that were undone", value: sum(({ links }) => links), goal: { min: 1 } },
        { name: "rows that are not as the provider says", value: sum(({ wrong }) => wrong.length), goal: { max: 0 } },
        { name: "worlds that come to no end", value: sum(({ isAtEnd }) => (isAtEnd ? 0 : 1)), goal: { max: 0 } }
      ]
    }).pipe(Effect.orDie)
}
