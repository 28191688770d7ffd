/**
 * The pages of the server in headless Chromium: each flow is gone through to its end, and every page can be read and used,
 * in the light and in the dark, on a narrow screen, and by keyboard.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { actionAt, attempt, base, serveWorld, start, startUpload, statement } from "./ConnectWorld.ts"

serveWorld()

const chromium = "/usr/bin/chromium"
const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"

/** A folder in MILLRACE_PICTURES gets pictures of each page. */
const folder = process.env["MILLRACE_PICTURES"]

const looks = [
  { name: "light", colorScheme: "light", width: 1_000, height: 800 },
  { name: "dark", colorScheme: "dark", width: 1_000, height: 800 },
  { name: "narrow", colorScheme: "light", width: 320, height: 640 }
] as const

/** A script for the page, which says in words what keeps people from reading or using it. */
const faults = readFileSync(new URL("PageFaults.browser.js", import.meta.url), "utf8")

/** What the windows of upstreams are in these tests: they end as is said. */
const plaid = (ends: string) => `window.Plaid = { create: (options) => ({ open: () => { ${ends} } }) }`
const quiltt = (ends: string) =>
  `window.Quiltt = { authenticate: () => {}, reconnect: (id, options) => ({ open: () => { ${ends} } }) }`
const consent = (said: string) =>
  `<!doctype html><title>x</title><button onclick='parent.postMessage(${said}, "*")'>End</button>`

/** What can be used, by its text or label, and what the keyboard reaches, in the order of the keyboard. */
const reached = async (
  tab: Page
): Promise<readonly [all: ReadonlyArray<string>, byKeyboard: ReadonlyArray<string>]> => {
  const nameOf = `(one) => one.labels?.[0]?.innerText.trim() || one.innerText.trim() || one.title || one.name`
  const radios = `(one) => one.type !== "radio" || one.checked`
  const all: ReadonlyArray<string> = await tab.evaluate(
    `[...document.querySelectorAll("a, button, select, textarea, iframe, input:not([type=hidden])")]
      .filter((one) => one.checkVisibility()).filter(${radios}).map(${nameOf})`
  )
  // From the top, wherever the page has put the focus.
  await tab.evaluate(`(() => {
    document.body.prepend(document.createElement("i"))
    document.body.firstChild.tabIndex = -1
    document.body.firstChild.focus()
  })()`)
  const byKeyboard: Array<string> = []
  for (const _ of all) {
    await tab.keyboard.press("Tab")
    byKeyboard.push(await tab.evaluate(`(${nameOf})(document.activeElement)`))
    // What has the focus shows it.
    expect(
      await tab.evaluate(
        "document.activeElement.matches('iframe') || getComputedStyle(document.activeElement).outlineStyle !== 'none'"
      )
    ).toBe(true)
  }
  return [all, byKeyboard]
}

