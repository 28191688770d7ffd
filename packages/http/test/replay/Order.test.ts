/** Which of several faults is told, and what is answered beside the operations. `vitest -u` writes down what is answered now. */
import { expect, it } from "vitest"
import { bodyOf, expectGolden, headersOf } from "./Golden.ts"
import { makeHome } from "./Home.ts"
import { type Answer, makeWorld, type Sent } from "./World.ts"

const zeros = "0".repeat(26)
const json = { "content-type": "application/json" }
const long = "x".repeat(9_000)

const post = (path: string, headers: Sent["headers"], body = "{"): Sent => ({
  method: "POST",
  path,
  headers: { ...json, ...headers },
  body
})

const shown = (answer: Answer) => ({ status: answer.status, headers: headersOf(answer), body: bodyOf(answer) })

it("tells the first of several faults, and answers what is no operation, as it was recorded", async () => {
  const world = await makeWorld()
  const { secrets } = await world.run(makeHome)
  const [owner, none, free] = [secrets.owner, secrets.none, secrets.free].map((key) => ({ "x-api-key": key }))
  const get = (path: string, headers: Sent["headers"] = owner): Sent => ({
    method: "GET",
    path,
    headers: headers ?? {}
  })
  const asked: Readonly<Record<string, Sent>> = {
    "no such path": get("/v1/nowhere"),
    "no such path, and no credential": get("/v1/nowhere", {}),
    "another method": { method: "PATCH", path: "/v1/feeds", headers: owner ?? {} },
    "another method, and no credential": { method: "PATCH", path: "/v1/feeds" },
    "a slash at the end": get("/v1/feeds/"),
    "two slashes": get("/v1//feeds"),
    "capital letters": get("/V1/feeds"),
    "a path that cannot be decoded": get("/v1/feeds/%E0%A4%A"),
    "a path that is too long": get(`/v1/feeds?name=${long}`),
    "headers that are too long": get("/v1/feeds", { ...owner, "x-more": long.repeat(4) }),
    "a broken body, and no credential": post("/v1/feeds", {}),
    "a broken body, and no scope": post("/v1/feeds", none),
    "a broken body, and no plan": post("/v1/feeds", free),
    "a broken body": post("/v1/feeds", owner),
    "a body of another type, and no scope": post("/v1/feeds", { ...none, "content-type": "text/plain" }),
    "a broken body, and an id that nothing has": post(`/v1/feeds/feed_${zeros}/sync`, owner),
    "a wrong field, and an id that nothing has": post(`/v1/feeds/feed_${zeros}/sync`, owner, '{"startDate":1}'),
    "a wrong query, and an id that nothing has": get(`/v1/feeds/feed_${zeros}/jobs?limit=0`),
    "a wrong version, and an id that nothing has": {
      ...post(`/v1/feeds/feed_${zeros}`, { ...owner, "if-match": "x" }, "{}"),
      method: "PUT"
    },
    "a wrong idempotency key, and a wrong field": post("/v1/feeds", { ...owner, "idempotency-key": "" }, "{}"),
    "two faults in the body": post("/v1/feeds", owner, '{"name":1,"source":2,"dataType":3}'),
    "several faults in the query": get("/v1/feeds?source=x&dataType=y&scope=z"),
    "a parameter that there is none of": get("/v1/feeds?unknown=1"),
    "a page of people without a state": get("/connect/attempt", {}),
    "a page of people of no state": get("/connect/upload?state=x", {}),
    "the welcome": get("/", {}),
    "whether it lives": get("/livez", {}),
    "whether it is ready": get("/readyz", {}),
    "a preflight of a browser": { method: "OPTIONS", path: "/v1/feeds", headers: { origin: "https://app.example" } }
  }
  const recorded: Record<string, unknown> = {}
  for (const [title, request] of Object.entries(asked)) recorded[title] = shown(await world.send(request))
  const perMinute = 10
  for (let n = 0; n <= perMinute; n++) {
    const answer = await world.send(get("/v1/whoami", free))
    if (answer.status !== 200) recorded["more requests in a minute than the plan has"] = shown(answer)
  }
  await expectGolden("order.json", recorded)
  expect(world.logged).toEqual([])
  await world.dispose()
})
