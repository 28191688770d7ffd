/**
 * Scenarios of a whole installation: several machines over one memory, feeds of several workspaces with schedules,
 * and days that pass.
 *
 * First everything goes wrong that can; then the faults stop, and within a bounded time every job has ended,
 * every lock and lease is free, and after some quiet syncs each destination holds what the bank says.
 */
import { MemoryStorage } from "@millrace/adapters/memory"
import type { Caller } from "@millrace/core/access"
import { type Banks, Kernel } from "@millrace/core/kernel"
import type { Feed } from "@millrace/core/feed"
import type { Schedule } from "../../../core/src/feed/FeedConfig.ts"
import { FeedStore, JobStore, Transactor } from "@millrace/core/storage"
import { nextRun } from "../../../core/src/feed/NextRun.ts"
import { isActive, type Job, type JobId } from "@millrace/core/job"
import type { TriggerSync } from "../../../core/src/job/Jobs.ts"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import { makeScriptedDestination } from "@millrace/testing/fake"
import { freeBanks, leaseBank, ownerOf, somebody } from "@millrace/testing/fixture"
import { FaultPoints, mapCalls } from "@millrace/testing/fault"
import { Seeded } from "@millrace/testing/model"
import { analyseAnew, checkMessages, isTold } from "./AnalysisChecks.ts"
import { checkEvents } from "./EventChecks.ts"
import { checkCheckpoint, checkEnd, checkLedger, checkStill } from "./Checkers.ts"
import { ConnectionScenario } from "./ConnectionScenario.ts"
import { EventLoop } from "./EventLoop.ts"
import { follow, type FollowingFeed } from "./FollowingFeed.ts"
import { BrokenInvariant, must } from "./Invariant.ts"
import { reportOf, type ScenarioReport } from "./ScenarioReport.ts"
import { Mailbox } from "./Mailbox.ts"
import { Machine, type Installation } from "./Machine.ts"
import { pointedAdapters } from "./PointedPorts.ts"
import { pushTo } from "./Pushing.ts"
import { quietRounds } from "./Settling.ts"
import { connect } from "./Simulation.ts"
import { smallChunks } from "./SmallChunks.ts"
import type { Happening } from "./Sometimes.ts"
import { weightsOf } from "./Swarm.ts"
import { inject, faults } from "./Fault.ts"
import { TaskWork } from "./TaskWork.ts"
import { makeUpstreams } from "./Upstreams.ts"
import { Watch } from "./Watch.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Strides through a time in which jobs wait and nobody works. */
const shortNap = 20 * second
const longNap = 5 * minute

/** When scenarios begin: some just before the calendar does something odd. */
const beginnings: ReadonlyArray<readonly [string, string, Happening | undefined]> = [
  ["2026-11-21T09:30:00.000Z", "UTC", undefined],
  ["2026-12-30T22:10:00.000Z", "Pacific/Auckland", undefined],
  ["2026-10-24T20:00:00.000Z", "Europe/Zurich", "day with a change of daylight saving time"],
  ["2027-03-27T20:00:00.000Z", "Europe/Zurich", "day with a change of daylight saving time"],
  ["2027-03-13T23:00:00.000Z", "America/New_York", "day with a change of daylight saving time"],
  ["2028-02-28T07:00:00.000Z", "Asia/Kolkata", "leap day"]
]

const stepKinds = [
  "wait",
  "bank",
  "trigger",
  "force",
  "cancel",
  "pause",
  "resume",
  "kill",
  "outage",
  "freeze",
  "drain",
  "wrong clock",
  "store jumps ahead",
  "store jumps back",
  ...faults,
  "person deletes",
  "enrich",
  "redeliver",
  "add feed",
  "remove feed",
  "reconfigure",
  "task",
  "push"
] as const

/** One in so many calls of a port, where the kind is in the swarm at all. */
const rateRanges: ReadonlyArray<readonly [Happening, number, number]> = [
  ["crash", 300, 3_000],
  ["storage away", 60, 1_500],
  ["storage answer lost", 100, 2_000],
  ["slow call", 4, 60]
]

