/**
 * The server under measurement, a process of its own: the whole kernel with its engine, tasks and API on PostgreSQL, put
 * together as the bundled server is, with an upstream that is as large as it is asked to be.
 */
import { Currency } from "@millrace/core"
import { asOwner, type Caller } from "@millrace/core/access"
import type { FeedId } from "@millrace/core/feed"
import { Banks, Feeds, Jobs, Kernel, Tables, waitForJob, Workspaces } from "@millrace/core/kernel"
import { TaskKinds } from "@millrace/core/task"
import { Adapters } from "@millrace/adapters"
import { PostgresStorage } from "@millrace/adapters/postgres"
import { AesSecrets } from "@millrace/adapters/secrets"
import { StatementThreads } from "@millrace/adapters/statement"
import { housekeeping, TaskRunner } from "@millrace/jobs"
import { layerCluster } from "@millrace/jobs/cluster"
import { client, walledClient } from "@millrace/verification/postgres/TestPostgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { layerApi } from "../../packages/server/src/Server.ts"
import type { Ended, Order, Place, Reply, Request } from "./Messages.ts"
import { connectionOf, instanceId, upstream } from "./Upstream.ts"

/** As many as a server has unless it is reported otherwise. */
const slots = 4
const requestConnections = 8
const acrossConnections = 8
const jobLease = 6
const feedsOfWorkspace = 20
/** Rows of a bank whose feed is one of many. */
const smallBank = 20

const place = JSON.parse(process.argv[2]!) as Place
const bank = upstream()

const { layer: noSecrets } = AesSecrets
const storage = PostgresStorage.layer.pipe(
  Layer.provide(noSecrets({ key: Redacted.make(Buffer.alloc(32, 7).toString("base64")) })),
  Layer.provideMerge(walledClient(place, place.database, requestConnections + slots, acrossConnections))
)
const kernel = TaskRunner.layer().pipe(
  Layer.provide(TaskKinds.layer(...housekeeping)),
  Layer.provideMerge(Kernel.layerUseCases(Redacted.make("bench"))),
  Layer.provideMerge(layerCluster({ slots })),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(
    Adapters.layer({ providers: [bank.driver], folder: place.folder, statements: StatementThreads.layer() })
  ),
  Layer.provideMerge(storage)
)
const server = layerApi({
  dataFolder: place.folder,
  databaseUrl: undefined,
  host: "127.0.0.1",
  port: place.apiPort,
  filesFolder: place.folder,
  secretKey: undefined,
  demo: false,
  slots,
  jobLease
}).pipe(Layer.provideMerge(kernel))

await Effect.runPromise(Effect.provide(PostgresStorage.migrate, client(place, place.database, 1)))
const runtime = ManagedRuntime.make(server)
await runtime.context()

const newWorkspace = (name: string) =>
  Effect.gen(function* () {
    const { owner, workspace } = yield* (yield* Workspaces).create({
      name,
      plan: "enterprise",
      timezone: "UTC",
      baseCurrency: Currency.make("USD"),
      ownerEmail: "owner@example.com"
    })
    return asOwner(workspace, owner)
  })

/** Who may do what with which feed. */
const callers = new Map<FeedId, Caller>()
let connections = 0

const newFeed = Effect.fnUntraced(function* (
  caller: Caller,
  { accounts, destination, rows }: Pick<Extract<Order, { kind: "connect" }>, "accounts" | "destination" | "rows">,
  schedule?: { readonly enabled: true; readonly frequency: "daily"; readonly timeOfDay: string }
) {
  const name = `bank-${connections++}`
  const connected = yield* (yield* Banks).connect(caller, {
    instanceId,
    attemptId: name,
    payload: { kind: "provider_connection_id", connectionId: connectionOf(name, rows, accounts) }
  })
  const { feed } = yield* (yield* Feeds).create(caller, {
    name,
    source: "sync",
    dataType: "transactions",
    sourceConfig: {
      type: "sync",
      accounts: connected.accounts.map(({ id }) => ({ bankId: connected.bank.id, accountId: id }))
    },
    destinationConfig:
      destination === "file"
        ? { type: "file", path: `${name}.csv`, format: "csv" }
        : { type: "table", tableId: (yield* (yield* Tables).create(caller, { name, fields: [] })).id },
    ...(schedule === undefined ? {} : { schedule })
  })
  callers.set(feed.id, caller)
  return feed.id
})

/** Half a day from now, so that nothing of it is due by itself. */
const farTime = (): string => `${String((new Date().getUTCHours() + 12) % 24).padStart(2, "0")}:00`

const trigger = Effect.fnUntraced(function* (feedId: FeedId) {
  return yield* (yield* Jobs).trigger(callers.get(feedId)!, feedId, {})
})

const obey = Effect.fnUntraced(function* (order: Order) {
  switch (order.kind) {
    case "connect":
      return yield* newFeed(yield* newWorkspace("Bench"), order)
    case "bystander":
      return yield* newFeed(yield* newWorkspace("Bystander"), { rows: smallBank, accounts: 1, destination: "table" })
    case "correct":
      return bank.correct()
    case "sync": {
      const feedId = order.feedId as FeedId
      const { counts, errors, status } = yield* waitForJob(callers.get(feedId)!, yield* trigger(feedId))
      const ended: Ended = {
        status,
        read: counts.read,
        changed: counts.created + counts.updated + counts.removed,
        errors: errors.map(({ code, message }) => `${code}: ${message}`)
      }
      return ended
    }
    case "schedule": {
      const schedule = { enabled: true, frequency: "daily", timeOfDay: farTime() } as const
      const sizes = Array.from({ length: Math.ceil(order.feeds / feedsOfWorkspace) }, (_, n) =>
        Math.min(feedsOfWorkspace, order.feeds - n * feedsOfWorkspace)
      )
      yield* Effect.forEach(
        sizes,
        (size, n) =>
          Effect.flatMap(newWorkspace(`Workspace ${n}`), (caller) =>
            Effect.forEach(
              Array.from({ length: size }),
              () => newFeed(caller, { rows: smallBank, accounts: 1, destination: "table" }, schedule),
              { discard: true }
            )
          ),
        { concurrency: 4, discard: true }
      )
      return order.feeds
    }
  }
})

const tell = (reply: Reply): void => void process.send!(reply)

process.on("message", ({ n, ...order }: Request) => {
  runtime.runPromise(obey(order as Order)).then(
    (value) => tell({ n, value }),
    (fault: unknown) => tell({ n, fault: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) })
  )
})
// Nobody is there to measure it.
process.once("disconnect", () => process.exit(1))
process.once("SIGTERM", () => void runtime.dispose().then(() => process.exit(0)))
tell({ ready: true })
