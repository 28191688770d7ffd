/** Events of enrichments themselves (decisions 5.10). */
import * as Schema from "effect/Schema"
import { eventType } from "../event/EventType.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import { EnrichmentType } from "./kinds/EnrichmentType.ts"

export const enrichmentDegraded = eventType({
  type: "enrichment.degraded",
  subject: "enrichment",
  summary:
    "An enrichment fails on many records, or run after run. It goes on; records go on without what it fails to say.",
  outbound: true,
  data: Schema.Struct({
    enrichment: Schema.Struct({ id: Id("enrichment"), name: Schema.String, type: EnrichmentType }),
    feedId: Id("feed"),
    since: Timestamp,
    openFaults: Schema.Int,
    lastFaults: Schema.Array(Schema.String)
  })
})

export const enrichmentEventTypes = [enrichmentDegraded]
