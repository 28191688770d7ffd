/** What a caller can do about an error (specification 7). */
import * as Schema from "effect/Schema"

export const Recovery = Schema.Union([
  Schema.Struct({
    action: Schema.Literal("retry"),
    afterSeconds: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 86_400 }))
  }),
  Schema.Struct({ action: Schema.Literal("restart_pagination") }),
  Schema.Struct({ action: Schema.Literal("resync") }),
  Schema.Struct({ action: Schema.Literal("reconnect") }),
  Schema.Struct({ action: Schema.Literal("contact_support") })
])
export type Recovery = typeof Recovery.Type

export const retryAfter = (seconds: number): Recovery => ({
  action: "retry",
  afterSeconds: Math.min(86_400, Math.max(1, Math.ceil(seconds)))
})
export const restartPagination: Recovery = { action: "restart_pagination" }
export const resync: Recovery = { action: "resync" }
export const reconnect: Recovery = { action: "reconnect" }
export const contactSupport: Recovery = { action: "contact_support" }
