/** What is to be done about the rows of some records, and what a job counts of it. */
import * as Effect from "effect/Effect"
import type { DeliveryEntry, Intent } from "../destination/DeliveryStore.ts"
import type { RowNow } from "../enrichment/history/RecordHistory.ts"
import type { Earlier, PipelineFault } from "../enrichment/Pipeline.ts"
import { CurrentRunGuard } from "../enrichment/RunGuard.ts"
import type { Id } from "../shared/Ids.ts"
import { nextTurn } from "../enrichment/PlanningTurns.ts"
import type { Feed } from "../feed/Feed.ts"
import type { RunOfFeed } from "../destination/DeliveryRun.ts"
import type { LedgerRecord } from "../record/LedgerRecord.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import { decide, type Decision, type Enriched, type Force, onlyWhether } from "./Decision.ts"
import type { DocumentRow } from "./DocumentRows.ts"
import { enriched, type Enriching, type Standing } from "./EnrichedRecord.ts"
import { isLong, unchangedSince } from "./HeldLong.ts"

/** A row that may have been enriched already. */
export interface DecidedRow extends DocumentRow {
  readonly enriched?: Enriched
}

export interface Decided {
  readonly intents: ReadonlyArray<Intent>
  /** Nothing was ever delivered of what the intents are about. */
  readonly areNew: boolean
  readonly kept: ReadonlyArray<Intent>
  /** Rows whose values are others from now on, for the history of what was delivered. */
  readonly told: ReadonlyArray<RowNow>
  /** Rows that are held back for more than `limits.holdDays`. */
  readonly heldLong: number
  /** Of the rows that were given, from the first on, those that this is about. */
  readonly rows: number
  readonly add: {
    readonly read: number
    readonly vanished: number
    readonly filtered: number
    readonly unchanged: number
    /** Of the unchanged, those that would be others if they were not as old. */
    readonly differs: number
  }
}

export interface Deciding {
  readonly feed: Feed
  readonly job: RunOfFeed
  readonly force: Force
  readonly enriching: Enriching
  readonly standing: Standing
  readonly entries: ReadonlyMap<string, DeliveryEntry>
  /** Whether nothing about the record changed but enrichments, and it is too old to be delivered again for that. */
  readonly isSettled: (record: LedgerRecord) => boolean
  /** Whether enrichments may have changed which rows of settled records there are. */
  readonly decides: boolean
  /** What is written of an older record that only enrichments of sets have said something else about. */
  readonly onlyOwn: (row: DecidedRow, view: Enriched) => Enriched
  /** Whether the rows of a record, which stand together, have a sum that must be right: they are lines, or were. */
  readonly mayHaveLines: boolean
  readonly hash: (text: string) => string
  readonly note: (fault: PipelineFault) => void
  /** The rows of one record with the lines that it falls into. */
  readonly linesOf: (
    rows: ReadonlyArray<DocumentRow>,
    standing: Standing,
    note: Deciding["note"]
  ) => ReadonlyArray<DecidedRow>
  /** What enrichments said of the rows before. */
  readonly earlier: (rows: ReadonlyArray<DocumentRow>) => Effect.Effect<Earlier, StorageUnavailable>
}

interface Wanted {
  readonly row: DecidedRow
  readonly entry: DeliveryEntry | undefined
  readonly view: Enriched
  readonly decision: Decision
}

/** Where one row comes or goes, the others hold what belongs to it. Marks are content, so that they do not tell. */
const isWhole = ({ feed }: Deciding, all: ReadonlyArray<Wanted>): boolean =>
  all.length > 1 &&
  (feed.destinationConfig?.onRemoved === "mark" ||
    all.some(({ decision, entry }) => onlyWhether(decision, entry).kind === "intend"))

