/** An installation whose pages people see: a provider for each flow, and addresses of pages that were begun. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Adapters } from "@millrace/adapters"
import { DemoProvider } from "@millrace/adapters/provider"
import { MemoryStorage } from "@millrace/adapters/memory"
import { CurrentConnectAddresses } from "@millrace/core/bank"
import { Currency } from "@millrace/core"
import { Kernel, Workspaces } from "@millrace/core/kernel"
import { type ClientStep, InvalidConnectPayload, type ProviderDriver } from "@millrace/core/provider"
import { AccessLog, serve } from "@millrace/http"
import type { AccessEntry } from "../../http/src/middleware/AccessLog.ts"
import { layerMemory } from "@millrace/jobs"
import { makeScriptedProvider } from "../../testing/src/provider/ScriptedProvider.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { afterAll, beforeAll } from "vitest"

const later = "2199-01-01T00:00:00.000Z" as never

/** A provider whose first step is that one; `good` is what it takes. */
const providerOf = (
  instance: string,
  connectFlow: ProviderDriver["capabilities"]["connectFlow"],
  step: ClientStep,
  more: Partial<ProviderDriver["capabilities"]> = {}
): ProviderDriver => {
  const { bank, driver } = makeScriptedProvider({
    instance,
    changeModel: "snapshotFull",
    scope: "account",
    idTrust: "stable",
    pageSize: 10,
    overlapDays: 0,
    historyDays: 90
  })
  bank("good", ["a"])
  return {
    ...driver,
    name: `Upstream "${instance}" <b>`,
    capabilities: { ...driver.capabilities, connectFlow, ...more },
    beginConnect: () => Effect.succeed(step),
    completeConnect: ({ payload }) =>
      (payload.kind === "plaid_public_token" ? payload.publicToken : payload.connectionId) === "good"
        ? Effect.succeed({
            connection: { ref: "good", secrets: {} },
            institution: { id: "i", name: "Good Bank", countryCodes: [], status: "ok" },
            bankType: "bank"
          })
        : new InvalidConnectPayload({ message: "it is none of ours" })
  }
}

const providers = [
  DemoProvider.make(),
  providerOf("token", "token", { kind: "popup", url: "https://bridge.example/create", expiresAt: later }),
  providerOf(
    "link",
    "link",
    { kind: "link", token: "link</script><b>", expiresAt: later },
    { returnsWithoutState: true }
  ),
  providerOf(
    "bare",
    "redirect",
    { kind: "redirect", url: "https://bank.example/bare", expiresAt: later },
    { returnsWithoutState: true }
  ),
  providerOf("session", "authSession", { kind: "authSession", authSessionId: "as_1", expiresAt: later }),
  providerOf("connector", "connector", {
    kind: "connector",
    sessionToken: "jwt",
    connectorId: "c_1",
    connectionId: "conn_1",
    expiresAt: later
  }),
  providerOf("redirect", "redirect", {
    kind: "redirect",
    url: "https://bank.example/consent?a=1&b=2",
    expiresAt: later
  })
]

const server = createServer()
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
export const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
await new Promise<void>((resolve) => server.close(() => resolve()))
const port = Number(new URL(base).port)

export const entries: Array<AccessEntry> = []
const kernel = Kernel.layerUseCases(Redacted.make("a secret for cursors that only this test has")).pipe(
  Layer.provideMerge(layerMemory()),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(Adapters.layer({ providers, folder: undefined })),
  Layer.provideMerge(MemoryStorage.layer),
  Layer.provide(Layer.succeed(CurrentConnectAddresses, { base, isPublic: false }))
)
const make = () => {
  const http = createServer()
  const runtime = ManagedRuntime.make(
    serve.pipe(
      Layer.provide(NodeHttpServer.layer(() => http, { host: "127.0.0.1", port })),
      Layer.provide(Layer.succeed(AccessLog, (entry: AccessEntry) => Effect.sync(() => void entries.push(entry)))),
      Layer.provideMerge(kernel)
    )
  )
  return { http, runtime }
}

let env: Readonly<Record<string, string>>
/** What the command line needs to know. */
export const environment = () => env
let key: string
/** Serves as long as the tests of the file run that calls it: files that share a process have one after the other. */
export const serveWorld = () => {
  let made: ReturnType<typeof make>
  beforeAll(async () => {
    made = make()
    key = await made.runtime.runPromise(
      Effect.flatMap(Workspaces, (workspaces) =>
        workspaces.create({
          name: "Test",
          plan: "enterprise",
          timezone: "UTC",
          baseCurrency: Currency.make("USD"),
          ownerEmail: "owner@example.com"
        })
      ).pipe(Effect.map(({ secret }) => Redacted.value(secret)))
    )
    env = { MILLRACE_API_KEY: key, MILLRACE_BASE_URL: base }
  })
  afterAll(async () => {
    made.http.closeAllConnections()
    await made.runtime.dispose()
  })
}

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

export const api = async (method: string, path: string, body?: object): Promise<Answer> => {
  const answer = await fetch(base + path, {
    method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const json = (await answer.json()) as { readonly data?: object }
  return { status: answer.status, data: (json.data ?? json) as Answer["data"] }
}

export const start = async (providerInstanceId: string, more: object = {}) => {
  const { data } = await api("POST", "/v1/banks/connections/start", {
    providerInstanceId,
    email: "person@example.com",
    forceNewConnection: true,
    ...more
  })
  const page = String(data["connectUrl"])
  return { attemptId: String(data["attemptId"]), page, state: new URL(page).searchParams.get("state")! }
}
export const attempt = async (id: string) => (await api("GET", `/v1/banks/connections/attempts/${id}`)).data

export const open = async (
  url: string,
  fields?: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
) => {
  const answer = await fetch(url, {
    redirect: "manual",
    headers,
    ...(fields === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) })
  })
  return {
    status: answer.status,
    text: await answer.text(),
    policy: answer.headers.get("content-security-policy") ?? "",
    location: answer.headers.get("location"),
    headers: answer.headers
  }
}

export const actionAt = (state: string, what: string) => `${base}/connect/attempt/${what}?state=${state}`

/** A feed for files, and an address of its page. */
export const startUpload = async (body: object = {}) => {
  const feed = await api("POST", "/v1/feeds", {
    name: "Statements <b>",
    source: "upload",
    dataType: "transactions",
    sourceConfig: { type: "upload" }
  })
  const path = `/v1/feeds/${String(feed.data["id"])}/uploads`
  const { data } = await api("POST", `${path}/start`, body)
  return { path, page: String(data["url"]) }
}

export const statement = "Date;Description;Amount\n2026-03-02;Coffee;-4.50\n2026-03-03;Tea;-3.50\n"

export const send = async (page: string, text: string, name = "march.csv") => {
  const form = new FormData()
  form.set("file", new File([text], name, { type: "text/csv" }))
  const answer = await fetch(page, { method: "POST", body: form })
  return { status: answer.status, text: await answer.text() }
}
