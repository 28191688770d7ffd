/**
 * One process of many in a simulated installation: a kernel and an engine of its own over the common stores.
 *
 * It can be killed at any call of a port (everything in its memory is gone, what was committed stays), stand
 * still for a while and go on as if nothing had happened, be wrong about the time, and be stopped in good order.
 */
import { Cursors, dueAnalysis, Jobs, Kernel, messageHandlers, SyncRun } from "@millrace/core/kernel"
import { Channels } from "@millrace/core/message"
import { StorageUnavailable, Transactor } from "@millrace/core/storage"
import { TaskKinds } from "@millrace/core/task"
import { layerMemory, schedules, TaskRunner } from "@millrace/jobs"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { FaultPoints, type Edge } from "@millrace/testing/fault"
import type { Seeded } from "@millrace/testing/model"
import type { EventLoop } from "./EventLoop.ts"
import type { Mailbox } from "./Mailbox.ts"
import { fewHeld, pointedAdapters, pointedStores, watchedRun, type Outside } from "./PointedPorts.ts"
import type { Happening } from "./Sometimes.ts"
import type { TaskWork } from "./TaskWork.ts"

/** What all machines share. */
export interface Installation extends Outside {
  readonly loop: EventLoop
  readonly random: Seeded
  readonly stores: Context.Context<Kernel.Stores>
  /** Milliseconds by which the clock of the stores, and every clock set by it, is wrong. */
  wrongBy: number
  /** Tasks that its machines run. */
  readonly work: TaskWork
  /** Where messages to people arrive. */
  readonly mailbox: Mailbox
  /** No faults any more. */
  calm: boolean
  /** Calls of ports until each of these happens once, on average; absent ones never do. */
  readonly rates: ReadonlyMap<Happening, number>
  /** Runs that are on their way on machines that live. */
  running: number
  /** Fibers that died of something else than what a port can answer. */
  readonly alarm: (message: string) => void
}

/** Whether a fiber is in a transaction: a process that stands still there is cut off by its database. */
const InTransaction = Context.Reference("@millrace/verification/simulation/InTransaction", {
  defaultValue: () => false
})

const transactions = Layer.effect(
  Transactor,
  Effect.map(Transactor, ({ atomically }) =>
    Transactor.of({ atomically: (effect) => atomically(Effect.provideService(effect, InTransaction, true)) })
  )
)

const message = "scripted"

export class Machine {
  readonly name: string
  readonly slots: number
  readonly points = new FaultPoints()
  readonly #installation: Installation
  dead = false
  frozenUntil = -Infinity
  /** Milliseconds by which its clock differs from that of the stores. */
  wrongBy = 0
  #jobs: Jobs["Service"] | undefined
  #scope: Scope.Closeable | undefined
  readonly #context: Context.Context<never>
  /** Told when it dies at a call. */
  onCrash: () => void = () => {}

