/** What enrichments found and people should look at, with what they decided about it (decisions 4.3). */
import * as Schema from "effect/Schema"
import { DataType } from "../record/DataType.ts"
import { derivedId, type Sha256 } from "../shared/DerivedId.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { FoundIn } from "./SetPlanning.ts"

export type FindingId = Id<"finding">

/** `resolved`: the enrichment finds it no longer, or a person says that it is done. The others are a person's word. */
export const findingStatuses = ["open", "acknowledged", "dismissed", "confirmed", "resolved"] as const

export const FindingStatus = Schema.Literals(findingStatuses)
export type FindingStatus = typeof FindingStatus.Type

export const Finding = Schema.Struct({
  id: Id("finding"),
  workspaceId: Id("workspace"),
  dataType: DataType,
  enrichmentId: Id("enrichment"),
  /** The part of the enrichment's records in which it was found last. */
  partition: Schema.String,
  key: Schema.String,
  kind: Schema.String,
  status: FindingStatus,
  title: Schema.String,
  subject: Schema.Struct({ kind: Schema.String, id: Schema.String }),
  data: Schema.Record(Schema.String, Schema.Json),
  /** What a person wrote about it. */
  note: Schema.optionalKey(Schema.String),
  /** Whether the enrichment finds it still. */
  present: Schema.Boolean,
  firstSeenAt: Timestamp,
  /** When the enrichment last said something new of it. */
  lastSeenAt: Timestamp,
  /** Counts changes. */
  version: Schema.Int
})
export type Finding = typeof Finding.Type

/** The same for the same key. */
export const findingId = (sha256: Sha256, enrichmentId: string, key: string): FindingId =>
  `fnd_${derivedId(sha256, enrichmentId, "finding", key)}` as FindingId

const contentOf = ({ data, kind, subject, title }: Pick<Finding, "data" | "kind" | "subject" | "title">): string =>
  JSON.stringify([kind, title, subject.kind, subject.id, data])

/** Those that are other than before, from what is found now in partitions that were planned. */
export const changedFindings = (
  /** Known ones: those found now, and all that were present in the partitions. */
  known: ReadonlyMap<string, Finding>,
  found: ReadonlyArray<FoundIn & { readonly id: FindingId }>,
  of: Pick<Finding, "workspaceId" | "dataType" | "enrichmentId">,
  at: Timestamp
): ReadonlyArray<Finding> => {
  const changed: Array<Finding> = []
  const now = new Map(found.map((one) => [one.id as string, one]))
  for (const { finding, id, partition } of now.values()) {
    const last = known.get(id)
    const said = { ...finding, ...of, id, partition, present: true, lastSeenAt: at }
    if (last === undefined) {
      changed.push({ ...said, status: "open", firstSeenAt: at, version: 1 })
      continue
    }
    const { firstSeenAt, note, present, version } = last
    if (present && contentOf(last) === contentOf(finding)) {
      // That it moved to another partition is internal.
      if (last.partition !== partition) changed.push({ ...last, partition })
      continue
    }
    const status = present || last.status === "dismissed" ? last.status : "open"
    changed.push({ ...said, ...(note === undefined ? {} : { note }), status, firstSeenAt, version: version + 1 })
  }
  for (const last of known.values()) {
    if (!last.present || now.has(last.id)) continue
    const status = last.status === "dismissed" ? last.status : "resolved"
    changed.push({ ...last, status, present: false, lastSeenAt: at, version: last.version + 1 })
  }
  return changed
}
