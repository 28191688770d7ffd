/** What an instance of Fiskil is configured with. */
import { Secret } from "@millrace/core/provider"
import * as Schema from "effect/Schema"

const domain = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/

export const FiskilConfig = Schema.Struct({
  clientId: Schema.String.check(
    Schema.isPattern(/^[\x21-\x7e]{1,200}$/, { message: "must be the client id of the API key" })
  ).annotate({ description: "client id of the API key" }),
  teamId: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/, { message: "must be the id of the team" })).annotate({
      description: "id of the team, by which institutions are listed; the client id unless given"
    })
  ),
  clientSecret: Secret.annotate({ description: "secret of the API key" }),
  webhookSecret: Schema.optionalKey(Secret.annotate({ description: "signing secret of the webhook, in base64" })),
  formerWebhookSecret: Schema.optionalKey(
    Secret.annotate({ description: "signing secret of the webhook before, while one takes the place of another" })
  ),
  version: Schema.optionalKey(
    Schema.Literals(["v2", "v3"]).annotate({ description: "version of the API, `v2` unless given" })
  ),
  emailDomain: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(domain, { message: "must be a domain such as users.example.com" })).annotate({
      description: "domain of the addresses of people of whom none is known: Fiskil sends receipts of consents to them"
    })
  ),
  baseUrl: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^https?:\/\/[^\s/?#]+$/, { message: "must be an origin such as https://api.fiskil.com" })
    ).annotate({ description: "where the API is, `https://api.fiskil.com` unless given" })
  ),
  authUrl: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^https?:\/\/[\w.-]+(?::\d{1,5})?$/, {
        message: "must be an origin such as https://auth.fiskil.com"
      })
    ).annotate({ description: "where the consent page is, `https://auth.fiskil.com` unless given" })
  )
})
export type FiskilConfig = typeof FiskilConfig.Type
