/** Why values of records are what they are, people's word about them, and taking back what enrichments changed (decisions 12). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { Authority, EnrichmentFact, RecordChange } from "@millrace/core/enrichment"
import { Delivery } from "@millrace/core/destination"
import { dataTypes, recordStates } from "@millrace/core/record"
import { Id, limits } from "@millrace/core"
import { ofBody, ofKey, ofPath, Unprocessable } from "./ApiError.ts"
import { One } from "./Envelope.ts"

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean])).annotate({
  description: "Numbers are exact decimals as text."
})

const Link = Schema.Struct({
  authority: Authority,
  value: Value,
  prevails: Schema.Boolean.annotate({ description: "Its word is the one that holds." }),
  silenced: Schema.Boolean.annotate({ description: "It was undone: its word does not count." }),
  enrichmentId: Schema.optionalKey(Schema.String),
  revision: Schema.optionalKey(Schema.Int),
  rulePath: Schema.optionalKey(Schema.String),
  factId: Schema.optionalKey(Schema.String),
  evidence: Schema.optionalKey(Schema.Json),
  sentence: Schema.String,
  recomputed: Value.annotate({ description: "What comes of it when it is asked once more." }),
  holds: Schema.Boolean.annotate({ description: "Whether that is what it said." })
}).annotate({ identifier: "Claim" })

const ShadowRecord = Schema.Struct({ field: Schema.String, value: Value, enrichmentId: Schema.String })

const Fault = Schema.Struct({ enrichmentId: Schema.String, message: Schema.String })

const LineChange = Schema.Struct({
  field: Schema.String,
  before: Value,
  after: Value,
  enrichmentId: Schema.String,
  revision: Schema.Int,
  path: Schema.String,
  evidence: Schema.optionalKey(Schema.Json)
})

const RowRecord = Schema.Struct({
  feed: Schema.Struct({ id: Id("feed"), name: Schema.String }),
  rowId: Schema.String,
  fields: Schema.Array(
    Schema.Struct({
      field: Schema.String,
      provided: Value.annotate({ description: "What the provider says." }),
      value: Value.annotate({ description: "What holds." }),
      locked: Schema.Boolean,
      chain: Schema.Array(Link).annotate({ description: "All that is said of it, the strongest word first." })
    })
  ),
  shadows: Schema.Array(ShadowRecord).annotate({
    description: "What enrichments would have written into fields that a person decided."
  }),
  verdict: Schema.Struct({
    value: Schema.Literals(["deliver", "hold", "drop"]),
    enrichmentId: Schema.NullOr(Schema.String),
    revision: Schema.Int,
    reason: Schema.String,
    path: Schema.String,
    removeDelivered: Schema.Boolean,
    sentence: Schema.String,
    holds: Schema.Boolean
  }),
  lines: Schema.Array(Schema.Struct({ lineId: Schema.String, changes: Schema.Array(LineChange) })),
  deliveries: Schema.Array(
    Schema.Struct({
      recordId: Schema.String,
      op: Delivery.fields.op,
      state: Delivery.fields.state,
      version: Schema.Int,
      jobId: Id("job"),
      updatedAt: Delivery.fields.updatedAt
    })
  ),
  faults: Schema.Array(Fault)
})

const { workspaceId: _workspace, ...changeFields } = RecordChange.fields
const ChangeRecord = Schema.Struct(changeFields).annotate({ identifier: "ChangeRecord" })

const ExplanationRecord = Schema.Struct({
  recordId: Schema.String,
  accountId: Id("account"),
  dataType: Schema.Literals(dataTypes),
  state: Schema.Literals(recordStates),
  version: Schema.Int,
  rows: Schema.Array(RowRecord).annotate({ description: "What each feed that shows the record makes of it." }),
  links: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.String,
      state: Schema.Literals(["suggested", "auto", "confirmed", "broken"]),
      enrichmentId: Schema.String,
      members: Schema.Array(Schema.Struct({ recordId: Schema.String, role: Schema.String })),
      evidence: Schema.Json,
      sentence: Schema.String,
      holds: Schema.Boolean.annotate({ description: "Whether the same follows from its evidence once more." })
    })
  ),
  history: Schema.Array(ChangeRecord).annotate({ description: "Changes of its values, newest first." })
}).annotate({ identifier: "RecordExplanation" })

const { dataType: _type, workspaceId: _ws, ...factFields } = EnrichmentFact.fields
const FactRecord = Schema.Struct(factFields).annotate({ identifier: "EnrichmentFact" })

const deliver = Schema.Literals(["lines", "parent", "both"])

const SaidSplit = Schema.Struct({
  by: factFields.by,
  at: factFields.at,
  deliver,
  lines: Schema.Array(
    Schema.Struct({
      lineId: Schema.String,
      key: Schema.String,
      amount: Schema.String,
      set: Schema.Record(Schema.String, Value)
    })
  ),
  mismatch: Schema.Boolean.annotate({
    description: "The amount has become less than the lines before the last: they share it in proportion."
  })
}).annotate({ identifier: "RecordSplit", description: "How a person split the record." })

const WordsRecord = Schema.Struct({
  recordId: Schema.String,
  words: Schema.Array(FactRecord).annotate({ description: "What a person said of fields, and holds." }),
  split: Schema.optionalKey(SaidSplit),
  shadows: Schema.Array(Schema.Struct({ ...ShadowRecord.fields, feedId: Id("feed"), rowId: Schema.String })),
  warnings: Schema.optionalKey(
    Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))
  ).annotateKey({ description: "What was kept and may have been meant otherwise, such as a field that nobody knows." })
}).annotate({ identifier: "RecordWords" })

const FieldName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.mappingKeyLength))
const names = Schema.Array(FieldName).check(Schema.isMinLength(1), Schema.isMaxLength(limits.wordFields))

const sent = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

const SplitRecord = Schema.Struct({
  deliver: Schema.optionalKey(deliver).annotateKey({
    description: "Which rows feeds deliver; the lines unless given."
  }),
  lines: Schema.Array(
    Schema.Struct({
      key: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))).annotateKey({
        description: "Names the line for ever; line_1, line_2 and so on unless given."
      }),
      amount: Schema.optionalKey(
        Schema.Union([Schema.String.check(Schema.isMaxLength(40)), Schema.Finite])
      ).annotateKey({
        description: "With the sign of the record. The last line may leave it out: it has what is left."
      }),
      set: Schema.optionalKey(Schema.Record(Schema.String, sent).check(Schema.isMaxProperties(20))).annotateKey({
        description: "What fields of the line hold."
      })
    })
  ).check(Schema.isBetweenLength(2, limits.recordLines))
}).annotate({ identifier: "SplitRecord" })

const SetRecordFields = Schema.Struct({
  fields: Schema.optionalKey(
    Schema.Record(Schema.String, sent)
      .check(Schema.isMaxProperties(limits.wordFields))
      .annotate({ description: "Field -> value; null empties it. A number may be sent as text, with all its digits." })
  ),
  lock: Schema.optionalKey(names.annotate({ description: "Fields that stay as they are shown now." })),
  split: Schema.optionalKey(Schema.NullOr(SplitRecord).annotate({ expected: "an object, or null" })).annotateKey({
    description: "How the record falls into lines, whose sum is its amount; null makes it whole again."
  })
}).annotate({ identifier: "SetRecordFields" })

const UndoChange = Schema.Struct({
  field: Schema.optionalKey(FieldName),
  enrichmentId: Schema.optionalKey(Id("enrichment")).annotateKey({
    description: "Absent: the one whose word about the field holds."
  }),
  linkId: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))).annotateKey({
    description: "A link that ties the record to others, such as a transfer, in the place of a field and an enrichment."
  }),
  redo: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Takes an undo of the same back." })
}).annotate({ identifier: "UndoChange" })

const UndoRun = Schema.Struct({ redo: Schema.optionalKey(Schema.Boolean) }).annotate({ identifier: "UndoRun" })

const record = { record_id: Schema.String }
const path = "/v1/records/:record_id"

const ClearedFields = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.filterText)).annotate({
  description:
    "Names of fields, separated by commas, and `split` for a split; all that a person spoke about unless given."
})

export const ValueApi = HttpApiGroup.make("values", { topLevel: true }).add(
  HttpApiEndpoint.get("explainRecord", `${path}/explain`, {
    params: record,
    success: One(ExplanationRecord),
    error: ofPath
  }),
  HttpApiEndpoint.put("setRecordFields", `${path}/fields`, {
    params: record,
    payload: SetRecordFields,
    success: One(WordsRecord),
    error: [...ofPath, ...ofBody, Unprocessable]
  }),
  HttpApiEndpoint.delete("clearRecordFields", `${path}/fields`, {
    params: record,
    query: { names: Schema.optionalKey(ClearedFields) },
    success: One(WordsRecord),
    error: [...ofPath, Unprocessable]
  }),
  HttpApiEndpoint.post("undoChange", `${path}/undo`, {
    params: record,
    payload: UndoChange,
    success: One(Schema.Struct({ recordId: Schema.String, facts: Schema.Array(FactRecord) })),
    error: [...ofPath, ...ofBody, ...ofKey]
  }),
  HttpApiEndpoint.post("undoRun", "/v1/jobs/:job_id/undo", {
    params: { job_id: Schema.String },
    payload: UndoRun,
    success: One(Schema.Struct({ jobId: Id("job"), fields: Schema.Int, links: Schema.Int, kept: Schema.Int })).pipe(
      HttpApiSchema.status(202)
    ),
    error: [...ofPath, ...ofBody, ...ofKey]
  })
)
