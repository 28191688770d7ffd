/**
 * The question that identity answers, and its answer: which observation of a read is which record that we hold
 * (enrichments D1).
 *
 * It is asked in two steps, so that what has not changed costs nothing: what ids and equal contents settle is
 * settled from the index alone, and only what is left open needs the contents of records.
 */
import type { IdTrust } from "../../provider/Capabilities.ts"
import type { Coverage } from "../../provider/Provider.ts"
import type { DataType } from "../../record/DataType.ts"
import type { Fields } from "../../record/FieldValue.ts"
import type { IndexEntry } from "../../record/LedgerRecord.ts"
import type { ShownStep } from "../../record/Shown.ts"
import type { CalendarDate } from "../../shared/CalendarDate.ts"
import type { RateTable } from "../../shared/RateTable.ts"
import type { Timestamp } from "../../shared/Timestamp.ts"
import type { Observation } from "../../record/Observation.ts"
import type { LearntText } from "./LearntTexts.ts"
import type { ObservationKey } from "./IdentityFact.ts"
import type { Days } from "./Days.ts"
import type { EarlierFile, FileTotals } from "./Reading.ts"

/** How identity is tuned: `dedupeConfig` of the dedupe enrichment (enrichments C1). */
export interface MatchConfig {
  /** Days between a pending record and its posted form of the same amount. */
  readonly exactWindowDays: number
  /** The same where the amount differs, unless it was a hold. */
  readonly changedWindowDays: number
  /** Days by which a record of the same status may move. */
  readonly shiftDays: number
  readonly tipBandPercent: number
  readonly holds: boolean
  readonly crossSource: "auto" | "suggest" | "off"
  /** Complete reads without a pending record after which it is dropped. */
  readonly dropAfterMissing: number
  /** Complete reads, a day apart, without a posted record after which it is removed; 0: never. */
  readonly removeAfterMissing: number
  /** Days in which a record that was dropped or removed can come back. */
  readonly revivalDays: number
  /** Points below which a pair is not certain enough. */
  readonly reviewMargin: number
  /** Fields that make two documents one, where they all agree; what names a seller, a day, a total and a number unless given. */
  readonly keyFields?: ReadonlyArray<string>
}

export const defaultMatchConfig: MatchConfig = {
  exactWindowDays: 14,
  changedWindowDays: 8,
  shiftDays: 3,
  tipBandPercent: 35,
  holds: true,
  crossSource: "auto",
  dropAfterMissing: 2,
  removeAfterMissing: 2,
  revivalDays: 60,
  reviewMargin: 150
}

/** One read of one type of data of one account. */
export interface MatchInput {
  readonly dataType: DataType
  readonly observations: ReadonlyArray<Observation>
  /** Rows that the read shows as well, and whose live records show just the same: neither is among the others. */
  readonly settled?: ReadonlyArray<Observation>
  /** Everything that could be meant, as the index has it, in no order. */
  readonly held: ReadonlyArray<IndexEntry>
  /** Former upstream ids of held records: upstream id -> record id. */
  readonly aliases: ReadonlyMap<string, string>
  /** Texts of pending and booked rows that earlier reads have shown to be one. */
  readonly learnt?: ReadonlyArray<LearntText>
  readonly idTrust: IdTrust
  readonly coverage: Coverage
  /** What it says of pending rows, where that is something else. */
  readonly pendingCoverage?: Coverage
  /** As in `ProvingRead`. */
  readonly historyFrom?: CalendarDate | undefined
  readonly none?: boolean
  /** What a file says of the account besides its rows. */
  readonly file?: FileTotals
  /** Files that were read before. */
  readonly earlier?: ReadonlyArray<EarlierFile>
  /** Former ids of records: record id -> ids. */
  readonly formerIds?: ReadonlyMap<string, ReadonlyArray<string>>
  /** First and last day that reads of the connection have shown. */
  readonly shownDays?: Partial<Days>
  /** Upstream ids that the source says are gone. */
  readonly removed: ReadonlySet<string>
  /** Upstream ids of rows that were shown but could not be read: they are there, so they are not missing. */
  readonly unread: ReadonlySet<string>
  /** The days that earlier reads have shown, newest read first; absent: nothing is known of them. */
  readonly shownBefore?: ReadonlyArray<ShownStep>
  /** A person asked for all to be read again. */
  readonly reset?: true
  /** What the read shows is all there is: what it lacks is gone at once (snapshot types, whole change feeds). */
  readonly atOnce: boolean
  /** Tier 2 and matches across sources are off for this run (`skipDedup`, enrichments A9). */
  readonly byIdOnly: boolean
  /** Ids are keys: whatever comes under one is that record, and nothing else says that a record is gone. */
  readonly keyed?: true
  readonly config: MatchConfig
  readonly now: Timestamp
}

