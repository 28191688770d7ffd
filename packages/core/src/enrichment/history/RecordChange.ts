/** How delivered values came to be what they are: one entry for each change of a field (enrichments A7). */
import * as Schema from "effect/Schema"
import { ActorRef } from "../../access/ActorRef.ts"
import { FieldValue } from "../../record/FieldValue.ts"
import { Id } from "../../shared/Ids.ts"
import { Timestamp } from "../../shared/Timestamp.ts"
import { authorities } from "../kinds/Kind.ts"

export type Authority = keyof typeof authorities

export const Authority = Schema.Literals(Object.keys(authorities) as ReadonlyArray<Authority>)

export const RecordChange = Schema.Struct({
  id: Id("change"),
  workspaceId: Id("workspace"),
  feedId: Id("feed"),
  accountId: Id("account"),
  /** The row: the record, or one of its items or lines, `recordId:...`. */
  recordId: Schema.String,
  recordVersion: Schema.Int,
  field: Schema.String,
  before: FieldValue,
  after: FieldValue,
  beforeAuthority: Authority,
  afterAuthority: Authority,
  /** Whose value holds from then on; where that is a person's, the id of the fact. Absent where it is the provider's. */
  enrichmentId: Schema.optionalKey(Schema.String),
  revision: Schema.optionalKey(Schema.Int),
  /** The rule inside of the enrichment. */
  rulePath: Schema.optionalKey(Schema.String),
  evidence: Schema.optionalKey(Schema.Json),
  actor: ActorRef,
  jobId: Schema.optionalKey(Id("job")),
  at: Timestamp
})
export type RecordChange = typeof RecordChange.Type
export type RecordChangeId = RecordChange["id"]
