/** An HTTP server that answers JSON: what banks and destinations outside of the workers are made of. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** The header by which workers say who they are. */
export const callerHeader = "x-caller"

export interface JsonCall {
  readonly path: string
  /** Name of the worker that calls. */
  readonly caller: string
  readonly body: unknown
  /** Whether the caller has gone away meanwhile. */
  readonly isGone: () => boolean
}

export interface JsonServer {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves on a free port of this machine. An answer that is refused breaks the connection. */
export const serveJson = async (answer: (call: JsonCall) => Promise<unknown>): Promise<JsonServer> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    // Callers are killed at any moment.
    request.on("error", () => undefined)
    response.on("error", () => undefined)
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.once("end", () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"))
      const caller = String(request.headers[callerHeader])
      answer({ path: request.url ?? "/", caller, body, isGone: () => request.socket.destroyed }).then(
        (value) => {
          response.setHeader("content-type", "application/json")
          response.end(JSON.stringify(value))
        },
        () => request.socket.destroy()
      )
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
