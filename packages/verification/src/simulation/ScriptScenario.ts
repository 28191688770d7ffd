/**
 * Random scenarios of one connection that a few feeds follow, and what must be true at their end.
 *
 * One worker runs one job at a time, and dies wherever the script says so. After it the faults stop and every
 * feed is synced until all must be quiet: then each destination holds exactly what the bank says, as that feed
 * shows it.
 */
import type { Job } from "@millrace/core/job"
import { DeliveryStore, JobStore, StorageUnavailable } from "@millrace/core/storage"
import * as Effect from "effect/Effect"
import { Seeded } from "@millrace/testing/model"
import { checkEvents } from "./EventChecks.ts"
import { analyseAnew } from "./AnalysisChecks.ts"
import { checkCheckpoint, checkEnd, checkLedger, checkStill } from "./Checkers.ts"
import { ConnectionScenario, orderOf } from "./ConnectionScenario.ts"
import { follow, type FollowingFeed } from "./FollowingFeed.ts"
import { must } from "./Invariant.ts"
import { quietRounds } from "./Settling.ts"
import { connect, drive, type Simulation } from "./Simulation.ts"
import { weightsOf } from "./Swarm.ts"
import { inject, faults } from "./Fault.ts"
import { somebody } from "@millrace/testing/fixture"

const storageAway = Effect.fail(new StorageUnavailable({ message: "scripted" }))

const stepKinds = [
  "bank",
  "sync",
  "pass time",
  ...faults,
  "person deletes",
  "enrich",
  "redeliver",
  "add feed",
  "reconfigure"
] as const
type StepKind = (typeof stepKinds)[number]

const deathKinds = ["cancel", "storage away", "at the destination", "at the ledger", "redelivery", "anywhere"] as const

export interface ScriptOptions {
  readonly steps: number
}

class Script {
  readonly simulation: Simulation
  readonly scenario: ConnectionScenario
  readonly random: Seeded
  readonly steps: ReadonlyArray<readonly [StepKind, number]>
  readonly deaths: ReadonlyArray<readonly [(typeof deathKinds)[number], number]>
  /** One sync in so many dies. */
  readonly mortality: number

  constructor(simulation: Simulation, scenario: ConnectionScenario) {
    this.simulation = simulation
    this.scenario = scenario
    this.random = scenario.random
    this.steps = weightsOf(scenario.random, stepKinds, { bank: 20, sync: 14, "pass time": 4 })
    this.deaths = weightsOf(scenario.random, deathKinds, { anywhere: 4 })
    this.mortality = 1 + scenario.random.below(4)
  }
}

const addFeed = Effect.fnUntraced(function* ({ scenario, simulation }: Script) {
  const path = `${scenario.bank.id}-${scenario.feedsMade++}.csv`
  const { accounts, random, workspace } = scenario
  scenario.feeds.push(yield* follow(random, simulation.destination, workspace, accounts, path))
})

/** One job of a feed, with whatever may happen to it. */
const sync = Effect.fnUntraced(function* (script: Script, under: FollowingFeed) {
  const { scenario, random, simulation } = script
  const { points, watch } = simulation
  const jobs = yield* JobStore
  const ledger = yield* DeliveryStore
  const dies = random.once(script.mortality)
  let death: (typeof deathKinds)[number] = "anywhere"
  yield* drive(simulation, under.feed, {
    change: orderOf(scenario.request(simulation.clock.now)),
    released: random.once(2),
    arm: (attempt, { id }) => {
      if (!dies || attempt > 1) return
      death = random.weighted(script.deaths)
      switch (death) {
        case "cancel":
          return points.arm(1 + random.below(8), Effect.ignore(jobs.cancel(id, "cancel", somebody)), "Provider")
        case "storage away":
          return points.arm(1 + random.below(90), storageAway)
        case "at the destination":
          return points.arm(1 + random.below(6), Effect.interrupt, "Destination")
        case "at the ledger":
          return points.arm(1 + random.below(8), Effect.interrupt, "DeliveryStore")
        case "redelivery":
          return points.arm(
            1 + random.below(60),
            Effect.provideService(scenario.redeliver(under), DeliveryStore, ledger)
          )
        case "anywhere":
          return points.arm(1 + random.below(90))
      }
    },
    fired: (point) => {
      if (death === "cancel") watch.sometimes.happened("cancel")
      else if (death === "redelivery") return
      else if (death !== "storage away") watch.sometimes.happened("crash")
      else watch.sometimes.happened(point.endsWith("begins") ? "storage away" : "storage answer lost")
    }
  })
  yield* checkLedger(scenario)
})

const step = Effect.fnUntraced(function* (script: Script) {
  const { scenario, random, simulation } = script
  const { clock, watch } = simulation
  const under = random.pick(scenario.feeds)
  const kind = random.weighted(script.steps)
  watch.trace.push(`-- ${kind}`)
  switch (kind) {
    case "bank":
      return scenario.happen(clock.now, 4)
    case "sync":
      return yield* sync(script, under)
    case "pass time":
      return yield* simulation.pass(random.below(random.once(4) ? 200_000 : 7_200))
    case "person deletes":
      return scenario.deleteRow(under, simulation.model === "wholeFile")
    case "enrich":
      return yield* scenario.enrich()
    case "redeliver":
      return yield* scenario.redeliver(under)
    case "add feed":
      return scenario.feeds.length < 2 ? yield* addFeed(script) : undefined
    case "reconfigure":
      return yield* scenario.reconfigure(under)
    default:
      return inject(scenario, under, kind, () => clock.now)
  }
})

const settled = (job: Job): boolean =>
  job.status === "completed" && job.errors.every(({ severity }) => severity !== "fatal")

/** Faults stop, and every feed is synced until nothing can be left to do. */
const quiesce = Effect.fnUntraced(function* ({ scenario, simulation }: Script) {
  yield* scenario.heal
  for (const { after, full } of quietRounds(scenario)) {
    yield* simulation.pass(after)
    for (const under of scenario.feeds) {
      const { job } = yield* drive(simulation, under.feed, { change: orderOf({ resetCursors: full }) })
      must("a quiet sync completes", settled(job), () => job)
      yield* checkLedger(scenario)
    }
  }
})

/** Syncing what has not changed costs no write, here or there. */
const checkQuiet = Effect.fnUntraced(function* ({ scenario, simulation }: Script) {
  const { watch } = simulation
  for (const under of scenario.feeds) {
    watch.writes = new Map()
    const { job } = yield* drive(simulation, under.feed)
    checkStill(watch, under, job, (yield* under.rows).length)
    yield* checkLedger(scenario)
  }
})

/** Plays the script of a seed. */
export const play = Effect.fnUntraced(function* (seed: number, simulation: Simulation, options: ScriptOptions) {
  const random = new Seeded(seed)
  const { watch } = simulation
  const provider = random.pick(simulation.providers)
  const connected = yield* connect(simulation, provider, random.once(2) ? ["a"] : ["a", "b"])
  const scenario = new ConnectionScenario(random, provider, connected, watch)
  watch.onCheckpoint = (key, value) => checkCheckpoint(scenario, key, value)
  yield* scenario.analyse(seed)
  const script = new Script(simulation, scenario)
  scenario.happen(simulation.clock.now, 8)
  yield* addFeed(script)
  for (let n = 0; n < options.steps; n++) yield* step(script)
  yield* quiesce(script)
  yield* checkEnd(scenario)
  yield* checkEvents(scenario, watch)
  yield* checkQuiet(script)
  const check = yield* analyseAnew(scenario)
  if (check === undefined) return
  yield* drive(simulation, scenario.feeds[0]!.feed)
  yield* check
})
