/** Calls from a worker to a server outside of it. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { call } from "../process/ApiCaller.ts"
import { callerHeader } from "./JsonServer.ts"

export interface Remote {
  readonly url: string
  /** Name of the worker. */
  readonly caller: string
}

/** No answer, or one that broke off. */
export class RemoteUnavailable extends Schema.TaggedError<RemoteUnavailable>()("RemoteUnavailable", {
  message: Schema.String
}) {}

/** The answer to a JSON body. Interruption breaks the connection. */
export const post = <A>({ caller, url }: Remote, path: string, json: unknown): Effect.Effect<A, RemoteUnavailable> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await call(url, "", path, { json, signal, headers: { [callerHeader]: caller } })
      return answer.json() as A
    },
    catch: (cause) => new RemoteUnavailable({ message: `No answer: ${String(cause)}` })
  })
