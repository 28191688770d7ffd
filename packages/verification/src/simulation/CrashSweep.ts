/**
 * A run that dies at every place at which it can die, one after the other: before and after each call of a
 * port. Whatever the place, the job is taken up again, and in the end everything is as if nothing had happened.
 */
import { MemoryStorage } from "@millrace/adapters/memory"
import { FeedStore, StorageUnavailable, TableStore } from "@millrace/core/storage"
import { CalendarDate } from "@millrace/core"
import { wholeScan } from "@millrace/core/table"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { tableOf } from "../../../core/src/feed/FeedConfig.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { storeFeed, storeTable } from "@millrace/testing/fixture"
import { Seeded } from "@millrace/testing/model"
import { analysed, enrichedWith, isTimeless, messagesOf, timeless, toldOf } from "./Analysed.ts"
import { ledgerOf } from "./Checkers.ts"
import { EventLoop } from "./EventLoop.ts"
import { mappings } from "./FollowingFeed.ts"
import { must, mustEqual } from "./Invariant.ts"
import { brokenOf, type ScenarioReport } from "./ScenarioReport.ts"
import { connect, drive, makeSimulation, type Simulation } from "./Simulation.ts"
import { smallChunks } from "./SmallChunks.ts"
import { upstreamOptions } from "./Upstreams.ts"
import { epoch, VirtualClock } from "./VirtualClock.ts"

/** Where rows go: a table of ours, or a destination that writes in this way. */
export const sweptDestinations = ["table", "upsertByKey", "idempotencyKey", "readBack", "wholeFile"] as const

export interface SweepCell {
  readonly instance: string
  readonly to: (typeof sweptDestinations)[number]
  /** How a run dies: with its process, or because storage went away under it. */
  readonly by: "crash" | "storage away"
  /** Whether enrichments of all sorts are at work, those that look at sets among them. */
  readonly enriched?: true
}

/** Where enrichments are at work as well: what they keep does not follow from how an upstream is read. */
const enrichedAt: ReadonlyArray<string> = ["delta-connection-stable", "snapshotfull-account-none"]

/** Every change model, scope, trust and way of writing, for both ways to die. */
export const sweepCells: ReadonlyArray<SweepCell> = (["crash", "storage away"] as const).flatMap((by) => [
  ...upstreamOptions.flatMap(({ instance }) => sweptDestinations.map((to) => ({ instance, to, by }))),
  ...enrichedAt.map((instance) => ({ instance, to: "table", by, enriched: true }) as const)
])

const aDay = 86_400

const bookedOn = CalendarDate.make("2026-11-20")

/** A first sync, changes of every sort at the bank, and a second one that dies where `crashAt` says. */
const play = Effect.fnUntraced(function* (
  simulation: Simulation,
  { by, enriched, instance, to }: SweepCell,
  crashAt: number
) {
  const { points } = simulation
  const provider = simulation.providers.find((one) => one.options.instance === instance)!
  const { accounts, bank, upstream, workspace } = yield* connect(
    simulation,
    provider,
    enriched === true ? ["a", "b"] : ["a"]
  )
  const post = (description: string, pending = false) =>
    upstream.post({ account: "a", date: bookedOn, amount: "-1.5", description, pending })
  post("same")
  const [gone, changed, held, dropped] = [post("gone"), post("changed"), post("held", true), post("dropped", true)]
  const path = `${bank.id}.csv`
  const feed = yield* storeFeed(workspace, {
    destinationConfig:
      to === "table"
        ? { type: "table", tableId: (yield* storeTable(workspace, { fields: [] })).id, createMissingColumns: true }
        : { type: "file", path, format: "csv" },
    sourceConfig: { type: "sync", accounts: accounts.map(({ id }) => ({ bankId: bank.id, accountId: id })) },
    fieldMappings: mappings
  })
  const enrichments = enriched === true ? yield* enrichedWith(workspace) : []
  /** Money that moves between own accounts. */
  const move = (description: string) => {
    if (enriched !== true) return
    upstream.post({ account: "a", date: bookedOn, amount: "-70", description: `${description} out`, pending: false })
    upstream.post({ account: "b", date: bookedOn, amount: "70", description: `${description} in`, pending: false })
  }
  move("first transfer")
  yield* drive(simulation, feed)
  // A week ends meanwhile, which a digest tells of.
  if (enriched === true) yield* simulation.pass(3 * aDay)
  move("second transfer")
  upstream.remove(gone)
  upstream.change(changed, { amount: "-2.5" })
  upstream.settle(held, { newId: provider.options.idTrust !== "stable", link: true })
  upstream.remove(dropped)
  post("new")
  // Beside the crash: an answer that is lost at the first try.
  simulation.destination.at(path).faults.push("answerLost")
  let fired: string | undefined
  const { job } = yield* drive(simulation, feed, {
    arm: (attempt) =>
      points.arm(
        attempt === 0 ? crashAt : Infinity,
        by === "crash" ? Effect.interrupt : Effect.fail(new StorageUnavailable({ message: "scripted" }))
      ),
    fired: (point) => {
      fired = point
    }
  })
  // What is gone is believed to be, and what was told of it is taken back.
  if (enriched === true) yield* simulation.pass(2 * aDay)
  const again = yield* drive(simulation, feed)
  const records = (yield* Effect.forEach(accounts, (account) => ledgerOf(account))).flat()
  const tableId = tableOf(feed.destinationConfig)
  const rows =
    tableId !== undefined
      ? (yield* (yield* TableStore).rows(wholeScan(tableId))).map(({ values }) => values)
      : simulation.destination.at(path).rows.map(({ values }) => values)
  // Ids differ from scenario to scenario; the record that they stand for does not.
  const nameOf = new Map(records.map((record) => [record.id, String(record.fields["description"])]))
  const said = yield* analysed(workspace, enrichments, nameOf)
  const told = enriched === true ? yield* toldOf(workspace) : []
  const messages = enriched === true ? yield* messagesOf(workspace, enrichments, nameOf) : []
  if (enriched === true && fired === undefined) {
    // The same enrichments again see all records at once: what they say is what the first came to step by step.
    const twins = yield* enrichedWith(workspace, isTimeless)
    yield* drive(simulation, feed)
    const whole = yield* analysed(workspace, twins, nameOf)
    mustEqual(
      "an analysis of what changed is one of everything",
      timeless(said),
      timeless(whole),
      "all records at once"
    )
    for (const type of ["alert.fired", "digest.issued", "monitor.breached", "budget.threshold"]) {
      const isTold = messages.some((one) => one.includes(`"type":"${type}"`))
      must("a crash changes nothing at the end", isTold, () => [type, messages])
    }
    must("an analysis of what changed is one of everything", said.length > 1, () => said)
  }
  return {
    fired,
    outcome: {
      said,
      told,
      messages,
      status: [job.status, again.job.status],
      ledger: records.map((one) => [nameOf.get(one.id), one.state, one.fields["amount"], one.pending]).toSorted(),
      rows: rows.map((row) => JSON.stringify({ ...row, id: nameOf.get(String(row["id"])) })).toSorted(),
      marks: (yield* (yield* FeedStore).marks(feed.id)).length
    }
  }
})

