/** Answers of more than 1 KiB are compressed for clients that take it (decisions 12). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export const encodings = ["br", "gzip"] as const
export type Encoding = (typeof encodings)[number]

export type Compress = (bytes: Uint8Array, encoding: Encoding) => Effect.Effect<Uint8Array>

/** Brought by the platform. Without it answers stay as they are. */
export const Compressor = Context.Reference<Compress | undefined>("@millrace/http/middleware/Compressor", {
  defaultValue: () => undefined
})

/** Smaller answers fit into a packet or two anyway. */
const leastBytes = 1_024

/** How much the client wants an encoding, by its quality: 0 is not at all. */
const qualityOf = (accepted: string, encoding: string): number => {
  let every = 0
  for (const part of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim())
    const given = parameters.find((parameter) => parameter.startsWith("q="))
    const quality = given === undefined ? 1 : Number(given.slice(2))
    if (name === encoding) return Number.isNaN(quality) ? 0 : quality
    if (name === "*") every = Number.isNaN(quality) ? 0 : quality
  }
  return every
}

/** The encoding that the client likes best, the denser one where it likes both. */
export const encodingFor = (accepted: string | undefined): Encoding | undefined => {
  if (accepted === undefined) return undefined
  let best: Encoding | undefined
  let most = 0
  for (const encoding of encodings) {
    const quality = qualityOf(accepted, encoding)
    if (quality > most) {
      best = encoding
      most = quality
    }
  }
  return best
}

/** The answer as the client takes it. */
export const compressed = (
  response: HttpServerResponse.HttpServerResponse,
  accepted: string | undefined,
  compress: Compress | undefined
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { body } = response
  if (compress === undefined || body._tag !== "Uint8Array" || body.contentLength <= leastBytes) {
    return Effect.succeed(response)
  }
  if (response.headers["content-encoding"] !== undefined) return Effect.succeed(response)
  const { vary } = response.headers
  const told = HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`
  )
  const encoding = encodingFor(accepted)
  if (encoding === undefined) return Effect.succeed(told)
  return Effect.map(compress(body.body, encoding), (bytes) =>
    HttpServerResponse.setHeader(
      HttpServerResponse.setBody(told, HttpBody.uint8Array(bytes, body.contentType)),
      "content-encoding",
      encoding
    )
  )
}
