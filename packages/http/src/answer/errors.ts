/** Errors as they are sent: the body of every error, and what handlers answer in place of a success. */
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { limits } from "@millrace/core"
import { type Answer, answerOf, type KernelError } from "@millrace/core/operation"
import { CurrentRequest } from "../request/CurrentRequest.ts"

/** The envelope, with the id of the request it answers. */
export const bodyOf = (answer: Answer, referenceId: string) => ({
  success: false as const,
  error: answer.message,
  code: answer.code,
  ...(answer.recovery === undefined ? {} : { recovery: answer.recovery }),
  referenceId,
  ...(answer.details === undefined || answer.details.length === 0
    ? {}
    : { details: answer.details.slice(0, limits.errorDetails) }),
  ...(answer.errors === undefined ? {} : { errors: answer.errors }),
  ...(answer.warnings === undefined ? {} : { warnings: answer.warnings })
})

export const respond = (answer: Answer): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(CurrentRequest, (request) => {
    request.code = answer.code
    return HttpServerResponse.jsonUnsafe(bodyOf(answer, request.id), {
      status: answer.status,
      headers: answer.headers
    })
  })

/** What a handler returns: its success, or the answer to the kernel's error. */
export const answering = <A, E extends KernelError, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A | HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(effect, (error: E) =>
    error._tag === "StorageUnavailable"
      ? Effect.andThen(Effect.logError("storage unavailable", error), respond(answerOf(error)))
      : respond(answerOf(error))
  )