describe.skipIf(!existsSync(chromium))("pages in headless Chromium (skipped without /usr/bin/chromium)", () => {
  let browser: Browser
  let tab: Page
  const errors: Array<string> = []

  beforeAll(async () => {
    const { chromium: browsers } = await import("playwright-core")
    browser = await browsers.launch({ executablePath: chromium, headless: true, args: flags.split(" ") })
    tab = await browser.newPage()
    tab.setDefaultTimeout(60_000)
    tab.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text())
    })
    tab.on("pageerror", ({ message }) => errors.push(message))
  }, 120_000)
  afterAll(() => browser.close())

  /** Looks at the page that is shown, in each way. */
  const look = async (name: string): Promise<void> => {
    for (const { colorScheme, height, name: way, width } of looks) {
      await tab.emulateMedia({ colorScheme })
      await tab.setViewportSize({ width, height })
      if (folder !== undefined) await tab.screenshot({ path: join(folder, `${name}-${way}.png`), fullPage: true })
      expect([name, way, await tab.evaluate(faults)]).toEqual([name, way, []])
    }
    await tab.emulateMedia({ colorScheme: "light" })
    await tab.setViewportSize({ width: 1_000, height: 800 })
  }
  /** Waits for the page of this heading; where another one stays, the failure says what that shows. */
  const heading = async (text: string): Promise<void> => {
    try {
      await tab.getByRole("heading", { name: text, exact: true }).waitFor()
    } catch (cause) {
      const shown = await tab.locator("body").innerText()
      throw new Error(`“${text}” never came. ${tab.url()} shows:\n${shown}\nIts errors: ${errors.join("; ")}`, {
        cause
      })
    }
  }
  const usable = async () => {
    const [all, byKeyboard] = await reached(tab)
    expect(byKeyboard).toEqual(all)
  }
  const begin = async (instance: string, more: object = {}) => {
    const begun = await start(`demo:${instance}`, more)
    await tab.goto(begun.page, { waitUntil: "domcontentloaded" })
    return begun
  }
  const completed = async (attemptId: string) => {
    await heading("Your bank is connected")
    expect(await attempt(attemptId)).toMatchObject({ state: "completed" })
  }
  const cancelled = async (attemptId: string) => {
    await heading("You stopped before the bank was connected")
    expect(await attempt(attemptId)).toMatchObject({ state: "failed", error: { code: "CONNECTION_CANCELLED" } })
  }
  /** Puts something else in the place of what the upstream loads from the web. */
  const standIn = async (pattern: string | RegExp, contentType: string, body: string | undefined) => {
    await tab.unrouteAll()
    await tab.route(pattern, (route) =>
      body === undefined ? route.abort() : route.fulfill({ status: 200, contentType, body })
    )
  }
  const noErrors = () => expect(errors.splice(0)).toEqual([])

  it("leads through a portal, and back where the person wanted to go", { timeout: 300_000 }, async () => {
    const { attemptId } = await begin("default")
    await look("portal")
    await usable()
    await tab.getByRole("link", { name: "Go to Demo" }).click()
    await heading("Demo bank")
    await look("demo")
    await usable()
    await tab.getByLabel("How should the bank behave?").selectOption("demo:slow")
    await tab.getByRole("button", { name: "Sign in and consent" }).click()
    await completed(attemptId)
    await look("connected")
    await standIn("https://app.example/**", "text/html", "<h1>The application</h1>")
    const stopped = await begin("default", { redirectUri: "https://app.example/back" })
    await tab.getByRole("button", { name: "Cancel" }).press("Enter")
    await cancelled(stopped.attemptId)
    await look("cancelled")
    await tab.getByRole("link", { name: "Go back" }).click()
    await tab.waitForURL(/app\.example\/back\?attemptId=.*status=cancelled/)
    noErrors()
  })

  it("leads to the bank by a redirect", { timeout: 300_000 }, async () => {
    const { attemptId, state } = await begin("redirect")
    await look("redirect")
    await usable()
    await standIn("https://bank.example/**", "text/html", "<h1>The bank</h1>")
    await tab.getByRole("link", { name: /^Go to/ }).click()
    await heading("The bank")
    await tab.goto(`${base}/connect/callback/demo%3Aredirect?state=${state}&connection_id=good`)
    await completed(attemptId)
    // A cookie knows the person where the bank sends the browser back without the state, and the person says so.
    const bare = await begin("bare")
    await tab.goto(`${base}/connect/callback/demo%3Abare?connection_id=good`)
    await heading("Go on connecting your bank?")
    await look("returned")
    await usable()
    await tab.getByRole("button", { name: "Go on" }).press("Enter")
    await completed(bare.attemptId)
    noErrors()
  })

  it("takes a token that is pasted, and says so where it is none", { timeout: 300_000 }, async () => {
    const stopped = await begin("token")
    await look("token")
    await usable()
    await tab.getByRole("button", { name: "Cancel" }).press("Enter")
    await cancelled(stopped.attemptId)
    // Whoever stopped can begin once more from there.
    await tab.getByRole("button", { name: "Try again" }).click()
    await tab.getByLabel("Setup token").fill("none of theirs")
    await tab.getByRole("button", { name: "Connect" }).click()
    await tab
      .getByRole("alert")
      .getByText(/does not take this setup token/)
      .waitFor()
    await look("token-refused")
    await usable()
    const { attemptId } = await begin("token")
    await tab.getByLabel("Setup token").fill("good")
    await tab.keyboard.press("Tab")
    await tab.keyboard.press("Enter")
    await completed(attemptId)
    noErrors()
  })

  it(
    "opens the window of Plaid, ends as it ends, and says where it cannot be loaded",
    { timeout: 300_000 },
    async () => {
      const script = "https://cdn.plaid.com/link/v2/stable/link-initialize.js"
      await standIn(script, "text/javascript", undefined)
      await begin("link")
      await look("link")
      await usable()
      await tab.getByRole("button", { name: "Go on" }).click()
      await tab
        .getByRole("alert")
        .getByText(/could not be loaded/)
        .waitFor()
      await look("link-blocked")
      errors.length = 0
      await standIn(
        script,
        "text/javascript",
        plaid(`options.onSuccess("good", { institution: { institution_id: "i" } })`)
      )
      const { attemptId } = await begin("link")
      await tab.getByRole("button", { name: "Go on" }).click()
      await completed(attemptId)
      // The bank sent the person back to go on in that window, which opens by itself.
      const back = await start("demo:link")
      await tab.goto(back.page)
      await tab.goto(`${base}/connect/callback/demo%3Alink?oauth_state_id=1`)
      await completed(back.attemptId)
      await standIn(script, "text/javascript", plaid("options.onExit({ error_code: 'X' })"))
      const failed = await begin("link")
      await tab.getByRole("button", { name: "Go on" }).click()
      await heading("The bank is not connected")
      expect(await attempt(failed.attemptId)).toMatchObject({ state: "failed" })
      await standIn(script, "text/javascript", plaid("options.onExit(null)"))
      const stopped = await begin("link")
      await tab.getByRole("button", { name: "Go on" }).click()
      await tab.getByRole("button", { name: "Cancel" }).click()
      await cancelled(stopped.attemptId)
      noErrors()
    }
  )

  it("shows the page of Fiskil in a frame, and hears from nobody else how it ended", { timeout: 300_000 }, async () => {
    // A frame of another site is a process of its own, and a press of the mouse gets lost where the browser has not drawn it yet.
    const end = () => tab.frameLocator("iframe").getByRole("button", { name: "End" }).dispatchEvent("click")
    await standIn(/^https:\/\/auth\.fiskil\.com\//, "text/html", consent(`{"isCompleted":true,"consentID":"good"}`))
    const { attemptId } = await begin("session")
    await look("session")
    // Our own way out is in sight before anybody scrolls, also on a telephone.
    await tab.setViewportSize({ width: 390, height: 664 })
    const place = await tab.getByRole("button", { name: "Cancel" }).boundingBox()
    expect(place!.y + place!.height).toBeLessThan(664)
    await tab.evaluate(`postMessage({ isCompleted: true, consentID: "another" }, "*")`)
    await end()
    await completed(attemptId)
    await standIn(/^https:\/\/auth\.fiskil\.com\//, "text/html", consent(`{"error_id":"CONSENT_DENIED"}`))
    const stopped = await begin("session")
    await end()
    await cancelled(stopped.attemptId)
    noErrors()
  })

  it(
    "opens the window of Quiltt, ends as it ends, and says where it cannot be loaded",
    { timeout: 300_000 },
    async () => {
      const script = "https://cdn.quiltt.io/v1/connector.js"
      await standIn(script, "text/javascript", undefined)
      await begin("connector")
      await look("connector")
      await tab.getByRole("button", { name: "Go on" }).click()
      await tab
        .getByRole("alert")
        .getByText(/could not be loaded/)
        .waitFor()
      errors.length = 0
      await standIn(script, "text/javascript", quiltt(`options.onExitSuccess({ connectionId: "good" })`))
      const { attemptId } = await begin("connector")
      await tab.getByRole("button", { name: "Go on" }).click()
      await completed(attemptId)
      await standIn(script, "text/javascript", quiltt("options.onExitAbort()"))
      const stopped = await begin("connector")
      await tab.getByRole("button", { name: "Go on" }).click()
      await cancelled(stopped.attemptId)
      noErrors()
    }
  )

  it("asks which bank is meant where one is connected already", { timeout: 300_000 }, async () => {
    const first = await start("demo:default", { institutionId: "demo-lender" })
    await tab.goto(`${base}/connect/callback/demo%3Adefault?state=${first.state}&connection_id=demo%3Anormal%3Alooks`)
    await completed(first.attemptId)
    await begin("default", { institutionId: "demo-lender", forceNewConnection: false })
    await heading("This bank is connected already")
    await look("choice")
    await usable()
    await tab.keyboard.press("Tab")
    await tab.getByRole("radio").first().focus()
    await tab.keyboard.press("ArrowDown")
    await tab.getByRole("button", { name: "Go on" }).press("Enter")
    await tab.getByRole("link", { name: "Go to Demo" }).waitFor()
    noErrors()
  })

  it(
    "tells what became of attempts that are over, and of addresses that nobody knows",
    { timeout: 300_000 },
    async () => {
      const [older, newer] = [await start("demo:token"), await start("demo:token")]
      await tab.goto(older.page)
      await look("older")
      await tab.goto(newer.page)
      await tab.getByLabel("Setup token").waitFor()
      const answer = await tab.goto(`${base}/connect/attempt?state=nobody`)
      expect(answer?.status()).toBe(404)
      await heading("This page is no longer valid")
      await look("unknown")
      errors.length = 0
      await tab.goto(newer.page)
      // Nothing that is typed is long enough to break it.
      await tab.getByLabel("Setup token").fill("x".repeat(2_000))
      await look("long")
      expect(actionAt(newer.state, "token")).toContain("/connect/attempt/token")
    }
  )

  it("takes statements, says what is wrong with one, and ends", { timeout: 300_000 }, async () => {
    const file = { name: "march.csv", mimeType: "text/csv", buffer: Buffer.from(statement) }
    await standIn("https://app.example/**", "text/html", "<h1>The application</h1>")
    const { page } = await startUpload({ redirectUri: "https://app.example/back" })
    await tab.goto(page)
    await look("upload")
    await usable()
    const wrong = "Date;Description;Amount\n2026-03-02;Coffee;four\n"
    await tab
      .getByLabel("Statement file")
      .setInputFiles({ ...file, name: `${"a".repeat(120)}.csv`, buffer: Buffer.from(wrong) })
    await tab.getByRole("button", { name: "Upload" }).click()
    await tab.getByRole("alert").getByText("nothing of it was kept").waitFor()
    await look("upload-refused")
    errors.length = 0
    await tab.getByLabel("Statement file").setInputFiles({ ...file, name: `${"a".repeat(120)}.csv` })
    await tab.getByRole("button", { name: "Upload" }).click()
    await heading("The file was uploaded")
    await look("uploaded")
    await usable()
    await tab.getByRole("link", { name: "Done" }).click()
    await heading("Your files are uploaded")
    await look("upload-done")
    await tab.getByRole("link", { name: "Go back" }).click()
    await tab.waitForURL(/app\.example\/back\?status=uploaded/)
    await tab.goto(page)
    await tab.getByRole("link", { name: "Cancel" }).click()
    await heading("Nothing was uploaded")
    noErrors()
  })
})
