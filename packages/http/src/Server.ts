/**
 * What a Node server needs around the application. Of provided layers the last one is built first, so in
 * `serve.pipe(Layer.provide(NodeHttpServer.layer(...)), Layer.provide(everything else))` the port opens
 * last; `guard` answers whatever still comes before the application is attached.
 */
import type { Server } from "node:http"
import type { Duplex } from "node:stream"
import * as HttpRouter from "effect/http/HttpRouter"
import { limits } from "@millrace/core/shared/Limits"
import { App } from "./App.ts"
import * as Errors from "./errors.ts"

/** The application on an `HttpServer`, with our own access log instead of the framework's. */
export const serve = HttpRouter.serve(App, { disableLogger: true, disableListenLog: true })

/** Milliseconds. A body of 25 MiB gets a minute; a client that dribbles its headers gets ten seconds. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}

/**
 * Options for `http.createServer`. The header size is above our limits of target and headers together, so
 * that requests somewhat too large still get our answer.
 */
export const serverOptions = {
  ...timeouts,
  maxHeaderSize: 2 * (limits.requestTargetBytes + limits.headerBytes)
}

const headersTooLarge: Errors.Answer = {
  status: 431,
  code: "HEADERS_TOO_LARGE",
  message: "The headers are too long"
}
const tookTooLong: Errors.Answer = { status: 408, code: "INVALID_REQUEST", message: "The request took too long" }
const unreadable: Errors.Answer = { status: 400, code: "INVALID_REQUEST", message: "The request is not valid HTTP" }

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const answerTo = (code: string | undefined): Errors.Answer =>
  code === "HPE_HEADER_OVERFLOW" ? headersTooLarge : code === "ERR_HTTP_REQUEST_TIMEOUT" ? tookTooLong : unreadable

const headersOf = (referenceId: string, body: string) => ({
  "content-type": "application/json",
  "content-length": String(new TextEncoder().encode(body).length),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": referenceId,
  connection: "close"
})

const refuseRaw = (socket: Duplex, answer: Errors.Answer, referenceId: string): void => {
  const body = JSON.stringify(Errors.bodyOf(answer, referenceId))
  const head = Object.entries(headersOf(referenceId, body)).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ""}`, ...head, "", body].join("\r\n"))
}

/**
 * Answers what no application sees, in the envelope of all errors: requests that come before the
 * application is attached (503, they would hang for ever), and bytes that are no request (400, 408, 431).
 */
export const guard = (server: Server, nextId: () => string = () => crypto.randomUUID()): Server => {
  server.on("request", (_, response) => {
    // The application is a second listener.
    if (server.listenerCount("request") > 1) return
    const referenceId = nextId()
    const body = JSON.stringify(Errors.bodyOf(Errors.timedOut, referenceId))
    response.writeHead(Errors.timedOut.status, { ...headersOf(referenceId, body), ...Errors.timedOut.headers })
    response.end(body)
  })
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    if (socket.writable && error.code !== "ECONNRESET") refuseRaw(socket, answerTo(error.code), nextId())
    else socket.destroy()
  })
  return server
}
