import { createServer } from "node:net"
import { gzipSync } from "node:zlib"
import { expect, it } from "@effect/vitest"
import { forPurpose, type OutboundFailure, type OutboundRequest, sharedPurposes } from "@millrace/core/outbound"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { buildConnector } from "undici"
import * as OutboundClient from "../../src/outbound/OutboundClient.ts"
import { privateHosts } from "../../src/outbound/PrivateHosts.ts"
import { hostileServer, type Answer } from "./HostileServer.ts"

const named = (...entries: ReadonlyArray<string>) => Result.getOrThrow(privateHosts(entries))
const publicAddress = { address: "93.184.215.14", family: 4 }

/** A server on the loopback that the operator named, and the client that may ask it. */
const allowed = Effect.fnUntraced(function* (answer: Answer, options: OutboundClient.OutboundOptions = {}) {
  const server = yield* hostileServer(answer)
  const client = yield* OutboundClient.make({ privateHosts: named(`127.0.0.1:${server.port}`), ...options })
  const base = `http://127.0.0.1:${server.port}`
  const ask = (path: string, request: Omit<OutboundRequest, "url"> = {}) =>
    client.request({ url: `${base}${path}`, ...request })
  return { ask, base, client, server }
})

const failed = (failure: OutboundFailure) => ({ reason: failure.reason, sent: failure.sent })

it.live("an answer comes with its status, headers in small letters and its bytes, unpacked", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* allowed((request, response) => {
      response.writeHead(418, { "Content-Encoding": "gzip", "X-Limit": ["1", "2"] })
      response.end(gzipSync(`${request.method} ${request.url} ${request.headers["x-key"]}`))
    })
    const answer = yield* ask("/a?b=c", { method: "POST", headers: { "X-Key": Redacted.make("k1") }, body: "{}" })
    expect(answer.status).toBe(418)
    expect(answer.headers["x-limit"]).toBe("1, 2")
    expect(new TextDecoder().decode(answer.body)).toBe("POST /a?b=c k1")
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("gzip")
  }).pipe(Effect.scoped)
)

const refusedUrls: ReadonlyArray<readonly [url: string, reason: OutboundFailure["reason"]]> = [
  ["https://127.0.0.1/", "addressRefused"],
  ["https://2130706433/", "addressRefused"],
  ["https://0x7f.1/", "addressRefused"],
  ["https://0177.0.0.1/", "addressRefused"],
  ["https://127.1/", "addressRefused"],
  ["https://①②⑦.0.0.1/", "addressRefused"],
  ["https://[::1]/", "addressRefused"],
  ["https://[::ffff:7f00:1]/", "addressRefused"],
  ["https://[::ffff:169.254.169.254]/", "addressRefused"],
  ["https://[64:ff9b::7f00:1]/", "addressRefused"],
  ["https://169.254.169.254/latest/meta-data/", "addressRefused"],
  ["https://10.0.0.1/", "addressRefused"],
  ["https://0.0.0.0/", "addressRefused"],
  ["http://93.184.215.14/", "addressRefused"],
  ["https://93.184.215.14:25/", "addressRefused"],
  ["https://93.184.215.14:6/", "addressRefused"],
  ["ftp://93.184.215.14/", "invalidRequest"],
  ["file:///etc/passwd", "invalidRequest"],
  ["https://user:secret@93.184.215.14/", "invalidRequest"],
  ["nothing", "invalidRequest"],
  ["https://", "invalidRequest"]
]

it.live.each(refusedUrls)("%s is not asked", ([url, reason]) =>
  Effect.gen(function* () {
    let dialled = 0
    const client = yield* OutboundClient.make({
      dial: (_, callback) => {
        dialled++
        callback(new Error("dialled"), null)
      }
    })
    const failure = yield* Effect.flip(client.request({ url }))
    expect(failed(failure)).toEqual({ reason, sent: false })
    expect(failure.message).not.toContain("secret")
    expect(dialled).toBe(0)
  }).pipe(Effect.scoped)
)

