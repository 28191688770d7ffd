import * as Effect from "effect/Effect"
import { operation, raw } from "../../operation/Definition.ts"
import { done } from "../../operation/Success.ts"
import { limits } from "../../shared/Limits.ts"
import { ProviderCallbacks } from "../../usecase/ProviderCallbacks.ts"

export const receiveProviderWebhook = operation({
  noun: "callbacks",
  id: "receiveProviderWebhook",
  post: "/v1/webhooks/:provider_instance_id",
  summary: "Take in a callback of a provider",
  description:
    "For providers: takes a callback in, whatever its body is, once its signature proves whose it is (401 otherwise). It " +
    "schedules work and is answered before that is done; a repeat does nothing. A provider without callbacks is not " +
    "found (404).",
  access: { allOf: [], role: "viewer", credential: "none" },
  repeats: "inherent",
  waits: true,
  command: { absent: "a provider calls it, with its signature" },
  tool: { absent: "a provider calls it, with its signature" },
  body: raw,
  success: done,
  example: {},
  run: ({ params, request: { bytes, headers, query } }) =>
    Effect.gen(function* () {
      const callbacks = yield* ProviderCallbacks
      const attemptId = query.get("attempt")
      yield* callbacks.receive(params.provider_instance_id, {
        rawBody: bytes,
        headers,
        ...(attemptId === null || attemptId.length > limits.attemptIdLength ? {} : { attemptId })
      })
    })
})
