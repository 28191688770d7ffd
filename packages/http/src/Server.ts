/**
 * What a Node server needs around the application. Of provided layers the last one is built first, so in
 * `serve.pipe(Layer.provide(NodeHttpServer.layer(...)), Layer.provide(everything else))` the port opens
 * last; `guard` answers whatever still comes before the application is attached.
 */
import type { Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as HttpRouter from "effect/http/HttpRouter"
import { limits, prefixes, ulid } from "@millrace/core"
import { App } from "./App.ts"
import { bound, connectionLimits, type ConnectionLimits } from "./ConnectionGuard.ts"
import * as Errors from "./answer/errors.ts"
import { type Answer, busy, timedOut } from "@millrace/core/operation"

/** The application on an `HttpServer`, with our own access log instead of the framework's. */
export const serve = HttpRouter.serve(App, { disableLogger: true, disableListenLog: true })

/** Milliseconds. A body of 25 MiB gets a minute; a client that dribbles its headers gets ten seconds. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000
}

/** Milliseconds after which a connection is ended on which nothing moves: also one whose client takes no answer. */
const silenceTimeout = 120_000
/** Milliseconds that a client has to take a refusal before its connection is ended. */
const refusalTimeout = 1_000

/**
 * Options for `http.createServer`. The header size is above our limits of target and headers together, so
 * that requests somewhat too large still get our answer; one without a host gets ours too. An offer to go on in another
 * protocol (`Upgrade: h2c`, which Java's client and `curl --http2` make) is not taken: the request is answered as it is, and
 * its connection ends with the answer, since Node reads no request that was sent behind such an offer.
 */
export const serverOptions = {
  ...timeouts,
  maxHeaderSize: 2 * (limits.requestTargetBytes + limits.headerBytes),
  requireHostHeader: false,
  shouldUpgradeCallback: () => false
}

const headersTooLarge: Answer = {
  status: 431,
  code: "HEADERS_TOO_LARGE",
  message: "The headers are too long"
}
const tookTooLong: Answer = { status: 408, code: "INVALID_REQUEST", message: "The request took too long" }
const unreadable: Answer = { status: 400, code: "INVALID_REQUEST", message: "The request is not valid HTTP" }
const hostMissing: Answer = { status: 400, code: "INVALID_REQUEST", message: "The Host header is required" }
const expectationUnknown: Answer = {
  status: 417,
  code: "INVALID_REQUEST",
  message: "The only expectation that is met is 100-continue"
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const answerTo = (code: string | undefined): Answer =>
  code === "HPE_HEADER_OVERFLOW" ? headersTooLarge : code === "ERR_HTTP_REQUEST_TIMEOUT" ? tookTooLong : unreadable

/** For what is answered before the application, which has ids of its own. */
const newRequestId = (): string => {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte % 32)
  return `${prefixes.request}_${ulid(Date.now(), digits)}`
}

const headersOf = (referenceId: string, body: string) => ({
  "content-type": "application/json",
  "content-length": String(new TextEncoder().encode(body).length),
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "x-request-id": referenceId,
  connection: "close"
})

const refuseRaw = (socket: Duplex, answer: Answer, referenceId: string): void => {
  const body = JSON.stringify(Errors.bodyOf(answer, referenceId))
  const head = Object.entries(headersOf(referenceId, body)).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ""}`, ...head, "", body].join("\r\n"))
  // A client that never closes its side would keep the connection for ever.
  setTimeout(() => socket.destroy(), refusalTimeout).unref()
}

const refuse = (response: ServerResponse, answer: Answer, referenceId: string): void => {
  const body = JSON.stringify(Errors.bodyOf(answer, referenceId))
  response.writeHead(answer.status, { ...headersOf(referenceId, body), ...answer.headers })
  response.end(body)
}

/**
 * Answers what no application sees, in the envelope of all errors: requests that come before the
 * application is attached (503, they would hang for ever), bytes that are no request (400, 408, 431), requests without a
 * host and with expectations that nobody meets. Connections and what comes on them are bounded.
 */
export const guard = (
  server: Server,
  nextId: () => string = newRequestId,
  bounds: ConnectionLimits = connectionLimits
): Server => {
  server.timeout = silenceTimeout
  const { overdue } = bound(server, bounds, {
    busy: (response) => refuse(response, busy, nextId()),
    unfit: ({ headers, httpVersion }, response) => {
      if (headers.upgrade !== undefined) response.shouldKeepAlive = false
      const answer =
        server.listenerCount("request") === 0
          ? timedOut
          : headers.host === undefined && httpVersion === "1.1"
            ? hostMissing
            : undefined
      if (answer !== undefined) refuse(response, answer, nextId())
      return answer !== undefined
    }
  })
  server.on("checkExpectation", (_, response: ServerResponse) => refuse(response, expectationUnknown, nextId()))
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => {
    const end = () => {
      if (socket.writable && error.code !== "ECONNRESET") refuseRaw(socket, answerTo(error.code), nextId())
      else socket.destroy()
    }
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") overdue(socket, end)
    else end()
  })
  return server
}
