/** Over real sockets: what one client may take of a server. */
import { createServer, type ServerResponse } from "node:http"
import { connect, type AddressInfo, type Socket } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import type { ConnectionLimits } from "../src/ConnectionGuard.ts"
import { guard, serverOptions } from "../src/Server.ts"

const open: Array<() => void> = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const roomy: ConnectionLimits = { connections: 100, reserved: 10, perConnection: 4, waiting: 100_000 }

interface Arrival {
  readonly url: string
  readonly response: ServerResponse
}

/** A server whose application keeps requests until the test answers them. */
const listen = async (limits: Partial<ConnectionLimits> = {}, options: object = {}) => {
  const server = guard(createServer({ ...serverOptions, ...options }), () => "req_test", { ...roomy, ...limits })
  const arrived: Array<Arrival> = []
  server.on("request", (request, response) => arrived.push({ url: request.url!, response }))
  // As the platform's adapter does; it must never be asked.
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 400 Upgraded\r\n\r\n"))
  open.push(
    () => server.closeAllConnections(),
    () => server.close()
  )
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  return { server, arrived, port: (server.address() as AddressInfo).port }
}

const until = async (holds: () => boolean | Promise<boolean>) => {
  while (!(await holds())) {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 2)
    })
  }
}

interface Client {
  readonly socket: Socket
  text: string
  closed: boolean
}

const dial = async (port: number, bytes = "", options: object = {}): Promise<Client> => {
  const socket = connect({ port, host: "127.0.0.1", ...options })
  open.push(() => socket.destroy())
  const client: Client = { socket, text: "", closed: false }
  socket.on("data", (chunk) => (client.text += chunk.toString()))
  socket.on("error", () => {})
  socket.on("close", () => (client.closed = true))
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve)
  })
  socket.write(bytes)
  return client
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
const count = (text: string, part: string) => text.split(part).length - 1
const connectionsOf = (server: { getConnections: (then: (_: unknown, n: number) => void) => unknown }) =>
  new Promise<number>((resolve) => {
    server.getConnections((_, n) => resolve(n))
  })

describe("requests of one connection", () => {
  it("are under way a few at a time, are all answered in order, and hold up nobody else", async () => {
    // One read brings about 2,000 of them.
    const { arrived, port, server } = await listen({ waiting: 3_000 })
    const requests = 20_000
    const paths = Array.from({ length: requests }, (_, at) => `/${at}`)
    const flood = await dial(port, paths.map(get).join(""))
    await until(() => arrived.length === 4)
    const other = await dial(port, get("/other"))
    await until(() => arrived.length === 5)
    arrived.find(({ url }) => url === "/other")!.response.end("answered")
    await until(() => other.text.includes("answered"))
    expect(arrived).toHaveLength(5)

    // Some answers take their time, others come at once.
    let underWay = 0
    let most = 0
    const answer = ({ response, url }: Arrival) => {
      most = Math.max(most, ++underWay)
      response.prependOnceListener("close", () => underWay--)
      if (Number(url.slice(1)) % 7 === 0) setImmediate(() => response.end(`<${url}>`))
      else response.end(`<${url}>`)
    }
    server.on("request", ({ url }, response) => answer({ url: url!, response }))
    for (const { response, url } of arrived) if (url !== "/other") answer({ response, url })
    await until(() => count(flood.text, "HTTP/1.1 200") === requests)
    expect([...flood.text.matchAll(/<(\/\d+)>/g)].map((found) => found[1])).toEqual(paths)
    expect(most).toBeLessThanOrEqual(4)
  })

  it("wait in a bounded number: a connection that brings more is closed, and the others live on", async () => {
    const { arrived, port } = await listen({ waiting: 50 })
    const flood = await dial(port, get("/").repeat(500))
    await until(() => flood.closed)
    const other = await dial(port, get("/other"))
    await until(() => arrived.some(({ url }) => url === "/other"))
    expect(other.closed).toBe(false)
  })

  it("take the room of those that waited before when these are gone", async () => {
    const { arrived, port } = await listen({ waiting: 50 })
    for (const _ of Array.from({ length: 3 })) {
      const flood = await dial(port, get("/flood").repeat(40))
      await until(() => arrived.length === 4)
      flood.socket.destroy()
      for (const { response } of arrived) response.end("x".repeat(100))
      await until(() => arrived.every(({ response }) => response.destroyed))
      arrived.length = 0
    }
  })
})

