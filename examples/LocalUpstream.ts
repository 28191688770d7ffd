/** A server on this machine that stands for somebody else's, for the examples and their tests. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { OutboundClient, privateHosts } from "@millrace/adapters"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Answers each request with a status and, as JSON, a value. It is closed with the scope. */
export const serve = (answer: (asked: Asked) => readonly [status: number, value: unknown]) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const server = createServer(async (request, response) => {
              const [status, value] = answer({
                method: request.method ?? "",
                path: request.url ?? "",
                authorization: request.headers.authorization,
                body: await bodyOf(request)
              })
              response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
            })
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

/** A client that may ask this machine: private addresses are refused unless they are named. */
export const outbound = OutboundClient.make({ privateHosts: Result.getOrThrow(privateHosts(["127.0.0.1"])) })
