/**
 * The life of a bank of each provider over HTTP, against a server and a stand-in of the upstream on real sockets: it is
 * connected, synced, broken, mended by the person, refreshed and removed.
 */
import { privateHosts } from "@millrace/adapters"
import { bundledProviders } from "@millrace/adapters/provider"
import { OwnSessions } from "@millrace/core/access"
import { Currency } from "@millrace/core"
import { Workspaces } from "@millrace/core/kernel"
import { type ClientStep, configured } from "@millrace/core/provider"
import { AccessLog } from "@millrace/http"
import {
  type Breakage,
  fakeFiskil,
  fakeQuiltt,
  fakeSaltEdge,
  fakeSnapTrade,
  type FakeUpstream,
  startPlaid,
  type PlaidFake,
  type SignedWebhook,
  startSimpleFin
} from "@millrace/testing/upstream"
import { makeServerDatabase, type ServerDatabase } from "@millrace/verification/postgres/ServerDatabase"
import { call } from "@millrace/verification/process/ApiCaller"
import { type DataFolder, makeDataFolder } from "@millrace/verification/process/DataFolder"
import { freePort } from "@millrace/verification/process/ServerProcess"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { MinimumLogLevel } from "effect/References"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { layer, layerAdapters } from "../src/Server.ts"
import type { Settings } from "../src/Settings.ts"
import { secretsOf, toldIn } from "./ToldSecrets.ts"

const standIns: Readonly<Record<string, Effect.Effect<FakeUpstream, never, Scope.Scope>>> = {
  plaid: startPlaid(),
  snaptrade: fakeSnapTrade(),
  saltedge: fakeSaltEdge(),
  fiskil: fakeFiskil(),
  quiltt: fakeQuiltt(),
  simplefin: startSimpleFin()
}

/** What only the person mends; of Fiskil consents end, and Bridges forget who revoked their token. */
const breakageOf = (kind: string): Breakage =>
  kind === "fiskil" ? "consentExpired" : kind === "simplefin" ? "gone" : "reauth"

const scope = Scope.makeUnsafe()
const fakes = new Map<string, FakeUpstream>()
let folder: DataFolder
let database: ServerDatabase
let url: string
let apiKey: string
/** Headers of the owner, signed in. */
let session: Readonly<Record<string, string>>
let running: Awaited<ReturnType<typeof start>>

/** All that was logged, with its place. */
const logged: Array<readonly [where: string, text: string]> = []
/** All that callers were answered. */
const answered: Array<readonly [where: string, text: string]> = []
/** What opens something for whoever has it, and was in the hands of the person's browser: once each. */
const oneUse: Array<string> = []

/** Settings as a configuration file gives them: those that are secret are hidden. */
const configOf = (fake: FakeUpstream) =>
  Object.fromEntries(
    Object.entries(fake.config).map(([key, value]) => [
      key,
      typeof value === "string" && fake.secrets.includes(value) ? Redacted.make(value) : value
    ])
  )

const start = async () => {
  for (const [kind, making] of Object.entries(standIns)) {
    fakes.set(kind, await Effect.runPromise(Scope.provide(making, scope)))
  }
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const settings: Settings = {
    dataFolder: folder.path,
    databaseUrl: Redacted.make(database.url),
    host: "127.0.0.1",
    port,
    publicUrl: "https://money.example",
    filesFolder: undefined,
    secretKey: Redacted.make(Buffer.alloc(32, 5).toString("base64")),
    demo: false,
    slots: 4,
    jobLease: 30,
    requestsPerMinute: 100_000
  }
  const instances = [
    ...[...fakes].map(([kind, fake]) => ({ id: `${kind}:trial`, config: configOf(fake) })),
    { id: "plaid:hosted", config: { ...configOf(fakes.get("plaid")!), hostedLink: true } }
  ]
  const providers = Result.getOrThrow(configured(bundledProviders, instances))
  const hosts = Result.getOrThrow(privateHosts(["127.0.0.1"]))
  const adapters = layerAdapters(settings, {
    ...emptyConfiguration,
    providers,
    privateHosts: Object.fromEntries(instances.map(({ id }) => [id, hosts]))
  })
  const json = Logger.map(Logger.formatJson, (line) => void logged.push(["log", line]))
  const logs = Layer.mergeAll(
    Layer.succeed(AccessLog, (entry) => Effect.sync(() => void logged.push(["access log", JSON.stringify(entry)]))),
    Logger.layer([json]),
    Layer.succeed(MinimumLogLevel, "Trace")
  )
  return ManagedRuntime.make(layer(settings, adapters).pipe(Layer.provide(logs)))
}

