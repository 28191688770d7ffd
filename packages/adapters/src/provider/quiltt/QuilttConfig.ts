/** What an instance of Quiltt is configured with. */
import { Secret } from "@millrace/core/provider"
import * as Schema from "effect/Schema"

const Origin = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s/?#]+$/, { message: "must be an origin such as https://api.quiltt.io" })
)

export const QuilttConfig = Schema.Struct({
  apiSecret: Secret.annotate({ description: "API secret key of the environment" }),
  connectorId: Schema.String.check(
    Schema.isPattern(/^[A-Za-z0-9_-]{1,100}$/, { message: "must be the id of a connector" })
  ).annotate({ description: "id of the connector that people connect with, from the dashboard" }),
  webhookSecret: Schema.optionalKey(Secret.annotate({ description: "secret of the webhook subscription" })),
  formerWebhookSecret: Schema.optionalKey(
    Secret.annotate({ description: "secret of the subscription before, while one takes the place of another" })
  ),
  version: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/, { message: "must be a version such as 2025-04-01" })
    ).annotate({ description: "version of the API, `2025-04-01` unless given" })
  ),
  baseUrl: Schema.optionalKey(
    Origin.annotate({ description: "where the API is, `https://api.quiltt.io` unless given" })
  ),
  authUrl: Schema.optionalKey(
    Origin.annotate({ description: "where sessions are issued, `https://auth.quiltt.io` unless given" })
  ),
  connectorUrl: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^https?:\/\/[\w.-]+(?::\d{1,5})?$/, {
        message: "must be an origin such as https://cdn.quiltt.io"
      })
    ).annotate({ description: "where the Connector's script is, `https://cdn.quiltt.io` unless given" })
  )
})
export type QuilttConfig = typeof QuilttConfig.Type