  constructor(installation: Installation, name: string, slots: number) {
    this.#installation = installation
    this.name = name
    this.slots = slots
    this.points.strike = this.#strike
    const { loop, random } = installation
    const logger = Logger.make(({ cause, message: said }) => {
      if (!this.dead) installation.alarm(`${name}: ${String(said)} ${Cause.pretty(cause)}`)
    })
    this.#context = Context.empty().pipe(
      Context.add(
        Clock.Clock,
        loop.clock(() => installation.wrongBy + this.wrongBy)
      ),
      Context.add(Random.Random, random.random),
      Context.add(Logger.CurrentLoggers, new Set([logger])),
      Context.add(References.MinimumLogLevel, "Error"),
      Context.add(References.TracerEnabled, false)
    )
  }

  get isUp(): boolean {
    return !this.dead && this.#jobs !== undefined && this.frozenUntil <= this.#installation.loop.now
  }

  #happens(what: Happening): boolean {
    const { random, rates, watch } = this.#installation
    const rate = rates.get(what)
    if (rate === undefined || !random.once(rate)) return false
    watch.sometimes.happened(what)
    return true
  }

  readonly #strike = (
    call: string,
    edge: Edge,
    fiber: Fiber.Fiber<unknown, unknown>
  ): Effect.Effect<unknown, unknown> | undefined => {
    // Whatever a dead process still does reaches nobody.
    if (this.dead) return Effect.interrupt
    const { calm, loop, random } = this.#installation
    const upstream = call.startsWith("Provider")
    const destination = call.startsWith("Destination") || call.startsWith("Channels")
    const inside = fiber.getRef(InTransaction)
    // A request to a destination that is on its way cannot be held back by its sender.
    if (edge === "begins" && !inside && !destination && this.frozenUntil > loop.now) {
      return Effect.andThen(
        loop.sleep(this.frozenUntil - loop.now),
        Effect.suspend(() => this.#strike(call, edge, fiber) ?? Effect.void)
      )
    }
    // Anyone who has to read from an upstream first never overtakes a request to a destination.
    const answersAfter = upstream && edge === "begins" ? 20 + random.below(80) : 0
    if (calm) return answersAfter === 0 ? undefined : loop.sleep(answersAfter)
    if (this.#happens("crash")) {
      this.#die()
      return Effect.interrupt
    }
    if (upstream) return loop.sleep(answersAfter)
    if (destination) return this.#happens("slow call") ? loop.sleep(1 + random.below(10)) : undefined
    if (this.#happens(edge === "begins" ? "storage away" : "storage answer lost")) {
      return Effect.fail(new StorageUnavailable({ message }))
    }
    if (this.#happens("slow call")) return loop.sleep(1 + random.below(inside || !random.once(20) ? 20 : 3_000))
    return undefined
  }

  #die(): void {
    this.dead = true
    this.#jobs = undefined
    this.onCrash()
  }

  /** Dies between two calls. */
  kill(): void {
    if (!this.dead) this.#die()
  }

  /** Starts the process. */
  boot(): void {
    const installation = this.#installation
    const { name } = this
    const { loop } = installation
    const counted = Layer.effect(
      SyncRun,
      Effect.map(SyncRun, (real) =>
        SyncRun.of({
          ...real,
          run: (claimed) =>
            Effect.suspend(() => {
              installation.running++
              return Effect.ensuring(
                real.run(claimed),
                Effect.sync(() => void installation.running--)
              )
            })
        })
      )
    )
    const adapters = pointedAdapters(this.points, installation)
    const layer = TaskRunner.layer({ name }).pipe(
      Layer.provide(
        TaskKinds.layer(
          schedules,
          installation.work.inside,
          installation.work.outside,
          installation.work.keyed,
          dueAnalysis,
          ...messageHandlers
        )
      ),
      Layer.provide(Layer.succeed(Channels, this.points.wrap("Channels", installation.mailbox.channels))),
      Layer.provideMerge(Jobs.layer.pipe(Layer.provide(Cursors.layer(Redacted.make("simulated"))))),
      Layer.provideMerge(layerMemory({ slots: this.slots })),
      Layer.provide(counted),
      Layer.provide(watchedRun(installation.watch)),
      Layer.provideMerge(Kernel.layerRun.pipe(Layer.provide(fewHeld))),
      Layer.provideMerge(adapters),
      Layer.provideMerge(pointedStores(this.points)),
      Layer.provide(transactions),
      Layer.provide(Layer.succeedContext(installation.stores))
    )
    const scope = Scope.makeUnsafe()
    const built = loop.complete(
      Effect.provideContext(Layer.buildWithScope(layer, scope), this.#context),
      loop.now + 60_000
    )
    if (built === undefined || Exit.isFailure(built)) return this.#die()
    this.#scope = scope
    this.#jobs = Context.get(built.value, Jobs)
  }

  /** Stops it in good order: what runs ends, or is given back. */
  stop(): void {
    const scope = this.#scope
    const { loop } = this.#installation
    if (scope === undefined || this.dead) return
    loop.complete(Effect.provideContext(Scope.close(scope, Exit.void), this.#context), loop.now + 60_000)
    this.dead = true
    this.#jobs = undefined
  }

  /** Calls one of its use cases, as a request to it would. */
  ask<A, E>(call: (jobs: Jobs["Service"]) => Effect.Effect<A, E>): Exit.Exit<A, E> | undefined {
    const { loop } = this.#installation
    return this.#jobs === undefined
      ? undefined
      : loop.complete(Effect.provideContext(call(this.#jobs), this.#context), loop.now + 60_000)
  }
}
