/**
 * A whole installation in memory whose answers are the same in each process: time moves only between requests, ids follow
 * from the time, and secrets are counted.
 */
import { Adapters, NodeDigest } from "@millrace/adapters"
import { MemoryStorage } from "@millrace/adapters/memory"
import { DemoProvider } from "@millrace/adapters/provider"
import { Digest } from "@millrace/core"
import { SessionRequests } from "@millrace/core/access"
import { CurrentConnectAddresses } from "@millrace/core/bank"
import {
  bankHandlers,
  connectionHandlers,
  dueAnalysis,
  Kernel,
  learnHandlers,
  messageHandlers,
  simulationHandler
} from "@millrace/core/kernel"
import { DataKeys } from "@millrace/core/storage"
import { TaskKinds } from "@millrace/core/task"
import { AgreedRate } from "@millrace/core/workspace"
import { PlanningTurns } from "@millrace/core/enrichment"
import { housekeeping, layerMemory, TaskRunner } from "@millrace/jobs"
import { EventLoop } from "@millrace/verification/simulation/EventLoop"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import { AnsweredAtOnce } from "../../../core/src/explain/Simulations.ts"
import { App } from "../../src/App.ts"
import { AccessLog, type AccessEntry } from "../../src/middleware/AccessLog.ts"
import { makePeople, type People } from "./People.ts"
import { makeSmallProvider, type SmallProvider } from "./SmallProvider.ts"

/** When the first request arrives. */
const start = Date.UTC(2026, 2, 16, 9)
const secondMillis = 1_000
/** Turns of the process without an answer, and milliseconds, until a request is taken to wait for time to pass. */
const idleTurns = 40
const idleMillis = 250
/** Turns after an answer in which its background work is awaited. */
const quietTurns = 4

/** Ids follow from the time alone: the random digits of each millisecond begin with the same ones. */
const evenRandom: Random.Random = { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0 }

/** Hashes as always; each secret text is a number that counts up. */
const countedDigest = Layer.effect(
  Digest,
  Effect.map(Digest, (digest) => {
    let made = 0
    return Digest.of({ ...digest, randomText: (length) => String(++made).padStart(length, "0") })
  })
).pipe(Layer.provide(NodeDigest.layer))

const sealingKey = Layer.succeed(DataKeys, {
  get: (name) => Effect.succeed(Redacted.make(Buffer.from(name.padEnd(32, "=")).toString("base64")))
})

const kernelOf = (people: People, small: SmallProvider, atOnce: (typeof AnsweredAtOnce)["Service"]) => {
  const useCases = Kernel.layerUseCases(Redacted.make("a secret for cursors that only this test has")).pipe(
    Layer.provideMerge(layerMemory({ name: "runner" })),
    Layer.provideMerge(Kernel.layerRun),
    Layer.provideMerge(countedDigest),
    Layer.provideMerge(Adapters.layer({ providers: [DemoProvider.make(), small.driver], folder: undefined })),
    Layer.provideMerge(sealingKey),
    Layer.provideMerge(MemoryStorage.layer)
  )
  const tasks = TaskKinds.layer(
    ...housekeeping,
    ...bankHandlers,
    dueAnalysis,
    ...learnHandlers,
    simulationHandler,
    ...messageHandlers,
    ...connectionHandlers
  )
  return TaskRunner.layer({ name: "tasks" }).pipe(
    Layer.provide(tasks),
    Layer.provideMerge(useCases),
    Layer.provideMerge(Layer.succeed(SessionRequests, people.arrivals)),
    Layer.provideMerge(Layer.succeed(CurrentConnectAddresses, { base: "https://millrace.test", isPublic: true })),
    Layer.provideMerge(Layer.succeed(AgreedRate, 1_000)),
    Layer.provideMerge(Layer.succeed(AnsweredAtOnce, atOnce))
  )
}

type Kernel = Layer.Success<ReturnType<typeof kernelOf>>

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly text: string
}

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))

export const makeWorld = async () => {
  const loop = new EventLoop(undefined, start)
  const logged: Array<string> = []
  const entries: Array<AccessEntry> = []
  const people = makePeople()
  const small = makeSmallProvider()
  /** Records up to which a simulation is answered at once. */
  const atOnce = { records: Infinity, seconds: Infinity }
  const logger = Logger.make(({ cause, logLevel, message }) => {
    if (logLevel === "Error" || logLevel === "Fatal") logged.push(`${String(message)} ${String(cause)}`)
  })
  const still = Context.empty().pipe(
    Context.add(Clock.Clock, loop.clock()),
    Context.add(Random.Random, evenRandom),
    Context.add(Scheduler.Scheduler, loop.scheduler),
    Context.add(PlanningTurns, () => Effect.yieldNow),
    Context.add(Logger.CurrentLoggers, new Set([logger]))
  )

  /** Lets the process go on until it answers; time passes only where nothing else happens. */
  const awaited = async <A>(promise: Promise<A>): Promise<A> => {
    const state = { isSettled: false }
    const done = promise.finally(() => (state.isSettled = true))
    done.catch(() => undefined)
    let since = performance.now()
    for (let idle = 0; !state.isSettled; idle++) {
      loop.run(loop.now)
      await turn()
      const { next } = loop
      const isIdle = idle >= idleTurns && performance.now() - since >= idleMillis
      if (state.isSettled || !isIdle || next === undefined) continue
      loop.run(next)
      idle = 0
      since = performance.now()
    }
    for (let n = 0; n < quietTurns; n++) {
      loop.run(loop.now)
      await turn()
    }
    return done
  }

  const scope = Scope.makeUnsafe()
  const built = Layer.buildWithScope(kernelOf(people, small, atOnce), scope).pipe(Effect.provideContext(still))
  const kernel = await awaited(Effect.runPromise(built, { scheduler: loop.scheduler }))
  const context = Context.merge(kernel, still)
  const web = HttpRouter.toWebHandler(
    App.pipe(
      Layer.provide(HttpServer.layerServices),
      Layer.provideMerge(Layer.succeed(AccessLog, (entry: AccessEntry) => Effect.sync(() => entries.push(entry)))),
      Layer.provideMerge(Layer.succeedContext(context))
    ),
    { disableLogger: true }
  )

  /** Asks the kernel itself. */
  const run = <A, E>(effect: Effect.Effect<A, E, Kernel>): Promise<A> =>
    awaited(Effect.runPromise(Effect.provideContext(effect, context), { scheduler: loop.scheduler }))

  /** Sends a request a second after the last one, and waits for what it set off. */
  const send = async ({ body, headers = {}, method, path }: Sent): Promise<Answer> => {
    loop.run(loop.now + secondMillis)
    const asked = new Request(`http://millrace.test${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body })
    })
    return awaited(
      web.handler(asked).then(async (answer) => ({
        status: answer.status,
        headers: [...answer.headers],
        text: await answer.text()
      }))
    )
  }

  /** Lets so many seconds pass at once, as for a process that stood still. */
  const pass = async (seconds: number): Promise<void> => {
    loop.now += seconds * secondMillis
    await awaited(turn())
  }

  /** Lets time pass until the next whole multiple of so many seconds. */
  const until = (seconds: number): Promise<void> => {
    const past = (loop.now - start) / secondMillis
    return pass(seconds - (past % seconds))
  }

  const dispose = async () => {
    await web.dispose()
    await awaited(Effect.runPromise(Scope.close(scope, Exit.void), { scheduler: loop.scheduler }))
  }

  return { atOnce, dispose, entries, goOn: small.goOn, hold: small.hold, logged, pass, people, run, send, until }
}

export type World = Awaited<ReturnType<typeof makeWorld>>
