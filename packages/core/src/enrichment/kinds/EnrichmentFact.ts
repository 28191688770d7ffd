/** What people decided about what enrichments say: kept, and lifted (enrichments A6, A8). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { DataType } from "../../record/DataType.ts"
import { FieldValue } from "../../record/FieldValue.ts"
import { Id } from "../../shared/Ids.ts"
import { Timestamp } from "../../shared/Timestamp.ts"

export type EnrichmentFactId = Id<"fact">

/**
 * `set`: a person's own value, which locks the field. `lock`: the value shown stays. `split`: how a person split the record;
 * without a value it is whole again, and its lines of before are looked for. `suppress`: the enrichment is silent
 * about the field, or about the record where no field is named. `forbid`, `confirm`: two records do not belong together, or
 * do. `block`, `accept`, `reject`, `note`: what a kind asks people about; the field and the value say what it is.
 */
const enrichmentFactKinds = [
  "set",
  "lock",
  "split",
  "suppress",
  "forbid",
  "confirm",
  "block",
  "accept",
  "reject",
  "note"
] as const

export const EnrichmentFact = Schema.Struct({
  id: Id("fact"),
  workspaceId: Id("workspace"),
  dataType: DataType,
  kind: Schema.Literals(enrichmentFactKinds),
  /** Absent where a person decided: `set`, `lock` and `split`. */
  enrichmentId: Schema.optionalKey(Id("enrichment")),
  /** Absent where it is about the enrichment as a whole. */
  recordId: Schema.optionalKey(Schema.String),
  otherId: Schema.optionalKey(Schema.String),
  field: Schema.optionalKey(Schema.String),
  value: Schema.optionalKey(FieldValue),
  by: ActorRef,
  at: Timestamp,
  lifted: Schema.optionalKey(Schema.Struct({ by: ActorRef, at: Timestamp }))
})
export type EnrichmentFact = typeof EnrichmentFact.Type

/** A fact to be made. */
export type FactRequest = Omit<EnrichmentFact, "id" | "workspaceId" | "dataType" | "by" | "at" | "lifted">

/** What is to be undone: a field of a record, all of a record, or a link. */
export interface UndoTarget {
  readonly enrichmentId: Id<"enrichment">
  readonly recordId: string
  readonly field?: string
  /** The records of the link. */
  readonly members?: ReadonlyArray<string>
}

/** Whether a person decided about a field. */
export const isWord = ({ kind }: Pick<EnrichmentFact, "kind">): boolean =>
  kind === "set" || kind === "lock" || kind === "split"

/** What takes back the word of any enrichment about a record: it stays silent until the fact is lifted. */
export const suppression = ({ enrichmentId, field, recordId }: UndoTarget): ReadonlyArray<FactRequest> => [
  { kind: "suppress", enrichmentId, recordId, ...(field === undefined ? {} : { field }) }
]