/** What the index does not tell of a record; asked for the few that are left open. */
export interface HeldDetail {
  readonly fields: Fields
  /** When a complete read first and last lacked it in a row; `null` while it is seen. */
  readonly missedSince: Timestamp | null
  readonly missedAt: Timestamp | null
  readonly updatedAt: Timestamp
  readonly createdAt: Timestamp
  /** 1 for one that says what it said at first. */
  readonly version: number
  /** A person put something on it that must not move to another event by mistake. */
  readonly edited: boolean
  /** Not to be joined with another record but by a person. */
  readonly alone: boolean
}

export interface MatchDetails {
  readonly records: ReadonlyMap<string, HeldDetail>
  /** Pairs (record id, upstream id or `""`, content hash) that a person parted: never matched again. */
  readonly isForbidden: (recordId: string, observation: ObservationKey) => boolean
  /** Stored rates, for rows that were booked in another currency than they waited in. */
  readonly rates?: RateTable | undefined
}

/** How a pair came about. `link` and `id` need no costs; `equal` is equal content. */
export interface MatchEvidence {
  readonly tier: "link" | "id" | "equal" | "cost"
  readonly cost?: number
  /** Points by part of the cost. */
  readonly parts?: Readonly<Record<string, number>>
  /** How much worse the best assignment without this pair is. */
  readonly margin?: number
  /** The component was too large to be solved exactly. */
  readonly approximate?: true
}

export interface Match {
  readonly observation: Observation
  /** `undefined`: a record we have not seen before. */
  readonly entry: IndexEntry | undefined
  readonly evidence?: MatchEvidence
}

/**
 * Whether nothing but the upstream id differs: the id has to be noted, but nobody else needs to hear of it. Only
 * ids that can be trusted, or that take the place of a file's, make such matches.
 */
export const onlyIdDiffers = ({ entry, observation }: Match): boolean =>
  entry !== undefined &&
  entry.state === "live" &&
  entry.hash === observation.hash &&
  entry.pending === observation.pending

/** A pair that was too uncertain to be made by itself: the observation became a record of its own, or was one. */
export interface Suggestion {
  readonly observed: Observation | IndexEntry
  readonly recordId: string
  readonly evidence: MatchEvidence
}

/** Two records that turned out to be one: `entry` goes on as what `booked` says. */
export interface Join {
  readonly entry: IndexEntry
  readonly booked: IndexEntry
  readonly evidence: MatchEvidence
}

export interface MatchResult {
  /** New records and records whose content, state or upstream id is another now; in the order of the observations. */
  readonly changed: ReadonlyArray<Match>
  /** All other observations: what they show needs no new version of a record. */
  readonly unchanged: number
  readonly gone: ReadonlyArray<IndexEntry>
  /** Not in this complete read, but not yet often enough to be gone; with their new count. */
  readonly missed: ReadonlyArray<{ readonly entry: IndexEntry; readonly missed: number }>
  /** Missed before, seen again. */
  readonly seenAgain: ReadonlyArray<IndexEntry>
  /** Shown again although a person deleted the record: it stays deleted. Every read that shows it lists it. */
  readonly absorbed: ReadonlyArray<Match>
  /**
   * Rows of a file that stand for a record of another source, the connection or another file: the record stays as that
   * one tells it, and has one more former upstream id. Listed only while that id is not known as one.
   */
  readonly confirmed: ReadonlyArray<Match>
  /** Records of the rows of a file, by their places; `undefined` for a row that is new. Empty for other reads. */
  readonly paired: ReadonlyArray<string | undefined>
  readonly suggestions: ReadonlyArray<Suggestion>
  /** Pending records that go on as records that were booked beside them, which become part of them. */
  readonly joined: ReadonlyArray<Join>
  /** What is known of texts from now on; the list that was given where the read taught nothing. */
  readonly learnt: ReadonlyArray<LearntText>
  /** Hits by id, and those of them whose content spoke against it. */
  readonly idMatches: number
  readonly idContradictions: number
  /** First day for which it showed all posted records, or counted them as missed; `undefined` where it told of no days. */
  readonly shownFrom: CalendarDate | undefined
  /** So many rows vanished at once that the read is not believed; nothing was removed. */
  readonly coverageSuspect: boolean
}

/** What ids and equal contents left open. */
export interface OpenMatch {
  /** Records whose `HeldDetail` the answer needs. Empty: `finish` needs no details. */
  readonly wanted: ReadonlyArray<string>
  /**
   * Whether it counts that a person wrote on any of them: without their details, as far as ids and equal contents tell, and
   * with them for certain. Where it does not, `edited` is not read.
   */
  readonly editsCount: (records?: ReadonlyMap<string, Pick<HeldDetail, "fields">>) => boolean
  readonly finish: (details: MatchDetails) => MatchResult
}