const emptyConfiguration = {
  instances: [],
  providers: [],
  destinations: [],
  enrichments: [],
  collections: [],
  models: [],
  budgets: new Map(),
  privateHosts: {},
  ratesFile: undefined,
  businessDays: undefined
}

beforeAll(async () => {
  folder = await makeDataFolder()
  database = await makeServerDatabase(inject("postgres"), "migrated")
  running = await start()
  const made = await running.runPromise(
    Effect.gen(function* () {
      return yield* (yield* Workspaces).create({
        name: "Lives",
        plan: "enterprise",
        timezone: "UTC",
        baseCurrency: Currency.make("USD"),
        ownerEmail: "owner@localhost"
      })
    })
  )
  apiKey = Redacted.value(made.secret)
  const { email, id: userId } = made.owner
  const issued = OwnSessions.use((sessions) => sessions.issue({ userId, email, workspaceId: made.workspace.id }))
  const { token } = await running.runPromise(issued)
  session = { authorization: `Bearer ${Redacted.value(token)}`, "x-workspace-id": made.workspace.id }
})

afterAll(async () => {
  await running.dispose()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await database.drop()
  await folder.remove()
})

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read as whatever they turn out to be
type Loose = any

const ask = async (status: number, method: string, path: string, json?: unknown): Promise<Loose> => {
  const answer = await call(url, apiKey, path, { method, ...(json === undefined ? {} : { json }) })
  answered.push([`${method} ${path}`, answer.body])
  expect([method, path, answer.status, answer.status === status ? "" : answer.body]).toEqual([method, path, status, ""])
  return answer.json()
}

/** Asks for what may be refused; the answer is searched for secrets with all others. */
const tryTo = async (path: string, json: unknown): Promise<Loose> => {
  const answer = await call(url, apiKey, path, { method: "POST", json })
  answered.push([`POST ${path}`, answer.body])
  return answer.json()
}
const get = async (path: string) => (await ask(200, "GET", path)).data

/** What was sent of a step, as the stand-in's person gets it. */
const stepOf = (sent: Loose): ClientStep => {
  const { expiresAt, flow } = sent
  oneUse.push(...[sent.linkToken, sent.authSessionId, sent.sessionToken, sent.url].filter((one) => one !== undefined))
  if (sent.linkToken !== undefined) return { kind: "link", token: sent.linkToken, expiresAt }
  if (sent.authSessionId !== undefined) return { kind: "authSession", authSessionId: sent.authSessionId, expiresAt }
  if (sent.sessionToken !== undefined) return { kind: "connector", ...sent }
  return { kind: flow === "oauth_redirect" ? "redirect" : "popup", url: sent.url, expiresAt }
}

/** An answer that repeats every secret wherever drivers look for words of their upstream. */
const gossip = (fake: FakeUpstream) => {
  const words = [...secretsOf(fake)].join(" ")
  const said = { code: words, message: words, name: words, detail: words, error_code: words, error_message: words }
  return {
    ...said,
    error_type: words,
    display_message: words,
    request_id: words,
    class: words,
    id: words,
    status: words,
    error: { ...said, class: words },
    errors: [said, words]
  }
}

/** No secret of the upstream is told anywhere; nor what opens something once, but to whom it was made for. */
const expectNothingTold = async (fake: FakeUpstream, stored: string) => {
  const secrets = secretsOf(fake)
  expect(secrets.size).toBeGreaterThan(1)
  const rows = (await database.everyRow()).map(({ table, text }) => [table, text] as const)
  // The search finds what is there.
  expect(toldIn(rows, [stored])).not.toEqual([])
  expect(logged.length).toBeGreaterThan(10)
  const steps = /connections\/(start|.*\/reauth)$/u
  const others = answered.filter(([where]) => !steps.test(where))
  expect(toldIn([...rows, ...logged, ...others], [...secrets, ...oneUse])).toEqual([])
  // What a widget of theirs is opened with is for the browser alone, and it is the one thing that it is given.
  const begun = answered.filter(([where]) => steps.test(where))
  expect(
    toldIn(
      begun,
      [...secrets].filter((secret) => !oneUse.includes(secret))
    )
  ).toEqual([])
}

