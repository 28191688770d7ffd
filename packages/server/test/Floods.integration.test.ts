/** One client that asks for everything at once, and what others notice of it: a real process with a small heap. */
import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { startServer, type ServerProcess } from "@millrace/verification/process/ServerProcess"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

let folder: string
let server: ServerProcess
let key: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "millrace-flood-"))
  server = await startServer({
    environment: { MILLRACE_DATA: folder, MILLRACE_DEMO: "false", NODE_OPTIONS: "--max-old-space-size=512" }
  })
  key = (await server.line(/mill_[0-9A-Za-z]{44}/, 300_000)).match(/mill_[0-9A-Za-z]{44}/)![0]
  await server.line(/Serving/, 300_000)
}, 600_000)

afterAll(async () => {
  await server.kill("SIGTERM")
  await rm(folder, { recursive: true, force: true })
})

const request = (secret: string) => `GET /v1/whoami HTTP/1.1\r\nhost: x\r\nx-api-key: ${secret}\r\n\r\n`

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** Keys that nobody has, in the form of those that people have. */
const unknownKey = (n: number) =>
  `mill_${Array.from({ length: 44 }, (_, at) => alphabet[(n * 31 + at * at * 7 + Math.floor(n / 62 ** (at % 3))) % 62]).join("")}`

/** Begins every answer. */
const mark = "HTTP/1.1 "

const flood = (requests: ReadonlyArray<string>): { readonly socket: Socket; answers: number; closed: boolean } => {
  const state = { socket: connect(server.port, "127.0.0.1"), answers: 0, closed: false }
  // A chunk may end in the middle of a mark.
  let rest = ""
  state.socket.on("data", (chunk) => {
    const text = rest + chunk.toString("latin1")
    state.answers += text.split(mark).length - 1
    rest = text.slice(1 - mark.length)
  })
  state.socket.on("error", () => {})
  state.socket.on("close", () => (state.closed = true))
  state.socket.write(requests.join(""))
  return state
}

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(server.url + path, { headers })

/** What a loaded machine needs for the slowest of these; what takes longer does not come. */
const patienceMillis = 180_000

/** Waits until it is so; refused with how far it came when the time is up. */
const until = async (holds: () => boolean, told: () => unknown) => {
  const end = performance.now() + patienceMillis
  while (!holds()) {
    if (performance.now() > end) throw new Error(`Not within ${patienceMillis} ms: ${JSON.stringify(told())}`)
    await wait(20)
  }
}

/** Answers of the floods when the caller's own came, and once more when all of it has passed. */
const served = async (floods: ReadonlyArray<{ answers: number }>) => {
  const before = await ask("/livez")
  expect(before.status).toBe(200)
  const own = await ask("/v1/whoami", { "x-api-key": key })
  return { status: own.status, passed: floods.reduce((sum, { answers }) => sum + answers, 0) }
}

describe("a flood of requests on few connections", () => {
  it("without a key leaves others served before it has passed, and the server alive", async () => {
    const each = 10_000
    const floods = [0, 1, 2].map((at) =>
      flood(Array.from({ length: each }, (_, n) => request(unknownKey(at * each + n))))
    )
    const { passed, status } = await served(floods)
    expect(status).toBe(200)
    expect(passed).toBeLessThan(each)
    for (const { socket } of floods) socket.destroy()
    expect((await ask("/readyz")).status).toBe(200)
  }, 600_000)

  it("with a key counts against it, is answered to the last request, and leaves probes served", async () => {
    const requests = 5_000
    const one = flood(Array.from({ length: requests }, () => request(key)))
    expect((await ask("/livez")).status).toBe(200)
    const told = () => ({ answers: one.answers, closed: one.closed })
    await until(() => one.answers >= requests || one.closed, told)
    expect(told()).toEqual({ answers: requests, closed: false })
    one.socket.destroy()
  }, 600_000)
})

describe("silent connections", () => {
  it("are gone soon after they are told that they took too long, while others are served", async () => {
    const silent = Array.from({ length: 300 }, () => flood(["GET /livez HTTP/1.1\r\n"]))
    expect((await ask("/livez")).status).toBe(200)
    await until(
      () => silent.every(({ closed }) => closed),
      () => silent.filter(({ closed }) => !closed).length
    )
    expect(silent.filter(({ answers }) => answers !== 1)).toEqual([])
    expect((await ask("/livez")).status).toBe(200)
  }, 600_000)
})
