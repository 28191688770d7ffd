/** Connecting a bank as people do: the command line, the pages of the server, and a browser in between. */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
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
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { run } from "./Run.ts"

const later = "2199-01-01T00:00:00.000Z" as never

/** A provider whose first step is that one; `good` is what it takes. */
const providerOf = (
  instance: string,
  connectFlow: ProviderDriver["capabilities"]["connectFlow"],
  step: ClientStep
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
    capabilities: { ...driver.capabilities, connectFlow },
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
  providerOf("link", "link", { kind: "link", token: "link</script><b>", expiresAt: later }),
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
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
await new Promise<void>((resolve) => server.close(() => resolve()))
const port = Number(new URL(base).port)

const entries: Array<AccessEntry> = []
const kernel = Kernel.layerUseCases(Redacted.make("a secret for cursors that only this test has")).pipe(
  Layer.provideMerge(layerMemory()),
  Layer.provideMerge(Kernel.layerRun),
  Layer.provideMerge(Adapters.layer({ providers, folder: undefined })),
  Layer.provideMerge(MemoryStorage.layer),
  Layer.provide(Layer.succeed(CurrentConnectAddresses, { base, isPublic: false }))
)
const http = createServer()
const runtime = ManagedRuntime.make(
  serve.pipe(
    Layer.provide(NodeHttpServer.layer(() => http, { host: "127.0.0.1", port })),
    Layer.provide(Layer.succeed(AccessLog, (entry: AccessEntry) => Effect.sync(() => void entries.push(entry)))),
    Layer.provideMerge(kernel)
  )
)

let env: Readonly<Record<string, string>>
let key: string
beforeAll(async () => {
  key = await runtime.runPromise(
    Effect.flatMap(Workspaces, (workspaces) =>
      workspaces.found({
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
  http.closeAllConnections()
  await runtime.dispose()
})

interface Answer {
  readonly status: number
  readonly data: Readonly<Record<string, unknown>>
}

const api = async (method: string, path: string, body?: object): Promise<Answer> => {
  const answer = await fetch(base + path, {
    method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const json = (await answer.json()) as { readonly data?: object }
  return { status: answer.status, data: (json.data ?? json) as Answer["data"] }
}

const start = async (providerInstanceId: string, more: object = {}) => {
  const { data } = await api("POST", "/v1/banks/connections/start", {
    providerInstanceId,
    email: "person@example.com",
    forceNewConnection: true,
    ...more
  })
  const page = String(data["connectUrl"])
  return { attemptId: String(data["attemptId"]), page, state: new URL(page).searchParams.get("state")! }
}
const attempt = async (id: string) => (await api("GET", `/v1/banks/connections/attempts/${id}`)).data

const open = async (url: string, fields?: Readonly<Record<string, string>>) => {
  const answer = await fetch(url, {
    redirect: "manual",
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

const actionAt = (state: string, what: string) => `${base}/connect/attempt/${what}?state=${state}`

describe("the pages on which a bank is connected", () => {
  it("lead through the demo bank to a bank, with no script and nothing from elsewhere", async () => {
    const { attemptId, page, state } = await start("demo:default", { institutionId: "demo-retail" })
    const first = await open(page)
    expect([first.status, first.policy]).toEqual([
      200,
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ])
    expect(first.headers.get("referrer-policy")).toBe("no-referrer")
    expect(first.headers.get("cache-control")).toBe("no-store")
    expect(first.text).not.toMatch(/<script|<img|https?:\/\/(?!127)/)
    const demo = /href="([^"]+)"/.exec(first.text)![1]!.replaceAll("&amp;", "&")
    expect((await open(demo)).text).toContain("This is a trial")
    const landing = `${base}/connect/callback/demo%3Adefault?state=${state}`
    const done = await open(`${landing}&institution_id=demo-retail&connection_id=demo%3Anormal%3Apages`)
    expect(done.text).toContain("Demo National Bank is connected")
    expect(await attempt(attemptId)).toMatchObject({ state: "completed", error: null })
    // Whoever goes back, or asks once more, sees what there is.
    expect((await open(page)).text).toContain("Your bank is connected")
    expect((await open(`${landing}&connection_id=demo%3Anormal%3Apages`)).text).toContain("is connected")
  })

  it("know nobody without the state, and let it stand in no log", async () => {
    const { state } = await start("demo:default")
    for (const url of [
      `${base}/connect/attempt`,
      `${base}/connect/attempt?state=${state}x`,
      `${base}/connect/attempt?state=${"x".repeat(5_000)}`,
      `${base}/connect/callback/demo%3Adefault?connection_id=demo%3Anormal`,
      `${base}/connect/demo?state=`
    ]) {
      const answer = await open(url)
      expect([answer.status, answer.text.includes("no longer valid")]).toEqual([404, true])
    }
    expect((await open(actionAt("nobody", "token"), { token: "good" })).status).toBe(404)
    await open(`${base}/connect/attempt?state=${state}`)
    expect(JSON.stringify(entries)).not.toContain(state)
  })

  it("send the browser on to where the caller wants it, and leave the completing to the caller", async () => {
    const { attemptId, state } = await start("demo:default", { redirectUri: "https://app.example/back?tab=1" })
    const back = await open(`${base}/connect/callback/demo%3Adefault?state=${state}&connection_id=demo%3Anormal%3Aown`)
    expect([back.status, back.location]).toEqual([
      303,
      `https://app.example/back?tab=1&attemptId=${attemptId}&status=connected&connectionId=demo%3Anormal%3Aown`
    ])
    expect(await attempt(attemptId)).toMatchObject({ state: "open" })
    const completed = await api("POST", "/v1/banks/connections/complete", {
      providerInstanceId: "demo:default",
      attemptId,
      payload: { kind: "provider_connection_id", connectionId: "demo:normal:own" }
    })
    expect(completed).toMatchObject({ status: 200, data: { created: true } })
    const other = await start("demo:default", { redirectUri: "https://app.example/back" })
    const stopped = await open(`${base}/connect/callback/demo%3Adefault?state=${other.state}&status=ABANDONED`)
    expect(stopped.location).toBe(`https://app.example/back?attemptId=${other.attemptId}&status=cancelled`)
    expect(await attempt(other.attemptId)).toMatchObject({ state: "failed", error: { code: "CONNECTION_CANCELLED" } })
  })

  it("take a pasted token, say what is wrong with one, and end when the person cancels", async () => {
    const bad = await start("demo:token")
    const form = await open(bad.page)
    expect(form.text).toContain("Upstream &quot;token&quot; &lt;b&gt;")
    expect(form.text).toContain('<label for="token">Setup token</label>')
    expect((await open(actionAt(bad.state, "token"), { token: "  " })).text).toContain("Paste the setup token")
    const refused = await open(actionAt(bad.state, "token"), { token: "none of ours" })
    expect(refused.text).toContain("The bank is not connected")
    expect(refused.text).not.toContain("none of ours</")
    const good = await start("demo:token")
    expect((await open(actionAt(good.state, "token"), { token: " go od\n" })).text).toContain("Good Bank is connected")
    const cancelled = await start("demo:token")
    expect((await open(actionAt(cancelled.state, "cancel"), {})).text).toContain("You stopped before")
    expect((await open(actionAt(cancelled.state, "token"), { token: "good" })).text).toContain("You stopped before")
  })

  it("let the provider's own widget in where its flow needs one, and no other script", async () => {
    const expected = {
      link: ["script-src 'nonce-", "https://cdn.plaid.com/link/v2/stable/link-initialize.js"],
      session: ["frame-src https://auth.fiskil.com", "https://auth.fiskil.com/?sess_id=as_1"],
      connector: ["https://cdn.quiltt.io/v1/connector.js", "Quiltt.reconnect"]
    }
    for (const [instance, [policy, text]] of Object.entries(expected)) {
      const { page } = await start(`demo:${instance}`)
      const shown = await open(page)
      expect(shown.policy).toContain(policy)
      expect(shown.policy).not.toMatch(/script-src[^;]*(?:unsafe-inline|\*)/)
      expect(shown.text).toContain(text)
      const nonce = /'nonce-([^']+)'/.exec(shown.policy)![1]!
      expect(shown.text.match(/<script(?! src)[^>]*>/g)).toEqual([`<script nonce="${nonce}">`])
      expect((await open(page)).policy).not.toContain(nonce)
    }
    const link = await start("demo:link")
    // A token ends no script, whatever is in it.
    expect((await open(link.page)).text).toContain('token: "link\\u003c/script>\\u003cb>"')
    const fields = { result: "connected", publicToken: "good", institutionId: "i" }
    expect((await open(actionAt(link.state, "result"), fields)).text).toContain("Good Bank is connected")
    const redirect = await start("demo:redirect")
    expect((await open(redirect.page)).text).toContain('href="https://bank.example/consent?a=1&amp;b=2"')
  })

  it("ask which bank is meant where one is connected already", async () => {
    const first = await start("demo:default", { institutionId: "demo-lender" })
    await open(`${base}/connect/callback/demo%3Adefault?state=${first.state}&connection_id=demo%3Anormal%3Alender`)
    const again = await start("demo:default", { institutionId: "demo-lender", forceNewConnection: false })
    const question = await open(again.page)
    expect(question.text).toContain("This bank is connected already")
    const bank = /value="(bank_[^"]+)"/.exec(question.text)![1]!
    const chosen = await open(actionAt(again.state, "choose"), { bank })
    expect(chosen.text).toContain("/connect/demo?")
    await open(`${base}/connect/callback/demo%3Adefault?state=${again.state}&connection_id=demo%3Anormal%3Alender`)
    expect(await attempt(again.attemptId)).toMatchObject({ state: "completed", bankId: bank })
  })
})

/** A feed for files, and an address of its page. */
const startUpload = async (body: object = {}) => {
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

const statement = "Date;Description;Amount\n2026-03-02;Coffee;-4.50\n2026-03-03;Tea;-3.50\n"

const send = async (page: string, text: string, name = "march.csv") => {
  const form = new FormData()
  form.set("file", new File([text], name, { type: "text/csv" }))
  const answer = await fetch(page, { method: "POST", body: form })
  return { status: answer.status, text: await answer.text() }
}

describe("the page on which statements are uploaded", () => {
  it("takes a file, says what was read, doubles nothing, and leads back", async () => {
    const { page, path } = await startUpload({ redirectUri: "https://app.example/done?tab=1" })
    const first = await open(page)
    expect([first.status, first.policy]).toEqual([
      200,
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ])
    expect(first.text).toContain("Upload a statement to Statements &lt;b&gt;")
    const sent = await send(page, statement, "<i>march.csv")
    expect([sent.status, /<li>(.*)<\/li>/.exec(sent.text)![1]]).toEqual([
      200,
      "An account without a number: 2 rows, in USD."
    ])
    expect(sent.text).toContain("&lt;i&gt;march.csv was read")
    expect((await send(page, statement)).text).toContain("This file was uploaded before")
    const uploads = (await api("GET", path)).data as unknown as ReadonlyArray<object>
    expect(uploads).toMatchObject([{ statements: [{ rows: 2 }] }])
    const end = /href="([^"]+)">Done/.exec(sent.text)![1]!.replaceAll("&amp;", "&")
    expect((await open(base + end)).text).toContain('href="https://app.example/done?tab=1&amp;status=uploaded"')
    const stop = /href="([^"]+)">Cancel/.exec(first.text)![1]!.replaceAll("&amp;", "&")
    const stopped = await open(base + stop)
    expect(stopped.text).toContain("Nothing was uploaded")
    expect(stopped.text).toContain("status=cancelled")
  })

  it("says what is wrong with a file, keeps nothing of it, and can be tried again", async () => {
    const { page, path } = await startUpload()
    const refused = await send(page, "Date;Description;Amount\n2026-03-02;Coffee;four\n")
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("The file was not uploaded, and nothing of it was kept.")
    expect(refused.text).toMatch(/line 2/i)
    expect(refused.text).toContain("<button>Upload</button>")
    const empty = await open(page, { file: "" })
    expect([empty.status, empty.text.includes('role="alert"')]).toEqual([415, true])
    expect((await api("GET", path)).data).toEqual([])
    expect((await send(page, statement)).text).toContain("The file was uploaded")
  })

  it("knows nobody without its address, and lets it stand in no log", async () => {
    const { page } = await startUpload()
    const state = new URL(page).searchParams.get("state")!
    for (const url of [`${base}/connect/upload`, `${page}x`, `${base}/connect/upload/end?state=${state.slice(1)}`]) {
      const answer = await open(url)
      expect([answer.status, answer.text.includes("no longer valid")]).toEqual([404, true])
    }
    expect((await send(`${page}x`, statement)).status).toBe(404)
    await send(page, statement)
    expect(JSON.stringify(entries)).not.toContain(state)
  })
})

const chromium = "/usr/bin/chromium"
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"

/** A browser is any program that is given the address. */
const browserThat = (script: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), "millrace-browser-")), "browser.mjs")
  writeFileSync(path, `#!${process.execPath}\n${script}`, { mode: 0o755 })
  return path
}

