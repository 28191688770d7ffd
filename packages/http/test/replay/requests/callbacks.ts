/** Requests about callbacks. */
import type { RequestsOf } from "../Request.ts"

export const callbacks: RequestsOf = () => ({
  receiveProviderWebhook: [
    { title: "takes what a provider proves", raw: '{"event":"x"}', headers: { "x-proof": "good" }, anonymous: true },
    {
      title: "takes what names an attempt",
      raw: "x",
      headers: { "x-proof": "good" },
      query: "attempt=cat_1",
      anonymous: true
    },
    { title: "refuses what nothing proves", raw: '{"event":"x"}', anonymous: true },
    {
      title: "refuses a provider without callbacks",
      params: { provider_instance_id: "demo:default" },
      raw: "x",
      anonymous: true
    },
    {
      title: "refuses a provider that is not set up",
      params: { provider_instance_id: "plaid:us" },
      raw: "x",
      anonymous: true
    },
    {
      title: "refuses a body that is too large",
      raw: "x".repeat(1_100_000),
      headers: { "x-proof": "good" },
      anonymous: true
    }
  ]
})
