/** The API, asked in this process: the same checks, audit and answers as over the network. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, fromWeb } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Result from "effect/Result"
import { StrictJson } from "@millrace/core/operation"
import { isNode } from "../openapi/Node.ts"
import { Refusal } from "./Refusal.ts"
import type { ToolRequest } from "./Tool.ts"

/** The body of a success, with all digits of its numbers. */
export type Body = Readonly<Record<string, StrictJson.Json>>

/** Headers of the credential and of the person, which go on with what is asked. */
const passed = ["x-api-key", "authorization", "x-workspace-id", "x-forwarded-for", "user-agent"] as const

/** Asks on behalf of the sender of this request. */
export type AskApi = (from: HttpServerRequest, request: ToolRequest) => Effect.Effect<Body, Refusal>

/** The body of a success; another answer is the refusal. Every answer of an operation that has a tool is JSON. */
const bodyOf = (status: number, text: string): Effect.Effect<Body, Refusal> => {
  if (status >= 400) return Effect.fail(new Refusal({ text }))
  const parsed = StrictJson.parse(text, Number.POSITIVE_INFINITY)
  return Result.isSuccess(parsed) && isNode(parsed.success)
    ? Effect.succeed(parsed.success as Body)
    : Effect.die(`an operation answered ${status} without a JSON object`)
}

export const makeAskApi: Effect.Effect<AskApi, never, HttpRouter.HttpRouter> = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const around = yield* Effect.context<never>()
  return (from, { body, method, target }) => {
    const headers = new Headers()
    for (const name of passed) {
      const value = from.headers[name]
      if (value !== undefined) headers.set(name, value)
    }
    if (body !== undefined) headers.set("content-type", "application/json")
    const request = new Request(`http://in-process${target}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body })
    })
    return Effect.suspend(() => router.asHttpEffect()).pipe(
      Effect.provideService(HttpServerRequest, fromWeb(request).modify({ remoteAddress: from.remoteAddress })),
      Effect.flatMap((response) => {
        const web = HttpServerResponse.toWeb(response, { context: around })
        return Effect.flatMap(
          Effect.promise(() => web.text()),
          (text) => bodyOf(web.status, text)
        )
      }),
      Effect.scoped,
      Effect.catch((error) => (error instanceof Refusal ? Effect.fail(error) : Effect.die(error))),
      Effect.setContext(around as Context.Context<never>)
    )
  }
})