const connect = (BROWSER: string, ...more: ReadonlyArray<string>) =>
  run(["banks", "connect", "--provider", "demo:default", "--email", "me@example.com", "--new", "-o", "json", ...more], {
    env: { ...env, BROWSER },
    stdin: ""
  })

describe("millrace banks connect", () => {
  it("opens the page, waits, and shows the bank with its accounts", { timeout: 300_000 }, async () => {
    const browser = browserThat(`
      const state = new URL(process.argv[2]).searchParams.get("state")
      await fetch("${base}/connect/callback/demo%3Adefault?connection_id=demo%3Anormal%3Acli&state=" + state)`)
    const { code, err, out } = await connect(browser)
    expect(code, err).toBe(0)
    expect(err).toContain(`Go on in your browser: ${base}/connect/attempt?state=`)
    expect(JSON.parse(out)).toMatchObject({ name: "Demo National Bank", accounts: [{}, {}, {}] })
  })

  it("fails with why where the person stops", { timeout: 300_000 }, async () => {
    const browser = browserThat(`
      const state = new URL(process.argv[2]).searchParams.get("state")
      await fetch("${base}/connect/callback/demo%3Adefault?status=cancelled&state=" + state)`)
    const { code, err, out } = await connect(browser)
    expect([code, out]).toEqual([1, ""])
    expect(err).toContain("The attempt is failed: The person stopped before the bank was connected")
  })

  it.skipIf(!existsSync(chromium))(
    "is gone through by clicks in headless Chromium (skipped where /usr/bin/chromium is not installed)",
    { timeout: 300_000 },
    async () => {
      const { chromium: browsers } = await import("playwright-core")
      const browser = await browsers.launch({ executablePath: chromium, headless: true, args: flags.split(" ") })
      try {
        const tab = await browser.newPage()
        const faults: Array<string> = []
        tab.on("console", (message) => {
          if (message.type() === "error") faults.push(message.text())
        })
        const { attemptId, page } = await start("demo:default")
        await tab.goto(page)
        await tab.getByRole("link", { name: "Go to Demo" }).click()
        await tab.getByLabel("How should the bank behave?").selectOption("demo:slow")
        await tab.getByRole("button", { name: "Sign in and consent" }).click()
        await tab.getByRole("heading", { name: "Your bank is connected" }).waitFor()
        expect(await attempt(attemptId)).toMatchObject({ state: "completed" })
        const stopped = await start("demo:token")
        await tab.goto(stopped.page)
        // By keyboard alone, as some people do.
        await tab.getByLabel("Setup token").fill("not a token")
        await tab.getByRole("button", { name: "Cancel" }).press("Enter")
        await tab.getByRole("heading", { name: "You stopped before the bank was connected" }).waitFor()
        expect(await attempt(stopped.attemptId)).toMatchObject({ state: "failed" })
        const file = { name: "march.csv", mimeType: "text/csv", buffer: Buffer.from(statement) }
        const upload = (await startUpload()).page
        await tab.goto(upload)
        await tab.getByLabel("Statement file").setInputFiles(file)
        await tab.getByRole("button", { name: "Upload" }).click()
        await tab.getByRole("heading", { name: "The file was uploaded" }).waitFor()
        await tab.getByRole("link", { name: "Done" }).click()
        await tab.getByRole("heading", { name: "Your files are uploaded" }).waitFor()
        expect(faults).toEqual([])
        // To look at the pages: a folder in MILLRACE_PICTURES gets a picture of each.
        const folder = process.env["MILLRACE_PICTURES"]
        if (folder !== undefined) {
          for (const instance of ["default", "token", "link", "session", "connector", "redirect"]) {
            await tab.goto((await start(`demo:${instance}`)).page)
            await tab.screenshot({ path: join(folder, `${instance}.png`) })
          }
          await tab.goto(upload)
          await tab.screenshot({ path: join(folder, "upload.png") })
          for (const [name, text] of [
            ["uploaded", statement],
            ["refused", "Date;Description;Amount\n2026-03-02;Coffee;four\n"]
          ] as const) {
            await tab.goto(upload)
            await tab.getByLabel("Statement file").setInputFiles({ ...file, buffer: Buffer.from(text) })
            await tab.getByRole("button", { name: "Upload" }).click()
            await tab.screenshot({ path: join(folder, `${name}.png`) })
          }
        }
      } finally {
        await browser.close()
      }
    }
  )
})
