import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { Authority } from "../../enrichment/history/RecordChange.ts"
import { Amount } from "../../operation/Amount.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import * as Currency from "../../shared/Currency.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Simulation } from "../Simulation.ts"

export const Fault = Schema.Struct({ enrichmentId: Schema.String, message: Schema.String })

export const AiPending = Schema.Struct({
  enrichmentId: Schema.String,
  questions: Schema.Int.annotate({ description: "Texts that no model has judged yet, each once." }),
  calls: Schema.Int.annotate({ description: "At least so many: a text that may be meant for the model goes alone." }),
  tokens: Schema.Int.annotate({ description: "As they are reckoned before a call." })
}).annotate({ identifier: "AiPending" })

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))

const Figures = Schema.Struct({ planned: Amount, spent: Amount, left: Amount })

export const SimulationAnswer = Schema.Struct({
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

export const SimulationRecord = Schema.Struct({
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

/** What is to be played, and how it is told from others, is nobody's business. */
export const simulationToWire = ({
  fingerprint: _fingerprint,
  input: _input,
  version: _version,
  workspaceId: _workspaceId,
  ...simulation
}: Simulation) => simulation