it.live.each([
  ["a private address", [{ address: "127.0.0.1", family: 4 }]],
  ["a link-local address", [{ address: "169.254.169.254", family: 4 }]],
  ["a mapped loopback", [{ address: "::ffff:127.0.0.1", family: 6 }]],
  ["a public address and a private one", [publicAddress, { address: "10.0.0.1", family: 4 }]],
  ["a public address and the loopback of IPv6", [publicAddress, { address: "::1", family: 6 }]]
] as const)("a name that resolves to %s is not connected to", ([, addresses]) =>
  Effect.gen(function* () {
    const canary = yield* hostileServer((_, response) => response.end("reached"))
    const dialled: Array<string> = []
    const client = yield* OutboundClient.make({
      resolve: async () => addresses,
      dial: ({ hostname }, callback) => {
        dialled.push(hostname)
        callback(new Error("dialled"), null)
      }
    })
    const failure = yield* Effect.flip(client.request({ url: `https://upstream.example:${canary.port}/` }))
    expect(failed(failure)).toEqual({ reason: "addressRefused", sent: false })
    expect(dialled).toEqual([])
    expect(canary.connections.opened).toBe(0)
  }).pipe(Effect.scoped)
)

it.live(
  "a name that answers differently the next time is connected to at the address that was checked, or not at all",
  () =>
    Effect.gen(function* () {
      const canary = yield* hostileServer((_, response) => response.end("reached"))
      const answers = [[publicAddress], [{ address: "127.0.0.1", family: 4 }]]
      const dialled: Array<string> = []
      const client = yield* OutboundClient.make({
        resolve: async () => answers.shift() ?? [],
        dial: ({ hostname }, callback) => {
          dialled.push(hostname)
          callback(Object.assign(new Error("nobody"), { code: "ECONNREFUSED" }), null)
        }
      })
      const ask = Effect.flip(client.request({ url: `https://rebind.example:${canary.port}/` }))
      expect(failed(yield* ask)).toEqual({ reason: "unreachable", sent: false })
      expect(failed(yield* ask)).toEqual({ reason: "addressRefused", sent: false })
      expect(dialled).toEqual([publicAddress.address])
      expect(canary.connections.opened).toBe(0)
    }).pipe(Effect.scoped)
)

it.live("the connection goes to the address, and the name stays what the certificate is checked against", () =>
  Effect.gen(function* () {
    const dialled: Array<unknown> = []
    const client = yield* OutboundClient.make({
      resolve: async () => [publicAddress, { address: "2606:4700::1111", family: 6 }],
      dial: ({ hostname, servername }, callback) => {
        dialled.push([hostname, servername])
        callback(Object.assign(new Error("nobody"), { code: "ECONNREFUSED" }), null)
      }
    })
    yield* Effect.flip(client.request({ url: "https://upstream.example./" }))
    expect(dialled).toEqual([
      [publicAddress.address, "upstream.example"],
      ["2606:4700::1111", "upstream.example"]
    ])
  }).pipe(Effect.scoped)
)

it.live("a redirect to the loopback, to http or to a name behind which the loopback is, is not followed", () =>
  Effect.gen(function* () {
    const canary = yield* hostileServer((_, response) => response.end("reached"))
    const { ask, server } = yield* allowed(
      (request, response) => {
        const location = decodeURIComponent(new URL(request.url!, "http://x").searchParams.get("to")!)
        response.writeHead(302, { location }).end()
      },
      { resolve: async () => [{ address: "127.0.0.1", family: 4 }] }
    )
    for (const to of [
      `http://127.0.0.1:${canary.port}/`,
      `https://127.0.0.1:${canary.port}/`,
      `https://[::ffff:127.0.0.1]:${canary.port}/`,
      `https://inner.example:${canary.port}/`,
      "https://169.254.169.254/latest/meta-data/"
    ]) {
      const failure = yield* Effect.flip(ask(`/?to=${encodeURIComponent(to)}`, { redirects: 3 }))
      expect(failure.reason, to).toBe("addressRefused")
    }
    const other = yield* Effect.flip(ask("/?to=gopher%3A%2F%2Fx", { redirects: 3 }))
    expect(other.reason).toBe("invalidRequest")
    expect(canary.connections.opened).toBe(0)
    expect(server.requests).toHaveLength(6)
  }).pipe(Effect.scoped)
)