/** Sends a callback to the route that its address names; returns the status. */
const send = async ({ headers, rawBody, url: address }: SignedWebhook): Promise<number> => {
  const { pathname, search } = new URL(address)
  const answer = await fetch(`${url}${pathname}${search}`, { method: "POST", headers, body: Buffer.from(rawBody) })
  answered.push([`POST ${pathname}`, await answer.text()])
  return answer.status
}

/** Callbacks about the newest connection, where the upstream has any: those that are good, and every forgery. */
const callbacks = ({ connections, webhooks }: FakeUpstream, instanceId: string) => {
  const { ref: connectionRef } = connections.at(-1)!
  const about = { connectionRef, url: `https://money.example/v1/webhooks/${encodeURIComponent(instanceId)}` }
  return {
    good: (["dataChanged", "unknown"] as const).flatMap((event) => webhooks?.sign(event, about) ?? []),
    forged: (webhooks?.forgeries ?? []).flatMap((forgery) => webhooks?.sign("dataChanged", { ...about, forgery }) ?? [])
  }
}

/** What callbacks have asked for is done. */
const poked = async () => {
  const left = "select count(*)::int as n from task where kind = 'provider_poke'"
  while ((await database.query<{ readonly n: number }>(left))[0]?.n !== 0) {
    await new Promise((wake) => setTimeout(wake, 30))
  }
}

/** The newest job of the feed, once it is over. */
const synced = async (feedId: string): Promise<Loose> => {
  await ask(201, "POST", `/v1/feeds/${feedId}/sync`, {})
  for (;;) {
    const [job] = await get(`/v1/feeds/${feedId}/jobs?limit=1`)
    if (!["created", "pending", "in_progress", "paused"].includes(job.status)) return job
    await new Promise((wake) => setTimeout(wake, 30))
  }
}

const rowsOf = async (tableId: string) => {
  const all: Array<Loose> = []
  for (let cursor = ""; ;) {
    const { data, meta } = await ask(200, "GET", `/v1/tables/${tableId}/rows?limit=500${cursor}`)
    all.push(...data)
    if (meta?.hasMore !== true) return all
    cursor = `&cursor=${encodeURIComponent(meta.nextCursor)}`
  }
}

const asked = async (path: string, headers: Readonly<Record<string, string>>): Promise<Loose> => {
  const answer = await fetch(`${url}${path}`, { headers })
  return [answer.status, await answer.json()]
}
const whoami = (headers: Readonly<Record<string, string>>) => asked("/v1/whoami", headers)
const banks = (headers: Readonly<Record<string, string>>) => asked("/v1/banks", headers)

it("knows the owner by a session, in a workspace that is named, and by no other token", async () => {
  const { authorization = "", ...workspace } = session
  const self = { principal: { kind: "user" }, user: { email: "owner@localhost" } }
  const own = { id: workspace["x-workspace-id"], role: "owner" }
  expect(await whoami(session)).toMatchObject([200, { data: { ...self, role: "owner", workspaceId: own.id } }])
  expect(await whoami({ authorization })).toMatchObject([
    200,
    { data: { ...self, workspaceId: null, plan: null, workspaces: [own] } }
  ])
  expect(await whoami({ ...workspace, authorization: `${authorization}x` })).toMatchObject([
    401,
    { code: "INVALID_CREDENTIAL" }
  ])
  expect(await whoami({ ...session, "x-api-key": apiKey })).toMatchObject([401, { code: "CREDENTIAL_AMBIGUOUS" }])
  expect(await banks({ authorization })).toMatchObject([400, { code: "WORKSPACE_HEADER_REQUIRED" }])
  const foreign = { authorization, "x-workspace-id": "ws_0" }
  expect(await banks(foreign)).toMatchObject([403, { code: "WORKSPACE_ACCESS_DENIED" }])
  expect((await banks(session))[0]).toBe(200)
})

