/**
 * The Model Context Protocol over Streamable HTTP (decisions 10.1): at `/mcp`, and by POST at `/`. Each operation with a tool is
 * one; a call asks the API in this process, so that its checks, audit and answers are those of the API.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpEffect from "effect/http/HttpEffect"
import { fromWeb, HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { callerOf, credentialOf, type CredentialPrincipal } from "@millrace/core/access"
import { Authenticator } from "@millrace/core/kernel"
import { limits } from "@millrace/core"
import { type Answer, answerOf, StrictJson } from "@millrace/core/operation"
import { RollingWindow } from "@millrace/core/rate"
import { apiVersion } from "../api/Api.ts"
import { refuse } from "../answer/Refused.ts"
import type { BodyMemory } from "../middleware/BodyMemory.ts"
import { makeAuthentication } from "../middleware/Credentials.ts"
import { rawOf, sizeOf } from "../middleware/RequestBody.ts"
import { nodeOf } from "../openapi/Node.ts"
import { CurrentRequest } from "../request/CurrentRequest.ts"
import { makeAskApi } from "./InProcess.ts"
import { McpSessions } from "./McpSessions.ts"
import { Messages, messageHeader } from "./Messages.ts"
import type { Tool } from "./Tool.ts"
import { registrations } from "./Tools.ts"

const path = "/mcp"
/** Messages of the protocol a minute and credential; calls of tools count as requests of the API instead. */
const messagesPerMinute = 120
/** Credentials whose windows are kept; beyond that all begin again. */
const mostWindows = 10_000

const sessionMissing: Answer = {
  status: 404,
  code: "NOT_FOUND",
  message: "Session not found: it has ended, or another credential opened it. Initialize another one"
}

const rateExceeded = (retryAfter: number): Answer => ({
  status: 429,
  code: "RATE_LIMITED",
  message: "Too many messages of the protocol",
  headers: { "retry-after": String(retryAfter) }
})

const decoder = new TextDecoder()

/** Whether it is a call of a tool, and of nothing else. What is no JSON is refused by the protocol. */
const isCall = (text: string): boolean => {
  const parsed = StrictJson.parse(text, limits.jsonDepth)
  return Result.isSuccess(parsed) && nodeOf(parsed.success)["method"] === "tools/call"
}

/** Credential -> the principal. An API key is not counted here: what its tools ask of the API is. */
const makeIdentify = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const authenticate = yield* makeAuthentication
  return Effect.fnUntraced(function* (request: HttpServerRequest) {
    const key = request.headers["x-api-key"]?.trim() ?? ""
    if (key === "" || request.headers["authorization"] !== undefined) return (yield* authenticate(request)).principal
    return yield* authenticator
      .apiKey(Redacted.make(key))
      .pipe(Effect.catchTag("CredentialInvalid", (error) => Effect.fail(refuse(answerOf(error)))))
  })
})

/** The window of each credential. */
class Windows {
  private windows = new Map<string, RollingWindow.Window>()

  readonly arrive = (credential: string, now: number): RollingWindow.Decision => {
    if (this.windows.size > mostWindows) this.windows = new Map()
    const window = this.windows.get(credential) ?? RollingWindow.make(messagesPerMinute)
    this.windows.set(credential, window)
    return RollingWindow.arrive(window, now)
  }
}

/** The body, for which there is room until the request ends. */
const bodyOf = Effect.fnUntraced(function* (request: HttpServerRequest, bodies: BodyMemory) {
  if (request.method !== "POST") return undefined
  yield* Effect.acquireRelease(bodies.take(sizeOf(request, "required")), bodies.release)
  return decoder.decode(yield* rawOf(request))
})

/** The request for the protocol, with what names the message. */
const forwarded = (request: HttpServerRequest, message: string, body: string | undefined): HttpServerRequest => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, value)
  headers.set(messageHeader, message)
  const init = { method: request.method, headers, ...(body === undefined ? {} : { body }) }
  return fromWeb(new Request(`http://in-process${path}`, init)).modify({ remoteAddress: request.remoteAddress })
}

const sessionOf = (response: HttpServerResponse.HttpServerResponse): string | undefined =>
  response.headers["mcp-session-id"]

/** Serves these tools on the router; `bodies` bounds what all requests hold. */
export const layer = (tools: ReadonlyArray<Tool>, bodies: BodyMemory) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const identify = yield* makeIdentify
      const ask = yield* makeAskApi
      const messages = new Messages()
      const sessions = new McpSessions()
      const windows = new Windows()
      // A router of its own: what reaches the protocol has passed the checks of this one.
      const served = McpServer.layerHttp({
        name: "millrace",
        version: apiVersion,
        description: "Bank connections, their data, feeds and tables.",
        path,
        protocols: [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26],
        allowSessionTermination: true,
        allowSubscriptions: false,
        registrations: registrations(tools, messages, ask)
      }).pipe(Layer.provideMerge(Layer.fresh(HttpRouter.layer)))
      const protocol = Context.get(yield* Layer.build(served), HttpRouter.HttpRouter).asHttpEffect()

      const admit = Effect.fnUntraced(function* (request: HttpServerRequest, principal: CredentialPrincipal) {
        const credential = credentialOf(principal)
        const now = yield* Clock.currentTimeMillis
        const session = request.headers["mcp-session-id"]
        if (session !== undefined && !sessions.isOf(session, credential, now)) return yield* refuse(sessionMissing)
        const body = yield* bodyOf(request, bodies)
        if (body === undefined || isCall(body)) return body
        const { admitted, retryAfter } = windows.arrive(credential, now)
        return admitted ? body : yield* refuse(rateExceeded(retryAfter))
      })

      /** Ends sessions as their owners would. */
      const end = (ids: ReadonlyArray<string>) =>
        Effect.forEach(
          ids,
          (id) => {
            sessions.end(id)
            const removal = new Request(`http://in-process${path}`, {
              method: "DELETE",
              headers: { "mcp-session-id": id }
            })
            return Effect.provideService(protocol, HttpServerRequest, fromWeb(removal))
          },
          { discard: true }
        )

      const opened = Effect.fnUntraced(function* (session: string | undefined, credential: string) {
        if (session === undefined) return
        const now = yield* Clock.currentTimeMillis
        yield* Effect.ignore(Effect.scoped(end(sessions.ending(credential, now))), { log: "Warn" })
        sessions.open(session, credential, now)
      })

      const handle = Effect.gen(function* () {
        const request = yield* HttpServerRequest
        const state = yield* CurrentRequest
        const principal = yield* identify(request)
        state.principal = principal
        const body = yield* admit(request, principal)
        const message = yield* messages.open({ caller: callerOf(principal, state.id), request })
        const response = yield* Effect.provideService(protocol, HttpServerRequest, forwarded(request, message, body))
        const session = request.headers["mcp-session-id"]
        if (request.method === "DELETE" && response.status === 204 && session !== undefined) sessions.end(session)
        // The id of a new session is put into the answer last.
        yield* HttpEffect.appendPreResponseHandler((_, answer) =>
          Effect.as(session === undefined ? opened(sessionOf(answer), credentialOf(principal)) : Effect.void, answer)
        )
        return response
      })

      return Layer.mergeAll(
        HttpRouter.add("POST", path, handle),
        HttpRouter.add("GET", path, handle),
        HttpRouter.add("DELETE", path, handle),
        HttpRouter.add("POST", "/", handle)
      )
    })
  )
