import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { operation } from "../../operation/Definition.ts"
import { exampleIds } from "../../operation/Examples.ts"
import { paging } from "../../operation/Parameters.ts"
import { list } from "../../operation/Success.ts"
import { EnrichmentInsights } from "../EnrichmentInsights.ts"

const linkStates = Schema.Literals(["suggested", "auto", "confirmed", "broken"])

const LinkRecord = Schema.Struct({
  id: Schema.String,
  kind: Schema.String.annotate({ description: "Such as transfer." }),
  state: linkStates.annotate({
    description:
      "suggested: a question to people; auto: made by itself; confirmed: a person said so; broken: a side is gone."
  }),
  members: Schema.Array(Schema.Struct({ recordId: Schema.String, role: Schema.String })),
  evidence: Schema.Json
}).annotate({ identifier: "RecordLink" })

const linkExample = {
  id: "5m8n0p2r4t6w8y0b2d4f6h8k0m",
  kind: "transfer",
  state: "suggested",
  members: [
    { recordId: exampleIds.transaction, role: "out" },
    { recordId: exampleIds.otherTransaction, role: "in" }
  ],
  evidence: { score: 731, margin: 210 }
}

export const listLinks = operation({
  noun: "insights",
  id: "listLinks",
  get: "/v1/enrichments/:enrichment_id/links",
  summary: "List which records an enrichment ties together, and how sure it is",
  description:
    "Lists which records an enrichment ties together, such as the two sides of a transfer, with all that speaks for it. Pairs that " +
    "a person keeps apart are among the decisions.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "enrichments links",
  tool: "list_links",
  query: { state: Schema.optionalKey(linkStates), ...paging },
  success: list(LinkRecord),
  errors: ["Unprocessable"],
  example: { data: linkExample },
  run: ({ caller, ids, query }) =>
    EnrichmentInsights.use((insights) => Effect.map(insights.links(caller, ids.enrichment, query), (page) => page))
})