describe.each(Object.keys(standIns))("a bank of %s", (kind) => {
  it("is connected, synced, broken, mended, refreshed and removed over HTTP", async () => {
    const fake = fakes.get(kind)!
    const providerInstanceId = `${kind}:trial`
    const instance = (await get("/v1/banks/providers")).find((one: Loose) => one.id === providerInstanceId)
    expect(instance).toMatchObject({ provider: kind, available: true })

    // Connected.
    const begun = (
      await ask(200, "POST", "/v1/banks/connections/start", { providerInstanceId, email: "owner@example.com" })
    ).data
    expect(begun.flow).toBe(instance.flow)
    const complete = (attemptId: string, payload: unknown) =>
      ask(200, "POST", "/v1/banks/connections/complete", { providerInstanceId, attemptId, payload })
    const payload = fake.signIn(stepOf(begun))
    if (payload.kind === "plaid_public_token") oneUse.push(payload.publicToken)
    if (kind === "simplefin") oneUse.push(payload.kind === "provider_connection_id" ? payload.connectionId : "")
    const made = await complete(begun.attemptId, payload)
    expect(made).toMatchObject({ success: true, created: true })
    expect(made.accounts.length).toBeGreaterThan(0)
    expect(await complete(begun.attemptId, payload)).toMatchObject({ bankId: made.bankId, created: false })
    expect((await get(`/v1/banks/connections/attempts/${begun.attemptId}`)).state).toBe("completed")
    const bankPath = `/v1/banks/${made.bankId}`

    // Synced.
    const dataType = instance.dataTypes.includes("transactions") ? "transactions" : "trades"
    const accounts = made.accounts.filter((one: Loose) => one.supports.includes(dataType))
    expect(accounts.length).toBeGreaterThan(0)
    const table = (await ask(201, "POST", "/v1/tables", { name: kind, fields: [] })).data
    const feed = (
      await ask(201, "POST", "/v1/feeds", {
        name: kind,
        source: "sync",
        dataType,
        sourceConfig: {
          type: "sync",
          accounts: accounts.map((one: Loose) => ({ bankId: made.bankId, accountId: one.id }))
        },
        destinationConfig: { type: "table", tableId: table.id, createMissingColumns: true }
      })
    ).data
    const first = await synced(feed.id)
    expect([first.status, JSON.stringify(first.errors)]).toEqual(["completed", expect.any(String)])
    const before = await rowsOf(table.id)
    expect(before.length).toBeGreaterThan(0)
    expect(before.length).toBe(first.counts.created)

    // Broken, until the person signs in again: the same bank with the same rows.
    const [{ ref }] = fake.connections as [(typeof fake.connections)[number]]
    fake.break(ref, breakageOf(kind))
    expect((await synced(feed.id)).status).toBe("failed")
    const broken = await get(bankPath)
    expect(broken.connectionStatus.connected).toBe(false)
    expect(broken.connectionStatus.status).toMatch(/^(reauth_required|consent_expired|disconnected)$/)
    const again = (await ask(200, "POST", `/v1/banks/connections/${made.bankId}/reauth`, {})).data
    const mended = await complete(again.attemptId, fake.repair(stepOf(again), ref))
    expect(mended).toMatchObject({ bankId: made.bankId, created: false })
    expect((await get(bankPath)).connectionStatus.connected).toBe(true)
    const second = await synced(feed.id)
    expect([second.status, second.counts.created, second.counts.removed]).toEqual(["completed", 0, 0])
    expect((await rowsOf(table.id)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))

    // Refreshed.
    const refreshed = (await ask(202, "POST", `${bankPath}/refresh`, {})).data
    expect(refreshed.status).toMatch(/^(refreshing|not_supported)$/)

    // Secrets: an upstream that repeats them in each refusal is told on by nobody.
    fake.server.plan({ incident: { kind: "answer", status: 400, body: gossip(fake) }, times: 1_000 })
    const refused = await tryTo("/v1/banks/connections/start", { providerInstanceId, email: "owner@example.com" })
    await tryTo("/v1/banks/connections/complete", {
      providerInstanceId,
      attemptId: refused.data?.attemptId ?? again.attemptId,
      payload: fake.refused(undefined, "unknown") ?? payload
    })
    await tryTo(`${bankPath}/refresh`, {})
    // Whether it can be verified meanwhile is the upstream's to say.
    for (const callback of callbacks(fake, providerInstanceId).good) await send(callback)
    fake.server.calm()
    const { forged, good } = callbacks(fake, providerInstanceId)
    expect(good.length > 0 && forged.length > 0).toBe(kind !== "simplefin")
    for (const callback of forged) expect(await send(callback)).toBeGreaterThanOrEqual(400)
    // One that comes twice is taken twice.
    for (const callback of [...good, ...good]) expect(await send(callback)).toBe(200)
    await poked()
    await get(bankPath)
    await expectNothingTold(fake, made.bankId)

    // Removed: not while a feed reads it, not for good without a person who is signed in.
    expect((await ask(409, "DELETE", bankPath)).code).toBe("BANK_IN_USE")
    await ask(200, "DELETE", `/v1/feeds/${feed.id}`)
    expect((await ask(403, "DELETE", `${bankPath}?permanent=true`)).code).toBe("SIGNED_IN_SESSION_REQUIRED")
    await ask(200, "DELETE", bankPath)
    await ask(404, "GET", bankPath)
    await ask(200, "POST", `${bankPath}/restore`)
    expect((await get(bankPath)).connectionStatus.connected).toBe(true)
    const ended = await fetch(`${url}${bankPath}?permanent=true`, { method: "DELETE", headers: session })
    expect([ended.status, await ended.json()]).toEqual([202, { success: true, data: { status: "removing" } }])
    const left = `select (select count(*) from account where bank_id = '${made.bankId}')::int
        + (select count(*) from bank where id = '${made.bankId}')::int as n`
    // These take half a minute to remove a connection: the end is waited for in the long form alone.
    if (["snaptrade", "quiltt"].includes(kind) && process.env["MILLRACE_LONG"] !== "1") {
      expect((await get(bankPath)).removalStatus).toMatchObject({ state: "removing" })
      return
    }
    for (;;) {
      const [row] = await database.query<{ readonly n: number }>(left)
      if (row?.n === 0) break
      // An upstream that removes in its own time is looked at again in a minute: the minute is over.
      await database.query(
        "update task set due_at = store_now(), ready_at = store_now() where kind = 'bank_removal' and runner is null"
      )
      await new Promise((wake) => setTimeout(wake, 100))
    }
    await ask(404, "GET", bankPath)
    // What a Bridge was told to read, only the person can take back there.
    expect(fake.connections.every(({ isRevoked }) => isRevoked)).toBe(kind !== "simplefin")
  })
})

