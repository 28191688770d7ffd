/**
 * Entries of a history that one run adds to several rows, kept as one row of storage. What is the same in all of them is written
 * once, and so are the names of their fields: a row of storage for each cost five times the processor and four times the disk.
 *
 * The ids of its records differ in their last two digits alone, so a block is found by what they begin with.
 */
import { RecordChange } from "@millrace/core/enrichment"
import {
  actorOf,
  isOneRun,
  isSameWord,
  packedRow,
  type PackedRow,
  type Part,
  partsOf,
  toChange
} from "./PackedHistory.ts"

/** Fields on which one word holds, in the order of their entries. */
type Word = readonly [
  afterAuthority: RecordChange["afterAuthority"],
  enrichmentId: RecordChange["enrichmentId"] | null,
  revision: RecordChange["revision"] | null,
  rulePath: RecordChange["rulePath"] | null,
  hasEvidence: 0 | 1,
  fields: ReadonlyArray<string>,
  /** Whose words held before; absent where they all were the provider's. */
  ...(readonly [] | readonly [beforeAuthorities: ReadonlyArray<RecordChange["beforeAuthority"]>])
]

type Row = readonly [
  /** What the id of the row ends with. */
  end: string,
  recordVersion: RecordChange["recordVersion"],
  /** Which words its entries are, by place. */
  shape: number,
  /** Before and after, field by field. */
  values: ReadonlyArray<RecordChange["before"]>,
  /** One for each word that has evidence. */
  ...(readonly [] | readonly [evidence: ReadonlyArray<RecordChange["evidence"]>])
]

interface Body extends Pick<RecordChange, "at"> {
  /** Absent where it is the job of the block, run for its feed. */
  readonly actor?: RecordChange["actor"]
  /** That of the first entry: the others follow from it. */
  readonly id: RecordChange["id"]
  readonly shapes: ReadonlyArray<ReadonlyArray<Word>>
  readonly rows: ReadonlyArray<Row>
}

export interface HistoryBlock extends Pick<RecordChange, "workspaceId" | "feedId" | "accountId" | "jobId"> {
  /** That of the last entry. */
  readonly id: RecordChange["id"]
  readonly begins: string
  /** What the ids of its records end with. */
  readonly records: ReadonlyArray<string>
  /** How many entries there are. */
  readonly size: number
  readonly body: string
}

/** As it comes out of storage. */
export interface StoredBlock {
  readonly workspace_id: string
  readonly feed_id: string
  readonly account_id: string
  readonly job_id: string | null
  readonly begins: string
  readonly body: string
}

/** More are several blocks, so that little is read beside what is looked for. */
const mostRows = 64
/** Fewer are rows of their own. */
export const fewestRows = 4

const varying = 2

/** Where the history of a row may stand in blocks: what its record's id begins with, and its end. */
export const placeOf = (recordId: string): { readonly begins: string; readonly end: string } => {
  const colon = recordId.indexOf(":")
  const record = colon < 0 ? recordId : recordId.slice(0, colon)
  return { begins: record.slice(0, -varying), end: record.slice(-varying) }
}

