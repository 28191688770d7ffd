/** Events of enrichments that may ask a model (enrichments B3). */
import * as Schema from "effect/Schema"
import { eventType } from "../../../event/EventType.ts"
import type { ExhaustedLimit } from "../../../model/Asking.ts"
import type { EnrichmentScope } from "../Kind.ts"
import type { TellableEvent } from "./OnceOnlyEvents.ts"

const tokenLimits = ["enrichment", "workspace", "total"] as const

export const budgetExhausted = eventType<{ readonly month: string } & ExhaustedLimit>({
  type: "ai.budget_exhausted",
  subject: "enrichment",
  summary:
    "The tokens of a month are used up, and the enrichment goes on without the model. `limit` says whose: those of the enrichment, those of the workspace at the operator's endpoint, or those of all workspaces there. Sent once a month for each limit.",
  outbound: true,
  data: Schema.Struct({ month: Schema.String, limit: Schema.Literals(tokenLimits), monthlyTokens: Schema.Int })
})

/** The event of an exhausted limit, once a month for each limit. */
export const budgetEvent = (
  { enrichmentId, workspaceId }: Pick<EnrichmentScope, "workspaceId" | "enrichmentId">,
  now: number,
  { limit, monthlyTokens }: ExhaustedLimit
): TellableEvent => {
  const month = new Date(now).toISOString().slice(0, 7)
  const cause = { kind: "system", reason: "enrichment" } as const
  const data = { month, limit, monthlyTokens }
  const event = budgetExhausted.of({ workspaceId, cause, subjectId: enrichmentId, data })
  return { key: `budget ${limit} ${month}`, event }
}

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
