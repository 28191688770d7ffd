/** What a match means for the ledger: what the record says from now on, and what is remembered of it. */
import { type DataType, isDocumentType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import { carryItems } from "../record/Items.ts"
import type { HeldRecord, RecordWrite } from "../record/LedgerRecord.ts"
import type { Observation } from "../record/Observation.ts"
import type { LoggedMatch, RecordContent } from "./LoggedMatch.ts"
import { onlyIdDiffers, type Match } from "./match/Matching.ts"

/** Fields by which people would say that it is another event. */
const telling = ["date", "amount", "currency", "description", "originalDescription"] as const

/** Whether what the record said before has to be known: to be kept, or to go on in what it says from now on. */
export const needsBefore = (dataType: DataType, { entry, evidence, observation }: Match): boolean =>
  entry !== undefined &&
  (isDocumentType(dataType) ? entry.hash !== observation.hash : dataType === "transactions") &&
  !onlyIdDiffers({ entry, observation }) &&
  (evidence?.tier === "cost" ||
    evidence?.tier === "link" ||
    (entry.hash !== observation.hash && !entry.pending) ||
    (entry.pending && !observation.pending))

/**
 * Whether the match may have been wrong, so that somebody may want to take it back. What an id says of a pending
 * record, and what a source adds to its own record, is nothing but news.
 */
export const isWorthLogging = ({ entry, evidence, observation }: Match, before: HeldRecord): boolean => {
  if (evidence === undefined || entry === undefined || evidence.tier === "equal") return false
  if (evidence.tier !== "id") return true
  return !entry.pending && telling.some((name) => (before.fields[name] ?? null) !== (observation.fields[name] ?? null))
}

/**
 * What goes on in what a record says now. The day on which it was pending tells when it happened, where the booked row
 * does not (enrichments D1.7); items keep their keys.
 */
export const settledFields = (
  observation: Pick<Observation, "fields" | "pending">,
  before: HeldRecord | undefined
): Fields => {
  const fields = carryItems(before?.fields, observation.fields)
  if (before === undefined || fields["authorizedDate"] !== undefined) return fields
  const authorizedDate =
    before.fields["authorizedDate"] ?? (before.pending && !observation.pending ? before.date : undefined)
  return authorizedDate === undefined || authorizedDate === null ? fields : { ...fields, authorizedDate }
}

export const contentOf = (record: RecordContent): RecordContent => ({
  providerId: record.providerId,
  date: record.date,
  pending: record.pending,
  state: record.state,
  hash: record.hash,
  fields: record.fields
})

/** Field by field: rows that were put aside unpack their fields when these are asked for, and have none to be copied. */
const shownOf = (row: Observation, state: "live" | "deleted"): RecordContent => ({
  providerId: row.providerId,
  date: row.date,
  pending: row.pending,
  state,
  hash: row.hash,
  fields: row.fields
})

/** The record as it is after the match. */
export const writeOf = (
  id: string,
  observation: Observation,
  before: HeldRecord | undefined,
  state: "live" | "deleted" = "live"
): RecordWrite => ({ ...shownOf(observation, state), id, fields: settledFields(observation, before) })

/** What is kept of a match, besides where and when it was made. */
export const logOf = (
  match: Match,
  before: HeldRecord
): Pick<LoggedMatch, "recordId" | "versionBefore" | "before" | "observed" | "evidence"> => ({
  recordId: before.id,
  versionBefore: before.version,
  before: contentOf(before),
  observed: shownOf(match.observation, "live"),
  evidence: match.evidence ?? { tier: "id" }
})
