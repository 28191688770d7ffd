/** Events of enrichments that may ask a model (enrichments B3). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"

export const budgetExhausted = eventType<{ readonly month: string; readonly monthlyTokens: number }>({
  type: "ai.budget_exhausted",
  subject: "enrichment",
  summary:
    "The tokens that an enrichment may use in a month are used up; it goes on with what needs no model. Told once a month.",
  outbound: true,
  data: Schema.Struct({ month: Schema.String, monthlyTokens: Schema.Int })
})

export const merchantCreated = eventType<{ readonly name: string }>({
  type: "merchant.created",
  subject: "merchant",
  summary: "A payment went to a merchant that no payment had gone to before.",
  outbound: true,
  data: Schema.Struct({ name: Schema.String })
})

export const merchantMerged = eventType<{ readonly from: string; readonly into: string }>({
  type: "merchant.merged",
  subject: "merchant",
  summary: "A person said that two merchants are one.",
  outbound: true,
  data: Schema.Struct({ from: Schema.String, into: Schema.String })
})

export const aiEventTypes = [budgetExhausted, merchantCreated, merchantMerged]
