/** How an instance of SnapTrade is configured. */
import { Secret } from "@millrace/core/provider"
import * as Schema from "effect/Schema"

export const Settings = Schema.Struct({
  clientId: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/)).annotate({
    description: "the client id of the API key, from the dashboard of SnapTrade"
  }),
  consumerKey: Secret.annotate({
    description: "the consumer key of the API key: it signs requests and proves webhooks"
  }),
  keyType: Schema.optionalKey(Schema.Literals(["commercial", "personal"])).annotate({
    description:
      "commercial (the default): each workspace is a user of its own; personal: the key of one person, whose own accounts it reads"
  }),
  paidRefresh: Schema.optionalKey(Schema.Boolean).annotate({
    description: "whether holdings may be refreshed on demand, for which SnapTrade charges each time; not unless true"
  }),
  requestsPerMinute: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100_000 })).annotate({
      description: "requests that SnapTrade allows this client in a minute; 250 unless it was raised"
    })
  ),
  baseUrl: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+$/, { message: "must be an address without a query" }))
  ).annotate({
    description: "where the API is; https://api.snaptrade.com unless given, as for a trial against a stand-in"
  })
})
export type Settings = typeof Settings.Type

export const snapTradeUrl = "https://api.snaptrade.com"

/** The requests that SnapTrade allows a client in a minute, unless they agreed on more. */
export const usualRequestsPerMinute = 250
