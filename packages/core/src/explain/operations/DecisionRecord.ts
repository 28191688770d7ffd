import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { EnrichmentFact } from "../../enrichment/kinds/EnrichmentFact.ts"
import { Id } from "../../shared/Ids.ts"
import { limits } from "../../shared/Limits.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import type { Decision } from "../Decision.ts"

export const DecisionRecord = Schema.Struct({
  id: Id("fact"),
  kind: EnrichmentFact.fields.kind,
  sentence: Schema.String.annotate({ description: "What was decided, in words." }),
  field: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Boolean]))),
  recordIds: Schema.Array(Schema.String).annotate({ description: "The records that it is about." }),
  by: ActorRef,
  at: Timestamp.Timestamp
}).annotate({ identifier: "Decision" })

export const Named = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.nameLength))

export const RecordOf = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))

export const decisionToWire = ({ facts: _facts, ...decision }: Decision) => decision