it("completes what a person has finished on a page of Plaid when Plaid says so, once, without their browser", async () => {
  const fake = fakes.get("plaid") as PlaidFake
  const providerInstanceId = "plaid:hosted"
  const banksHere = async () =>
    (await get("/v1/banks")).filter((one: Loose) => one.providerInstanceId === providerInstanceId)
  const finish = async (isSuccess: boolean) => {
    const { data } = await ask(200, "POST", "/v1/banks/connections/start", {
      providerInstanceId,
      email: "owner@example.com"
    })
    const step = stepOf(data)
    if (isSuccess) fake.signIn(step)
    else fake.stop(step)
    const sent = fake.sessionFinished(step)
    expect(sent.url).toContain(`https://money.example/v1/webhooks/${encodeURIComponent(providerInstanceId)}?`)
    const changed = Buffer.from(Buffer.from(sent.rawBody).toString().replace("LINK", "LINX"))
    expect(await send({ ...sent, rawBody: changed })).toBeGreaterThanOrEqual(400)
    const attempt = () => get(`/v1/banks/connections/attempts/${data.attemptId}`)
    expect((await attempt()).state).toBe("open")
    expect([await send(sent), await send(sent)]).toEqual([200, 200])
    for (;;) {
      const now = await attempt()
      if (now.state !== "open" && now.state !== "completing") return now
      // What nobody asks for is completed after two minutes, by a task of every minute: they are over.
      await database.query(
        `update connection_attempt set updated_at = store_now() - interval '3 minutes' where id = '${data.attemptId}'`
      )
      await database.query(
        "update task set due_at = store_now(), ready_at = store_now() where kind = 'connection_attempts' and runner is null"
      )
      await database.query("select pg_notify('task_arrival', '')")
      await new Promise((wake) => setTimeout(wake, 100))
    }
  }

  const made = await finish(true)
  expect(made.state).toBe("completed")
  const [bank, ...others] = await banksHere()
  expect([bank.id, others]).toEqual([made.bankId, []])
  // Whoever sees the end sees the accounts.
  expect((await get(`/v1/banks/${bank.id}/accounts`)).length).toBeGreaterThan(0)

  expect((await finish(false)).state).not.toBe("completed")
  expect(await banksHere()).toHaveLength(1)
})
