/** What is to be done about the rows of some records, and what a job counts of it. */
import * as Effect from "effect/Effect"
import type { DeliveryEntry, Intent } from "../destination/DeliveryStore.ts"
import type { RowNow } from "../enrichment/history/RecordHistory.ts"
import type { PipelineFault } from "../enrichment/Pipeline.ts"
import type { Feed } from "../feed/Feed.ts"
import type { Job } from "../job/Job.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { Beside } from "./BesideRecords.ts"
import { decide, type Decision, type Enriched, type Force, onlyWhether } from "./Decision.ts"
import type { DocumentRow } from "./DocumentRows.ts"
import { enriched, type Enriching } from "./EnrichedRecord.ts"
import { isLong, unchangedSince } from "./HeldLong.ts"

/** A row that may have been enriched already. */
export interface JudgedRow extends DocumentRow {
  readonly enriched?: Enriched
}

export interface Judged {
  readonly intents: ReadonlyArray<Intent>
  /** Nothing was ever delivered of what the intents are about. */
  readonly areNew: boolean
  readonly kept: ReadonlyArray<Intent>
  /** Rows whose values are others from now on, for the history of what was delivered. */
  readonly told: ReadonlyArray<RowNow>
  /** Rows that are held back for more than `limits.holdDays`. */
  readonly heldLong: number
  readonly add: {
    readonly read: number
    readonly vanished: number
    readonly filtered: number
    readonly unchanged: number
  }
}

export interface Judging {
  readonly feed: Feed
  readonly job: Job
  readonly force: Force
  readonly enriching: Enriching
  readonly standing: Pick<Beside, "gathered" | "notes">
  readonly entries: ReadonlyMap<string, DeliveryEntry>
  /** Whether nothing about the record changed but enrichments, and it is too old to be delivered again for that. */
  readonly isSettled: (record: LedgerRecord) => boolean
  /** Whether the rows of a record, which stand together, have a sum that must be right: they are lines, or were. */
  readonly mayHaveLines: boolean
  readonly hash: (text: string) => string
  readonly note: (fault: PipelineFault) => void
}

interface Wanted {
  readonly row: JudgedRow
  readonly entry: DeliveryEntry | undefined
  readonly view: Enriched
  readonly decision: Decision
}

/** Where one row comes or goes, the others hold what belongs to it. Marks are content, so that they do not tell. */
const isWhole = ({ feed }: Judging, all: ReadonlyArray<Wanted>): boolean =>
  all.length > 1 &&
  (feed.destinationConfig?.onRemoved === "mark" ||
    all.some(({ decision, entry }) => onlyWhether(decision, entry).kind === "intend"))

/** Decides what is to be done about rows. Those of one record stand together. */
const judged = (judging: Judging, rows: ReadonlyArray<JudgedRow>): Judged => {
  const { enriching, entries, feed, force, hash, isSettled, job, mayHaveLines, note, standing } = judging
  const intents: Array<Intent> = []
  const kept: Array<Intent> = []
  const told: Array<RowNow> = []
  let overdue = 0
  const add = { read: 0, vanished: 0, filtered: 0, unchanged: 0 }

  const wantedOf = (row: JudgedRow): Wanted | undefined => {
    const entry = entries.get(row.rowId)
    // What the record does not have now, and never had at the destination.
    if (!row.shown && entry === undefined) return undefined
    const view = row.enriched ?? enriched(enriching, row, standing, note)
    const decision = decide({
      feed,
      recordId: row.rowId,
      record: row.record,
      enriched: view,
      entry,
      force,
      jobId: job.id,
      hash
    })
    return { row, entry, view, decision }
  }

  const take = ({ entry, row: { record, rowId, shown }, view }: Wanted, decision: Decision): void => {
    if (decision.kind === "keep") kept.push(decision.intent)
    const isOther = decision.kind === "intend" && decision.intent.op !== "remove"
    if (isOther && (entry !== undefined || view.provenance.length > 0)) {
      const { accountId, version: recordVersion } = record
      told.push({ recordId: rowId, accountId, recordVersion, fields: view.fields, provenance: view.provenance })
    }
    // A row that went earlier is no news.
    if (!shown && decision.kind !== "intend") return
    if (decision.kind === "intend") intents.push(decision.intent)
    else if (decision.kind === "filtered") add.filtered++
    else add.unchanged++
    if (record.state === "live") add.read++
    else add.vanished++
    const waits = record.state === "live" && view.verdict === "hold"
    if (waits && isLong(unchangedSince(record, enriching.pipeline), enriching.today)) overdue++
  }

  for (let at = 0; at < rows.length;) {
    const { record } = rows[at]!
    let end = at + 1
    if (mayHaveLines) while (end < rows.length && rows[end]!.record.id === record.id) end++
    const all: Array<Wanted> = []
    for (; at < end; at++) {
      const wanted = wantedOf(rows[at]!)
      if (wanted !== undefined) all.push(wanted)
    }
    const settled = isSettled(record) && !(mayHaveLines && isWhole(judging, all))
    for (const one of all) take(one, settled ? onlyWhether(one.decision, one.entry) : one.decision)
  }
  return { intents, areNew: entries.size === 0, kept, told, heldLong: overdue, add }
}

/** Rows that are judged before others have their turn. */
const rowsInTurn = 150

/**
 * As `judged`, of what `linesOf` makes of the rows. Whoever waits for storage goes on in between: otherwise it would have nothing to
 * do meanwhile.
 */
export const judgedInTurns = Effect.fnUntraced(function* (
  judging: Judging,
  rows: ReadonlyArray<DocumentRow>,
  linesOf: (some: ReadonlyArray<DocumentRow>) => ReadonlyArray<JudgedRow>
) {
  const each: Array<Judged> = []
  for (let at = 0; at < rows.length;) {
    let end = Math.min(at + rowsInTurn, rows.length)
    while (end < rows.length && rows[end]!.record.id === rows[end - 1]!.record.id) end++
    if (at > 0) yield* Effect.yieldNow
    each.push(judged(judging, linesOf(rows.slice(at, end))))
    at = end
  }
  return combined(each)
})

export const combined = (all: ReadonlyArray<Judged>): Judged => {
  const add = { read: 0, vanished: 0, filtered: 0, unchanged: 0 }
  for (const one of all) {
    add.read += one.add.read
    add.vanished += one.add.vanished
    add.filtered += one.add.filtered
    add.unchanged += one.add.unchanged
  }
  return {
    intents: all.flatMap(({ intents }) => intents),
    areNew: all.every(({ areNew }) => areNew),
    kept: all.flatMap(({ kept }) => kept),
    told: all.flatMap(({ told }) => told),
    heldLong: all.reduce((sum, one) => sum + one.heldLong, 0),
    add
  }
}
