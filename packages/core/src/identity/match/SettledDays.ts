/**
 * Which days of a read have to be matched: those that it shows otherwise than the read before.
 *
 * A day is settled when its live records are exactly the rows that the last read showed of it: each found by its own upstream
 * id, with the same content and status. Such rows stay with their records whatever else a read shows, and at any time. So the
 * ledger stores the hash of the day, and a read that shows the day with the same hash leaves it alone.
 *
 * A read proves nothing about records that are older than what it shows (`Proof.ts`). Their days are marked `notShown`: they are
 * matched together with days that differ, and left alone when no day differs.
 */
import { type DayHash, type DayHashChanges, type DayHashes, notShown, type RecordDay } from "../../record/DayHashes.ts"
import type { IndexEntry, RecordWrite } from "../../record/LedgerRecord.ts"
import type { Observation } from "../../record/Observation.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { limits } from "../../shared/Limits.ts"
import type { Days } from "./Days.ts"
import { dateOfDay, dayNumber, makeDayOf, undatedDay } from "./EpochDays.ts"
import type { MatchResult } from "./Matching.ts"
import { isProvenDay } from "./Proof.ts"
import { ShownRows } from "./ShownRows.ts"

/** What a read says besides its rows. */
export interface ReadSays {
  readonly historyFrom?: CalendarDate.CalendarDate | undefined
  /** Upstream ids that it lists as gone. */
  readonly removed: ReadonlySet<string>
}

/** A read, divided into days that have to be matched and settled ones. */
export interface Divided {
  /** Days that have to be matched, in ranges that hold no settled day. */
  readonly days: ReadonlyArray<Days>
  /** Rows of these days, and rows without a day. */
  readonly open: ReadonlyArray<Observation>
  /** All other rows of the read. */
  readonly settled: ReadonlyArray<Observation>
  /** Whether it is known that no two rows of the read have the same id. */
  readonly areDistinct: boolean
}

/** Whether another row or record names the id of a settled row: then the whole read has to be matched. */
export const isEntangled = ({ areDistinct, open, settled }: Divided, held: ReadonlyArray<IndexEntry>): boolean => {
  const shown = new Set<string>()
  for (const { providerId } of open) shown.add(providerId)
  const named = new Set<string>()
  for (const { pendingProviderId } of open) if (pendingProviderId !== "") named.add(pendingProviderId)
  for (const { providerId, state } of held) if (state === "live" && !shown.has(providerId)) named.add(providerId)
  // Ids that only one row has need no look-up.
  const sought = areDistinct ? named : named.union(shown)
  return sought.size > 0 && settled.some(({ providerId }) => sought.has(providerId))
}

/** A live record as it is after a read. */
type Live = Pick<IndexEntry, "providerId" | "date" | "pending" | "hash"> & { readonly missed?: number }

export class SettledDays {
  readonly #says: ReadSays
  readonly #isCurrent: boolean
  readonly #before = new Map<number, DayHash>()
  readonly #contentHash: (text: string) => string
  readonly #key: string
  #shown: ShownRows
  /** Hash of each day that the read shows. */
  #now: ReadonlyMap<number, DayHash>
  #observations: ReadonlyArray<Observation> = []
  /** Days that have to be matched, where the read was divided. */
  #open: ReadonlySet<number> = new Set()
  #isDivided = false
  readonly #live = new Map<string, Live>()
  /** How many records were made of rows of a day, before any other record was known. */
  readonly #made = new Map<number, number>()
  /** Whether the stored hashes do not hold any more. */
  #isWritten = false

  /** `key` names the configuration of matching: a day that was settled under another one is matched again. */
  constructor(
    before: DayHashes,
    shown: ShownRows,
    says: ReadSays,
    { contentHash, key }: { readonly contentHash: (text: string) => string; readonly key: string }
  ) {
    this.#isCurrent = before.isCurrent
    for (const [date, hash] of before.hashes) this.#before.set(dayNumber(date), hash)
    this.#shown = shown
    this.#says = says
    this.#contentHash = contentHash
    this.#key = key
    this.#now = this.#keyed(shown)
  }

