/**
 * Digests of the days that earlier reads have settled, so that a read of much the same matches only the rest.
 *
 * Rows are put together to blocks by their days. A block is settled when its live records are exactly the rows that the last read
 * showed of it: each found by its own upstream id, with the same content and status. Such rows stay with their
 * records whatever else a read shows, and at any time; so a block for which a read shows the same is left alone.
 *
 * Of records older than what a read proves (`Proof.ts`) it says nothing, so their blocks are not settled. They stay as they
 * are all the same when a read shows nothing else than the one before.
 */
import type { IndexEntry, RecordWrite } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"
import { BlockDigests, unsettled } from "./BlockDigests.ts"
import { Blocks, type Days, type OpenDays } from "./Blocks.ts"
import { makeDayOf } from "./EpochDays.ts"
import type { MatchResult } from "./Matching.ts"
import { isProvenDay } from "./Proof.ts"
import { type KnownBlocks, shownBlocks, type ShownBlocks } from "./ShownBlocks.ts"
import { blocksApart, decodeStretches, encodeStretches, type Stretch } from "./Stretches.ts"
import type { ReadSays, ShownRows } from "./ShownRows.ts"

/** What is kept of a read. */
interface Kept {
  readonly blocks: Blocks
  /** Of all blocks that have live records. */
  readonly digests: BlockDigests
  /** What the read showed, as text, where blocks say what it showed. */
  readonly stretches: string
}

/** A read beside what was settled. */
export interface Divided {
  /** Blocks that the read shows otherwise, or not at all, or that were not settled. */
  readonly blocks: ReadonlySet<number>
  /** Their days, and rows of the read. */
  readonly days: ReadonlyArray<OpenDays>
  readonly open: ReadonlyArray<Observation>
  /** All other rows of the read. */
  readonly settled: ReadonlyArray<Observation>
  /** Whether it is known that no two rows of the read have the same id. */
  readonly areDistinct: boolean
}

/** Whether a row that is settled is named by one that is not, or shares its id with another record. */
export const isEntangled = ({ areDistinct, open, settled }: Divided, held: ReadonlyArray<IndexEntry>): boolean => {
  const shown = new Set<string>()
  for (const { providerId } of open) shown.add(providerId)
  const named = new Set<string>()
  for (const { pendingProviderId } of open) if (pendingProviderId !== "") named.add(pendingProviderId)
  for (const { providerId, state } of held) if (state === "live" && !shown.has(providerId)) named.add(providerId)
  // Nobody has to look for ids that one row has alone.
  const sought = areDistinct ? named : named.union(shown)
  return sought.size > 0 && settled.some(({ providerId }) => sought.has(providerId))
}

/** A live record as it is after a read. */
type Live = Pick<IndexEntry, "providerId" | "date" | "pending" | "hash"> & { readonly missed?: number }

const format = "7"
const notWhole = "-"
const partsBeforeBlocks = 4

/** `whole` is the digest of a read that changes nothing more, `mark` one of how the read was matched. */
const encode = (whole: string | undefined, mark: string, { blocks, digests, stretches }: Kept): string =>
  [format, whole ?? notWhole, mark, stretches, blocks.text, ...digests.texts].join(" ")

/** Where the text of the blocks begins. */
const blocksFrom = (text: string): number => {
  let at = -1
  for (let part = 0; part < partsBeforeBlocks; part++) at = text.indexOf(" ", at + 1)
  return at
}

/** Whether the blocks are the same. A source that shows its rows in another order each time is not written down again. */
const isKept = (kept: string | undefined, text: string): boolean => {
  if (kept === undefined || kept === text) return kept === text
  return (
    kept.startsWith(`${format} `) &&
    !kept.startsWith(`${format} ${notWhole}`) &&
    kept.slice(blocksFrom(kept)) === text.slice(blocksFrom(text))
  )
}

/** `undefined` for what another release has written. Of a read that was matched in another way only the blocks are reported. */
const decode = (text: string, mark: string): Kept | undefined => {
  const [written, , marked, stretches, blocks, ...digests] = text.split(" ")
  if (written !== format) return undefined
  return {
    blocks: Blocks.parse(blocks!),
    digests: BlockDigests.from(digests),
    stretches: marked === mark ? stretches! : ""
  }
}

