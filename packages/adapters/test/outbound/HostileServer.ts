/** A local server for answers that no good one gives. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface HostileServer {
  readonly port: number
  readonly requests: ReadonlyArray<IncomingMessage>
  /** Connections that were opened, and those that are open. */
  readonly connections: { opened: number; open: number }
}

export const hostileServer = (answer: Answer) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<HostileServer & { readonly close: () => void }>((resolve) => {
          const requests: Array<IncomingMessage> = []
          const sockets = new Set<Socket>()
          const connections = { opened: 0, open: 0 }
          const server = createServer((request, response) => {
            requests.push(request)
            answer(request, response)
          })
          server.on("connection", (socket) => {
            sockets.add(socket)
            connections.opened++
            connections.open++
            socket.on("error", () => undefined)
            socket.on("close", () => {
              connections.open--
              sockets.delete(socket)
            })
          })
          server.listen(0, "127.0.0.1", () => {
            const close = () => {
              server.close()
              for (const socket of sockets) socket.destroy()
            }
            resolve({ port: (server.address() as AddressInfo).port, requests, connections, close })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )
