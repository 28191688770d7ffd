/** What enrichments would make of records (specification 4, enrichments F1). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import { CalendarDate, Currency, Id, limits, Timestamp } from "@millrace/core"
import { ActorRef } from "@millrace/core/access"
import { Authority, enrichmentContract } from "@millrace/core/enrichment"
import { Amount } from "../wire/Amount.ts"
import { always, ofBody, ofPath, Unprocessable } from "./ApiError.ts"
import { One } from "./Envelope.ts"
import { Day } from "./Parameters.ts"

const Anything = Schema.Record(Schema.String, Schema.Unknown)

const PreviewBody = Schema.Struct({
  records: Schema.Array(Anything)
    .check(Schema.isMinLength(1), Schema.isMaxLength(limits.previewRecords))
    .annotate({
      description:
        "Records by the keys of source fields. A record whose id is known is looked at as a new version of itself; keys of " +
        "no source field are kept."
    })
}).annotate({ identifier: "PreviewBody" })

const Fault = Schema.Struct({ enrichmentId: Schema.String, message: Schema.String })

const counted = { enrichmentId: Schema.String, enrichmentName: Schema.String, matchCount: Schema.Int }

const PreviewRecord = Schema.Struct({
  original: Anything,
  enriched: Anything,
  changedFields: Schema.Array(Schema.String),
  dropped: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "A filter keeps it from the destination."
  }),
  verdict: Schema.Struct({
    value: Schema.Literals(["deliver", "hold", "drop"]),
    enrichmentId: Schema.NullOr(Schema.String),
    reason: Schema.String
  }),
  lines: Schema.Array(
    Schema.Struct({ id: Schema.String, enriched: Anything, changedFields: Schema.Array(Schema.String) })
  ),
  links: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.String,
      state: Schema.String,
      enrichmentId: Schema.String,
      members: Schema.Array(Schema.Struct({ recordId: Schema.String, role: Schema.String }))
    })
  ),
  trace: Schema.Array(
    Schema.Struct({
      enrichmentId: Schema.String,
      stage: Schema.Finite,
      rulePath: Schema.optionalKey(Schema.String),
      fields: Schema.Array(Schema.String)
    })
  ).annotate({ description: "What each enrichment said, in the order in which they ran." }),
  faults: Schema.Array(Fault)
})

const AiPending = Schema.Struct({
  enrichmentId: Schema.String,
  questions: Schema.Int.annotate({ description: "Texts that no model has judged yet, each once." }),
  calls: Schema.Int.annotate({ description: "At least so many: a text that may be meant for the model goes alone." }),
  tokens: Schema.Int.annotate({ description: "As they are reckoned before a call." })
}).annotate({ identifier: "AiPending" })

const PreviewAnswer = Schema.Struct({
  records: Schema.Array(PreviewRecord).annotate({ description: "In the order in which they were sent." }),
  summary: Schema.Struct({
    totalRecords: Schema.Int,
    enrichedCount: Schema.Int.annotate({ description: "Records of which a field changed." }),
    rules: Schema.Array(Schema.Struct(counted)),
    alerts: Schema.Array(
      Schema.Struct({
        ...counted,
        wouldFire: Schema.Int.annotate({ description: "Messages that people would get." })
      })
    ),
    memory: Schema.optionalKey(Schema.Struct({ patternsApplied: Schema.Int, fieldsAutoFilled: Schema.Int })),
    others: Schema.Array(Schema.Struct({ ...counted, type: Schema.String }))
  }),
  aiPending: Schema.Array(AiPending).annotate({
    description: "What a run would ask models about these records; nobody was asked for this answer."
  }),
  faults: Schema.Array(Fault).annotate({ description: "What concerns no record by itself." })
}).annotate({ identifier: "EnrichmentPreview" })

const FieldName = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.mappingKeyLength))
const RecordRef = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64))
const ofEnrichment = { enrichmentId: Id("enrichment") }

const Change = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("create"), enrichment: enrichmentContract.create }),
  Schema.Struct({ kind: Schema.Literal("update"), ...ofEnrichment, change: enrichmentContract.update }),
  Schema.Struct({ kind: Schema.Literal("delete"), ...ofEnrichment }),
  Schema.Struct({ kind: Schema.Literal("reorder"), ...ofEnrichment, order: Schema.Int }),
  Schema.Struct({ kind: Schema.Literal("enable"), ...ofEnrichment, enabled: Schema.Boolean }),
  Schema.Struct({
    kind: Schema.Literal("silence"),
    ...ofEnrichment,
    recordId: RecordRef,
    field: Schema.optionalKey(FieldName).annotateKey({ description: "About all of the record unless given." })
  }).annotate({ description: "A person has the enrichment be silent, as undoChange does." }),
  Schema.Struct({
    kind: Schema.Literal("link"),
    ...ofEnrichment,
    recordId: RecordRef,
    otherId: RecordRef,
    linked: Schema.Boolean
  }).annotate({ description: "A person says that two records belong together, or do not." }),
  Schema.Struct({ kind: Schema.Literal("lift"), decisionId: Id("fact") }).annotate({
    description: "A decision is taken back."
  })
]).annotate({
  expected: "an object whose kind is create, update, delete, reorder, enable, silence, link or lift"
})

const SimulateBody = Schema.Struct({
  changes: Schema.Array(Change).check(Schema.isMinLength(1), Schema.isMaxLength(limits.simulatedChanges)),
  from: Schema.optionalKey(Day.annotate({ description: "Only records of this day or a later one are told." })),
  to: Schema.optionalKey(Day.annotate({ description: "Only records of this day or an earlier one are told." })),
  feedIds: Schema.optionalKey(
    Schema.Array(Schema.String).check(Schema.isMaxLength(limits.feedAccounts)).annotate({
      description: "Only these feeds are told."
    })
  ),
  asOf: Schema.optionalKey(Day.annotate({ description: "The day that it is taken to be." }))
}).annotate({ identifier: "SimulateBody" })

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))

const Figures = Schema.Struct({ planned: Amount, spent: Amount, left: Amount })

const SimulationAnswer = Schema.Struct({
  records: Schema.Int.annotate({ description: "Records that were looked at." }),
  fields: Schema.Array(
    Schema.Struct({
      field: Schema.String,
      added: Schema.Int,
      changed: Schema.Int,
      removed: Schema.Int,
      samples: Schema.Array(
        Schema.Struct({
          feedId: Id("feed"),
          recordId: Schema.String,
          before: Value,
          after: Value,
          authority: Authority,
          sentence: Schema.String
        })
      )
    })
  ),
  lines: Schema.Struct({ added: Schema.Int, removed: Schema.Int }),
  links: Schema.Struct({ made: Schema.Int, broken: Schema.Int }),
  findings: Schema.Struct({ opened: Schema.Int, closed: Schema.Int }),
  cases: Schema.Struct({ opened: Schema.Int, closed: Schema.Int }).annotate({
    description: "Of the findings, those that are cases of monitors."
  }),
  series: Schema.Struct({ found: Schema.Int, changed: Schema.Int, gone: Schema.Int }).annotate({
    description: "Series of payments."
  }),
  budgets: Schema.Array(
    Schema.Struct({
      enrichmentId: Schema.String,
      from: CalendarDate.CalendarDate.annotate({ description: "The first day of the period." }),
      line: Schema.String,
      currency: Currency.Currency,
      before: Schema.NullOr(Figures),
      after: Schema.NullOr(Figures)
    })
  ).annotate({
    description: `Lines of budgets that would be others, the newest periods first; at most ${limits.page.max}.`
  }),
  messages: Schema.Struct({ told: Schema.Int, untold: Schema.Int }).annotate({
    description: "Messages that people would get, and would not."
  }),
  deliveries: Schema.Array(
    Schema.Struct({
      feedId: Id("feed"),
      destination: Schema.String,
      create: Schema.Int,
      update: Schema.Int,
      remove: Schema.Int,
      now: Schema.Struct({ create: Schema.Int, update: Schema.Int, remove: Schema.Int }).annotate({
        description:
          "What of it the next run delivers. The rest is of rows older than 45 days: a full run delivers it, or a change with " +
          "`apply` `history`."
      })
    })
  ).annotate({ description: "Rows that would change at each destination, by a full run." }),
  aiPending: Schema.Array(AiPending).annotate({
    description: "What a run would ask models then; nobody was asked for this answer."
  }),
  shadows: Schema.Int.annotate({
    description: "Fields that a person decided and that would have been written otherwise."
  }),
  faults: Schema.Array(Fault)
}).annotate({ identifier: "EnrichmentSimulation" })

const Simulation = Schema.Struct({
  id: Id("simulation"),
  status: Schema.Literals(["queued", "running", "completed", "failed", "cancelled"]),
  stage: Schema.optionalKey(Schema.Literals(["reading", "planning", "comparing"])).annotateKey({
    description: "What it is at: each record is read once to be planned and once to be compared."
  }),
  records: Schema.Int.annotate({ description: "Records that it has read in this stage." }),
  report: Schema.optionalKey(SimulationAnswer).annotateKey({ description: "Once it is completed." }),
  error: Schema.optionalKey(Schema.String).annotateKey({ description: "Why it failed." }),
  createdBy: ActorRef,
  createdAt: Timestamp.Timestamp,
  startedAt: Schema.optionalKey(Timestamp.Timestamp),
  endedAt: Schema.optionalKey(Timestamp.Timestamp)
}).annotate({ identifier: "Simulation" })

const simulationPath = "/v1/enrichments/simulations/:simulation_id"
const ofSimulation = { simulation_id: Schema.String }

export const PreviewApi = HttpApiGroup.make("previews", { topLevel: true }).add(
  HttpApiEndpoint.post("previewEnrichment", "/v1/feeds/:feed_id/enrich/preview", {
    params: { feed_id: Schema.String },
    payload: PreviewBody,
    success: One(PreviewAnswer),
    error: [...ofPath, ...ofBody]
  }),
  HttpApiEndpoint.post("simulateEnrichments", "/v1/enrichments/simulate", {
    payload: SimulateBody,
    success: [One(SimulationAnswer), One(Simulation).pipe(HttpApiSchema.status(202))],
    error: [...always, ...ofBody, Unprocessable]
  }),
  HttpApiEndpoint.get("getSimulation", simulationPath, {
    params: ofSimulation,
    success: One(Simulation),
    error: ofPath
  }),
  HttpApiEndpoint.delete("cancelSimulation", simulationPath, {
    params: ofSimulation,
    success: One(Simulation),
    error: ofPath
  })
)
