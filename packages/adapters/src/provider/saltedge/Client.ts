/** Asking Salt Edge: keys in headers, signed where a key is given, exact answers, refusals as errors of the port. */
import type { KeyObject } from "node:crypto"
import { Outbound, type OutboundRequest, type OutboundResponse } from "@millrace/core/outbound"
import { type ProviderError, readJson, unanswered } from "@millrace/core/provider"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { meaningOf, type Refused } from "./Errors.ts"
import { saltEdgeUrl, type Settings } from "./Settings.ts"
import { requestSignature } from "./Signature.ts"

export interface Asked<A> {
  /** The form of `data` in the answer. */
  readonly answer: Schema.Codec<A, unknown>
  readonly method?: NonNullable<OutboundRequest["method"]>
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as `data`. */
  readonly body?: Readonly<Record<string, unknown>>
  readonly counts?: OutboundRequest["counts"]
}

export interface Answered<A> {
  readonly data: A
  /** From where the next page begins; absent on the last one. */
  readonly nextId?: string
}

export interface SaltEdgeClient {
  readonly ask: <A>(asked: Asked<A>) => Effect.Effect<Answered<A>, ProviderError>
}

const name = "Salt Edge"

/** Seconds for which a signature is good. */
const signatureSeconds = 60

const Meta = Schema.optionalKey(
  Schema.NullOr(
    Schema.Struct({ next_id: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))) })
  )
)

const word = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w.-]{1,100}$/.test(value) ? value : undefined

/** What a refusing body says, whichever of its forms it has: an application that waits for approval gets bare texts. */
const refusedBy = (answer: OutboundResponse, counts: Refused["counts"]): Refused => {
  const retryAfter = answer.headers["retry-after"]?.trim() ?? ""
  let error: Readonly<Record<string, unknown>> = {}
  try {
    const body = JSON.parse(new TextDecoder().decode(answer.body.subarray(0, 16_384))) as { readonly error?: unknown }
    if (typeof body?.error === "object" && body.error !== null) error = body.error as Readonly<Record<string, unknown>>
  } catch {
    // A page for people, or nothing at all: the status says enough.
  }
  const requestId = word(error["request_id"]) ?? word(answer.headers["x-request-id"])
  return {
    status: answer.status,
    errorClass: word(error["class"]) ?? "",
    counts,
    ...(requestId === undefined ? {} : { requestId }),
    ...(/^\d{1,6}$/.test(retryAfter) ? { retryAfter: Number(retryAfter) } : {})
  }
}

const pairs = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`)
    .join("&")

/** The client of an instance. */
export const makeClient = Effect.fnUntraced(function* (settings: Settings, privateKey: KeyObject | undefined) {
  const outbound = yield* Outbound
  const base = (settings.baseUrl ?? saltEdgeUrl).replace(/\/+$/, "")
  return {
    ask: Effect.fnUntraced(function* <A>({ answer, body, counts = {}, method = "GET", path, query = {} }: Asked<A>) {
      const sent = pairs(query)
      const url = `${base}${path}${sent === "" ? "" : `?${sent}`}`
      // Serialised once: what is signed is what is sent.
      const text = body === undefined ? "" : JSON.stringify({ data: body })
      const expiresAt = Math.floor((yield* Clock.currentTimeMillis) / 1000) + signatureSeconds
      const signed =
        privateKey === undefined
          ? {}
          : {
              "expires-at": String(expiresAt),
              signature: requestSignature(privateKey, { expiresAt, method, url, body: text })
            }
      const response = yield* Effect.mapError(
        outbound.request({
          url,
          method,
          headers: {
            accept: "application/json",
            "content-type": "application/json",
            "app-id": settings.appId,
            secret: settings.secret,
            ...signed
          },
          ...(text === "" ? {} : { body: text }),
          counts
        }),
        unanswered
      )
      if (response.status < 200 || response.status > 299) return yield* meaningOf(refusedBy(response, counts))
      // Nothing that is documented of version 6 says whether what is deleted is reported again.
      const told = response.status === 204 ? { ...response, body: new TextEncoder().encode('{"data":null}') } : response
      const read = yield* Effect.fromResult(readJson(name, Schema.Struct({ data: answer, meta: Meta }), told))
      const nextId = read.meta?.next_id
      return {
        data: read.data,
        ...(nextId === undefined || nextId === null || nextId === "" ? {} : { nextId: String(nextId) })
      } satisfies Answered<A>
    })
  } satisfies SaltEdgeClient
})
