/** How an instance of Salt Edge is configured. */
import { Secret } from "@millrace/core/provider"
import * as Schema from "effect/Schema"

export const Settings = Schema.Struct({
  appId: Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,200}$/)).annotate({
    description: "the App-id of a service key, from the dashboard of Salt Edge"
  }),
  secret: Secret.annotate({ description: "the Secret of the service key" }),
  privateKey: Schema.optionalKey(Secret).annotate({
    description: "the RSA key (PEM) whose public half the dashboard has: it signs requests, as live access needs it"
  }),
  callbackKey: Schema.optionalKey(Schema.String).annotate({
    description: "the public RSA key (PEM) that proves callbacks; the one that Salt Edge publishes unless given"
  }),
  historyDays: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 730 })).annotate({
      description: "days of history that a new consent asks for; 90 unless given, which is what most banks allow"
    })
  ),
  includeSandboxes: Schema.optionalKey(Schema.Boolean).annotate({
    description: "whether the fake banks of Salt Edge are offered, as for a trial; not unless true"
  }),
  baseUrl: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s?#]+$/, { message: "must be an address without a query" }))
  ).annotate({
    description: "where the API is; https://www.saltedge.com/api/v6 unless given, as for a trial against a stand-in"
  })
})
export type Settings = typeof Settings.Type

export const saltEdgeUrl = "https://www.saltedge.com/api/v6"

/** Days of history that banks give without another sign-in. */
export const usualHistoryDays = 90

/** The key with which Salt Edge signs its callbacks, as it is published (spectre_public.pem). */
export const publishedCallbackKey = `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvL/Xxdmj7/cpZgvDMvxr
nTTU/vkHGM/qkJ0Q+rmfYLru0Z/rSWthPDEK3orY5BTa0sAe2wUV5Fes677X6+Ib
roCF8nODW5hSVTrqWcrQ55I7InpFkpTxyMkiFN8XPS7qmYXl/xofbYq0olcwE/aw
9lfHlZD7iwOpVJqTsYiXzSMRu92ZdECV895kYS/ggymSEtoMSW3405dQ6OfnK53x
7AJPdkAp0Wa2Lk4BNBMd24uu2tasO1bTYBsHpxonwbA+o8BXffdTEloloJgW7pV+
TWvxB/Uxil4yhZZJaFmvTCefxWFovyzLdjn2aSAEI7D1y4IYOdByMOPYQ6Mn7J9A
9wIDAQAB
-----END PUBLIC KEY-----`
