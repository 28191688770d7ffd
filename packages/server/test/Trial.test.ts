import { expect, it } from "@effect/vitest"
import { OutboundClient } from "@millrace/adapters"
import { Outbound } from "@millrace/core/outbound"
import { beginOf, completeOf, keptIn, openFor } from "@millrace/testing/fake"
import { CalendarDate } from "@millrace/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Configuration } from "../src/Configuration.ts"
import { parseOptions } from "../src/Options.ts"
import { withTrial } from "../src/Trial.ts"

const nothing: Configuration = {
  providers: [],
  instances: ["demo:default"],
  budgets: new Map(),
  privateHosts: {},
  ratesFile: undefined,
  businessDays: undefined,
  models: [],
  destinations: [],
  enrichments: [],
  collections: []
}

/** The driver of the trial, as a server makes it, and the page on which its banks are broken. */
const tried = Effect.fnUntraced(function* (kind: string) {
  const configuration = yield* withTrial(nothing, kind)
  expect(configuration.instances).toEqual(["demo:default", `${kind}:trial`])
  expect(Object.keys(configuration.privateHosts)).toEqual([`${kind}:trial`])
  const outbound = yield* OutboundClient.make({ privateHosts: configuration.privateHosts[`${kind}:trial`]! })
  const making = configuration.providers[0]!
  const driver = Effect.isEffect(making) ? yield* Effect.provideService(making, Outbound, outbound) : making
  return { driver, page: configuration.trialPage }
})

const driverOf = (kind: string) => Effect.map(tried(kind), ({ driver }) => driver)

/** What a browser would do with a form of a page. */
const send = (url: string, fields: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const answer = await fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" })
    return { location: answer.headers.get("location") ?? "", text: await answer.text() }
  })

/** What a person sees on the page, and does there by the words of a button. */
const deskAt = (page: string) => {
  const text = Effect.promise(async () => (await fetch(page)).text())
  const press = Effect.fnUntraced(function* (label: string) {
    const forms = [...(yield* text).matchAll(/<form method="post">(.*?)<\/form>/g)].map(([, form]) => form!)
    const form = forms.find((one) => one.includes(`>${label}</button>`)) ?? expect.fail(`no button says ${label}`)
    const fields = Array.from(form.matchAll(/name="([^"]*)" value="([^"]*)"/g), ([, name, value]) => [name!, value!])
    const { location } = yield* send(page, Object.fromEntries(fields))
    expect(new URL(location, page).href).toBe(page)
  })
  return { text, press }
}

it.live("a trial of Plaid: a person chooses a bank on its page, comes back, and has invented accounts", () =>
  Effect.gen(function* () {
    const driver = yield* driverOf("plaid")
    expect([driver.instanceId, driver.name]).toEqual(["plaid:trial", "Plaid (trial)"])
    const attemptSecrets: Record<string, string> = {}
    const redirectUri = "https://millrace.example/connect/callback/plaid%3Atrial?state=abc"
    const step = yield* driver.beginConnect(beginOf({ redirectUri, keepAttempt: keptIn(attemptSecrets) }))
    if (step.kind !== "popup") return expect.fail("a page was expected")
    const page = yield* Effect.promise(async () => (await fetch(step.url)).text())
    expect(page).toContain("Trial: no real bank")
    const token = new URL(step.url).searchParams.get("token")!
    const { location } = yield* send(step.url, { token, institution: "ins_109508" })
    expect(location).toBe(`${redirectUri}&connection_id=hosted-link`)
    const payload = { kind: "provider_connection_id", connectionId: "hosted-link" } as const
    const { connection, institution } = yield* driver.completeConnect(completeOf(payload, { attemptSecrets }))
    expect(institution.name).toBe("First Platypus Bank (trial)")
    expect(yield* (yield* openFor(driver, connection)).listAccounts).toHaveLength(5)
    // Who stops there comes back as well.
    const stopped: Record<string, string> = {}
    const again = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(stopped) }))
    if (again.kind !== "popup") return expect.fail("a page was expected")
    yield* send(again.url, { token: stopped["linkToken"]!, institution: "" })
    const error = yield* Effect.flip(driver.completeConnect(completeOf(payload, { attemptSecrets: stopped })))
    expect(error._tag).toBe("UserCancelled")
  }).pipe(Effect.scoped)
)

it.live("a trial of SimpleFIN: a person makes a setup token on its page and pastes it", () =>
  Effect.gen(function* () {
    const driver = yield* driverOf("simplefin")
    const step = yield* driver.beginConnect(beginOf())
    if (step.kind !== "popup") return expect.fail("a page was expected")
    const { text } = yield* send(step.url, {})
    const connectionId = /<code>([^<]+)<\/code>/.exec(text)?.[1] ?? ""
    const { connection, institution } = yield* driver.completeConnect(
      completeOf({ kind: "provider_connection_id", connectionId })
    )
    expect(institution.name).toBe("First Platypus Bank (trial)")
    expect(yield* (yield* openFor(driver, connection)).listAccounts).toHaveLength(3)
  }).pipe(Effect.scoped)
)

