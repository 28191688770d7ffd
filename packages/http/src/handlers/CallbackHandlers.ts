import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import { limits } from "@millrace/core"
import { ProviderCallbacks } from "@millrace/core/kernel"
import { done } from "../api/Envelope.ts"
import { rawBody } from "../request/CurrentRequest.ts"
import { serve } from "./Serve.ts"

export const layer = serve(
  "callbacks",
  Effect.gen(function* () {
    const callbacks = yield* ProviderCallbacks
    return {
      receiveProviderWebhook: Effect.fnUntraced(function* ({ params }) {
        const { headers, url } = yield* HttpServerRequest
        const attemptId = new URLSearchParams(url.split("?", 2)[1] ?? "").get("attempt")
        yield* callbacks.receive(params.provider_instance_id, {
          rawBody: yield* rawBody,
          headers: { ...headers },
          ...(attemptId === null || attemptId.length > limits.attemptIdLength ? {} : { attemptId })
        })
        return done
      })
    }
  })
)
