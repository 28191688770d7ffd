/** Callbacks of providers (decisions 5.9). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ofCallback } from "./ApiError.ts"
import { Done } from "./Envelope.ts"

export const CallbackApi = HttpApiGroup.make("callbacks", { topLevel: true }).add(
  HttpApiEndpoint.post("receiveProviderWebhook", "/v1/webhooks/:provider_instance_id", {
    params: { provider_instance_id: Schema.String },
    success: Done,
    error: ofCallback
  })
)