/** Compares the days of one read with the digests that are kept, and makes those to keep once the read is written. */
export class DayDigests {
  /** Nothing else than what the last read showed, and nothing more to come of it. The rows need not be at hand then. */
  readonly isUnchanged: boolean
  #observations: ReadonlyArray<Observation> = []
  readonly #historyFrom: CalendarDate.CalendarDate | undefined
  readonly #oldest: CalendarDate.CalendarDate | undefined
  readonly #contentHash: (text: string) => string
  readonly #shown: number
  readonly #areDistinct: boolean
  #whole: string | undefined
  #stretches: ReadonlyArray<Stretch>
  readonly #mark: string
  readonly #kept: string | undefined
  readonly #live = new Map<string, Live>()
  /** How many records were made of its rows, by block, before any other was known. */
  readonly #made = new Map<number, number>()
  #before: Kept | undefined
  #blocks = Blocks.daily
  /** Of each observation. */
  #blockAt = new Int32Array()
  #shownBlocks: ShownBlocks | undefined
  #divided: Divided | undefined
  #isDivided = false
  /** Whether what was kept holds no longer. */
  #isWritten = false

  /** `kept` is the text of an earlier read, if it still holds. */
  constructor(kept: string | undefined, shown: ShownRows, says: ReadSays, contentHash: (text: string) => string) {
    this.#historyFrom = says.historyFrom
    this.#oldest = shown.oldest
    this.#shown = shown.count
    this.#areDistinct = shown.areOrdered
    this.#contentHash = contentHash
    this.#kept = kept
    this.#whole = shown.digest(says, contentHash)
    this.#stretches = shown.stretches
    this.#mark = contentHash("")
    this.isUnchanged = kept?.startsWith(`${format} ${this.#whole} `) === true
  }

  /** The rows of the read, before anything is asked of them. */
  show(observations: ReadonlyArray<Observation>): void {
    this.#observations = observations
    // The digests are of the pages, which showed some of them twice or took some back.
    if (observations.length !== this.#shown) {
      this.#whole = undefined
      this.#stretches = []
    }
    const dayOf = makeDayOf()
    const days = new Int32Array(observations.length)
    for (let at = 0; at < days.length; at++) days[at] = dayOf(observations[at]!)
    const fitting = Blocks.fitting(days)
    const before = this.#kept === undefined ? undefined : decode(this.#kept, this.#mark)
    // Blocks have to be twice as large as they would be made now, or half, before all is looked at again.
    this.#before = before?.blocks.isLike(fitting) === true ? before : undefined
    this.#blocks = this.#before?.blocks ?? fitting
    for (let at = 0; at < days.length; at++) days[at] = this.#blocks.of(days[at]!, observations[at]!.providerId)
    this.#blockAt = days
  }

  get #ofRead(): ShownBlocks {
    return (this.#shownBlocks ??= shownBlocks(this.#observations, this.#blockAt, this.#contentHash, this.#known))
  }

