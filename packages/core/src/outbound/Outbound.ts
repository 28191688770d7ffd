/**
 * Port: the one client for requests that leave the installation: to providers, to destinations, to webhooks.
 *
 * It connects to public addresses only. The name is resolved, every address is checked, and the connection goes to an
 * address that was checked; each redirect is checked again. Hosts that the operator names may be private. Answers are
 * bounded in time and size. Failures name the host and nothing else of a request: no path, query, header or body.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

export type OutboundMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

/** What a request is about: the limits of an upstream that count it follow from that. */
export interface Counts {
  /** The upstream's reference of the connection that the request is about. */
  readonly connection?: string
  /** The upstream's id of the account that it is about. */
  readonly account?: string
  /** A name that the driver gives to requests which share a limit of their own, such as `transactions`. */
  readonly endpoint?: string
}

/**
 * What a request is for: the operator names private hosts for each purpose apart. That of a provider is the id of its instance.
 */
export const sharedPurposes = ["models", "messages", "webhookEndpoints", "destinations"] as const
/** One of `sharedPurposes`, or an id such as `plaid:us`. */
export type OutboundPurpose = string

export interface OutboundRequest {
  /** `https:`; `http:` only to hosts that the operator named. Credentials belong into a header. */
  readonly url: string
  /** `GET` unless given. */
  readonly method?: OutboundMethod
  /** Values that are secret are `Redacted`; they leave with the request and show up nowhere else. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>>
  readonly body?: string | Uint8Array
  /** Most bytes of the answer, unpacked (`limits.outboundBytes` unless given). */
  readonly maxBytes?: number
  /** Seconds for everything: resolving, connecting, redirects and the whole answer (`limits.outboundSeconds` unless given). */
  readonly timeoutSeconds?: number
  /**
   * Most redirects to follow, for `GET` and `HEAD`; 0 unless given, and then a redirect is the answer. What leads to
   * another origin is asked without the headers and credentials of the first one.
   */
  readonly redirects?: number
  readonly counts?: Counts
  /** Set by the kernel, which knows whom it gave the client to (`forPurpose`). Without it no private host is reached. */
  readonly purpose?: OutboundPurpose
}

export interface OutboundResponse {
  /** Any status is an answer: what it means is for the caller to say. */
  readonly status: number
  /** Names in small letters; several values of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** Unpacked where it was compressed. */
  readonly body: Uint8Array
}

/**
 * `invalidRequest`: the request itself cannot be sent. `addressRefused`: the host is, or leads to, an address that may
 * not be asked. `unreachable`: no connection, or it broke. `timedOut`, `tooLarge`: over the bounds. `redirectRefused`:
 * too many redirects, or one that may not be followed. `garbled`: what came is no HTTP answer.
 * `rateLimited`: there was no place in the budget in time; nothing was sent.
 */
export const outboundReasons = [
  "invalidRequest",
  "addressRefused",
  "unreachable",
  "timedOut",
  "tooLarge",
  "redirectRefused",
  "garbled",
  "rateLimited"
] as const

/** A request without an answer. The message is safe to show and to log. */
export class OutboundFailure extends Schema.TaggedError<OutboundFailure>()("OutboundFailure", {
  reason: Schema.Literals(outboundReasons),
  message: Schema.String,
  /** Whether the request may have arrived: then what it was to do may have been done. */
  sent: Schema.Boolean,
  /** Seconds until the next try, where that is known. */
  retryAfter: Schema.optionalKey(Schema.Int)
}) {}

/** Where requests take their place in the budget of an upstream. */
export interface Turns {
  /** Waits for a place under all limits that the request counts against; fails as `rateLimited` where that takes too long. */
  readonly take: (counts: Counts) => Effect.Effect<void, OutboundFailure>
  /** Hears of every answer, so that a limit which the upstream states in its headers is kept. */
  readonly heed: (counts: Counts, answer: Pick<OutboundResponse, "status" | "headers">) => Effect.Effect<void>
}

export class Outbound extends Context.Service<
  Outbound,
  {
    readonly request: (request: OutboundRequest) => Effect.Effect<OutboundResponse, OutboundFailure>
  }
>()("@millrace/core/outbound/Outbound") {}

/** The same client for one purpose, whatever its requests say of theirs. */
export const forPurpose = (
  { request }: Outbound["Service"],
  purpose: () => OutboundPurpose | undefined
): Outbound["Service"] => ({
  request: ({ purpose: _given, ...asked }) => {
    const own = purpose()
    return request(own === undefined ? asked : { ...asked, purpose: own })
  }
})

/** The same client, each of whose requests waits for its turn first. A request with its redirects is one. */
export const inTurn = ({ request }: Outbound["Service"], { heed, take }: Turns): Outbound["Service"] => ({
  request: Effect.fnUntraced(function* (asked) {
    const counts = asked.counts ?? {}
    yield* take(counts)
    const answer = yield* request(asked)
    yield* heed(counts, answer)
    return answer
  })
})
