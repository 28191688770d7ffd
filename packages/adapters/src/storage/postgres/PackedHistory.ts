/**
 * Entries of a history as they are stored: those that one run adds to a row are one row of storage, and what they share, down
 * to the evidence that several fields have in common, is written once.
 */
import { RecordChange } from "@millrace/core/enrichment"
import * as Schema from "effect/Schema"

/** What entries of one row of storage share. */
type Shared = Pick<RecordChange, "workspaceId" | "feedId" | "accountId" | "recordId" | "jobId">

type Ending<A> = readonly [] | readonly [A]

/** A field with its value before and after; whose word it was where that is not the provider's; the id where it does not follow from the next. */
type Change = readonly [
  field: string,
  before: RecordChange["before"],
  after: RecordChange["after"],
  ...(readonly [] | readonly [beforeAuthority: RecordChange["beforeAuthority"] | null, ...Ending<RecordChange["id"]>])
]

/** Whose word holds now, and of which fields. */
type Word = readonly [
  afterAuthority: RecordChange["afterAuthority"],
  enrichmentId: RecordChange["enrichmentId"] | null,
  revision: RecordChange["revision"] | null,
  rulePath: RecordChange["rulePath"] | null,
  changes: ReadonlyArray<Change>,
  ...Ending<NonNullable<RecordChange["evidence"]> | null>
]

/** The same as it was written before: with names, and with all ids but the last one. */
interface NamedWord extends Pick<
  RecordChange,
  "afterAuthority" | "enrichmentId" | "revision" | "rulePath" | "evidence"
> {
  readonly changes: ReadonlyArray<
    readonly [
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
  readonly words: ReadonlyArray<Word> | ReadonlyArray<NamedWord>
}

export interface PackedRow extends Shared {
  /** That of the last entry. */
  readonly id: RecordChange["id"]
  readonly fields: ReadonlyArray<string>
  readonly body: string
}

/** Whether one run says both, of whichever rows of an account. */
export const isOneRun = (a: RecordChange, b: RecordChange): boolean =>
  a.feedId === b.feedId &&
  a.accountId === b.accountId &&
  a.workspaceId === b.workspaceId &&
  a.jobId === b.jobId &&
  a.at === b.at &&
  (a.actor === b.actor || JSON.stringify(a.actor) === JSON.stringify(b.actor))

/** Whether both are of one version of a row, and said by one run. */
const isTogether = (a: RecordChange, b: RecordChange): boolean =>
  a.recordId === b.recordId && a.recordVersion === b.recordVersion && isOneRun(a, b)

export const isSameWord = (a: RecordChange, b: RecordChange): boolean =>
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

/** Who did it, where that is not the job itself, run for its feed. */
export const actorOf = (change: RecordChange): Partial<Pick<RecordChange, "actor">> =>
  isOwnJob(change) ? {} : { actor: change.actor }

const digits = "0123456789abcdefghjkmnpqrstvwxyz"

/** The id before one, where that differs in the last digit alone: ids of one batch follow each other. */
const idBefore = (id: string): string | undefined => {
  const digit = digits.indexOf(id.at(-1) ?? "")
  return digit > 0 ? `${id.slice(0, -1)}${digits[digit - 1]}` : undefined
}

const changeOf = (
  { after, before, beforeAuthority, field, id }: RecordChange,
  next: RecordChange | undefined
): Change => {
  const authority = beforeAuthority === "provider" ? null : beforeAuthority
  if (next !== undefined && id !== idBefore(next.id)) return [field, before, after, authority, id]
  return authority === null ? [field, before, after] : [field, before, after, authority]
}

const wordsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  let own: Array<Change> = []
  changes.forEach((change, at) => {
    const last = changes[at - 1]
    if (last === undefined || !isSameWord(last, change)) {
      const { afterAuthority, enrichmentId = null, evidence, revision = null, rulePath = null } = change
      own = []
      const word = [afterAuthority, enrichmentId, revision, rulePath, own] as const
      words.push(evidence === undefined ? word : [...word, evidence])
    }
    own.push(changeOf(change, changes[at + 1]))
  })
  return words
}

