/** Connecting a bank as people do: the command line, and the pages of the server. */
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  actionAt,
  api,
  attempt,
  base,
  entries,
  environment,
  open,
  send,
  serveWorld,
  start,
  startUpload,
  statement
} from "./ConnectWorld.ts"
import { run } from "./Run.ts"

serveWorld()

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
    expect(refused.text).toContain('role="alert">The provider does not take this setup token')
    expect(refused.text).toContain('<label for="token">Setup token</label>')
    expect((await open(actionAt(bad.state, "token"), { token: "good" })).text).toContain("Good Bank is connected")
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

  it("say who asks for what, name the bank to sign in at again, and lead on after an end", async () => {
    const { attemptId, page, state } = await start("demo:token", { redirectUri: "https://app.example/back" })
    const shown = await open(page)
    expect(shown.text).toContain(
      "Test asks to read the accounts, balances and transactions of your bank through Upstream"
    )
    const ended = await open(actionAt(state, "cancel"), {})
    expect(ended.text).toContain(`https://app.example/back?attemptId=${attemptId}&amp;status=cancelled`)
    const again = await open(actionAt(state, "again"), {})
    expect(again.status).toBe(303)
    const next = new URL(again.location!)
    expect(next.searchParams.get("state")).not.toBe(state)
    const done = await open(actionAt(next.searchParams.get("state")!, "token"), { token: "good" })
    // It is completed: nothing needs the connection any more.
    expect(done.text).toMatch(/https:\/\/app\.example\/back\?attemptId=[^&"]+&amp;status=connected"/)
    const banks = (await api("GET", "/v1/banks")).data as unknown as ReadonlyArray<{ id: string; name: string }>
    const bank = banks.find(({ name }) => name === "Good Bank")!
    const reauth = await api("POST", `/v1/banks/connections/${bank.id}/reauth`, {})
    expect((await open(String(reauth.data["connectUrl"]))).text).toContain("<h1>Sign in again at Good Bank</h1>")
    // An attempt that goes on is not begun once more.
    const running = new URL(String(reauth.data["connectUrl"])).searchParams.get("state")!
    expect((await open(actionAt(running, "again"), {})).status).toBe(200)
  })

  it("speak the language of the browser where they have it, and English elsewhere", async () => {
    const { page } = await start("demo:redirect")
    const spoken = async (accept: string) => {
      const { text } = await open(page, undefined, { "accept-language": accept })
      return [/<html lang="(..)">/.exec(text)![1], /<h1>([^<]+)/.exec(text)![1]]
    }
    const [en, de, fr] = [
      ["en", "Connect your bank"],
      ["de", "Bank verbinden"],
      ["fr", "Connecter votre banque"]
    ]
    expect(await spoken("de-AT,de;q=0.9,en;q=0.8")).toEqual(de)
    expect(await spoken("nl, fr-CA;q=0.5, en;q=0.4")).toEqual(fr)
    expect(await spoken("en;q=0.2, de;q=0.1")).toEqual(en)
    expect(await spoken("de;q=0, it")).toEqual(en)
    expect(await spoken(";;,q=,*")).toEqual(en)
    // Whoever chose a bank before sees its name.
    await api("POST", "/v1/banks/search", { query: "Demo National" })
    const chosen = await start("demo:default", { institutionId: "demo-retail" })
    const heading = async (accept: string) => {
      const { text } = await open(chosen.page, undefined, { "accept-language": accept })
      return /<h1>([^<]+)/.exec(text)![1]
    }
    expect(await Promise.all(["en", "de", "fr"].map(heading))).toEqual([
      "Connect Demo National Bank",
      "Demo National Bank verbinden",
      "Connecter Demo National Bank"
    ])
  })

  it("take a cancel at Salt Edge for a cancel", async () => {
    const { attemptId, state } = await start("demo:redirect")
    await open(`${base}/connect/callback/demo%3Aredirect?state=${state}&error_class=AuthorizationCancelled`)
    expect(await attempt(attemptId)).toMatchObject({ state: "failed", error: { code: "CONNECTION_CANCELLED" } })
    const failed = await start("demo:redirect")
    await open(`${base}/connect/callback/demo%3Aredirect?state=${failed.state}&error_class=InvalidCredentials`)
    expect(await attempt(failed.attemptId)).toMatchObject({ state: "failed", error: { code: "CONNECTION_FAILED" } })
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

describe("the page on which statements are uploaded", () => {
  it("takes a file, says what was read, doubles nothing, and leads back", async () => {
    const { page, path } = await startUpload({ redirectUri: "https://app.example/done?tab=1" })
    const first = await open(page)
    expect([first.status, first.policy]).toEqual([
      200,
      "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ])
    expect(first.text).toContain("Statements &lt;b&gt;: upload a statement")
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

/** A browser is any program that is given the address. */
const browserThat = (script: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), "millrace-browser-")), "browser.mjs")
  writeFileSync(path, `#!${process.execPath}\n${script}`, { mode: 0o755 })
  return path
}

const connect = (BROWSER: string, ...more: ReadonlyArray<string>) =>
  run(["banks", "connect", "--provider", "demo:default", "--email", "me@example.com", "--new", "-o", "json", ...more], {
    env: { ...environment(), BROWSER },
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
})
