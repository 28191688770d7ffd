/** Configuration -> layers -> a running server. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Adapters } from "@millrace/adapters"
import { DemoProvider } from "@millrace/adapters/provider"
import { AesSecrets, derive, keysFor, type SecretKeys } from "@millrace/adapters/secrets"
import { PlanningThreads } from "@millrace/adapters/planning"
import { StatementThreads } from "@millrace/adapters/statement"
import { agreeOnKey, PostgresStorage } from "@millrace/adapters/postgres"
import { type ConnectAddresses, CurrentConnectAddresses } from "@millrace/core/bank"
import { OwnSessions, SessionRequests } from "@millrace/core/access"
import { JobEngine } from "@millrace/core/job"
import { EnrichmentsOn, WarmUp } from "@millrace/core/enrichment"
import { JobLease } from "@millrace/core/storage"
import {
  bankHandlers,
  connectionHandlers,
  dueAnalysis,
  Kernel,
  learnHandlers,
  simulationHandler,
  localRunHandler,
  messageHandlers,
  recheckConfigured
} from "@millrace/core/kernel"
import { UploadSettings } from "@millrace/core/upload"
import type { Misconfigured, ProviderDriver, ProviderMaking, RequestLimit } from "@millrace/core/provider"
import { TableSettings } from "@millrace/core/table"
import { AgreedRate } from "@millrace/core/workspace"
import { Compressor, guard, Readiness, serve, serverOptions, TrustedProxies, within } from "@millrace/http"
import { TaskKinds, Tasks } from "@millrace/core/task"
import { layerCluster } from "@millrace/jobs/cluster"
import { Drain, housekeeping, TaskRunner } from "@millrace/jobs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { compress } from "./Compress.ts"
import * as Database from "./Database.ts"
import { safeDataFolder } from "./DataFolder.ts"
import * as DiskRoom from "./DiskRoom.ts"
import * as JobLog from "./JobLog.ts"
import { keysOf } from "./KeyFile.ts"
import * as Resealing from "./Resealing.ts"
import type { Configuration } from "./Configuration.ts"
import type { Settings } from "./Settings.ts"

/** Set from the moment at which the process was told to stop. */
class Stopping extends Context.Service<Stopping, { yes: boolean }>()("@millrace/server/Server/Stopping") {
  static readonly layer = Layer.sync(Stopping, () => ({ yes: false }))
}

const readiness = Layer.effect(
  Readiness,
  Effect.map(Effect.all([SqlClient.SqlClient, Stopping]), ([sql, stopping]) =>
    sql`select 1`.pipe(
      within("2 seconds", () => Effect.fail("no answer in time")),
      Effect.isSuccess,
      // Layers build only after the migrations ran.
      Effect.map((database) => ({ database, migrations: true, draining: stopping.yes }))
    )
  )
)

/** Time for jobs to be given back while the API still answers. */
const drainTime = "5 seconds"

/** Built last, so that it ends first: others take over the jobs while requests are still answered. */
const layerDrain = Layer.effectDiscard(
  Effect.gen(function* () {
    const { drain } = yield* Drain
    const stopping = yield* Stopping
    const fork = Effect.runForkWith(yield* Effect.context())
    yield* Effect.addFinalizer(() => {
      stopping.yes = true
      // In a fiber of its own: the one that ends was interrupted, and would wait for nothing that can be interrupted.
      return Fiber.await(fork(Effect.timeoutOption(drain, drainTime)))
    })
  })
)

/** The driver with the budget that the operator gave it, in place of what it says itself of requests per minute. */
const withBudget = (budgets: ReadonlyArray<Settings["budgets"]>, driver: ProviderDriver): ProviderDriver => {
  const budget = budgets.map((of) => of?.get(driver.instanceId)).find((found) => found !== undefined)
  if (budget === undefined) return driver
  const { perConnectionPerMinute, perMinute } = budget
  const own: ReadonlyArray<RequestLimit> = [
    { name: "operator", requests: perMinute, seconds: 60, per: "instance" },
    ...(perConnectionPerMinute === undefined
      ? []
      : [{ name: "operator-connection", requests: perConnectionPerMinute, seconds: 60, per: "connection" } as const])
  ]
  const isReplaced = ({ endpoint, per, seconds }: RequestLimit) =>
    endpoint === undefined && seconds === 60 && own.some((limit) => limit.per === per)
  const others = (driver.capabilities.limits ?? []).filter((limit) => !isReplaced(limit))
  return { ...driver, capabilities: { ...driver.capabilities, limits: [...own, ...others] } }
}