/** Entries of one row that are together. */
export const packedRow = (changes: ReadonlyArray<RecordChange>): PackedRow => {
  const { accountId, at, feedId, jobId, recordId, recordVersion, workspaceId } = changes[0]!
  const body: Body = { recordVersion, ...actorOf(changes[0]!), at, words: wordsOf(changes) }
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

/** Some entries of all, which were added to one row together. */
export type Part = readonly [from: number, to: number]

/** Those of a row are beside each other: in any other order they are parts of their own. */
export const partsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let from = 0
  for (let at = 1; at <= changes.length; at++) {
    if (at < changes.length && isTogether(changes[from]!, changes[at]!)) continue
    parts.push([from, at])
    from = at
  }
  return parts
}

export const packedRows = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<PackedRow> =>
  partsOf(changes).map(([from, to]) => packedRow(changes.slice(from, to)))

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

type Entry = Omit<
  RecordChange,
  "workspaceId" | "feedId" | "accountId" | "recordId" | "recordVersion" | "jobId" | "actor" | "at"
>

type Place = Pick<StoredRow, "workspace_id" | "feed_id" | "account_id" | "record_id" | "job_id">

/** An entry with what its row of storage says of it. */
export const toChange = (
  { account_id, feed_id, job_id, record_id, workspace_id }: Place,
  entry: Entry & Omit<Body, "words">
): RecordChange =>
  decode({
    workspaceId: workspace_id,
    feedId: feed_id,
    accountId: account_id,
    recordId: record_id,
    ...(job_id === null ? {} : { jobId: job_id }),
    actor: { kind: "sync", feedId: feed_id, jobId: job_id },
    ...entry
  })

const isNamed = (words: Body["words"]): words is ReadonlyArray<NamedWord> => !Array.isArray(words[0])

const namedEntries = (words: ReadonlyArray<NamedWord>, lastId: RecordChange["id"]): ReadonlyArray<Entry> =>
  words.flatMap(({ changes, ...word }) =>
    changes.map(([id, field, before, beforeAuthority, after]) => ({
      id: id ?? lastId,
      ...word,
      field,
      before,
      beforeAuthority,
      after
    }))
  )

/** From the last one on, whose id the row has. */
const entriesOf = (words: ReadonlyArray<Word>, lastId: RecordChange["id"]): ReadonlyArray<Entry> => {
  const all: Array<Entry> = []
  let next: string | undefined
  for (const [afterAuthority, enrichmentId, revision, rulePath, changes, ...evidence] of words.toReversed()) {
    for (const [field, before, after, beforeAuthority, id] of changes.toReversed()) {
      next = id ?? (next === undefined ? lastId : idBefore(next))
      all.push({
        id: next as RecordChange["id"],
        field,
        before,
        after,
        beforeAuthority: beforeAuthority ?? "provider",
        afterAuthority,
        ...(enrichmentId === null ? {} : { enrichmentId }),
        ...(revision === null ? {} : { revision }),
        ...(rulePath === null ? {} : { rulePath }),
        ...(evidence.length === 0 ? {} : { evidence: evidence[0] })
      } as Entry)
    }
  }
  return all.toReversed()
}

/** In the order in which they were added. */
export const unpacked = (row: StoredRow): ReadonlyArray<RecordChange> => {
  // Accounts become parts of others.
  const accountId = row.account_id
  if (row.field !== null) return [decode({ ...(row.body as object), accountId })]
  const { words, ...shared } = row.body as Body
  return (isNamed(words) ? namedEntries(words, row.id) : entriesOf(words, row.id)).map((entry) =>
    toChange(row, { ...shared, ...entry })
  )
}
