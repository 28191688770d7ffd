/** Over real sockets: what is answered where no application is. */
import { createServer } from "node:http"
import { connect, type AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { guard, serverOptions } from "../src/Server.ts"

const open: Array<() => void> = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const listen = async (options: object = {}) => {
  const server = guard(createServer({ ...serverOptions, ...options }), () => "req_test")
  open.push(
    () => server.closeAllConnections(),
    () => server.close()
  )
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Sends bytes and gives back all that comes until the server closes. */
const raw = (port: number, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => (text += chunk.toString()))
    socket.on("close", () => resolve(text))
    socket.on("error", reject)
  })

const bodyOf = (answer: string): unknown => JSON.parse(answer.split("\r\n\r\n")[1]!)

describe("guard", () => {
  it("answers 503 until an application listens, so that nobody hangs", async () => {
    const { server, port } = await listen()
    const ask = "GET /v1/banks HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    const early = await raw(port, ask)
    expect(early).toMatch(/^HTTP\/1\.1 503 /)
    expect(early.toLowerCase()).toContain("retry-after: 5")
    expect(bodyOf(early)).toMatchObject({ success: false, code: "STORAGE_UNAVAILABLE", referenceId: "req_test" })
    server.on("request", (_, response) => response.end("mine"))
    expect(await raw(port, ask)).toContain("mine")
  })

  it.each([
    ["bytes that are no HTTP", "nonsense\r\n\r\n", 400, "INVALID_REQUEST"],
    ["headers of any length", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(60_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"]
  ])("answers %s in the envelope", async (_, bytes, status, code) => {
    const { port } = await listen()
    const answer = await raw(port, bytes)
    expect(answer.startsWith(`HTTP/1.1 ${status} `), answer).toBe(true)
    expect(bodyOf(answer)).toMatchObject({ success: false, code, referenceId: "req_test" })
  })

  it("gives each refusal a reference of its own", async () => {
    const server = guard(createServer(serverOptions))
    open.push(() => server.close())
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve)
    })
    const { port } = server.address() as AddressInfo
    const ask = "GET / HTTP/1.1\r\nhost: x\r\nexpect: x\r\nconnection: close\r\n\r\n"
    const answers = [await raw(port, ask), await raw(port, ask)]
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 417 /)
      expect(bodyOf(answer)).toMatchObject({
        code: "INVALID_REQUEST",
        referenceId: expect.stringMatching(/^req_[0-9a-z]{26}$/)
      })
    }
    expect(bodyOf(answers[0]!)).not.toEqual(bodyOf(answers[1]!))
  })

  it("does not wait for a client that dribbles its headers", async () => {
    const { port } = await listen({ headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 })
    const answer = await raw(port, "GET / HTTP/1.1\r\nhost:")
    expect(answer.startsWith("HTTP/1.1 408 ")).toBe(true)
  })
})
