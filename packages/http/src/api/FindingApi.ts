/** What enrichments found (decisions 4.3 and 5.5). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { FindingStatus } from "@millrace/core/enrichment"
import { Id, limits, Timestamp } from "@millrace/core"
import { ofBody, ofPath, StateConflict, Unprocessable } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { Day, paging, Text } from "./Parameters.ts"

const FindingRecord = Schema.Struct({
  id: Id("finding"),
  enrichmentId: Id("enrichment"),
  kind: Schema.String.annotate({ description: "What was found, in the words of the type of enrichment." }),
  status: FindingStatus.annotate({
    description: "resolved: it is found no longer, or a person says that it is done. The others are a person's word."
  }),
  title: Schema.String,
  subject: Schema.Struct({ kind: Schema.String, id: Schema.String }).annotate({ description: "What it is about." }),
  data: Schema.Record(Schema.String, Schema.Json),
  note: Schema.optionalKey(Schema.String),
  firstSeenAt: Timestamp.Timestamp,
  lastSeenAt: Timestamp.Timestamp.annotate({ description: "When the enrichment last said something new of it." }),
  version: Schema.Int
}).annotate({ identifier: "Finding" })

const UpdateFinding = Schema.Struct({
  status: FindingStatus,
  note: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(limits.findingNote)))
}).annotate({ identifier: "UpdateFinding" })

const path = "/v1/enrichments/:enrichment_id/findings"
const ofEnrichment = { enrichment_id: Schema.String }

export const FindingApi = HttpApiGroup.make("findings", { topLevel: true }).add(
  HttpApiEndpoint.get("listFindings", path, {
    params: ofEnrichment,
    query: {
      status: Schema.optionalKey(FindingStatus),
      kind: Schema.optionalKey(Text),
      from: Schema.optionalKey(Day),
      to: Schema.optionalKey(Day),
      ...paging
    },
    success: Many(FindingRecord),
    error: ofPath
  }),
  HttpApiEndpoint.put("updateFinding", `${path}/:finding_id`, {
    params: { ...ofEnrichment, finding_id: Schema.String },
    payload: UpdateFinding,
    success: One(FindingRecord),
    error: [...ofPath, ...ofBody, StateConflict, Unprocessable]
  })
)