  /** What was settled, and where the read may show anything else; `undefined` where nothing is known. */
  get #known(): KnownBlocks | undefined {
    if (this.#before === undefined) return undefined
    const { blocks, digests: settled, stretches } = this.#before
    const areTold = stretches !== "" && this.#stretches.length > 0
    return {
      settled,
      apart: areTold
        ? blocksApart(decodeStretches(stretches), this.#stretches, blocks, this.#observations.length)
        : undefined
    }
  }

  /** Divides the read, with these days open as well; `undefined` where nothing is known. The last division counts. */
  divide(also: ReadonlyArray<Days> = []): Divided | undefined {
    if (this.#before === undefined) return undefined
    const before = this.#before.digests
    const blocks = new Set(before.apart(this.#ofRead.digests))
    for (const days of also) {
      for (const block of this.#blocks.within(days)) if (before.get(block) !== undefined) blocks.add(block)
    }
    return (this.#divided = this.#dividedBy(blocks))
  }

  #dividedBy(blocks: ReadonlySet<number>): Divided {
    const observations = this.#observations
    const areDistinct = this.#areDistinct
    if (blocks.size === 0) return { blocks, days: [], open: [], settled: observations, areDistinct }
    const blockAt = this.#blockAt
    const open: Array<Observation> = []
    const settled: Array<Observation> = []
    for (let at = 0; at < blockAt.length;) {
      const block = blockAt[at]!
      const some = blocks.has(block) ? open : settled
      for (; at < blockAt.length && blockAt[at] === block; at++) some.push(observations[at]!)
    }
    return { blocks, days: this.#blocks.daysOf(blocks), open, settled, areDistinct }
  }

  /** What the read was matched with, as it was divided or as a whole, and what came of it. */
  follow(isDivided: boolean, held: ReadonlyArray<IndexEntry>, { missed, seenAgain }: MatchResult): void {
    this.#isDivided = isDivided
    for (const entry of held) if (entry.state === "live") this.#live.set(entry.id, entry)
    for (const entry of seenAgain) this.#live.set(entry.id, { ...entry, missed: 0 })
    for (const { entry, missed: count } of missed) this.#live.set(entry.id, { ...entry, missed: count })
  }

  /** What a transaction writes of it. `areNew`: all of the writes make records, of rows of the read. */
  write(
    renames: ReadonlyArray<{ readonly id: string; readonly providerId: string }>,
    writes: ReadonlyArray<RecordWrite>,
    areNew = false
  ): void {
    this.#isWritten = true
    if (areNew && this.#areDistinct && this.#live.size === 0 && renames.length === 0) return this.#make(writes)
    for (const { id, providerId } of renames) {
      const entry = this.#live.get(id)
      if (entry !== undefined) this.#live.set(id, { ...entry, providerId, missed: 0 })
    }
    for (const { date, hash, id, pending, providerId, state } of writes) {
      // Not the write itself: of a large account nobody is to hold the fields of all rows.
      if (state === "live") this.#live.set(id, { date, hash, pending, providerId })
      else this.#live.delete(id)
    }
  }

  /** Each record is as its row, and no other is there that the row might mean: so many are all that is to be known of them. */
  #make(writes: ReadonlyArray<RecordWrite>): void {
    const dayOf = makeDayOf()
    for (const write of writes) {
      const block = this.#blocks.of(dayOf(write), write.providerId)
      this.#made.set(block, (this.#made.get(block) ?? 0) + 1)
    }
  }

  /**
   * What is settled after the read: of blocks that were looked at, what their live records come to beside the rows that it
   * shows, and of others what was settled before.
   */
  #settled(): { readonly digests: BlockDigests; readonly isQuiet: boolean } {
    // Whether the same read again, at any time, would change nothing.
    let isQuiet = !this.#ofRead.hasOpen
    let digests = BlockDigests.none()
    if (this.#isDivided) {
      digests = this.#before!.digests.copy
      for (const block of this.#divided!.blocks) digests.delete(block)
    }
    const bounds = { historyFrom: this.#historyFrom, oldest: this.#oldest }
    // Whether the read says anything of posted records that it does not show.
    const mayMiss = (date: CalendarDate.CalendarDate | null) => isProvenDay(date, bounds) || date === bounds.oldest
    const dayOf = makeDayOf()
    const left = new Map<number, number>()
    const shown = new Map<string, Observation>()
    for (const observation of this.#isDivided ? this.#divided!.open : this.#observations) {
      const block = this.#blocks.of(dayOf(observation), observation.providerId)
      left.set(block, (left.get(block) ?? 0) + 1)
      if (this.#live.size > 0) shown.set(observation.providerId, observation)
    }
    for (const [block, rows] of this.#made) {
      digests.set(block, this.#ofRead.digests.get(block) ?? unsettled)
      left.set(block, (left.get(block) ?? 0) - rows)
    }
    const open = new Set<number>()
    for (const record of this.#live.values()) {
      const block = this.#blocks.of(dayOf(record), record.providerId)
      digests.set(block, this.#ofRead.digests.get(block) ?? unsettled)
      const { date, hash, missed = 0, pending, providerId } = record
      const row = shown.get(providerId)
      if (missed === 0 && row?.hash === hash && row.pending === pending && row.date === date) {
        // Another record of the same id finds none; and of two rows of one id, one is left over.
        shown.delete(providerId)
        left.set(block, left.get(block)! - 1)
      } else {
        open.add(block)
        if (pending || mayMiss(date)) isQuiet = false
      }
    }
    for (const [block, rows] of left) {
      if (rows === 0) continue
      open.add(block)
      isQuiet = false
    }
    for (const block of open) if (digests.get(block) !== undefined) digests.set(block, unsettled)
    return { digests, isQuiet }
  }

  /** What to keep once all is written, or `undefined` where that is kept already. */
  get text(): string | undefined {
    const { digests, isQuiet } = this.#settled()
    const kept = { blocks: this.#blocks, digests, stretches: encodeStretches(this.#stretches) }
    const text = encode(isQuiet ? this.#whole : undefined, this.#mark, kept)
    return this.#isWritten || !isKept(this.#kept, text) ? text : undefined
  }
}