it.live("a trial of Fiskil: its page stands in a frame of ours and tells it how it ended", () =>
  Effect.gen(function* () {
    const { driver, page } = yield* tried("fiskil")
    const [subject, attempt]: [Record<string, string>, Record<string, string>] = [{}, {}]
    const begin = () => driver.beginConnect(beginOf({ keepSubject: keptIn(subject), keepAttempt: keptIn(attempt) }))
    const step = yield* begin()
    if (step.kind !== "authSession" || step.origin === undefined) return expect.fail("a page of its own was expected")
    const { text } = yield* send(`${step.origin}/`, { sess_id: step.authSessionId, institution: "22" })
    const connectionId = /"consentID":"([^"]+)"/.exec(text)?.[1] ?? ""
    const payload = { kind: "provider_connection_id", connectionId } as const
    const of = { ref: beginOf().subject.ref, secrets: subject }
    const { connection, institution } = yield* driver.completeConnect(
      completeOf(payload, { subject: of, attemptSecrets: attempt })
    )
    expect(institution.name).toContain("(trial)")
    const again = yield* begin()
    if (again.kind !== "authSession") return expect.fail("a session was expected")
    const stopped = yield* send(`${step.origin}/`, { sess_id: again.authSessionId, institution: "" })
    expect(stopped.text).toContain("DENIED")
    // Whoever banks belong to can be lost there.
    const desk = deskAt(page)
    yield* desk.press("Lose the customer, with all banks")
    expect(yield* desk.text).toContain("No bank is connected to this trial yet")
    const { inspect } = yield* openFor(driver, connection, { subject: of })
    expect((yield* inspect).status).toBe("disconnected")
  }).pipe(Effect.scoped)
)

it.live("a trial of Quiltt: its script and its page stand in for the Connector", () =>
  Effect.gen(function* () {
    const driver = yield* driverOf("quiltt")
    const subject: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ keepSubject: keptIn(subject) }))
    if (step.kind !== "connector" || step.origin === undefined) return expect.fail("a script of its own was expected")
    expect((yield* send(`${step.origin}/v1/connector.js`, {})).text).toContain("window.Quiltt")
    const token = step.sessionToken
    const institution = "Harbor Bank (trial)"
    const { text } = yield* send(`${step.origin}/connector`, { token, institution })
    const connectionId = /"connectionId":"([^"]+)"/.exec(text)?.[1] ?? ""
    const completed = yield* driver.completeConnect(
      completeOf(
        { kind: "provider_connection_id", connectionId },
        { subject: { ref: beginOf().subject.ref, secrets: subject } }
      )
    )
    expect(completed.institution.name).toBe(institution)
    expect((yield* send(`${step.origin}/connector`, { token, institution: "" })).text).toContain('{"connectionId":""}')
  }).pipe(Effect.scoped)
)

it.live("a trial of Plaid: a person breaks its bank on a page, sees what becomes of it, and mends it", () =>
  Effect.gen(function* () {
    const { driver, page } = yield* tried("plaid")
    const desk = deskAt(page)
    expect(yield* desk.text).toContain("No bank is connected to this trial yet")
    const attemptSecrets: Record<string, string> = {}
    const step = yield* driver.beginConnect(beginOf({ keepAttempt: keptIn(attemptSecrets) }))
    if (step.kind !== "popup") return expect.fail("a page was expected")
    yield* send(step.url, { token: attemptSecrets["linkToken"]!, institution: "ins_109508" })
    const payload = { kind: "provider_connection_id", connectionId: "hosted-link" } as const
    const { connection } = yield* driver.completeConnect(completeOf(payload, { attemptSecrets }))
    expect(yield* desk.text).toContain("First Platypus Bank (trial)")
    const status = Effect.gen(function* () {
      const inspected = yield* Effect.exit(Effect.flatMap(openFor(driver, connection), ({ inspect }) => inspect))
      return Exit.isSuccess(inspected) ? inspected.value.status : "failed"
    })
    const became: Array<string> = []
    for (const label of ["Ask for a new sign-in", "End the consent", "Lose the connection"]) {
      yield* desk.press(label)
      became.push(yield* status)
      yield* desk.press("Mend everything")
      expect([label, yield* status]).toEqual([label, "connected"])
    }
    expect(became).toEqual(["reauth_required", "consent_expired", "disconnected"])

    const read = Effect.gen(function* () {
      const session = yield* openFor(driver, connection)
      const accounts = yield* session.listAccounts
      let [rows, faults] = [0, 0]
      for (let position: string | undefined, more = true; more;) {
        const { end, quarantined, upserted } = yield* session.pull({
          dataType: "transactions",
          providerAccountIds: accounts.map(({ providerAccountId }) => providerAccountId),
          from: CalendarDate.make("2020-01-01"),
          to: CalendarDate.make("2099-01-01"),
          ...(position === undefined ? {} : { position })
        })
        rows += upserted.length
        faults += quarantined.length
        more = end.kind === "more"
        position = end.kind === "more" ? end.position : undefined
      }
      return [rows, faults]
    })
    const [before = 0] = yield* read
    yield* desk.press("Send a row that cannot be read")
    expect(yield* read).toEqual([before, 1])
    yield* desk.press("Mend everything")
    expect(yield* read).toEqual([before + 1, 0])
  }).pipe(Effect.scoped)
)

it.effect("says of which providers there are trials", () =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(withTrial(nothing, "acme"))
    expect(message).toContain("there are fiskil, plaid, quiltt, saltedge")
    const taken = { ...nothing, instances: ["plaid:trial"] }
    expect((yield* Effect.flip(withTrial(taken, "plaid"))).message).toContain("has plaid:trial already")
    expect(parseOptions(["--provider", "plaid"])).toMatchObject({ provider: "plaid" })
    expect(parseOptions(["--provider=simplefin"])).toMatchObject({ provider: "simplefin" })
    expect(parseOptions(["--provider"])).toContain("--provider needs the kind")
    expect(parseOptions(["--provider", "plaid", "--backup", "x"])).toContain("cannot be asked for together")
  }).pipe(Effect.scoped)
)
