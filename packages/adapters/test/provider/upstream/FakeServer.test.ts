import { expect, it } from "@effect/vitest"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import type { OutboundRequest } from "@millrace/core/outbound"
import { exactNumber, type FakeProtocol, type Incident, startFakeServer } from "@millrace/testing/upstream"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"

/** Counts what it was asked to do. */
const counter = () => {
  let done = 0
  const protocol: FakeProtocol = {
    about: ({ path, query }) => {
      const connectionRef = query.get("of")
      return { endpoint: path.slice(1), ...(connectionRef === null ? {} : { connectionRef }) }
    },
    answer: () => ({ status: 200, body: { done: ++done, kind: "OLD", amount: exactNumber("0.10000000000000000001") } }),
    refuse: (refusal) =>
      refusal.kind === "rateLimited"
        ? { status: 429, headers: { "retry-after": String(refusal.retryAfter) }, body: { error: "slow down" } }
        : { status: refusal.kind === "unauthorized" ? 401 : 503, body: { error: refusal.kind } },
    enumKeys: new Set(["kind"]),
    limits: [{ name: "lists", requests: 3, seconds: 60, per: "connection", endpoint: "list" }]
  }
  return { protocol, done: () => done }
}

const setUp = Effect.gen(function* () {
  const { done, protocol } = counter()
  const server = yield* startFakeServer(() => protocol)
  const client = yield* OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
  const ask = (path = "/list", more: Partial<OutboundRequest> = {}) =>
    Effect.map(client.request({ url: `${server.url}${path}`, ...more }), ({ body, headers, status }) => ({
      status,
      headers,
      text: new TextDecoder().decode(body)
    }))
  return { ask, done, server }
})

const once = (incident: Incident) =>
  Effect.gen(function* () {
    const { ask, done, server } = yield* setUp
    server.plan({ incident })
    const exit = yield* Effect.exit(ask())
    return { exit, done: done(), next: yield* ask() }
  })

const failures: ReadonlyArray<readonly [Incident, reason: string, done: number]> = [
  [{ kind: "dropped" }, "unreachable", 0],
  [{ kind: "lost" }, "unreachable", 1],
  [{ kind: "truncated" }, "unreachable", 1]
]

it.effect.each(failures)("a fake upstream cuts what was planned, and does or does not do what it was asked", (row) =>
  Effect.gen(function* () {
    const [incident, reason, done] = row
    const { done: did, exit, next } = yield* once(incident)
    expect(JSON.stringify(exit)).toContain(`"${reason}"`)
    expect(did).toBe(done)
    // It happens once.
    expect([next.status, JSON.parse(next.text).done]).toEqual([200, done + 1])
  }).pipe(Effect.scoped)
)

const answers: ReadonlyArray<readonly [Incident, status: number, text: string]> = [
  [{ kind: "htmlPage" }, 200, "<!doctype html>"],
  [{ kind: "htmlPage", status: 502 }, 502, "<!doctype html>"],
  [{ kind: "unauthorized" }, 401, "unauthorized"],
  [{ kind: "unavailable" }, 503, "unavailable"],
  [{ kind: "rateLimited", retryAfter: 30 }, 429, "slow down"],
  [{ kind: "unknownEnum" }, 200, '"kind":"SOMETHING_NEW"'],
  [{ kind: "unknownEnum" }, 200, '"amount":0.10000000000000000001'],
  [{ kind: "unknownFields" }, 200, '"amount":0.10000000000000000001,"millrace_new_field"'],
  [{ kind: "answer", status: 418, body: "teapot" }, 418, "teapot"]
]

it.effect.each(answers)("a fake upstream answers what was planned", (row) =>
  Effect.gen(function* () {
    const [incident, status, text] = row
    const { exit } = yield* once(incident)
    if (Exit.isFailure(exit)) return expect.fail("an answer was expected")
    expect(exit.value.status).toBe(status)
    expect(exit.value.text).toContain(text)
  }).pipe(Effect.scoped)
)

it.effect("a fake upstream that is slow or half open lives by the time of whoever started it", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* setUp
    server.plan({ incident: { kind: "slow", seconds: 20 } })
    const arrived = server.nextRequest()
    const slow = yield* Effect.forkChild(ask())
    yield* Effect.promise(() => arrived)
    expect(server.requests.map(({ at }) => at)).toEqual([0])
    yield* TestClock.adjust("20 seconds")
    expect((yield* Fiber.join(slow)).status).toBe(200)
    server.plan({ incident: { kind: "halfOpen" } })
    const halfOpen = server.nextRequest()
    const never = yield* Effect.forkChild(Effect.exit(ask("/list", { timeoutSeconds: 7 })))
    yield* Effect.promise(() => halfOpen)
    yield* TestClock.adjust("7 seconds")
    expect(JSON.stringify(yield* Fiber.join(never))).toContain('"timedOut"')
  }).pipe(Effect.scoped)
)

it.effect("a fake upstream knows who asked before a 429 allowed it, and who went beyond its limits", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* setUp
    server.plan({ incident: { kind: "rateLimited", retryAfter: 30, scope: "connection" } })
    yield* ask("/list?of=a")
    yield* TestClock.adjust("29 seconds")
    yield* ask("/list?of=b")
    expect(server.tooEarly).toEqual([])
    yield* ask("/list?of=a")
    expect(server.tooEarly.map(({ rawQuery }) => rawQuery)).toEqual(["of=a"])
    yield* TestClock.adjust("1 second")
    yield* ask("/list?of=a")
    expect(server.tooEarly).toHaveLength(1)
    expect(server.exceeded).toEqual([])
    yield* ask("/list?of=a")
    expect(server.exceeded.map(({ limit, retryAfter }) => [limit.name, retryAfter])).toEqual([["lists", 30]])
    server.enforcesLimits = true
    expect((yield* ask("/list?of=a")).status).toBe(429)
    expect((yield* ask("/other?of=a")).status).toBe(200)
  }).pipe(Effect.scoped)
)

const only = (request: { readonly path: string }) => request.path === "/second"

it.effect("a script acts right before or after an answer", () =>
  Effect.gen(function* () {
    const { ask, done, server } = yield* setUp
    const seen: Array<number> = []
    server.beforeNext({ only, act: () => seen.push(done()) })
    server.afterNext({ only, act: () => seen.push(done()) })
    yield* ask("/first")
    yield* ask("/second")
    yield* ask("/second")
    expect(seen).toEqual([1, 2])
  }).pipe(Effect.scoped)
)