/** Ends of records by what they begin with. No end has a colon. */
export const placesOf = (recordIds: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> => {
  const places = new Map<string, Set<string>>()
  for (const recordId of recordIds) {
    const { begins, end } = placeOf(recordId)
    const ends = places.get(begins)
    if (ends === undefined) places.set(begins, new Set([end]))
    else ends.add(end)
  }
  return places
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz"
/** What each character is as a digit; NaN for those that are none. */
const digitOf = Float64Array.from({ length: 128 }, (_, code) => {
  const digit = digits.indexOf(String.fromCharCode(code))
  return digit < 0 ? Number.NaN : digit
})
/** Ids that differ in so many digits at the end are numbered by them. */
const counted = 3

/** The number that the end of an id is; NaN where it is none. */
const numberOf = (id: string): number => {
  let number = 0
  for (let at = Math.max(0, id.length - counted); at < id.length; at++) {
    const code = id.charCodeAt(at)
    number = number * 32 + (code < 128 ? digitOf[code]! : Number.NaN)
  }
  return number
}

/** Looked at from their ends, where ids of other batches differ. */
const isNext = (id: string, before: string): boolean => {
  if (id.length !== before.length || numberOf(id) !== numberOf(before) + 1) return false
  for (let at = id.length - counted - 1; at >= 0; at--) if (id.charCodeAt(at) !== before.charCodeAt(at)) return false
  return true
}

const numbered = (head: string, number: number): string =>
  head + digits[number >> 10]! + digits[(number >> 5) & 31]! + digits[number & 31]!

const isSameShape = (all: ReadonlyArray<RecordChange>, [a, aEnd]: Part, [b, bEnd]: Part): boolean => {
  if (aEnd - a !== bEnd - b) return false
  for (let n = 0; n < aEnd - a; n++) {
    const [one, other] = [all[a + n]!, all[b + n]!]
    if (
      one.field !== other.field ||
      one.afterAuthority !== other.afterAuthority ||
      one.enrichmentId !== other.enrichmentId ||
      one.revision !== other.revision ||
      one.rulePath !== other.rulePath ||
      one.beforeAuthority !== other.beforeAuthority ||
      (one.evidence === undefined) !== (other.evidence === undefined) ||
      (n > 0 && isSameWord(one, all[a + n - 1]!) !== isSameWord(other, all[b + n - 1]!))
    ) {
      return false
    }
  }
  return true
}

const wordsOf = (changes: ReadonlyArray<RecordChange>): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  for (let from = 0; from < changes.length;) {
    const first = changes[from]!
    let to = from + 1
    while (to < changes.length && isSameWord(changes[to - 1]!, changes[to]!)) to++
    const own = changes.slice(from, to)
    const { afterAuthority, enrichmentId = null, evidence, revision = null, rulePath = null } = first
    const fields = own.map(({ field }) => field)
    const word = [afterAuthority, enrichmentId, revision, rulePath, evidence === undefined ? 0 : 1, fields] as const
    const before = own.map(({ beforeAuthority }) => beforeAuthority)
    words.push(before.every((authority) => authority === "provider") ? word : [...word, before])
    from = to
  }
  return words
}

const blockOf = (all: ReadonlyArray<RecordChange>, parts: ReadonlyArray<Part>): HistoryBlock => {
  const first = all[parts[0]![0]]!
  const { begins } = placeOf(first.recordId)
  const examples: Array<Part> = []
  const records = new Set<string>()
  const rows = parts.map((part): Row => {
    const [from, to] = part
    const { recordId, recordVersion } = all[from]!
    records.add(placeOf(recordId).end)
    let shape = examples.findIndex((example) => isSameShape(all, example, part))
    if (shape < 0) shape = examples.push(part) - 1
    const values: Array<RecordChange["before"]> = []
    const evidence: Array<RecordChange["evidence"]> = []
    for (let n = from; n < to; n++) {
      const change = all[n]!
      values.push(change.before, change.after)
      if (change.evidence !== undefined && (n === from || !isSameWord(all[n - 1]!, change)))
        evidence.push(change.evidence)
    }
    const row = [recordId.slice(begins.length), recordVersion, shape, values] as const
    return evidence.length === 0 ? row : [...row, evidence]
  })
  const { accountId, at, feedId, id, jobId, workspaceId } = first
  const shapes = examples.map(([from, to]) => wordsOf(all.slice(from, to)))
  const body: Body = { at, ...actorOf(first), id, shapes, rows }
  const end = parts.at(-1)![1]
  return {
    workspaceId,
    feedId,
    accountId,
    ...(jobId === undefined ? {} : { jobId }),
    id: all[end - 1]!.id,
    begins,
    records: [...records],
    size: end - parts[0]![0],
    body: JSON.stringify(body)
  }
}

/** A row, or a block of several, and its place among those that are added together. */
export interface Placed<A> {
  readonly place: number
  readonly of: A
}

/** What is kept together, and what stands alone. */
export const packedHistory = (changes: ReadonlyArray<RecordChange>) => {
  const alone: Array<Placed<PackedRow>> = []
  const blocks: Array<Placed<HistoryBlock>> = []
  let place = 0
  const keep = (run: ReadonlyArray<Part>) => {
    if (run.length < fewestRows) {
      for (const [from, to] of run) alone.push({ place: ++place, of: packedRow(changes.slice(from, to)) })
      return
    }
    const each = Math.ceil(run.length / Math.ceil(run.length / mostRows))
    for (let from = 0; from < run.length; from += each)
      blocks.push({ place: ++place, of: blockOf(changes, run.slice(from, from + each)) })
  }
  let run: Array<Part> = []
  let begins = ""
  for (const part of partsOf(changes)) {
    const [from, to] = part
    let isNumbered = !Number.isNaN(numberOf(changes[from]!.id))
    for (let n = from + 1; n < to; n++) isNumbered &&= isNext(changes[n]!.id, changes[n - 1]!.id)
    const own = placeOf(changes[from]!.recordId).begins
    const goesOn =
      isNumbered &&
      run.length > 0 &&
      own === begins &&
      isOneRun(changes[from - 1]!, changes[from]!) &&
      isNext(changes[from]!.id, changes[from - 1]!.id)
    if (!goesOn) {
      keep(run)
      run = []
    }
    begins = own
    if (isNumbered) run.push(part)
    else alone.push({ place: ++place, of: packedRow(changes.slice(from, to)) })
  }
  keep(run)
  return { alone, blocks }
}

/** In the order in which they were added; all of them, or those of rows that are looked for. */
export const unpackedBlock = (
  { account_id, begins, body, feed_id, job_id, workspace_id }: StoredBlock,
  isWanted: (recordId: string) => boolean = () => true
): ReadonlyArray<RecordChange> => {
  const { id: first, rows, shapes, ...shared } = JSON.parse(body) as Body
  const head = first.slice(0, -counted)
  const all: Array<RecordChange> = []
  let number = numberOf(first)
  for (const [end, recordVersion, shape, values, evidences = []] of rows) {
    const recordId = begins + end
    if (!isWanted(recordId)) {
      number += values.length / 2
      continue
    }
    let [value, proof] = [0, 0]
    for (const [afterAuthority, enrichmentId, revision, rulePath, hasEvidence, fields, before] of shapes[shape]!) {
      const evidence = hasEvidence === 1 ? { evidence: evidences[proof++]! } : {}
      for (const [n, field] of fields.entries()) {
        all.push(
          toChange(
            { workspace_id, feed_id, account_id, record_id: recordId, job_id },
            {
              ...shared,
              recordVersion,
              id: numbered(head, number++) as RecordChange["id"],
              field,
              before: values[value++]!,
              after: values[value++]!,
              beforeAuthority: before?.[n] ?? "provider",
              afterAuthority,
              ...(enrichmentId === null || enrichmentId === undefined ? {} : { enrichmentId }),
              ...(revision === null || revision === undefined ? {} : { revision }),
              ...(rulePath === null || rulePath === undefined ? {} : { rulePath }),
              ...evidence
            }
          )
        )
      }
    }
  }
  return all
}