  #keyed({ hashes }: ShownRows): ReadonlyMap<number, DayHash> {
    if (this.#key === "") return hashes
    return new Map(
      Array.from(hashes, ([day, hash]) => [day, hash === null ? null : this.#contentHash(`${this.#key} ${hash}`)])
    )
  }

  /** Whether the read says of posted records of a day that they are gone, or may be. */
  #mayMiss(date: CalendarDate.CalendarDate | null): boolean {
    const bounds = { historyFrom: this.#says.historyFrom, oldest: this.#shown.oldest }
    return isProvenDay(date, bounds) || (date !== null && date === bounds.oldest)
  }

  #isAsBefore(day: number, before: DayHash): boolean {
    const now = this.#now.get(day)
    return now === undefined ? before === notShown && !this.#mayMiss(dateOfDay(day)) : now !== null && now === before
  }

  /** Whether no record can change. The rows need not be loaded then. */
  get isUnchanged(): boolean {
    if (!this.#isCurrent || this.#says.removed.size > 0) return false
    for (const day of this.#now.keys()) if (!this.#before.has(day)) return false
    for (const [day, hash] of this.#before) if (!this.#isAsBefore(day, hash)) return false
    return true
  }

  /** Takes the rows of the read, before anything else is asked. */
  show(observations: ReadonlyArray<Observation>): void {
    this.#observations = observations
    // The pages showed some rows twice or listed some as gone, so hashes of the pages are not those of the rows.
    if (observations.length === this.#shown.count) return
    const shown = new ShownRows(this.#contentHash)
    for (const observation of observations) shown.add(observation)
    this.#shown = shown
    this.#now = this.#keyed(shown)
  }

  /** Divides the read, with these days to be matched as well; `undefined` where the stored hashes do not hold. */
  divide(also: ReadonlyArray<Days> = []): Divided | undefined {
    if (!this.#isCurrent) return undefined
    const ranges = also.map(({ from, to }) => ({ first: dayNumber(from), last: dayNumber(to) }))
    const open = new Set([undatedDay])
    const days: Array<{ readonly first: number; last: number }> = []
    let isAfterOpen = false
    for (const day of [...new Set([...this.#before.keys(), ...this.#now.keys()])].toSorted((a, b) => a - b)) {
      if (day === undatedDay) continue
      const hash = this.#before.get(day)
      const isSettled =
        typeof hash === "string" &&
        hash === this.#now.get(day) &&
        !ranges.some(({ first, last }) => first <= day && day <= last)
      const range = days.at(-1)
      if (!isSettled) {
        open.add(day)
        if (range !== undefined && isAfterOpen) range.last = day
        else days.push({ first: day, last: day })
      }
      isAfterOpen = !isSettled
    }
    this.#open = open
    return {
      days: days.map(({ first, last }) => ({
        from: CalendarDate.fromEpochDay(first),
        to: CalendarDate.fromEpochDay(last)
      })),
      ...this.#parted(open),
      areDistinct: this.#shown.areOrdered
    }
  }

  #parted(openDays: ReadonlySet<number>): Pick<Divided, "open" | "settled"> {
    const dayOf = makeDayOf()
    const open: Array<Observation> = []
    const settled: Array<Observation> = []
    for (const observation of this.#observations) (openDays.has(dayOf(observation)) ? open : settled).push(observation)
    for (const observation of open.slice(0, limits.stagedInMemory)) observation.keep?.()
    return { open, settled }
  }

  /** Takes the records that the read was matched with, as it was divided or as a whole, and the result. */
  follow(isDivided: boolean, held: ReadonlyArray<IndexEntry>, { missed, seenAgain }: MatchResult): void {
    this.#isDivided = isDivided
    if (missed.length + seenAgain.length > 0) this.#isWritten = true
    for (const entry of held) if (entry.state === "live") this.#live.set(entry.id, entry)
    for (const entry of seenAgain) this.#live.set(entry.id, { ...entry, missed: 0 })
    for (const { entry, missed: count } of missed) this.#live.set(entry.id, { ...entry, missed: count })
  }

  /** Takes what a transaction writes. `areNew`: all of the writes make records, of rows of the read. */
  write(
    renames: ReadonlyArray<{ readonly id: string; readonly providerId: string }>,
    writes: ReadonlyArray<RecordWrite>,
    areNew = false
  ): void {
    this.#isWritten = true
    if (areNew && this.#shown.areOrdered && this.#live.size === 0 && renames.length === 0) return this.#make(writes)
    for (const { id, providerId } of renames) {
      const entry = this.#live.get(id)
      if (entry !== undefined) this.#live.set(id, { ...entry, providerId, missed: 0 })
    }
    for (const { date, hash, id, pending, providerId, state } of writes) {
      // Not the write itself, which would hold the fields of all rows of a large account.
      if (state === "live") this.#live.set(id, { date, hash, pending, providerId })
      else this.#live.delete(id)
    }
  }

  /** Each record is as its row, and no other record has its id: it is enough to count them. */
  #make(writes: ReadonlyArray<RecordWrite>): void {
    const dayOf = makeDayOf()
    for (const write of writes) {
      const day = dayOf(write)
      this.#made.set(day, (this.#made.get(day) ?? 0) + 1)
    }
  }

  /** Hashes after the read: new ones of the days that were matched, and those before of all others. */
  #after(): ReadonlyMap<number, DayHash> {
    const after = new Map<number, DayHash>()
    if (this.#isDivided) for (const [day, hash] of this.#before) if (!this.#open.has(day)) after.set(day, hash)
    const dayOf = makeDayOf()
    const left = new Map<number, number>()
    const shown = new Map<string, Observation>()
    for (const observation of this.#observations) {
      const day = dayOf(observation)
      if (this.#isDivided && !this.#open.has(day)) continue
      left.set(day, (left.get(day) ?? 0) + 1)
      if (this.#live.size > 0) shown.set(observation.providerId, observation)
    }
    const shownHash = (day: number): DayHash => {
      const hash = this.#now.get(day)
      return hash === undefined ? notShown : hash
    }
    for (const [day, rows] of this.#made) {
      after.set(day, shownHash(day))
      left.set(day, (left.get(day) ?? 0) - rows)
    }
    const open = new Set<number>()
    for (const { date, hash, missed = 0, pending, providerId } of this.#live.values()) {
      const day = dayOf({ date })
      after.set(day, shownHash(day))
      const row = shown.get(providerId)
      if (missed === 0 && row?.hash === hash && row.pending === pending && row.date === date) {
        // Another record of the same id finds none; and of two rows of one id, one is left over.
        shown.delete(providerId)
        left.set(day, (left.get(day) ?? 0) - 1)
      } else if (this.#now.has(day) || pending || this.#mayMiss(date)) open.add(day)
    }
    for (const [day, rows] of left) if (rows !== 0) open.add(day)
    for (const day of open) if (after.has(day)) after.set(day, null)
    return after
  }

  /** What the store has to change once all is written; `undefined` where it has all of it. */
  get changes(): DayHashChanges | undefined {
    const after = this.#after()
    const put = new Map<RecordDay, DayHash>()
    for (const [day, hash] of after) if (this.#before.get(day) !== hash) put.set(dateOfDay(day), hash)
    const removed = [...this.#before.keys()].filter((day) => !after.has(day)).map(dateOfDay)
    const isStored = this.#isCurrent && !this.#isWritten && put.size + removed.length === 0
    return isStored ? undefined : { put, removed }
  }
}
