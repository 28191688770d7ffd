/** One database with workspaces whose banks have been read, our server on it, and beside it the one made by hand. */
import { resolve } from "node:path"
import { Banks, Workspaces } from "@millrace/core/kernel"
import { asOwner } from "@millrace/core/access"
import { Currency } from "@millrace/core"
import { startServer, type ServerProcess } from "@millrace/verification/process/ServerProcess"
import { startPostgres, type PostgresServer } from "@millrace/verification/postgres/PostgresServer"
import { makeServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { Client } from "pg"
import * as Server from "../../packages/server/src/Server.ts"
import { settings } from "../../packages/server/src/Settings.ts"
import { parentOf } from "./ProcessorTime.ts"
import type { Request } from "./Traffic.ts"

export interface Tenant {
  readonly key: string
  readonly bankId: string
  readonly accountId: string
}

/** A workspace of its own for each part of the traffic: together they stay below what a minute allows. */
const found = (index: number) =>
  Effect.gen(function* () {
    const { owner, secret, workspace } = yield* (yield* Workspaces).create({
      name: `Workspace ${index}`,
      plan: "enterprise",
      timezone: "UTC",
      baseCurrency: Currency.make("USD"),
      ownerEmail: `owner${index}@example.com`
    })
    const caller = asOwner(workspace, owner)
    const banks = yield* Effect.forEach(["demo-retail", "demo-broker", "demo-lender"], (institutionId) =>
      Effect.flatMap(Banks, (use) =>
        use.connect(caller, {
          instanceId: "demo:default",
          attemptId: `bench ${index} ${institutionId}`,
          payload: { kind: "provider_connection_id", connectionId: `bench ${index}`, institutionId }
        })
      )
    )
    const { accounts, bank } = banks[0]!
    const account = accounts.find(({ accountType }) => accountType === "checking") ?? accounts[0]!
    return { key: Redacted.value(secret), bankId: bank.id, accountId: account.id } satisfies Tenant
  })

export const environmentOf = (url: string) => ({
  DATABASE_URL: url,
  MILLRACE_DATABASE_DIRECT: "true",
  MILLRACE_SECRET: Buffer.alloc(32, 7).toString("base64"),
  MILLRACE_DEMO: "false",
  MILLRACE_SLOTS: "0"
})

export const seed = (environment: Readonly<Record<string, string>>, tenants: number) =>
  Effect.gen(function* () {
    const config = yield* settings
    const kernel = Server.layerKernel(config, Server.layerAdapters(config), Server.layerNoEngine)
    return yield* Effect.forEach(
      Array.from({ length: tenants }, (_, index) => index),
      found
    ).pipe(Effect.provide(kernel as Layer.Layer<Banks | Workspaces, unknown>))
  }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment })),
    Effect.orDie
  )

export const pathOf: Readonly<Record<string, (tenant: Tenant) => string>> = {
  whoami: () => "/v1/whoami",
  banks: () => "/v1/banks",
  "list of 100": ({ accountId, bankId }) => `/v1/banks/${bankId}/accounts/${accountId}/transactions?limit=100`
}

export const operations = Object.keys(pathOf)

export interface Contestants {
  readonly ours: ServerProcess
  readonly peer: ServerProcess
  /** Answers `/v1/whoami` alone. */
  readonly bare: ServerProcess
  /** The main process of PostgreSQL, and the one of its children that the benchmark itself talks to. */
  readonly postgres: { readonly main: number; readonly except: number }
  /** What is asked of either, a request of each workspace. */
  readonly asked: (operation: string) => ReadonlyArray<Request>
  /** Makes the windows of all workspaces empty, those of the peer as well, so that nobody waits for another minute. */
  readonly emptyWindows: Effect.Effect<void>
}

const bodyOf = async (url: string, { key, path }: Request): Promise<unknown> => {
  const response = await fetch(url + path, { headers: { "x-api-key": key } })
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  return response.json()
}

/** What differs between two right answers: instants of the answer itself, and cursors, which each server signs. */
const comparable = (body: unknown): string =>
  JSON.stringify(body, (name, value: unknown) => {
    if (["serverTime", "cursor", "nextCursor", "next"].includes(name)) return name
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })

const difference = (one: string, other: string): string => {
  const at = Array.from(one).findIndex((letter, index) => letter !== other[index])
  return [one, other].map((text) => text.slice(Math.max(0, at - 80), at + 80)).join("\n")
}

/** The rows of transactions as they are reported, in a table of the other server's own. */
const copyForPeer = async (client: Client): Promise<void> => {
  await client.query(
    `insert into peer_record select id, workspace_id, account_id, date, fields from record
      where data_type = 'transactions' and state = 'live'`
  )
}

export const child = (environment: Readonly<Record<string, string>>, program?: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = await startServer({ environment, ...(program === undefined ? {} : { program }) })
      await server.line(/Serving/)
      return server
    }),
    (server) => Effect.promise(() => server.kill("SIGTERM"))
  )

export const durable = Effect.acquireRelease(
  Effect.promise(() => startPostgres({ durable: true })),
  ({ stop }: PostgresServer) => Effect.promise(stop)
)

export const install = Effect.fnUntraced(function* (tenants: number) {
  const postgres = yield* durable
  const database = yield* Effect.promise(() => makeServerDatabase(postgres))
  const environment = environmentOf(database.url)
  const held = yield* seed(environment, tenants)
  const client = new Client({ connectionString: database.url, options: "-c search_path=millrace" })
  yield* Effect.acquireRelease(
    Effect.promise(() => client.connect()),
    () => Effect.promise(() => client.end())
  )
  const run = (statement: string) => Effect.asVoid(Effect.promise(() => client.query(statement)))
  yield* run(`create unlogged table peer_window (key text collate "C" primary key, size int not null,
    stamps float8[] not null) with (fillfactor = 50)`)
  yield* run(`create table peer_record (id text primary key, workspace_id text not null, account_id text not null, date date not null,
    fields jsonb not null)`)
  yield* run("create index on peer_record (account_id, date desc, id desc)")
  const ours = yield* child(environment)
  const peer = yield* child(environment, resolve(import.meta.dirname, "peer.ts"))
  const bare = yield* child(environment, resolve(import.meta.dirname, "bare.ts"))
  const asked = (operation: string) => held.map((tenant) => ({ key: tenant.key, path: pathOf[operation]!(tenant) }))
  // The first list reads the bank; from then on it is fresh. Both servers must say the same of everybody.
  yield* Effect.promise(async () => {
    for (const request of asked("list of 100")) await bodyOf(ours.url, request)
    await copyForPeer(client)
    for (const operation of operations) {
      for (const request of asked(operation)) {
        const [one, other] = [await bodyOf(ours.url, request), await bodyOf(peer.url, request)].map(comparable)
        if (one !== other) throw new Error(`${request.path}: the servers differ\n${difference(one!, other!)}`)
        if (operation !== "whoami") continue
        const least = comparable(await bodyOf(bare.url, request))
        if (least !== one) throw new Error(`${request.path}: the servers differ\n${difference(one!, least)}`)
      }
    }
  })
  yield* run("vacuum analyze")
  const except = yield* Effect.promise(async () => {
    const { rows } = await client.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
    return rows[0]!.pid
  })
  return {
    ours,
    peer,
    bare,
    asked,
    postgres: { main: parentOf(except), except },
    emptyWindows: Effect.andThen(run("delete from request_window"), run("delete from peer_window"))
  } satisfies Contestants
})
