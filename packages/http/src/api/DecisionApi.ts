/** What people decided about what enrichments say: as a list, made, and taken back (enrichments A8, C3, C10). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { ActorRef } from "@millrace/core/access"
import { EnrichmentFact } from "@millrace/core/enrichment"
import { Id, limits, Timestamp } from "@millrace/core"
import { ofBody, ofKey, ofPath, Unprocessable } from "./ApiError.ts"
import { Many, One } from "./Envelope.ts"
import { SeriesRecord } from "./InsightApi.ts"
import { paging } from "./Parameters.ts"

const DecisionRecord = Schema.Struct({
  id: Id("fact"),
  kind: EnrichmentFact.fields.kind,
  sentence: Schema.String.annotate({ description: "What was decided, in words." }),
  field: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))),
  recordIds: Schema.Array(Schema.String).annotate({ description: "The records that it is about." }),
  by: ActorRef,
  at: Timestamp.Timestamp
}).annotate({ identifier: "Decision" })

const Named = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.nameLength))
const RecordOf = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

const UpdateSeries = Schema.Struct({
  name: Schema.NullOr(Named).annotate({ description: "null takes the name away.", expected: "a name, or null" })
}).annotate({ identifier: "UpdateSeries" })
const MergeSeries = Schema.Struct({ seriesId: RecordOf }).annotate({ identifier: "MergeSeries" })
const SplitSeries = Schema.Struct({
  recordId: RecordOf.annotate({ description: "The payment with which the second series begins." })
}).annotate({ identifier: "SplitSeries" })
const MergeMerchants = Schema.Struct({
  from: Named.annotate({ description: "What the merchant is called now." }),
  into: Named.annotate({ description: "What it is called from now on; where another merchant is, the two are one." })
}).annotate({ identifier: "MergeMerchants" })

const path = "/v1/enrichments/:enrichment_id"
const ofEnrichment = { enrichment_id: Schema.String }
const ofSeries = { ...ofEnrichment, series_id: Schema.String }

export const DecisionApi = HttpApiGroup.make("decisions", { topLevel: true }).add(
  HttpApiEndpoint.get("listDecisions", `${path}/decisions`, {
    params: ofEnrichment,
    query: paging,
    success: Many(DecisionRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.post("undoDecision", `${path}/decisions/:decision_id/undo`, {
    params: { ...ofEnrichment, decision_id: Schema.String },
    success: One(DecisionRecord),
    error: [...ofPath, ...ofKey]
  }),
  HttpApiEndpoint.put("updateSeries", `${path}/series/:series_id`, {
    params: ofSeries,
    payload: UpdateSeries,
    success: One(SeriesRecord),
    error: [...ofPath, ...ofBody, Unprocessable]
  }),
  HttpApiEndpoint.post("mergeSeries", `${path}/series/:series_id/merge`, {
    params: ofSeries,
    payload: MergeSeries,
    success: One(DecisionRecord),
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.post("splitSeries", `${path}/series/:series_id/split`, {
    params: ofSeries,
    payload: SplitSeries,
    success: One(DecisionRecord),
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.post("mergeMerchants", `${path}/merchants/merge`, {
    params: ofEnrichment,
    payload: MergeMerchants,
    success: One(DecisionRecord),
    error: [...ofPath, ...ofBody, ...ofKey]
  })
)
