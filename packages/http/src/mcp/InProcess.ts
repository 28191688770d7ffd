/** The API, asked in this process: the same checks, audit and answers as over the network. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest, fromWeb } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { ToolRequest } from "./Tool.ts"

export interface Answered {
  readonly status: number
  /** JSON text. */
  readonly text: string
}

/** Headers of the credential and of the person, which go on with what is asked. */
const passed = ["x-api-key", "authorization", "x-workspace-id", "x-forwarded-for", "user-agent"] as const

/** Asks on behalf of whoever sent this request. */
export type AskApi = (from: HttpServerRequest, request: ToolRequest) => Effect.Effect<Answered>

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
        return Effect.map(
          Effect.promise(() => web.text()),
          (text): Answered => ({ status: web.status, text })
        )
      }),
      Effect.scoped,
      Effect.orDie,
      Effect.setContext(around as Context.Context<never>)
    )
  }
})
