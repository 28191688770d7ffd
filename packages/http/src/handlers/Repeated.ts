/**
 * The header `Idempotency-Key` (decisions 1.9): whoever repeats a request is told what the first one was told. Operations
 * that the catalogue does not mark ignore it.
 */
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import type { Caller, Operation } from "@millrace/core/access"
import { isRawNumber } from "@millrace/core"
import { Idempotency, type Repeatable } from "@millrace/core/kernel"
import { bodyOf } from "../answer/errors.ts"
import type { Success } from "../answer/Success.ts"
import { CurrentRequest, type RequestState } from "../request/CurrentRequest.ts"
import { answerOf, isFinal, type KernelError, StrictJson } from "@millrace/core/operation"

/** A response as it is kept. */
const Response = Schema.fromJsonString(
  Schema.Struct({
    status: Schema.Int,
    /** JSON text, with the id of the first request where it is an error. */
    body: Schema.String,
    /** Of an error. */
    code: Schema.optionalKey(Schema.String)
  })
)
const write = Schema.encodeSync(Response)
const read = Schema.decodeSync(Response)

const isObject = (json: StrictJson.Json): json is Readonly<Record<string, StrictJson.Json>> =>
  typeof json === "object" && json !== null && !Array.isArray(json) && !isRawNumber(json)

/** Objects with their fields in one order, whatever order they came in. */
const ordered = (json: StrictJson.Json): StrictJson.Json => {
  if (Array.isArray(json)) return json.map(ordered)
  if (!isObject(json)) return json
  return Object.fromEntries(
    Object.keys(json)
      .toSorted()
      .map((name) => [name, ordered(json[name]!)])
  )
}

const askedOf = (operation: Operation, key: string, { file, json, target }: RequestState): Repeatable => ({
  operation,
  key,
  request: JSON.stringify([
    target,
    file === undefined ? null : [file.fileName, file.contentType],
    json === undefined ? null : ordered(json)
  ]),
  ...(file === undefined ? {} : { bytes: file.bytes })
})

/** What the handler of an operation returns, or what the first request with its key was answered. */
export const makeRepeatedly = Effect.map(
  Idempotency,
  ({ once }) =>
    (operation: Operation, success: Success | undefined) =>
    <R>(
      caller: Caller,
      run: Effect.Effect<unknown, KernelError, R>
    ): Effect.Effect<unknown, KernelError, R | HttpServerRequest> => {
      if (operation.idempotency !== "key") return run
      if (success === undefined) return Effect.die(`${operation.id} has no one answer that could be kept`)
      return Effect.gen(function* () {
        const key = (yield* HttpServerRequest).headers["idempotency-key"]
        if (key === undefined) return yield* run
        const state = yield* CurrentRequest
        const first = Effect.map(run, (value) => ({
          text: write({ status: success.status, body: success.write(value) })
        }))
        const told = yield* once(caller, askedOf(operation, key, state), first, (error) => {
          const answer = answerOf(error)
          return Effect.succeed(
            isFinal(answer.status)
              ? write({ status: answer.status, body: JSON.stringify(bodyOf(answer, state.id)), code: answer.code })
              : undefined
          )
        })
        const response = read(told.text)
        state.code = response.code
        return HttpServerResponse.text(response.body, {
          status: response.status,
          contentType: "application/json",
          ...(told.replayed ? { headers: { "idempotency-replayed": "true" } } : {})
        })
      })
    }
)
