/** `/livez`: the process runs. `/readyz`: it can do its work (decisions 1.13). */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Errors from "./answer/errors.ts"
import { Readiness, type ReadinessState } from "./Readiness.ts"
import { draining, timedOut } from "@millrace/core/operation"

const live = HttpServerResponse.jsonUnsafe({ success: true, data: { status: "live" } })

const ready = (readiness: Effect.Effect<ReadinessState>) =>
  Effect.gen(function* () {
    const state = yield* readiness
    if (state.draining) return yield* Errors.respond(draining)
    if (!state.database || !state.migrations) return yield* Errors.respond(timedOut)
    return HttpServerResponse.jsonUnsafe({ success: true, data: { status: "ready" } })
  })

export const layer = Layer.mergeAll(
  HttpRouter.add("GET", "/livez", Effect.succeed(live)),
  // Taken when the layer is built: requests run with the server's context, not with ours.
  Layer.unwrap(Effect.map(Readiness, (readiness) => HttpRouter.add("GET", "/readyz", ready(readiness))))
)