export interface SweepReport extends Pick<ScenarioReport, "syncs" | "runs" | "happened" | "broken"> {
  readonly cell: SweepCell
  /** Places at which a run died. */
  readonly deaths: number
}

/** Which places a sweep dies at: every `stride`th, beginning with `first`, from 1. */
export interface Places {
  readonly first: number
  readonly stride: number
}

/** Dies at every place in turn, unless told to pass some over. */
export const sweep = (cell: SweepCell, { first, stride }: Places = { first: 1, stride: 1 }): SweepReport => {
  const restore = smallChunks(2)
  const clock = new VirtualClock()
  const model = cell.to === "table" ? "upsertByKey" : cell.to
  const simulation = makeSimulation({ storage: MemoryStorage.layer, clock, model })
  const { sometimes } = simulation.watch
  const loop = new EventLoop()
  const settings = Context.empty().pipe(
    Context.add(Clock.Clock, clock),
    Context.add(Random.Random, new Seeded(1).random),
    Context.add(References.MinimumLogLevel, "None"),
    Context.add(References.TracerEnabled, false)
  )
  const built = loop.complete(
    Effect.provideContext(Layer.buildWithScope(simulation.layer, Scope.makeUnsafe()), settings),
    0
  )
  if (built === undefined || Exit.isFailure(built)) throw new Error("the simulation cannot be set up")
  let deaths = 0
  // Every scenario has a workspace, a bank and a feed of its own.
  const live = (crashAt: number) => {
    clock.now = epoch
    const exit = loop.complete(
      play(simulation, cell, crashAt).pipe(Effect.provideContext(built.value), Effect.provideContext(settings)),
      0
    )
    const broken = brokenOf(simulation.watch, exit)
    if (broken !== undefined || exit === undefined || Exit.isFailure(exit)) throw Object.assign(new Error(), broken)
    return exit.value
  }
  const report = (broken: SweepReport["broken"]): SweepReport => {
    restore()
    const { runs, syncs } = simulation.watch
    return { cell, syncs, runs, deaths, happened: [...sometimes.counts], broken }
  }
  let place = "nowhere"
  try {
    const whole = live(Infinity)
    must("a crash changes nothing at the end", whole.outcome.rows.length > 3, () => whole.outcome)
    for (let at = first; ; at += stride) {
      const { fired, outcome } = live(at)
      if (fired === undefined) break
      deaths++
      place = `${at}: ${fired}`
      sometimes.happened(
        cell.by === "crash" ? "crash" : fired.endsWith("begins") ? "storage away" : "storage answer lost"
      )
      mustEqual("a crash changes nothing at the end", outcome, whole.outcome, place)
    }
    must("a crash changes nothing at the end", deaths * stride > 40, () => `died at ${deaths} places only`)
    return report(undefined)
  } catch (thrown) {
    const { invariant, message } = thrown as NonNullable<ScenarioReport["broken"]>
    return report({
      invariant: invariant ?? "nothing breaks inside",
      message: `${JSON.stringify(cell)} after ${place}\n${message}`
    })
  }
}
