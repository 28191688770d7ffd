/** Addresses that somebody else made for the browser of a person who is connecting a bank. */
import { Seeded } from "../../testing/src/model/Seeded.ts"
import { describe, expect, it } from "vitest"
import { actionAt, api, attempt, base, open, serveWorld, start } from "./ConnectWorld.ts"

serveWorld()

const instances = ["demo:default", "demo:token", "demo:link", "demo:bare", "demo:session", "demo:redirect"] as const

const results = [
  "connection_id=good",
  "connectionId=good&institution_id=i",
  "consentID=good&status=SUCCESS",
  "error=access_denied",
  "error=server_error",
  "error_class=Expired",
  "status=cancelled",
  "status=ABANDONED",
  "connection_id=demo%3Anormal%3Aforged",
  "oauth_state_id=x&connection_id=good",
  "state=&connection_id=good",
  ""
] as const

const landing = (instance: string, query: string): string =>
  `${base}/connect/callback/${encodeURIComponent(instance)}${query === "" ? "" : `?${query}`}`

const begin = async (instance: string) => ({
  instance,
  plain: await start(instance),
  leading: await start(instance, { redirectUri: "https://app.example/back" })
})

const banks = async () => (await api("GET", "/v1/banks")).data

describe("the landing page of connections", () => {
  it("does nothing for forged addresses", { timeout: 120_000 }, async () => {
    const random = new Seeded(27)
    const before = await banks()
    const people = []
    for (const instance of instances) people.push(await begin(instance))
    for (let n = 0; n < 400; n++) {
      const { instance, leading, plain } = random.pick(people)
      const victim = random.pick([leading, plain])
      const other = random.pick(people).plain
      const cookie = random.pick([undefined, victim.state, other.state, "A".repeat(43)])
      const forged = random.pick(["", "", `state=${"B".repeat(43)}`, `state=${victim.state.slice(1)}`, "state="])
      const inPath = random.once(3) ? random.pick([...instances, "nobody:here", "%"]) : instance
      const query = [forged, random.pick(results)].filter((part) => part !== "").join("&")
      const url = landing(inPath, query)
      const shown = await open(url, undefined, cookie === undefined ? {} : { cookie: `millrace_connect=${cookie}` })
      const scene = JSON.stringify({ url, cookie, status: shown.status })
      expect([200, 404], scene).toContain(shown.status)
      const after = await open(victim.page)
      expect(after.text, scene).not.toMatch(/is connected<|You stopped|not connected/)
    }
    for (const { leading, plain } of people) {
      for (const { attemptId } of [leading, plain]) {
        expect(await attempt(attemptId)).toMatchObject({ state: "open", error: null })
      }
    }
    expect(await banks()).toEqual(before)
  })

  it("does nothing with the state of an attempt at another instance", async () => {
    const { attemptId, state } = await start("demo:redirect")
    for (const query of ["connection_id=good", "error=access_denied"]) {
      expect((await open(landing("demo:token", `state=${state}&${query}`))).status).toBe(404)
    }
    expect(await attempt(attemptId)).toMatchObject({ state: "open" })
  })

  it("takes no cookie in place of the state in forms", async () => {
    const { attemptId, state } = await start("demo:bare")
    for (const what of ["cancel", "result", "token", "choose"]) {
      const answer = await open(`${base}/connect/attempt/${what}`, {}, { cookie: `millrace_connect=${state}` })
      expect([what, answer.status]).toEqual([what, 404])
    }
    expect(await attempt(attemptId)).toMatchObject({ state: "open" })
  })

  it("asks for a click where the provider comes back without the state, and gives only such browsers a cookie", async () => {
    const bare = await start("demo:bare")
    const cookie = (await open(bare.page)).headers.get("set-cookie") ?? ""
    expect(cookie).toMatch(/^millrace_connect=[^;]+; Path=\/connect\/callback; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
    const other = await start("demo:redirect")
    expect((await open(other.page)).headers.get("set-cookie")).toBeNull()
    const question = await open(landing("demo:bare", "connection_id=good"), undefined, {
      cookie: cookie.split(";")[0]!
    })
    expect(question.text).toContain('name="connectionId" value="good"')
    const action = /action="([^"]+)"/.exec(question.text)![1]!.replaceAll("&amp;", "&")
    const done = await open(base + action, { result: "connected", connectionId: "good" })
    expect(done.text).toContain("Good Bank is connected")
    expect((await open(actionAt(bare.state, "cancel"), {})).text).toContain("is connected")
  })
})
