/** What one change in the ledger means for one feed (decisions 6.5, 7.2 and 7.3). */
import type { DeliveryEntry, Intent } from "../destination/DeliveryStore.ts"
import { valuesOf } from "../destination/Columns.ts"
import { type FieldChange, originsOf } from "../enrichment/Provenance.ts"
import type { Verdict } from "../enrichment/kinds/Kind.ts"
import type { Feed } from "../feed/Feed.ts"
import { isSnapshotType } from "../record/DataType.ts"
import type { Fields } from "../record/FieldValue.ts"
import type { JobId } from "../job/Job.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"

/** A record as this feed sees it. */
export interface Enriched {
  readonly fields: Fields
  readonly verdict: Verdict
  readonly removeWhenDropped: boolean
  readonly provenance: ReadonlyArray<FieldChange>
  /** An enrichment was set aside, and what it would say may be missing. */
  readonly isPartial?: boolean
}

export interface Force {
  /** Send again what the destination has already. */
  readonly unchanged: boolean
  /** Also make rows again that a person deleted there. */
  readonly skipped: boolean
}

export type Decision =
  | { readonly kind: "intend"; readonly intent: Intent }
  /** A person deleted the row: what it would hold now is only kept, for when somebody asks for it again. */
  | { readonly kind: "keep"; readonly intent: Intent }
  | { readonly kind: "unchanged" }
  | { readonly kind: "filtered" }

export type OnRemoved = "delete" | "mark" | "keep"

const hidesPending = (feed: Feed): boolean =>
  feed.dataTypeOptions.dataType === "transactions" && feed.dataTypeOptions.pendingMode === "filter_pending"

/**
 * What happens at the destination to a record that is no longer there. One that a person took away is gone in
 * every mode, unless the feed says otherwise; one that is part of another would be there twice.
 */
export const onRemovedOf = (feed: Feed, record: Pick<LedgerRecord, "pending" | "state" | "mergedInto">): OnRemoved => {
  const options = feed.dataTypeOptions
  const asked = feed.destinationConfig?.onRemoved
  if (record.mergedInto !== undefined) return asked === "mark" ? "mark" : "delete"
  if (record.state === "deleted") return asked ?? "delete"
  if (record.pending && options.dataType === "transactions" && options.pendingMode === "sync_all") return "keep"
  if (asked !== undefined) return asked
  // Another mode delivered it before; in this one it should never have been there.
  if (record.pending && hidesPending(feed)) return "delete"
  if (options.dataType === "transactions") return options.pendingMode === "track_and_update" ? "delete" : "keep"
  return isSnapshotType(feed.dataType) ? "delete" : "keep"
}

const unforced: Force = { unchanged: false, skipped: false }

/** What is given up goes out only when somebody asks for it. */
const isOpen = ({ dead, state }: DeliveryEntry): boolean => !dead && state !== "done" && state !== "skipped"

/**
 * Whether the destination has acknowledged a row that nothing has put in doubt since. Only such a row is
 * updated: an update of one that never arrived, or was removed after all, would be taken for one that a
 * person deleted. One whose removal was never sent, or refused, is there: made again it would be there twice.
 */
const isKnownThere = (entry: DeliveryEntry | undefined): boolean =>
  entry !== undefined &&
  entry.present &&
  (entry.op === "update" ||
    (entry.op === "create" && entry.state === "done") ||
    (entry.op === "remove" && entry.acknowledged))

/** What is written for a record as the feed sees it. */
export const contentOf = (feed: Feed, fields: Fields, removed: boolean, hashOf: (text: string) => string) => {
  const values = valuesOf(feed.fieldMappings, fields, removed)
  return { values, hash: hashOf(JSON.stringify(values)) }
}

export const decide = (input: {
  readonly feed: Feed
  /** Key at the destination: the record's id, or one per run for balances that are appended. */
  readonly recordId: string
  readonly record: LedgerRecord
  readonly enriched: Enriched
  readonly entry: DeliveryEntry | undefined
  readonly force: Force
  /** What this job has handled already is not forced again. */
  readonly jobId: JobId
  readonly hash: (text: string) => string
}): Decision => {
  const { enriched, entry, feed, record, recordId } = input
  const force = entry?.jobId === input.jobId ? unforced : input.force
  const present = entry !== undefined && entry.present
  const base = { recordId, accountId: record.accountId, date: record.date }
  const removal: Decision & { readonly kind: "intend" } = {
    kind: "intend",
    intent: { ...base, op: "remove", hash: "", values: {}, provenance: [] }
  }

  if (entry?.state === "skipped" && !force.skipped) {
    const wanted = decide({ ...input, entry: undefined })
    if (wanted.kind !== "intend") return entry.op === "remove" ? wanted : { kind: "keep", intent: removal.intent }
    const kept = entry.op !== "remove" && entry.hash === wanted.intent.hash
    return kept ? { kind: "unchanged" } : { kind: "keep", intent: wanted.intent }
  }

  const open = entry !== undefined && isOpen(entry)
  const dead = entry !== undefined && entry.dead
  /** Takes back a row that is there, or on its way: removing what never arrived does no harm. */
  const withdraw = (whenNothing: "unchanged" | "filtered"): Decision =>
    entry?.op === "remove"
      ? dead && force.unchanged
        ? removal
        : { kind: open || dead ? "unchanged" : whenNothing }
      : present || open || dead
        ? removal
        : { kind: whenNothing }

  let removed = false
  if (record.state !== "live") {
    const rule = onRemovedOf(feed, record)
    // What never arrived is not made after it has vanished, whatever happens to rows that did.
    if (rule === "delete" || !present) return withdraw("unchanged")
    if (rule === "keep") return { kind: "unchanged" }
    removed = true
  } else {
    if (hidesPending(feed) && record.pending) {
      return onRemovedOf(feed, record) === "delete" || !present ? withdraw("filtered") : { kind: "filtered" }
    }
    if (enriched.verdict !== "deliver") {
      return (enriched.verdict === "drop" && enriched.removeWhenDropped) || !present
        ? withdraw("filtered")
        : { kind: "filtered" }
    }
  }
  const { hash, values } = contentOf(feed, enriched.fields, removed, input.hash)
  const same = entry !== undefined && entry.op !== "remove" && entry.hash === hash
  // What is on its way goes out in this run, forced or not.
  if (same && (open || ((present || dead) && !force.unchanged))) return { kind: "unchanged" }
  return {
    kind: "intend",
    intent: {
      ...base,
      op: isKnownThere(entry) ? "update" : "create",
      hash,
      values,
      provenance: originsOf(enriched.provenance)
    }
  }
}

/**
 * The part of a decision that is about whether a row is there: it comes, or goes. What it holds is left as it is, and so is
 * what the destination has refused.
 */
export const onlyWhether = (decision: Decision, entry: DeliveryEntry | undefined): Decision => {
  if (decision.kind === "filtered" || decision.kind === "unchanged") return decision
  const goes = decision.kind === "intend" && decision.intent.op === "remove"
  const comes = decision.kind === "intend" && (entry === undefined || entry.op === "remove")
  return goes || comes ? decision : { kind: "unchanged" }
}