type Services = Kernel.Stores | Banks | Layer.Success<typeof Kernel.layerRun>

class EngineScenario {
  readonly random: Seeded
  readonly loop: EventLoop
  readonly watch = new Watch()
  readonly model: "upsertByKey" | "idempotencyKey" | "readBack" | "wholeFile"
  readonly installation: Installation
  readonly scenarios: Array<ConnectionScenario> = []
  machines: Array<Machine> = []
  readonly #desk: Context.Context<Services>
  readonly #steps: ReadonlyArray<readonly [(typeof stepKinds)[number], number]>
  readonly #timezone: string
  readonly #storage: Layer.Layer<Kernel.Stores>
  readonly #seed: number
  #machinesMade = 0
  /** Milliseconds by which the store's clock was set back in all. */
  #setBack = 0
  #quietSince: number
  broken: BrokenInvariant | undefined

  constructor(seed: number, random: Seeded, storage: Layer.Layer<Kernel.Stores>) {
    this.#storage = storage
    this.#seed = seed
    this.random = random
    const [begins, timezone, oddity] = random.pick(beginnings)
    this.#timezone = timezone
    const loop = new EventLoop(new Seeded(random.below(0x7fff_ffff)), Date.parse(begins))
    this.loop = loop
    this.#quietSince = loop.now
    if (oddity !== undefined) this.watch.sometimes.happened(oddity)
    this.model = random.pick(["upsertByKey", "idempotencyKey", "readBack", "wholeFile"])
    this.#steps = weightsOf(random, stepKinds, { wait: 20, bank: 12, trigger: 10, task: 10, push: 5 })
    const outside = {
      upstreams: makeUpstreams(),
      destination: makeScriptedDestination(this.model, 4),
      watch: this.watch
    }
    const rates = new Map(
      rateRanges.flatMap(([kind, most, least]) =>
        random.below(5) < 2 ? [] : [[kind, most + random.below(least - most)] as const]
      )
    )
    const stores = this.#build(this.#storesLayer(), Context.empty())
    this.installation = {
      ...outside,
      loop,
      random: new Seeded(random.below(0x7fff_ffff)),
      stores,
      wrongBy: 0,
      calm: false,
      mailbox: new Mailbox(new Seeded(seed), this.watch.sometimes),
      work: new TaskWork(new Seeded(random.below(0x7fff_ffff)), this.watch.sometimes),
      rates,
      running: 0,
      alarm: (message) => {
        this.broken ??= new BrokenInvariant("nothing breaks inside", message)
      }
    }
    this.#desk = this.#build(
      Kernel.layerRun.pipe(
        Layer.provide(pointedAdapters(new FaultPoints(), outside)),
        Layer.provideMerge(Layer.succeedContext(stores))
      ),
      Context.empty()
    )
  }

  /** The stores tell their own time, no matter who calls them. */
  #storesLayer(): Layer.Layer<Kernel.Stores> {
    const clock = this.loop.clock(() => this.installation?.wrongBy ?? 0)
    const timed = <S extends object>(service: S): S =>
      mapCalls(service, (effect) => Effect.provideService(effect, Clock.Clock, clock))
    const raw = Layer.effectContext(
      Effect.map(Layer.build(this.#storage), (context) =>
        // Transactions run what their callers give them, by the clock of the caller.
        Context.makeUnsafe<Kernel.Stores>(
          new Map(
            [...context.mapUnsafe].map(([key, service]) => [key, key === Transactor.key ? service : timed(service)])
          )
        )
      )
    )
    return this.watch.layer.pipe(Layer.provideMerge(raw))
  }

  #build<A>(layer: Layer.Layer<A>, context: Context.Context<never>): Context.Context<A> {
    const built = this.loop.complete(
      Layer.buildWithScope(layer, Scope.makeUnsafe()).pipe(
        Effect.provideContext(context),
        Effect.provideService(Clock.Clock, this.loop.clock()),
        Effect.provideService(Random.Random, this.random.random)
      ),
      this.loop.now
    )
    if (built === undefined || Exit.isFailure(built)) throw new Error("the installation cannot be set up")
    return built.value
  }

  /** The time by the clock of the stores. */
  get now(): number {
    return this.loop.now + this.installation.wrongBy
  }

  /** Does something beside all machines, which nothing happens to. */
  desk<A, E>(effect: Effect.Effect<A, E, Services>): A {
    const exit = this.loop.complete(
      effect.pipe(
        Effect.provideContext(this.#desk),
        Effect.provideService(
          Clock.Clock,
          this.loop.clock(() => this.installation.wrongBy)
        ),
        Effect.provideService(Random.Random, this.random.random)
      ),
      this.loop.now + minute
    )
    if (exit === undefined) throw new BrokenInvariant("every job ends once faults stop", "a store does not answer")
    if (Exit.isFailure(exit)) throw exit.cause.reasons.find((reason) => reason._tag === "Die")?.defect ?? exit.cause
    return exit.value
  }

  #failed(): boolean {
    return this.broken !== undefined || this.watch.broken !== undefined
  }

  /**
   * Lets time pass for everybody. While nobody works it passes in strides, as if all machines slept: a tick
   * that finds nothing to do need not be played every second. Where jobs wait for something, the strides are short
   * at first and get longer as long as nothing comes of it.
   */
  pass(millis: number, done: () => boolean = () => false): void {
    const { installation, loop, watch } = this
    const until = loop.now + millis
    let nap = shortNap
    const stride = (next: number): number | undefined => {
      if (installation.running > 0) {
        this.#quietSince = next
        nap = shortNap
        return undefined
      }
      if (next - this.#quietSince < 3 * second) return undefined
      const idle = installation.calm ? 5 * hour : 2 * minute + this.random.below(30 * minute)
      // Time goes no further than `until`: from there on it is looked again whether anybody works.
      this.#quietSince = Math.min(until, next + (watch.idle ? idle : nap))
      if (!installation.calm) nap = Math.min(longNap, nap * 2)
      return this.#quietSince
    }
    do {
      for (; this.#wanted > 0; this.#wanted--) this.startMachine()
      loop.run(until, () => this.#failed() || this.#wanted > 0 || done(), stride)
      if (watch.broken !== undefined) throw watch.broken
      if (this.broken !== undefined) throw this.broken
    } while (this.#wanted > 0)
  }

  get up(): ReadonlyArray<Machine> {
    return this.machines.filter((machine) => machine.isUp)
  }

  startMachine(): void {
    const machine = new Machine(this.installation, `machine ${++this.#machinesMade}`, 1 + this.random.below(3))
    this.machines = [...this.machines.filter(({ dead }) => !dead), machine]
    machine.onCrash = () => this.#restart(second + this.random.below(this.random.once(4) ? 5 * minute : 20 * second))
    machine.boot()
  }

  /** Another process takes the place of one that is gone. */
  #restart(after: number): void {
    this.loop.at(this.loop.now + after, () => {
      this.#wanted++
    })
  }
  /** Processes that should have been started by now. */
  #wanted = 0

  connectBank(): void {
    const { random } = this
    const provider = random.pick(this.installation.upstreams)
    const nextRef = () => `ref-${this.scenarios.length}`
    const scenario = this.desk(
      Effect.map(
        connect({ nextRef }, provider, random.once(2) ? ["a"] : ["a", "b"], this.#timezone),
        (connected) => new ConnectionScenario(random, provider, connected, this.watch)
      )
    )
    this.scenarios.push(scenario)
    this.desk(scenario.analyse(this.#seed + this.scenarios.length))
    scenario.happen(this.now, 8)
    this.addFeed(scenario)
  }

  addFeed(scenario: ConnectionScenario): void {
    const { random } = this
    const path = `${scenario.bank.id}-${scenario.feedsMade++}.csv`
    const time = `${String(random.below(24)).padStart(2, "0")}:${String(random.below(60)).padStart(2, "0")}`
    const schedule: Schedule = {
      enabled: true,
      frequency: random.pick(["hourly", "hourly", "daily", "weekly", "monthly"]),
      timeOfDay: time,
      dayOfWeek: random.below(7),
      dayOfMonth: 1 + random.below(31)
    }
    const scheduled: Partial<Feed> = random.once(4) ? {} : { schedule, nextRunAt: nextRun(schedule, this.now) }
    scenario.feeds.push(
      this.desk(follow(random, this.installation.destination, scenario.workspace, scenario.accounts, path, scheduled))
    )
  }

  caller({ workspace }: ConnectionScenario): Caller {
    return ownerOf(workspace)
  }

  trigger(scenario: ConnectionScenario, under: FollowingFeed, request: TriggerSync): JobId | undefined {
    if (this.up.length === 0) return undefined
    const machine = this.random.pick(this.up)
    const exit = machine.ask((jobs) => jobs.trigger(this.caller(scenario), under.feed.id, request))
    return exit !== undefined && Exit.isSuccess(exit) ? exit.value.id : undefined
  }

  step(): void {
    const { loop, random, watch } = this
    const scenario = random.pick(this.scenarios)
    const under = random.pick(scenario.feeds)
    const { sometimes } = watch
    const kind = random.weighted(this.#steps)
    watch.trace.push(`-- ${kind}`)
    switch (kind) {
      case "wait":
        return this.pass(random.pick([5 * second, minute, 20 * minute, 2 * hour, 9 * hour]))
      case "bank":
        return scenario.happen(this.now, 4)
      case "trigger":
        this.trigger(scenario, under, scenario.request(this.now))
        return this.pass(random.below(3 * second))
      case "force": {
        const before = watch.activeOf(under.feed.id)
        const made = this.trigger(scenario, under, { ...scenario.request(this.now), forceCancelActive: true })
        if (made !== undefined && before !== undefined) sometimes.happened("forced replacement")
        return this.pass(random.below(3 * second))
      }
      case "cancel": {
        this.trigger(scenario, under, {})
        this.pass(random.below(second))
        const id = watch.activeOf(under.feed.id)
        if (id === undefined || this.up.length === 0) return
        const exit = random.pick(this.up).ask((jobs) => jobs.cancel(this.caller(scenario), under.feed.id, id))
        if (exit !== undefined && Exit.isSuccess(exit)) sometimes.happened("cancel")
        return
      }
      case "pause": {
        this.trigger(scenario, under, {})
        this.pass(random.below(second))
        const id = watch.activeOf(under.feed.id)
        if (id === undefined || this.up.length === 0) return
        random.pick(this.up).ask((jobs) => jobs.pause(this.caller(scenario), under.feed.id, id))
        return
      }
      case "resume": {
        const id = watch.activeOf(under.feed.id)
        if (id === undefined || this.up.length === 0) return
        random.pick(this.up).ask((jobs) => jobs.resume(this.caller(scenario), under.feed.id, id))
        return
      }
      case "kill":
        this.desk(this.installation.work.enqueue)
        this.pass(random.below(second))
        if (this.up.length === 0) return
        random.pick(this.up).kill()
        return sometimes.happened("crash")
      case "outage": {
        this.desk(this.installation.work.enqueue)
        this.trigger(scenario, under, {})
        for (const machine of this.machines) {
          machine.onCrash = () => this.#restart(16 * minute)
          machine.kill()
        }
        sometimes.happened("crash")
        return this.pass(17 * minute)
      }
      case "freeze": {
        this.desk(this.installation.work.enqueue)
        this.trigger(scenario, under, {})
        this.pass(random.below(second))
        if (this.up.length === 0) return
        random.pick(this.up).frozenUntil = loop.now + 5 * second + random.below(30 * second)
        return sometimes.happened("machine frozen past its lease")
      }
      case "drain": {
        this.desk(this.installation.work.enqueue)
        this.trigger(scenario, under, {})
        this.pass(random.below(second))
        if (this.up.length === 0) return
        random.pick(this.up).stop()
        this.#restart(random.below(minute))
        return sometimes.happened("machine drained")
      }
      case "wrong clock":
        random.pick(this.machines).wrongBy = random.pick([-hour, -40 * second, 40 * second, 25 * hour, 0])
        return sometimes.happened("machine clock wrong")
      case "store jumps ahead":
        this.installation.wrongBy += 25 * hour
        return sometimes.happened("store clock jumps ahead")
      case "store jumps back":
        this.installation.wrongBy -= hour
        this.#setBack += hour
        return sometimes.happened("store clock jumps back")
      case "person deletes":
        return scenario.deleteRow(under, this.model === "wholeFile")
      case "enrich":
        this.desk(scenario.enrich())
        return
      case "redeliver":
        return this.desk(scenario.redeliver(under))
      case "add feed":
        if (scenario.feeds.length < 2) this.addFeed(scenario)
        return
      case "remove feed": {
        if (scenario.feeds.length < 2) return
        scenario.feeds.splice(scenario.feeds.indexOf(under), 1)
        this.desk(Effect.flatMap(FeedStore, (feeds) => feeds.remove(scenario.workspace.id, under.feed.id)))
        watch.forget(under.feed.id)
        return sometimes.happened("feed deleted")
      }
      case "task":
        this.desk(this.installation.work.enqueue)
        return this.pass(random.below(3 * second))
      case "push":
        this.desk(pushTo(random, under))
        return sometimes.happened("records pushed")
      case "reconfigure":
        return this.desk(scenario.reconfigure(under))
      default:
        return inject(scenario, under, kind, () => this.now)
    }
  }

  /** Faults stop, everything is put right, and every process that should be there is. */
  calm(): void {
    const { installation, loop } = this
    installation.calm = true
    installation.mailbox.calm = true
    for (const machine of this.machines) {
      machine.frozenUntil = -Infinity
      machine.wrongBy = 0
    }
    for (const scenario of this.scenarios) {
      this.desk(scenario.heal)
      for (const { feed } of scenario.feeds) {
        this.#unschedule(feed)
        const id = this.watch.activeOf(feed.id)
        // Nobody but a person ends the pause that a person asked for.
        if (id !== undefined) this.desk(Effect.flatMap(JobStore, (jobs) => Effect.ignore(jobs.resume(id, somebody))))
      }
    }
    this.pass(minute)
    while (this.up.length < 2) this.startMachine()
    // A heartbeat that a clock has put into the future stays fresh until then.
    this.pass(4 * hour + this.#setBack, () => this.watch.idle)
    must("every job ends once faults stop", this.watch.idle, () => this.watch.active)
    this.pass(minute)
    // What waits for its time, which the store's clock may have been set away from.
    this.pass(4 * hour + this.#setBack)
    const { work } = this.installation
    for (let n = 0; n < 60 && !this.desk(work.isDone); n++) this.pass(minute)
    must("every task ends once faults stop", this.desk(work.isDone), () => "some are open")
    // Idle time passes in strides, and what is due is looked at after each: a run that a clock set back has put off may
    // have begun just now.
    this.pass(second)
    this.pass(hour, () => this.watch.idle)
    must("every job ends once faults stop", this.watch.idle, () => this.watch.active)
    this.desk(work.check)
    this.desk(
      Effect.gen({ self: this }, function* () {
        for (const { bank } of this.scenarios) {
          const free = yield* leaseBank(bank.id, "simulation", 1)
          must("locks and leases are free at the end", free, () => bank.providerInstanceId)
          yield* freeBanks("simulation")
        }
      })
    )
    this.#quietSince = loop.now
  }

  #unschedule({ id }: Feed): void {
    this.desk(
      Effect.gen(function* () {
        const feeds = yield* FeedStore
        const held = yield* feeds.byId(id)
        if (Option.isNone(held)) return
        const { nextRunAt: _, schedule: _schedule, ...rest } = held.value
        yield* feeds.update({ ...rest, version: held.value.version + 1 })
      })
    )
  }

  /** A sync that nothing happens to. */
  quietSync(scenario: ConnectionScenario, under: FollowingFeed, request: TriggerSync): Job {
    const id = this.trigger(scenario, under, request)
    must("a quiet sync completes", id !== undefined, () => "it could not be triggered")
    this.pass(hour, () => this.watch.idle)
    const job = this.desk(
      Effect.flatMap(JobStore, (jobs) =>
        Effect.map(jobs.get(scenario.workspace.id, under.feed.id, id!), Option.getOrThrow)
      )
    )
    const done = job.status === "completed" && job.errors.every(({ severity }) => severity !== "fatal")
    must("a quiet sync completes", done && !isActive(job.status), () => job)
    return job
  }

  settle(): void {
    const rounds = this.scenarios.map((scenario) => ({ scenario, rounds: quietRounds(scenario) }))
    const most = Math.max(...rounds.map((one) => one.rounds.length))
    for (let n = 0; n < most; n++) {
      const due = rounds.flatMap(({ scenario, rounds: own }) =>
        own.slice(n, n + 1).map((round) => ({ scenario, round }))
      )
      this.pass(Math.max(...due.map(({ round }) => round.after)) * second)
      for (const { scenario, round } of due) {
        for (const under of scenario.feeds) this.quietSync(scenario, under, { resetCursors: round.full })
        this.desk(checkLedger(scenario))
      }
    }
    for (const scenario of this.scenarios) this.desk(checkEnd(scenario))
    for (const scenario of this.scenarios) this.desk(checkEvents(scenario, this.watch))
    for (const scenario of this.scenarios) {
      for (const under of scenario.feeds) {
        this.watch.writes = new Map()
        const job = this.quietSync(scenario, under, {})
        checkStill(this.watch, under, job, this.desk(under.rows).length)
      }
    }
    for (const scenario of this.scenarios) {
      const check = this.desk(analyseAnew(scenario))
      if (check === undefined) continue
      this.quietSync(scenario, scenario.feeds[0]!, {})
      this.desk(check)
    }
    for (let n = 0; n < 48 && !this.scenarios.every((one) => this.desk(isTold(one))); n++) this.pass(hour)
    for (const scenario of this.scenarios) this.desk(checkMessages(scenario, this.installation.mailbox))
  }

  play(): void {
    const { random } = this
    this.watch.onCheckpoint = (key, value) =>
      Effect.forEach(this.scenarios, (scenario) => checkCheckpoint(scenario, key, value), { discard: true })
    for (let n = 2 + random.below(2); n > 0; n--) this.connectBank()
    for (let n = 1 + random.below(3); n > 0; n--) this.startMachine()
    for (let n = 0; n < 40; n++) {
      this.step()
      for (const scenario of this.scenarios) this.desk(checkLedger(scenario))
    }
    this.calm()
    this.settle()
  }
}

/** The scenario of an installation; everything in it follows from the seed. */
export const engineScenario = (
  seed: number,
  /** An empty memory unless given. */
  storage: Layer.Layer<Kernel.Stores> = MemoryStorage.layer
): ScenarioReport => {
  const random = new Seeded(seed)
  const restore = smallChunks(random.pick([1, 3, 3, 5_000]))
  const scenario = new EngineScenario(seed, random, storage)
  const began = scenario.loop.now
  let exit: Exit.Exit<unknown, unknown> = Exit.void
  try {
    scenario.play()
  } catch (thrown) {
    exit = Exit.die(thrown)
  } finally {
    restore()
  }
  return reportOf(seed, "engine", scenario.watch, (scenario.loop.now - began) / second, exit)
}