/** What the bundled server talks to: its own, and what the configuration file names. */
export const layerAdapters = (settings: Settings, configuration?: Configuration) => {
  const budgets = [settings.budgets, configuration?.budgets]
  const providers: ReadonlyArray<ProviderMaking<Misconfigured>> = configuration?.providers ?? [DemoProvider.make()]
  return Adapters.layer({
    providers: providers.map((making) =>
      Effect.isEffect(making)
        ? Effect.map(making, (driver) => withBudget(budgets, driver))
        : withBudget(budgets, making)
    ),
    destinations: configuration?.destinations ?? [],
    enrichments: configuration?.enrichments ?? [],
    models: configuration?.models ?? [],
    folder: settings.filesFolder,
    ...(settings.channels === undefined ? {} : { channels: settings.channels }),
    privateHosts: configuration?.privateHosts,
    ratesFile: configuration?.ratesFile,
    businessDays: configuration?.businessDays,
    statements: StatementThreads.layer(),
    planner: PlanningThreads.layer()
  })
}

/** The key seals what is stored: with another one nothing of it can be opened, and what is new only with that. */
export class KeyDiffers extends Schema.TaggedError<KeyDiffers>()("KeyDiffers", { message: Schema.String }) {}

const fingerprintOf = (key: Redacted.Redacted): string => Redacted.value(derive(key, "fingerprint"))

/** The keys to use: all processes seal with the one that the database says, whichever of theirs that is. */
const agreedKeys = Effect.fnUntraced(function* (settings: Settings, { current, previous }: SecretKeys) {
  const keys = [current, ...previous] as const
  const agreed = yield* agreeOnKey([fingerprintOf(current), ...previous.map(fingerprintOf)])
  const sealing = keys.find((key) => fingerprintOf(key) === agreed)
  const where = settings.secretKey === undefined ? `the key in ${settings.dataFolder}` : "MILLRACE_SECRET"
  if (sealing === undefined) {
    return yield* new KeyDiffers({
      message:
        `What is in this database is sealed with another key than ${where}. All processes on one database need the ` +
        "same MILLRACE_SECRET, or the key file of the first one. Where the key was replaced on purpose, give the " +
        "former one as MILLRACE_SECRET_PREVIOUS, or in the key file below the new one."
    })
  }
  if (sealing !== current) {
    yield* Effect.logWarning(
      `This database has left ${where} for another key, which is given as a former one: swap them`
    )
  }
  return { current: sealing, previous: keys.filter((key) => key !== sealing) }
})

/** An address of all interfaces is none that a browser can go to. */
const browsed = (host: string): string =>
  host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host

/** Where browsers come back to, and upstreams call; those never reach an address of this machine. */
const addressesOf = ({ host, port, publicUrl }: Settings): ConnectAddresses =>
  publicUrl === undefined
    ? { base: `http://${browsed(host)}:${port}`, isPublic: false }
    : { base: publicUrl, isPublic: publicUrl.startsWith("https:") }

/** The engine that the settings ask for; that of several processes is loaded only where it is used. */
const layerEngine = (settings: Settings) => {
  const { cluster, slots } = settings
  if (cluster === undefined && slots > 0) return layerCluster({ slots })
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("@millrace/jobs/socket")),
      ({ layerSocket, layerSocketClient }) =>
        cluster === undefined || slots === 0 ? layerSocketClient : layerSocket(cluster, { slots })
    )
  ).pipe(
    Layer.catchTag("SocketServerError", ({ cause }) =>
      Layer.effectContext(
        Effect.fail(
          listenFailure(
            { ...settings.cluster!, hostSetting: "MILLRACE_CLUSTER", portSetting: "MILLRACE_CLUSTER" },
            cause
          )
        )
      )
    )
  )
}

/** For programs that change what is stored, beside a server that runs. */
export const layerNoEngine = Layer.mergeAll(
  Layer.succeed(JobEngine, { poke: () => Effect.void, interrupt: () => Effect.void }),
  Layer.succeed(Drain, { drain: Effect.void })
)

/** Runs tasks in this process, and gives them back together with its jobs. */
const layerTasks = Layer.effect(
  Drain,
  Effect.gen(function* () {
    const jobs = yield* Drain
    const tasks = yield* TaskRunner
    yield* Effect.forkScoped(
      Effect.catch(recheckConfigured, (error) =>
        Effect.logWarning("Banks whose provider is configured again wait for their next look", error)
      )
    )
    return { drain: Effect.all([jobs.drain, tasks.drain], { concurrency: "unbounded", discard: true }) }
  })
).pipe(
  Layer.provide([TaskRunner.layer(), Tasks.layer]),
  Layer.provide(
    TaskKinds.layer(
      ...housekeeping,
      ...bankHandlers,
      dueAnalysis,
      ...learnHandlers,
      simulationHandler,
      localRunHandler,
      ...messageHandlers,
      ...connectionHandlers
    )
  )
)

/** Previews are made here: what their first one would wait for is loaded while nobody waits. */
const layerWarmUp = Layer.effectDiscard(Effect.flatMap(WarmUp, ({ beginAll }) => beginAll)).pipe(
  Layer.provide(WarmUp.layer)
)

