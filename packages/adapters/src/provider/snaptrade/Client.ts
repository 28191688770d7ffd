/** Asking SnapTrade: signed requests, exact answers, and refusals as errors of the port. */
import { Outbound, type OutboundRequest, type OutboundResponse } from "@millrace/core/outbound"
import { ConnectionGone, type ProviderError, readJson, unanswered } from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { meaningOf, type Refused } from "./Errors.ts"
import { type Settings, snapTradeUrl } from "./Settings.ts"
import { requestSignature } from "./Signature.ts"

/** Whose data are asked for. Of a personal key SnapTrade knows by itself whose. */
export interface SnapTradeUser {
  readonly userId: string
  readonly userSecret: string
}

export interface Asked<A> {
  /** The form of the answer. */
  readonly answer: Schema.Codec<A, unknown>
  readonly method?: NonNullable<OutboundRequest["method"]>
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** In ASCII alone: of other texts it is unknown what SnapTrade takes the signature of. */
  readonly body?: Readonly<Record<string, string | boolean>>
  /** Absent: about nobody. `"key"`: about the person whose personal key it is. */
  readonly user?: SnapTradeUser | "key"
  readonly counts?: OutboundRequest["counts"]
}

export interface SnapTradeClient {
  readonly ask: <A>(asked: Asked<A>) => Effect.Effect<A, ProviderError>
}

const name = "SnapTrade"

/** What a refusing body says, whichever of its forms it has. */
const refusedBy = (answer: OutboundResponse, counts: Refused["counts"]): Refused => {
  const text = new TextDecoder().decode(answer.body.subarray(0, 4_096))
  let code = ""
  try {
    const body = JSON.parse(text) as Readonly<Record<string, unknown>> | null
    const written = body?.["code"] ?? body?.["default_code"]
    // Of a code that is none of theirs nothing is repeated.
    if ((typeof written === "string" || typeof written === "number") && /^[\w-]{1,40}$/.test(String(written))) {
      code = String(written)
    }
  } catch {
    // A page for people, or nothing at all: the status says enough.
  }
  const requestId = answer.headers["x-request-id"]
  return {
    status: answer.status,
    code,
    counts,
    answer,
    text,
    ...(requestId !== undefined && /^[\w-]{1,100}$/.test(requestId) ? { requestId } : {})
  }
}

const pairs = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join("&")

/** The client of an instance. */
export const makeClient = Effect.fnUntraced(function* (settings: Settings) {
  const outbound = yield* Outbound
  const base = (settings.baseUrl ?? snapTradeUrl).replace(/\/+$/, "")
  return {
    ask: Effect.fnUntraced(function* <A>({ answer, body, counts = {}, method, path, query = {}, user }: Asked<A>) {
      if (user === undefined && counts.connection !== undefined) {
        return yield* new ConnectionGone({ message: "The connection has no user at SnapTrade" })
      }
      const timestamp = String(Math.floor((yield* Clock.currentTimeMillis) / 1000))
      const whose = user === undefined || user === "key" ? {} : { userId: user.userId, userSecret: user.userSecret }
      const sent = pairs({ clientId: settings.clientId, timestamp, ...whose, ...query })
      const url = `${base}${path}?${sent}`
      const signature = requestSignature(settings.consumerKey, { path: new URL(url).pathname, query: sent, body })
      const response = yield* Effect.mapError(
        outbound.request({
          url,
          ...(method === undefined ? {} : { method }),
          headers: {
            accept: "application/json",
            signature: Redacted.make(signature),
            ...(body === undefined ? {} : { "content-type": "application/json" })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          counts
        }),
        unanswered
      )
      if (response.status < 200 || response.status > 299) return yield* meaningOf(refusedBy(response, counts))
      return yield* Effect.fromResult(readJson(name, answer, response))
    })
  } satisfies SnapTradeClient
})