describe("connections", () => {
  it("make room by their number: the one that was idle the longest is closed", async () => {
    const { arrived, port } = await listen({ connections: 3 })
    const [first, second] = [await dial(port), await dial(port, get("/busy"))]
    await until(() => arrived.length === 1)
    const third = await dial(port)
    const fourth = await dial(port, get("/fourth"))
    await until(() => first.closed && arrived.length === 2)
    expect([second.closed, third.closed, fourth.closed]).toEqual([false, false, false])
  })

  it("may ask how the server is when all are busy, and nothing else", async () => {
    const { arrived, port } = await listen({ connections: 2, reserved: 2 })
    await dial(port, get("/a"))
    await dial(port, get("/b"))
    await until(() => arrived.length === 2)
    const refused = await dial(port, get("/v1/banks"))
    await until(() => refused.closed)
    expect(refused.text).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused.text).toContain("SERVER_BUSY")
    expect(refused.text.toLowerCase()).toContain("retry-after: 1")
    await dial(port, get("/livez"))
    await until(() => arrived.some(({ url }) => url === "/livez"))
  })

  it("are gone after they were told that they took too long, also where the client stays", async () => {
    const { port, server } = await listen(
      {},
      { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 }
    )
    const silent = await Promise.all(Array.from({ length: 30 }, () => dial(port, "GET / ", { allowHalfOpen: true })))
    await until(() => silent.every(({ text }) => text.startsWith("HTTP/1.1 408 ")))
    await until(async () => (await connectionsOf(server)) === 0)
  })
})

describe("a request of which a half has come when nothing more is read", () => {
  const quick = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 }
  /** Ten requests, the last without its end, of which none is answered for longer than headers may take. */
  const held = async () => {
    const { arrived, port } = await listen({}, quick)
    const client = await dial(port, `${get("/x").repeat(9)}GET /half HTTP/1.1\r\n`)
    await until(() => arrived.length === 4)
    const silent = await dial(port, "GET / ")
    await until(() => silent.text.startsWith("HTTP/1.1 408 "))
    const answerAll = async (requests: number) => {
      for (let answered = 0; answered < requests; answered++) {
        await until(() => arrived.length > answered)
        arrived[answered]!.response.end("whole")
      }
    }
    return { client, answerAll }
  }

  it("is answered like those before it once its rest comes", async () => {
    const { answerAll, client } = await held()
    client.socket.write("host: x\r\n\r\n")
    await answerAll(10)
    await until(() => count(client.text, "whole") === 10 || client.closed)
    expect([count(client.text, "HTTP/1.1 200 "), client.closed]).toEqual([10, false])
  })

  it("is told that it took too long when its rest does not come", async () => {
    const { answerAll, client } = await held()
    await answerAll(9)
    await until(() => client.closed)
    expect([count(client.text, "HTTP/1.1 200 "), count(client.text, "HTTP/1.1 408 ")]).toEqual([9, 1])
  })
})

const answerNext = async (arrived: ReadonlyArray<Arrival>, text: string) => {
  await until(() => arrived.length > 0)
  arrived.at(-1)!.response.end(text)
}

describe("requests of unusual clients", () => {
  it("are answered in HTTP/1.1 when they offer to upgrade, with a body of any kind, and told that the connection ends", async () => {
    const { arrived, port } = await listen()
    const upgrade = "host: x\r\nconnection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n"
    // Another request behind the first one: its client sends it again elsewhere.
    const first = await dial(port, `GET /first HTTP/1.1\r\n${upgrade}\r\nGET /behind HTTP/1.1\r\nhost: x\r\n\r\n`)
    await answerNext(arrived, "one")
    await until(() => first.closed)
    expect(first.text).toMatch(/^HTTP\/1\.1 200 /)
    expect(first.text.toLowerCase()).toContain("connection: close")
    const second = await dial(
      port,
      `POST /second HTTP/1.1\r\n${upgrade}transfer-encoding: chunked\r\nexpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n`
    )
    await until(() => arrived.at(-1)?.url === "/second")
    await answerNext(arrived, "two")
    await until(() => second.closed)
    expect(second.text).toContain("HTTP/1.1 100 Continue")
    expect(second.text).toContain("two")
  })

  it.each([
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["an expectation that nobody meets", "GET / HTTP/1.1\r\nhost: x\r\nexpect: fish\r\n\r\n", 417]
  ])("get the envelope when they have %s", async (_, bytes, status) => {
    const { port } = await listen()
    const client = await dial(port, bytes)
    await until(() => client.closed)
    expect(client.text.startsWith(`HTTP/1.1 ${status} `), client.text).toBe(true)
    expect(JSON.parse(client.text.split("\r\n\r\n")[1]!)).toMatchObject({
      success: false,
      code: "INVALID_REQUEST",
      referenceId: "req_test"
    })
  })
})
