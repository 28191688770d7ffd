/** What is reported about what memories learn (enrichments B3). */
import * as Schema from "effect/Schema"
import { eventTypes } from "../../../event/EventType.ts"
import { Id } from "../../../shared/Ids.ts"
import { MemoryPattern, type PatternStatus } from "./MemoryPattern.ts"

const data = Schema.Struct({
  enrichmentId: Id("enrichment"),
  patternId: Id("pattern"),
  key: Schema.String,
  field: Schema.String,
  condition: MemoryPattern.fields.condition,
  value: MemoryPattern.fields.value,
  count: Schema.Int,
  total: Schema.Int,
  bound: Schema.Int,
  right: Schema.Int,
  predicted: Schema.Int,
  reason: Schema.optionalKey(Schema.String)
})

export const memoryEvents = eventTypes(
  { subject: "enrichment", outbound: true, data },
  {
    "memory.proposed": "A memory has learnt something that waits for a person to agree.",
    "memory.activated": "A memory fills a field from now on, by what people decided.",
    "memory.retired": "A memory no longer fills a field: people decided otherwise, or did not want it."
  }
)

const nameOf = (status: PatternStatus): keyof typeof memoryEvents =>
  status === "proposed" ? "memory.proposed" : status === "active" ? "memory.activated" : "memory.retired"

/** What is reported where a pattern became another; nothing where it stays what it was for its readers. */
export const patternEvent = (before: MemoryPattern | undefined, after: MemoryPattern) => {
  if (before?.status === after.status) return []
  const isOver = after.status === "suspended" || after.status === "retired"
  // What never filled anything ends without a word.
  if (isOver && before?.status !== "active") return []
  const { bound, condition, count, enrichmentId, field, id, key, predicted, reason, right, total, value } = after
  const told = { enrichmentId, patternId: id, key, field, condition, value, count, total, bound, right, predicted }
  const type = nameOf(after.status)
  const encoded = Schema.encodeSync(data)({ ...told, ...(reason === undefined ? {} : { reason }) })
  return [{ type, subjectId: enrichmentId as string, data: encoded as Schema.Json }]
}