it.live("redirects are followed as often as was asked for, and not at all unless it was", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* allowed((request, response) => {
      const left = Number(request.url!.slice(1))
      if (left === 0) response.end("there")
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect((yield* ask("/1")).status).toBe(302)
    expect((yield* ask("/1", { method: "POST", redirects: 3 })).status).toBe(302)
    expect((yield* ask("/3", { redirects: 3 })).status).toBe(200)
    const before = server.requests.length
    expect(failed(yield* Effect.flip(ask("/9", { redirects: 3 })))).toEqual({ reason: "redirectRefused", sent: true })
    expect(server.requests.length - before).toBe(4)
  }).pipe(Effect.scoped)
)

it.live("what leads to another origin is asked without the headers of the first one", () =>
  Effect.gen(function* () {
    const other = yield* hostileServer((request, response) => response.end(JSON.stringify(request.headers)))
    const server = yield* hostileServer((_, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end()
    })
    const client = yield* OutboundClient.make({ privateHosts: named("127.0.0.1") })
    yield* client.request({
      url: `http://127.0.0.1:${server.port}/`,
      redirects: 1,
      headers: { authorization: Redacted.make("Bearer s3cret"), "x-key": "s3cret", accept: "text/plain" }
    })
    expect(server.requests[0]!.headers["x-key"]).toBe("s3cret")
    const heard = other.requests[0]!.headers
    expect(JSON.stringify(heard)).not.toContain("s3cret")
    expect(heard.accept).toBe("text/plain")
  }).pipe(Effect.scoped)
)

/** Sends without an end, until nobody listens. */
const endless = (
  response: { write: (chunk: Buffer) => boolean; once: (event: "drain", f: () => void) => void },
  chunk: Buffer
) => {
  const go = (): void => {
    if (response.write(chunk)) setImmediate(go)
    else response.once("drain", go)
  }
  go()
}

const mebibyte = Buffer.alloc(1_048_576)

const bodies: ReadonlyArray<readonly [string, OutboundFailure["reason"], Answer]> = [
  ["a body without an end", "tooLarge", (_, response) => endless(response, Buffer.alloc(16_384))],
  [
    "a packed body that becomes large",
    "tooLarge",
    (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.concat(Array(8).fill(mebibyte))))
  ],
  [
    "a length that is too large",
    "tooLarge",
    (_, response) => response.writeHead(200, { "content-length": 1e12 }).write("x")
  ],
  [
    "headers that are too large",
    "tooLarge",
    (_, response) => response.writeHead(200, { "x-large": "x".repeat(40_000) }).end()
  ],
  ["a body that never ends in time", "timedOut", (_, response) => response.write("x")],
  ["no answer", "timedOut", () => undefined],
  [
    "an encoding that was not asked for",
    "garbled",
    (_, response) => response.writeHead(200, { "content-encoding": "br" }).end("x")
  ],
  [
    "a packed body that is none",
    "garbled",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("no gzip")
  ],
  [
    "a body that is cut off",
    "unreachable",
    (_, response) => {
      response.writeHead(200, { "content-length": 10 }).write("x")
      setImmediate(() => response.destroy())
    }
  ]
]

it.live.each(bodies)("%s is a failure (%s), and what still comes is cut off", ([, reason, answer]) =>
  Effect.gen(function* () {
    const { ask, server } = yield* allowed(answer)
    const failure = yield* Effect.flip(
      ask("/secret-path?key=s3cret", { maxBytes: 100_000, timeoutSeconds: reason === "timedOut" ? 0.5 : 60 })
    )
    expect(failed(failure)).toEqual({ reason, sent: true })
    expect(JSON.stringify(failure)).not.toContain("s3cret")
    // A connection over which all has come may serve another request.
    if (reason !== "garbled") while (server.connections.open > 0) yield* Effect.sleep("5 millis")
  }).pipe(Effect.scoped)
)

