import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Delivery } from "../../destination/Delivery.ts"
import { Authority, RecordChange } from "../../enrichment/history/RecordChange.ts"
import { operation } from "../../operation/Definition.ts"
import { exampleIds, exampleTime } from "../../operation/Examples.ts"
import { record } from "../../operation/Success.ts"
import { dataTypes } from "../../record/DataType.ts"
import { recordStates } from "../../record/LedgerRecord.ts"
import { Id } from "../../shared/Ids.ts"
import { Explanations, type Explanation } from "../Explanations.ts"
import { ShadowRecord, Value } from "./ExplanationRecord.ts"

const { workspaceId: _workspace, ...changeFields } = RecordChange.fields

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

const changeToWire = ({ workspaceId: _w, ...change }: RecordChange) => change

/** Name every part, so that nothing internal can slip through. */
const explanationToWire = ({ history, links, record: of, rows }: Explanation) => ({
  recordId: of.id,
  accountId: of.accountId,
  dataType: of.dataType,
  state: of.state,
  version: of.version,
  rows: rows.map(({ deliveries, ...row }) => ({
    ...row,
    deliveries: deliveries.map(({ jobId, op, recordId, state, updatedAt, version }) => ({
      recordId,
      op,
      state,
      version,
      jobId,
      updatedAt
    }))
  })),
  links,
  history: history.map(changeToWire)
})

const bySpeakerExample = { prevails: false, silenced: false, holds: true }

const explanationExample = {
  recordId: exampleIds.transaction,
  accountId: exampleIds.account,
  dataType: "transactions",
  state: "live",
  version: 1,
  rows: [
    {
      feed: { id: exampleIds.feed, name: "Transactions to a table" },
      rowId: exampleIds.transaction,
      fields: [
        {
          field: "category",
          provided: "GENERAL",
          value: "Food",
          locked: false,
          chain: [
            {
              ...bySpeakerExample,
              authority: "rule",
              value: "Food",
              prevails: true,
              enrichmentId: exampleIds.enrichment,
              revision: 1,
              rulePath: "r1",
              sentence: "Rule r1 sets category",
              recomputed: "Food"
            },
            {
              ...bySpeakerExample,
              authority: "provider",
              value: "GENERAL",
              sentence: "The provider says so",
              recomputed: "GENERAL"
            }
          ]
        }
      ],
      shadows: [],
      verdict: {
        value: "deliver",
        enrichmentId: null,
        revision: 0,
        reason: "",
        path: "",
        removeDelivered: false,
        sentence: "No filter objects",
        holds: true
      },
      lines: [],
      deliveries: [
        {
          recordId: exampleIds.transaction,
          op: "create",
          state: "done",
          version: 1,
          jobId: exampleIds.job,
          updatedAt: exampleTime
        }
      ],
      faults: []
    }
  ],
  links: [],
  history: [
    {
      id: exampleIds.change,
      feedId: exampleIds.feed,
      accountId: exampleIds.account,
      recordId: exampleIds.transaction,
      recordVersion: 1,
      field: "category",
      before: "GENERAL",
      after: "Food",
      beforeAuthority: "provider",
      afterAuthority: "rule",
      enrichmentId: exampleIds.enrichment,
      revision: 1,
      rulePath: "r1",
      actor: { kind: "sync", feedId: exampleIds.feed, jobId: exampleIds.job },
      jobId: exampleIds.job,
      at: exampleTime
    }
  ]
}

export const explainRecord = operation({
  noun: "values",
  id: "explainRecord",
  get: "/v1/records/:record_id/explain",
  summary: "Explain every value of a record: all that is said of it, and whose word holds",
  description:
    "Returns, for each feed that shows the record, every field with all that is said of it: the provider, each enrichment and " +
    "people, the strongest word first, each with one sentence and what comes of it when it is asked once more. Beside it the " +
    "filter's verdict, what ties it to other records, and how its values changed.",
  access: { anyOf: ["enrichments:read"], role: "viewer", app: "own" },
  repeats: "read",
  command: "records explain",
  tool: "explain_record",
  success: record(ExplanationRecord),
  example: { data: explanationExample },
  run: ({ caller, ids }) =>
    Explanations.use((explanations) =>
      Effect.map(explanations.explain(caller, ids.record), (found) => explanationToWire(found))
    )
})
