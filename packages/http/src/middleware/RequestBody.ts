/** Reading bodies: type, size, encoding, JSON and multipart (decisions 1.8 and 1.11). */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type * as HttpServerError from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Multipart from "effect/http/Multipart"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Operation } from "@millrace/core/access"
import { limits } from "@millrace/core"
import type { NewFile } from "@millrace/core/kernel"
import { UploadSettings } from "@millrace/core/upload"
import { refuse, type Refused } from "../answer/Refused.ts"
import { type Answer, invalidRequest, StrictJson } from "@millrace/core/operation"

const wrongType: Answer = {
  status: 415,
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "Content type or content encoding is not supported"
}

// The rest of a body that is too large stays unread, so the connection cannot be used again.
const tooLarge = (bytes: number, what = "Body"): Answer => ({
  status: 413,
  code: "BODY_TOO_LARGE",
  message: `${what} is larger than ${bytes} bytes`,
  headers: { connection: "close" }
})

const unreadable: Answer = { status: 400, code: "INVALID_REQUEST", message: "Body could not be read" }

/** Room beside the file: headers of parts, boundaries, and other parts, which are read over. */
const multipartOverhead = 1_048_576
const multipartField = 65_536
const multipartParts = 20

const mediaType = (request: HttpServerRequest): { readonly type: string; readonly charset: string } => {
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "").toLowerCase().split(";")
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith("charset="))
  return { type: type.trim(), charset: charset?.slice(8).trim().replaceAll('"', "") ?? "utf-8" }
}

const isJson = (request: HttpServerRequest): boolean => {
  const { type, charset } = mediaType(request)
  return (
    (type === "" || type === "application/json" || type === "text/json" || /^[^/\s]+\/[^/\s]+\+json$/.test(type)) &&
    /^utf-?8$/.test(charset)
  )
}

const declared = (request: HttpServerRequest): number => {
  const length = Number(request.headers["content-length"] ?? "0")
  return Number.isFinite(length) ? length : 0
}

/** Bytes that reading the body may take: what it says of itself, else the most that is allowed. */
export const sizeOf = (request: HttpServerRequest, kind: Exclude<Operation["body"], "none">): number => {
  const most = kind === "file" ? limits.uploadBytes + multipartOverhead : limits.jsonBodyBytes
  const chunked = request.headers["transfer-encoding"] !== undefined
  return chunked ? most : Math.min(most, declared(request))
}

const encodingOf = (request: HttpServerRequest): string =>
  (request.headers["content-encoding"] ?? "identity").trim().toLowerCase()

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

const bytesOf = Effect.fnUntraced(function* (request: HttpServerRequest, limit: number) {
  if (declared(request) > limit) return yield* refuse(tooLarge(limit))
  const buffer = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(limit)),
    Effect.mapError((error) => refuse(isTooLarge(error) ? tooLarge(limit) : unreadable))
  )
  return new Uint8Array(buffer)
})

/** The bytes as they came: what was signed is those. */
export const rawOf = (request: HttpServerRequest): Effect.Effect<Uint8Array, Refused> =>
  bytesOf(request, limits.jsonBodyBytes)

/** What the strict reader found, with all digits of its numbers. */
const jsonOf = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  required: boolean
): Effect.fn.Return<StrictJson.Json, Refused> {
  const bytes = yield* bytesOf(request, limits.jsonBodyBytes)
  if (bytes.length === 0) {
    if (required) return yield* refuse(invalidRequest([{ message: "a JSON body is required" }]))
    return {}
  }
  if (encodingOf(request) !== "identity" || !isJson(request)) return yield* refuse(wrongType)
  const json = StrictJson.parseBytes(bytes, limits.jsonDepth)
  if (Result.isFailure(json)) {
    const { code, message } = json.failure
    return yield* refuse({ status: 400, code, message })
  }
  return json.success
})

/**
 * What counts of the body as it was read strictly, and the request with JSON text made anew from it for the decoder,
 * which reads numbers into doubles: whoever needs all their digits asks `exactBody`.
 */
export const withJson = (
  request: HttpServerRequest,
  required: boolean,
  counted: (json: StrictJson.Json) => StrictJson.Json
): Effect.Effect<{ readonly plain: HttpServerRequest; readonly json: StrictJson.Json }, Refused> =>
  Effect.map(Effect.map(jsonOf(request, required), counted), (json) => {
    const plain = request.modify({ headers: Headers.set(request.headers, "content-type", "application/json") })
    Object.defineProperty(plain, "text", { value: Effect.succeed(StrictJson.withDoubles(json)) })
    return { plain, json }
  })

const multipartFault =
  (maxBytes: number) =>
  (error: Multipart.MultipartError): Refused => {
    switch (error.reason._tag) {
      case "FileTooLarge":
        return refuse(tooLarge(maxBytes, "File"))
      case "BodyTooLarge":
      case "FieldTooLarge":
      case "TooManyParts":
        return refuse(tooLarge(maxBytes + multipartOverhead))
      default:
        return refuse(invalidRequest([{ message: "the body is not valid multipart/form-data" }]))
    }
  }

/** The one file of the part `file`, which alone counts for the limit of a file; other parts are read over. */
export const fileOf = Effect.fnUntraced(function* (request: HttpServerRequest): Effect.fn.Return<NewFile, Refused> {
  const { maxBytes } = yield* UploadSettings
  if (declared(request) > maxBytes + multipartOverhead) return yield* refuse(tooLarge(maxBytes, "File"))
  if (mediaType(request).type !== "multipart/form-data" || encodingOf(request) !== "identity") {
    const empty = (yield* bytesOf(request, limits.jsonBodyBytes)).length === 0
    return yield* refuse(empty ? invalidRequest([{ field: "file", message: "is required" }]) : wrongType)
  }
  const files: Array<NewFile> = []
  yield* request.multipartStream.pipe(
    Stream.runForEach((part) => {
      if (!Multipart.isFile(part)) return Effect.void
      if (part.key !== "file") return Stream.runDrain(part.content)
      return Effect.map(part.contentEffect, (bytes) => {
        files.push({ fileName: part.name, contentType: part.contentType, bytes })
      })
    }),
    Effect.provideContext(
      Multipart.limitsServices({
        maxParts: multipartParts,
        maxFieldSize: ByteSize.bytes(multipartField),
        // The parser counts the headers of a part with it.
        maxFileSize: ByteSize.bytes(maxBytes + multipartField),
        maxTotalSize: ByteSize.bytes(maxBytes + multipartOverhead)
      })
    ),
    Effect.mapError(multipartFault(maxBytes))
  )
  const [file, second] = files
  if (file === undefined) return yield* refuse(invalidRequest([{ field: "file", message: "is required" }]))
  if (file.bytes.length > maxBytes) return yield* refuse(tooLarge(maxBytes, "File"))
  if (second !== undefined) return yield* refuse(invalidRequest([{ field: "file", message: "must be one file" }]))
  return file
})