it.live("what is no HTTP is a failure", () =>
  Effect.gen(function* () {
    const server = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-OpenSSH_9.9\r\n"))
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const client = yield* OutboundClient.make({ privateHosts: named("127.0.0.1") })
    const failure = yield* Effect.flip(client.request({ url: `http://127.0.0.1:${port}/` }))
    expect(failed(failure)).toEqual({ reason: "garbled", sent: true })
  }).pipe(Effect.scoped)
)

it.live("a request that nobody waits for any more is ended", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* allowed(() => undefined)
    yield* Effect.raceFirst(
      Effect.ignore(ask("/")),
      Effect.gen(function* () {
        while (server.requests.length === 0) yield* Effect.sleep("5 millis")
      })
    )
    while (server.connections.open > 0) yield* Effect.sleep("5 millis")
    expect(server.requests).toHaveLength(1)
  }).pipe(Effect.scoped)
)

it.live("headers that are the client's own, or hide another request, are refused and not repeated", () =>
  Effect.gen(function* () {
    const { ask, server } = yield* allowed((_, response) => response.end())
    for (const headers of [
      { Host: "inner.example" },
      { "transfer-encoding": "chunked" },
      { "x-key": Redacted.make("s3cret\r\nx-other: 1") },
      { "x key": "s3cret" }
    ]) {
      const failure = yield* Effect.flip(ask("/", { headers: headers as OutboundRequest["headers"] & {} }))
      expect(failed(failure)).toEqual({ reason: "invalidRequest", sent: false })
      expect(JSON.stringify(failure)).not.toContain("s3cret")
    }
    expect(server.requests).toHaveLength(0)
  }).pipe(Effect.scoped)
)

it.live(
  "a host that the operator named is asked at the port that was named, also by its name, but never at a metadata address",
  () =>
    Effect.gen(function* () {
      const server = yield* hostileServer((_, response) => response.end("inner"))
      const addresses = new Map([
        ["bank.internal", "127.0.0.1"],
        ["clouded.internal", "169.254.169.254"]
      ])
      const client = yield* OutboundClient.make({
        privateHosts: named(`Bank.Internal:${server.port}`, "clouded.internal"),
        resolve: async (host) => [{ address: addresses.get(host)!, family: 4 }],
        dial: buildConnector({})
      })
      expect((yield* client.request({ url: `http://BANK.internal.:${server.port}/` })).status).toBe(200)
      for (const url of [`http://bank.internal:${server.port + 1}/`, `http://clouded.internal:${server.port}/`]) {
        expect((yield* Effect.flip(client.request({ url }))).reason).toBe("addressRefused")
      }
    }).pipe(Effect.scoped)
)

it.each(["*.internal", "http://bank.internal", "bank.internal/path", "bank:0", "bank:70000", "a b", "", "user@bank"])(
  "%s is not the name of a host",
  (entry) => {
    expect(Result.isFailure(privateHosts([entry]))).toBe(true)
  }
)

it.live("each purpose reaches the private hosts that were named for it, and no connection of another purpose", () =>
  Effect.gen(function* () {
    const server = yield* hostileServer((_, response) => response.end("inner"))
    const purposes = [...sharedPurposes, "plaid:us", "simplefin:home"]
    const asked = [...purposes, undefined, "plaid:eu"]
    for (const owner of purposes) {
      const client = yield* OutboundClient.make({
        privateHostsFor: { [owner]: named(`bank.internal:${server.port}`), other: named("other.internal") },
        resolve: async () => [{ address: "127.0.0.1", family: 4 }],
        dial: buildConnector({})
      })
      // The owner first, so that its connection is there to be taken.
      for (const purpose of [owner, ...asked]) {
        const url = `http://bank.internal:${server.port}/`
        const answer = yield* Effect.result(forPurpose(client, () => purpose).request({ url, purpose: owner }))
        expect([owner, purpose, Result.isSuccess(answer)]).toEqual([owner, purpose, purpose === owner])
        if (Result.isFailure(answer)) expect(answer.failure.message).toContain("privateHosts")
      }
    }
  }).pipe(Effect.scoped)
)
