/** A decision of a person about what an enrichment says: the facts that were made by it, in words. */
import type { ActorRef } from "../access/ActorRef.ts"
import type { EnrichmentFact, EnrichmentFactId } from "../enrichment/kinds/EnrichmentFact.ts"
import type { FieldValue } from "../record/FieldValue.ts"
import type { Timestamp } from "../shared/Timestamp.ts"

export interface Decision {
  /** That of its first fact. */
  readonly id: EnrichmentFactId
  readonly kind: EnrichmentFact["kind"]
  /** What was decided, for people. */
  readonly sentence: string
  readonly field?: string
  readonly value?: FieldValue
  /** The records that it is about, each once. */
  readonly recordIds: ReadonlyArray<string>
  readonly by: ActorRef
  readonly at: Timestamp
  readonly facts: ReadonlyArray<EnrichmentFact>
}

/** What makes facts one decision: they were made at once, by one person, and say the same. */
const actOf = ({ at, by, field, kind, value }: EnrichmentFact): string =>
  // The two sides of a pair name each other's place.
  JSON.stringify([at, by, kind, field, kind === "confirm" ? null : value])

const quoted = (value: EnrichmentFact["value"]): string => `"${String(value ?? "")}"`

const sentenceOf = ({ field, kind, otherId, value }: EnrichmentFact, records: number): string => {
  const several = records === 1 ? "a record" : `${records} records`
  switch (kind) {
    case "suppress":
      return `Silent about ${field ?? "everything"} of ${several}`
    case "forbid":
      return otherId === undefined ? `Not tied to anything: ${several}` : "Two records do not belong together"
    case "confirm":
      return "Two records belong together"
    case "accept":
      return field?.startsWith("merchant ") === true
        ? `What is called "${field.slice("merchant ".length)}" is ${quoted(value)}`
        : `Confirmed: ${several}`
    case "reject":
      return `Rejected: ${several}`
    case "block":
      return `Blocked${value === undefined ? "" : `: ${quoted(value)}`}`
    case "note":
      return field === "recurring.name"
        ? `Named ${quoted(value)}`
        : field === "recurring.ended"
          ? `Over since ${String(value)}`
          : `${field ?? "Noted"}: ${quoted(value)}`
    default:
      return `${field ?? "It"} is ${quoted(value)}`
  }
}

/** The newest first. */
export const decisionsOf = (facts: ReadonlyArray<EnrichmentFact>): ReadonlyArray<Decision> =>
  Array.from(Map.groupBy(facts, actOf).values(), (some): Decision => {
    const own = some.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const [first] = own as [EnrichmentFact]
    const { at, by, field, id, kind, value } = first
    const recordIds = [
      ...new Set(own.flatMap(({ otherId, recordId }) => [recordId, otherId].filter((one) => one !== undefined)))
    ]
    return {
      id,
      kind,
      sentence: sentenceOf(first, recordIds.length),
      ...(field === undefined ? {} : { field }),
      ...(value === undefined || kind === "confirm" ? {} : { value }),
      recordIds,
      by,
      at,
      facts: own
    }
  }).toSorted((a, b) => (a.id > b.id ? -1 : 1))
