/** Conditional requests on the version of a record (decisions 1.10). */
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const strongTag = /^"(\d{1,15})"$/
/** No record ever has it. */
const neverVersion = -1

/**
 * The version that `If-Match` demands; `undefined` where it demands none. What is no version of ours can
 * match nothing, so it is refused like a stale one.
 */
export const demanded = (ifMatch: string | undefined): number | undefined => {
  if (ifMatch === undefined || ifMatch.trim() === "*") return undefined
  const found = strongTag.exec(ifMatch.trim())
  return found === null ? neverVersion : Number(found[1])
}

const known = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.split(",").some((part) => {
    const one = part.trim()
    return one === "*" || one.replace(/^W\//, "") === tag
  })

/** The answer with its `ETag`, or 304 when the caller has this version already. */
export const versioned = <A>(
  version: number,
  ifNoneMatch: string | undefined,
  body: A
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, HttpServerRequest> => {
  const etag = `"${version}"`
  return ifNoneMatch !== undefined && known(ifNoneMatch, etag)
    ? Effect.succeed(HttpServerResponse.empty({ status: 304, headers: { etag } }))
    : Effect.as(
        HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeader(response, "etag", etag))
        ),
        body
      )
}