/** Storage, adapters, job engine and use cases: all but the API. */
export const layerKernel = (
  settings: Settings,
  adapters = layerAdapters(settings),
  engine: ReturnType<typeof layerEngine> | typeof layerNoEngine = layerEngine(settings)
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const given =
        settings.secretKey === undefined
          ? yield* Effect.andThen(safeDataFolder(settings.dataFolder), keysOf(settings.dataFolder))
          : { current: settings.secretKey, previous: settings.previousKeys ?? [] }
      const keys = yield* agreedKeys(settings, given)
      const cursors = keysFor(keys, "cursors")
      const signing = keysFor(keys, "sessions")
      const secrets = AesSecrets.layer(keysFor(keys, "bank secrets"))
      const resealing =
        keys.previous.length === 0
          ? Layer.empty
          : Resealing.layer(
              settings.secretKey === undefined ? "the other lines of secret.key" : "MILLRACE_SECRET_PREVIOUS"
            ).pipe(Layer.provide(secrets))
      const tasks = settings.slots > 0 && engine !== layerNoEngine ? layerTasks : Layer.effect(Drain, Drain)
      const warmUp = engine === layerNoEngine ? Layer.empty : layerWarmUp
      return Layer.mergeAll(resealing, tasks, warmUp).pipe(
        Layer.provideMerge(Layer.effect(SessionRequests, OwnSessions)),
        Layer.provideMerge(OwnSessions.layer(signing.key, ...signing.previous)),
        Layer.provideMerge(Kernel.layerUseCases(cursors.key, ...cursors.previous)),
        Layer.provideMerge(engine),
        Layer.provideMerge(JobLog.layer),
        Layer.provideMerge(Kernel.layerRun),
        Layer.provideMerge(adapters),
        Layer.provideMerge(PostgresStorage.layer),
        Layer.provide(secrets),
        Layer.provideMerge(Layer.succeed(JobLease, settings.jobLease)),
        Layer.provideMerge(Layer.succeed(EnrichmentsOn, settings.enrichments ?? true)),
        Layer.provideMerge(Layer.succeed(CurrentConnectAddresses, addressesOf(settings))),
        Layer.provideMerge(
          settings.databaseUrl === undefined && (settings.diskReserve ?? 0) > 0
            ? DiskRoom.layer(join(settings.dataFolder, "postgres"), settings.diskReserve ?? 0)
            : Layer.empty
        ),
        Layer.provideMerge(settings.tables === undefined ? Layer.empty : Layer.succeed(TableSettings, settings.tables)),
        Layer.provideMerge(
          settings.uploads === undefined ? Layer.empty : Layer.succeed(UploadSettings, settings.uploads)
        )
      )
    })
  ).pipe(Layer.provideMerge(Database.layer(settings, engine === layerNoEngine)))

/** The address and port cannot be served on. */
export class ListenFailure extends Schema.TaggedError<ListenFailure>()("ListenFailure", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Which settings say where something is served. */
interface Place {
  readonly host: string
  readonly port: number
  readonly hostSetting: string
  readonly portSetting: string
}

const listenReasons: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ portSetting }) => `another program uses it. Set ${portSetting} to a free one.`,
  EACCES: ({ portSetting }) => `this user may not. Set ${portSetting} to 1024 or above.`,
  EADDRNOTAVAIL: ({ hostSetting }) => `this machine has no such address. Set ${hostSetting}.`,
  ENOTFOUND: ({ hostSetting }) => `there is no such address. Set ${hostSetting}.`
}

const listenFailure = (place: Place, cause: unknown): ListenFailure => {
  const { host, hostSetting, port, portSetting } = place
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"
  const settings = hostSetting === portSetting ? hostSetting : `${hostSetting} and ${portSetting}`
  const reason = listenReasons[code]?.(place) ?? `${code}. Check ${settings}.`
  return new ListenFailure({ message: `Port ${port} of ${host} cannot be served on: ${reason}`, cause })
}

const layerHttp = (settings: Settings) =>
  serve.pipe(
    Layer.provide(
      NodeHttpServer.layer(() => guard(createServer(serverOptions)), {
        host: settings.host,
        port: settings.port,
        gracefulShutdownTimeout: "4 seconds"
      })
    ),
    Layer.provide(readiness),
    Layer.provide(Layer.succeed(Compressor, compress)),
    Layer.provide(Layer.succeed(TrustedProxies, settings.isProxy ?? (() => false))),
    Layer.provide(
      settings.requestsPerMinute === undefined ? Layer.empty : Layer.succeed(AgreedRate, settings.requestsPerMinute)
    ),
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(
        Effect.fail(
          listenFailure(
            { host: settings.host, port: settings.port, hostSetting: "MILLRACE_HOST", portSetting: "MILLRACE_PORT" },
            cause
          )
        )
      )
    )
  )

/**
 * The API on its port, over a kernel. The port opens when everything below it stands; when it ends, jobs are given
 * back first.
 */
export const layerApi = (settings: Settings) =>
  layerDrain.pipe(Layer.provideMerge(layerHttp(settings)), Layer.provide(Stopping.layer))

export const layer = (settings: Settings, adapters = layerAdapters(settings)) =>
  layerApi(settings).pipe(Layer.provideMerge(layerKernel(settings, adapters)))
