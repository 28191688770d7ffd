/**
 * Entries of a history as they are stored: those that one run adds to a row are one row of storage, and what they share, down
 * to the evidence that several fields have in common, is written once.
 */
import { RecordChange } from "@millrace/core/enrichment"
import * as Schema from "effect/Schema"

/** What entries of one row of storage share. */
type Shared = Pick<RecordChange, "workspaceId" | "feedId" | "accountId" | "recordId" | "jobId">

/** Whose word holds now, and of which fields: id, field, before, whose word it was, after. */
interface Word extends Pick<RecordChange, "afterAuthority"> {
  readonly enrichmentId: RecordChange["enrichmentId"] | undefined
  readonly revision: RecordChange["revision"] | undefined
  readonly rulePath: RecordChange["rulePath"] | undefined
  readonly evidence: RecordChange["evidence"] | undefined
  readonly changes: ReadonlyArray<
    readonly [
      /** `null` for the last of its row, which has the id of the row. */
      id: RecordChange["id"] | null,
      field: string,
      before: RecordChange["before"],
      beforeAuthority: RecordChange["beforeAuthority"],
      after: RecordChange["after"]
    ]
  >
}

interface Body extends Pick<RecordChange, "recordVersion" | "at"> {
  /** Absent where it is the job of the row, run for its feed. */
  readonly actor?: RecordChange["actor"]
  readonly words: ReadonlyArray<Word>
}

export interface PackedRow extends Shared {
  /** That of the last entry. */
  readonly id: RecordChange["id"]
  readonly fields: ReadonlyArray<string>
  readonly body: string
}

const isTogether = (a: RecordChange, b: RecordChange): boolean =>
  a.recordId === b.recordId &&
  a.feedId === b.feedId &&
  a.accountId === b.accountId &&
  a.workspaceId === b.workspaceId &&
  a.jobId === b.jobId &&
  a.recordVersion === b.recordVersion &&
  a.at === b.at &&
  (a.actor === b.actor || JSON.stringify(a.actor) === JSON.stringify(b.actor))

const isSameWord = (a: RecordChange, b: RecordChange): boolean =>
  a.enrichmentId === b.enrichmentId &&
  a.revision === b.revision &&
  a.rulePath === b.rulePath &&
  a.afterAuthority === b.afterAuthority &&
  // Fields of one outcome have one evidence.
  a.evidence === b.evidence

const isOwnJob = ({ actor, feedId, jobId }: RecordChange): boolean =>
  actor.kind === "sync" &&
  actor.feedId === feedId &&
  jobId !== undefined &&
  actor.jobId === jobId &&
  actor.cause === undefined

const wordsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<Word> => {
  const words: Array<Word & { readonly changes: Array<Word["changes"][number]> }> = []
  const end = changes.at(-1)
  let last: RecordChange | undefined
  for (const change of changes) {
    const { after, afterAuthority, before, beforeAuthority, enrichmentId, evidence, field, id, revision, rulePath } =
      change
    if (last === undefined || !isSameWord(last, change)) {
      words.push({ afterAuthority, enrichmentId, revision, rulePath, evidence, changes: [] })
    }
    words.at(-1)!.changes.push([change === end ? null : id, field, before, beforeAuthority, after])
    last = change
  }
  return words
}

const rowOf = (changes: ReadonlyArray<RecordChange>): PackedRow => {
  const { accountId, actor, at, feedId, jobId, recordId, recordVersion, workspaceId } = changes[0]!
  const body: Body = { recordVersion, ...(isOwnJob(changes[0]!) ? {} : { actor }), at, words: wordsOf(changes) }
  return {
    workspaceId,
    feedId,
    accountId,
    recordId,
    ...(jobId === undefined ? {} : { jobId }),
    id: changes.at(-1)!.id,
    fields: changes.map(({ field }) => field),
    body: JSON.stringify(body)
  }
}

/** Those of a row are beside each other: in any other order they are rows of their own. */
export const packed = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<PackedRow> => {
  const rows: Array<PackedRow> = []
  let from = 0
  for (let at = 1; at <= changes.length; at++) {
    if (at < changes.length && isTogether(changes[from]!, changes[at]!)) continue
    rows.push(rowOf(changes.slice(from, at)))
    from = at
  }
  return rows
}

/** As it comes out of storage. */
export interface StoredRow {
  readonly id: RecordChange["id"]
  readonly workspace_id: string
  readonly feed_id: string
  readonly account_id: string
  readonly record_id: string
  readonly job_id: string | null
  /** Of an entry that was stored alone, as all were once. */
  readonly field: string | null
  readonly body: unknown
}

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(RecordChange))

/** In the order in which they were added. */
export const unpacked = (row: StoredRow): ReadonlyArray<RecordChange> => {
  // Accounts become parts of others.
  const accountId = row.account_id
  if (row.field !== null) return [decode({ ...(row.body as object), accountId })]
  const { words, ...shared } = row.body as Body
  const actor = { kind: "sync", feedId: row.feed_id, jobId: row.job_id }
  return words.flatMap(({ changes, ...word }) =>
    changes.map(([id, field, before, beforeAuthority, after]) =>
      decode({
        id: id ?? row.id,
        workspaceId: row.workspace_id,
        feedId: row.feed_id,
        accountId,
        recordId: row.record_id,
        ...(row.job_id === null ? {} : { jobId: row.job_id }),
        actor,
        ...shared,
        ...word,
        field,
        before,
        beforeAuthority,
        after
      })
    )
  )
}