/** Decides what is to be done about rows. Those of one record stand together. Others have their turn in between. */
const judged = Effect.fnUntraced(function* (judging: Deciding, rows: ReadonlyArray<DocumentRow>) {
  const {
    decides,
    enriching,
    entries,
    feed,
    force,
    hash,
    isSettled,
    job,
    linesOf,
    mayHaveLines,
    note,
    onlyOwn,
    standing
  } = judging
  const intents: Array<Intent> = []
  const kept: Array<Intent> = []
  const told: Array<RowNow> = []
  let overdue = 0
  const add = { read: 0, vanished: 0, filtered: 0, unchanged: 0, differs: 0 }

  const wantedOf = (row: DecidedRow): Wanted | undefined => {
    const entry = entries.get(row.rowId)
    // What the record does not have now, and never had at the destination.
    if (!row.shown && entry === undefined) return undefined
    const view = onlyOwn(row, row.enriched ?? enriched(enriching, row, standing, note))
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
    for (const row of linesOf(rows.slice(at, end), standing, note)) {
      const wanted = wantedOf(row)
      if (wanted !== undefined) all.push(wanted)
    }
    at = end
    yield* nextTurn(enriching.work)
    const settled = isSettled(record) && !(mayHaveLines && isWhole(judging, all))
    for (const one of all) {
      if (!settled) take(one, one.decision)
      else {
        const settledAs: Decision = decides ? onlyWhether(one.decision, one.entry) : { kind: "unchanged" }
        if (one.entry !== undefined && one.decision.kind === "intend" && settledAs.kind === "unchanged") add.differs++
        take(one, settledAs)
      }
    }
  }
  return {
    intents,
    areNew: entries.size === 0,
    kept,
    told,
    heldLong: overdue,
    rows: rows.length,
    add
  } satisfies Decided as Decided
})

/** Rows that are judged before others have their turn, whatever little work they are. */
const rowsInTurn = 150
/** How much each row becomes is known after the first ones. */
const firstRows = 20
/** Characters of values from which a turn has fewer rows. */
const turnText = 250_000

/**
 * The same, where an enrichment may be set aside on the way: then the rows are judged again with what it said of them before, so
 * that its values stay. It says nothing new any more, so no record is planned twice by what takes long.
 */
const judgedWith = Effect.fnUntraced(function* (judging: Deciding, rows: ReadonlyArray<DocumentRow>) {
  const { work } = judging.enriching
  const { setAside } = work
  for (;;) {
    const before = setAside.size
    const faults: Array<PipelineFault> = []
    const earlier = before === 0 ? undefined : yield* judging.earlier(rows)
    const turn = judged(
      { ...judging, standing: { ...judging.standing, earlier }, note: (fault) => faults.push(fault) },
      rows
    )
    const heavy = work.heavy
    const made = yield* heavy.length === 0
      ? turn
      : (yield* CurrentRunGuard).around(heavy as ReadonlyArray<Id<"enrichment">>, turn)
    if (setAside.size > before) continue
    for (const fault of faults) judging.note(fault)
    return made
  }
})

/** Characters of what enrichments say, which are written to the history. */
const textOf = ({ told }: Decided): number => {
  let length = 0
  for (const { provenance } of told) {
    for (const { after } of provenance) length += typeof after === "string" ? after.length : 1
  }
  return length
}

/**
 * As `judged`, until the history of the rows has `mostText` characters. Anyone who waits for storage goes on in between: otherwise it
 * would have nothing to do meanwhile.
 */
export const decidedInTurns = Effect.fnUntraced(function* (
  judging: Deciding,
  rows: ReadonlyArray<DocumentRow>,
  mostText: number
) {
  let text = 0
  let some = firstRows
  const each: Array<Decided> = []
  for (let at = 0; at < rows.length && text < mostText;) {
    let end = Math.min(at + some, rows.length)
    while (end < rows.length && rows[end]!.record.id === rows[end - 1]!.record.id) end++
    if (at > 0) yield* Effect.yieldNow
    const made = yield* judgedWith(judging, rows.slice(at, end))
    each.push(made)
    const own = textOf(made)
    text += own
    some = Math.max(1, Math.min(rowsInTurn, Math.floor((turnText / Math.max(own, 1)) * (end - at))))
    at = end
  }
  return combined(each)
})

export const combined = (all: ReadonlyArray<Decided>): Decided => {
  const add = { read: 0, vanished: 0, filtered: 0, unchanged: 0, differs: 0 }
  for (const one of all) {
    add.read += one.add.read
    add.vanished += one.add.vanished
    add.filtered += one.add.filtered
    add.unchanged += one.add.unchanged
    add.differs += one.add.differs
  }
  return {
    intents: all.flatMap(({ intents }) => intents),
    areNew: all.every(({ areNew }) => areNew),
    kept: all.flatMap(({ kept }) => kept),
    told: all.flatMap(({ told }) => told),
    heldLong: all.reduce((sum, one) => sum + one.heldLong, 0),
    rows: all.reduce((sum, one) => sum + one.rows, 0),
    add
  }
}
