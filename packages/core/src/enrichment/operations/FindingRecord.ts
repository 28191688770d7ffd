import * as Schema from "effect/Schema"
import { Id } from "../../shared/Ids.ts"
import * as Timestamp from "../../shared/Timestamp.ts"
import { FindingStatus, type Finding } from "../Finding.ts"

export const FindingRecord = Schema.Struct({
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

/** Without what is only for the kernel: where it was found, and under which key. */
export const findingToWire = ({
  dataType: _d,
  key: _k,
  partition: _pa,
  present: _p,
  workspaceId: _w,
  ...finding
}: Finding) => finding
