/**
 * Signatures of SnapTrade: HMAC-SHA256 over canonical JSON, with the consumer key.
 *
 * Canonical means: keys of every object in order, no white space. A request signs its body, its path and its query as they
 * are on the wire. A webhook signs its body as Python writes it, which is ASCII alone; the raw body is tried first.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

// The types of this version of TypeScript do not know these parts of JSON yet.
const rawJson = JSON as unknown as {
  readonly rawJSON: (text: string) => object
  readonly isRawJSON: (value: unknown) => value is { readonly rawJSON: string }
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
}

/** In the order of their code points, as Python sorts. */
const inOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** JSON with the keys of all objects in order and without white space. Numbers that were read exactly stay as they were. */
export const canonicalJson = (value: unknown): string => {
  if (rawJson.isRawJSON(value)) return value.rawJSON
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => inOrder(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(",")}}`
}

/** The same text with every character beyond ASCII written as `\uXXXX`. */
const inAscii = (text: string): string =>
  text.replaceAll(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const hmac = (consumerKey: Redacted.Redacted, text: string | Uint8Array): string =>
  createHmac("sha256", Redacted.value(consumerKey)).update(text).digest("base64")

export interface SignedRequest {
  readonly path: string
  /** As it is sent, without `?`. */
  readonly query: string
  /** `undefined` for a request without a body; an empty object counts as none. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/** The header `Signature` of a request. */
export const requestSignature = (consumerKey: Redacted.Redacted, { body, path, query }: SignedRequest): string => {
  const content = body === undefined || Object.keys(body).length === 0 ? null : body
  return hmac(consumerKey, canonicalJson({ content, path, query }))
}

/** What Python signs for a body: parsed, sorted, in ASCII. A failure for a body that is no JSON. */
const canonicalBody = (rawBody: Uint8Array): Result.Result<string, undefined> =>
  Result.try({
    try: () => {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(rawBody)
      const parsed = rawJson.parse(text, (_, value, { source }) =>
        typeof value === "number" && source !== undefined ? rawJson.rawJSON(source) : value
      )
      return inAscii(canonicalJson(parsed))
    },
    // Also where it is nested so deeply that nobody can read it.
    catch: () => undefined
  })

const areEqual = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** Whether SnapTrade signed a webhook. */
export const isSignedBody = (consumerKey: Redacted.Redacted, rawBody: Uint8Array, signature: string): boolean => {
  if (areEqual(hmac(consumerKey, rawBody), signature)) return true
  const body = canonicalBody(rawBody)
  return Result.isSuccess(body) && areEqual(hmac(consumerKey, body.success), signature)
}
