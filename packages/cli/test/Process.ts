/** The command line as a process of its own, and servers for it on real sockets. */
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { serve } from "@millrace/http"
import { toRun } from "@millrace/verification/process/Programs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Fakes from "../../http/test/fakes/Server.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface Setting {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Sends the interrupt once standard error holds this. */
  readonly interruptAt?: string
}

/** Compiled code is shared by all runs of a test file; nothing else of the machine is. */
const cache = mkdtempSync(join(tmpdir(), "millrace-cli-cache-"))

/** A home without profiles. */
const emptyHome = (): string => mkdtempSync(join(tmpdir(), "millrace-cli-home-"))

export const runProcess = async (args: ReadonlyArray<string>, setting: Setting = {}): Promise<Ran> =>
  runProgram(process.execPath, [...(await toRun(main)), ...args], setting)

export const runProgram = (program: string, args: ReadonlyArray<string>, setting: Setting): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: {
        PATH: process.env["PATH"] ?? "",
        XDG_CACHE_HOME: cache,
        XDG_CONFIG_HOME: setting.env?.["XDG_CONFIG_HOME"] ?? emptyHome(),
        ...setting.env
      },
      stdio: "pipe"
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => {
      err += chunk.toString()
      if (setting.interruptAt !== undefined && err.includes(setting.interruptAt)) child.kill("SIGINT")
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, out, err }))
    child.stdin.on("error", () => {})
    child.stdin.end(setting.stdin ?? "")
  })

const portOf = (server: Server): number => (server.address() as AddressInfo).port

/** The real HTTP application over use cases in memory. */
export const startApi = async (options: Fakes.Options = {}) => {
  const fakes = Fakes.make(options)
  const server = createServer()
  const runtime = ManagedRuntime.make(
    serve.pipe(
      Layer.provide(NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })),
      Layer.provide(fakes.kernel)
    )
  )
  await runtime.runPromise(Effect.void)
  const baseUrl = `http://127.0.0.1:${portOf(server)}`
  return {
    ...fakes,
    baseUrl,
    env: { MILLRACE_BASE_URL: baseUrl, MILLRACE_API_KEY: Fakes.secret },
    stop: async () => {
      server.closeAllConnections()
      await runtime.dispose()
      await fakes.dispose()
    }
  }
}

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A server that answers as it is told, for what the real one does not do on demand. */
export const startScripted = async (answer: (asked: Asked, response: ServerResponse, count: number) => void) => {
  const asked: Array<Asked> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
      asked.push(one)
      answer(one, response, asked.length)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const baseUrl = `http://127.0.0.1:${portOf(server)}`
  return {
    asked,
    baseUrl,
    env: { MILLRACE_BASE_URL: baseUrl, MILLRACE_API_KEY: "mill_key" },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

export const json = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body)
