/** Messages that are under way, each with who sent it: the protocol's own handlers see headers alone. */
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type * as Scope from "effect/Scope"
import type { Caller } from "@millrace/core/access"

/** Names the message, within this process. */
export const messageHeader = "x-millrace-message"

export interface Message {
  readonly caller: Caller
  readonly request: HttpServerRequest
}

export class Messages {
  private readonly underWay = new Map<string, Message>()
  private last = 0

  /** The name of the message, until its request ends. */
  readonly open = (message: Message): Effect.Effect<string, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => {
        this.last += 1
        const name = String(this.last)
        this.underWay.set(name, message)
        return name
      }),
      (name) => Effect.sync(() => this.underWay.delete(name))
    )

  readonly get = (name: string | undefined): Message | undefined =>
    name === undefined ? undefined : this.underWay.get(name)
}
