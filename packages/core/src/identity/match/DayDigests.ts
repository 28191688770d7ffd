/**
 * Digests of the days that earlier reads have settled, so that a read of much the same matches only the rest.
 *
 * Days are put together to blocks. A block is settled when its live records are exactly the rows that the last read
 * showed of it: each found by its own upstream id, with the same content and status. Such rows stay with their
 * records whatever else a read shows, and at any time; so a block of which a read shows the same is left alone.
 *
 * Of records older than what a read proves (`Proof.ts`) it says nothing, so their blocks are not settled. They stay as they
 * are all the same when a read shows nothing else than the one before.
 */
import type { IndexEntry, RecordWrite } from "../../record/LedgerRecord.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"
import type { MatchResult } from "./Matching.ts"
import { isProvenDay } from "./Proof.ts"
import { matchedText, type ReadSays, type ShownRows } from "./ShownRows.ts"

/** Rows of a block: so few that what changed brings little else along, so many that digests are fewer than rows. */
const blockRows = 4

const mostBlockDays = 32

/** Records without a day; never settled. */
const undated = -1_000_000

/** Digest of the rows of each block that has live records; `""` where it is not settled. */
type Settled = ReadonlyMap<number, string>

/** There are no more days than those of three centuries. */
const numberOfDate = new Map<string, number>()

const numberOf = (date: CalendarDate.CalendarDate): number => {
  let day = numberOfDate.get(date)
  if (day === undefined) numberOfDate.set(date, (day = CalendarDate.toEpochDay(date)))
  return day
}

/** How many days make a block, where rows come as often as these do: a power of two. */
const daysFor = (rows: ReadonlyArray<Pick<Observation, "date">>): number => {
  let first: CalendarDate.CalendarDate | undefined
  let last: CalendarDate.CalendarDate | undefined
  for (const { date } of rows) {
    if (date === null) continue
    if (first === undefined || date < first) first = date
    if (last === undefined || date > last) last = date
  }
  if (first === undefined || last === undefined) return 1
  const wanted = ((numberOf(last) - numberOf(first) + 1) * blockRows) / rows.length
  let days = 1
  while (days < mostBlockDays && days * 2 <= wanted) days *= 2
  return days
}

/** Rows of a day follow each other, mostly. */
const makeBlockOf = (days: number): ((row: { readonly date: CalendarDate.CalendarDate | null }) => number) => {
  let date: CalendarDate.CalendarDate | null = null
  let block = undated
  return (row) => {
    if (row.date !== date) {
      date = row.date
      block = date === null ? undated : Math.floor(numberOf(date) / days)
    }
    return block
  }
}

/** A row without an id of its own is told apart by others, and one that is linked to another may take its place. */
const canSettle = ({ date, pendingProviderId, providerId }: Observation): boolean =>
  date !== null && providerId !== "" && pendingProviderId === ""

/** Digest of what a read shows of each block; `""` where that cannot be settled. */
const digestsOf = (
  observations: ReadonlyArray<Observation>,
  days: number,
  contentHash: (text: string) => string
): Map<number, string> => {
  const texts = new Map<number, string>()
  const open = new Set<number>()
  const blockOf = makeBlockOf(days)
  let last = undated
  let text = ""
  for (const observation of observations) {
    const block = blockOf(observation)
    if (block !== last) {
      texts.set(last, text)
      text = texts.get(block) ?? ""
      last = block
    }
    text += matchedText(observation)
    if (!canSettle(observation)) open.add(block)
  }
  texts.set(last, text)
  const digests = new Map<number, string>()
  for (const [block, shown] of texts) {
    if (shown !== "") digests.set(block, open.has(block) ? "" : contentHash(shown))
  }
  return digests
}

export interface Days {
  readonly from: CalendarDate.CalendarDate
  readonly to: CalendarDate.CalendarDate
}

/** A read beside what was settled. */
export interface Divided {
  /** Blocks that the read shows otherwise, or not at all, or that were not settled. */
  readonly blocks: ReadonlySet<number>
  /** Their days, and rows of the read. */
  readonly days: ReadonlyArray<Days>
  readonly open: ReadonlyArray<Observation>
  /** All other rows of the read. */
  readonly settled: ReadonlyArray<Observation>
}

const daysOf = (blocks: Iterable<number>, blockDays: number): ReadonlyArray<Days> => {
  const days: Array<{ from: number; to: number }> = []
  for (const block of [...blocks].toSorted((a, b) => a - b)) {
    if (block === undated) continue
    const from = block * blockDays
    const before = days.at(-1)
    if (before?.to === from - 1) before.to += blockDays
    else days.push({ from, to: from + blockDays - 1 })
  }
  return days.map(({ from, to }) => ({
    from: CalendarDate.fromEpochDay(from),
    to: CalendarDate.fromEpochDay(to)
  }))
}

const divide = (
  before: Settled,
  blockDays: number,
  digests: ReadonlyMap<number, string>,
  observations: ReadonlyArray<Observation>,
  also: ReadonlyArray<Days>
): Divided => {
  const blocks = new Set<number>()
  for (const { from, to } of also) {
    const last = Math.floor(numberOf(to) / blockDays)
    for (let block = Math.floor(numberOf(from) / blockDays); block <= last; block++)
      if (before.has(block)) blocks.add(block)
  }
  for (const [block, digest] of digests) if (digest === "" || before.get(block) !== digest) blocks.add(block)
  for (const [block, digest] of before) if (digest === "" || !digests.has(block)) blocks.add(block)
  if (blocks.size === 0) return { blocks, days: [], open: [], settled: observations }
  const blockOf = makeBlockOf(blockDays)
  const open: Array<Observation> = []
  const settled: Array<Observation> = []
  for (const observation of observations) (blocks.has(blockOf(observation)) ? open : settled).push(observation)
  return { blocks, days: daysOf(blocks, blockDays), open, settled }
}

/** Whether a row that is settled is named by one that is not, or shares its id with another record. */
export const isEntangled = ({ open, settled }: Divided, held: ReadonlyArray<IndexEntry>): boolean => {
  const named = new Set<string>()
  for (const { pendingProviderId, providerId } of open) named.add(providerId).add(pendingProviderId)
  for (const { providerId, state } of held) if (state === "live") named.add(providerId)
  return settled.some(({ providerId }) => named.has(providerId))
}

/** A live record as it is after a read. */
type Live = Pick<IndexEntry, "providerId" | "date" | "pending" | "hash"> & { readonly missed?: number }

/**
 * What is settled after a read. `blocks` were looked at, `observations` and `live` are all there is of them; of others
 * `before` holds. Without `before` all were looked at. `mayMiss` tells of days whether the read says
 * anything of posted records that it does not show.
 */
const settledAfter = (
  before: { readonly settled: Settled; readonly blocks: ReadonlySet<number> } | undefined,
  blockDays: number,
  digests: ReadonlyMap<number, string>,
  observations: ReadonlyArray<Observation>,
  live: Iterable<Live>,
  mayMiss: (date: CalendarDate.CalendarDate | null) => boolean
): { readonly settled: Settled; readonly isQuiet: boolean } => {
  // Whether the same read once more, at any time, would change nothing.
  let isQuiet = true
  const after = new Map<number, string>()
  if (before !== undefined) {
    for (const [block, digest] of before.settled) if (!before.blocks.has(block)) after.set(block, digest)
  }
  const blockOf = makeBlockOf(blockDays)
  const left = new Map<number, number>()
  const shown = new Map<string, Observation>()
  for (const observation of observations) {
    const block = blockOf(observation)
    left.set(block, (left.get(block) ?? 0) + 1)
    shown.set(observation.providerId, observation)
  }
  const open = new Set<number>()
  for (const record of live) {
    const block = blockOf(record)
    after.set(block, digests.get(block) ?? "")
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
  for (const block of open) if (after.has(block)) after.set(block, "")
  for (const digest of digests.values()) if (digest === "") isQuiet = false
  return { settled: after, isQuiet }
}

const format = "4"
const notWhole = "-"

/** What is kept of a read. */
interface Kept {
  readonly blockDays: number
  readonly settled: Settled
}

/** In the order of the days, so that equal ones are equal as text. `whole` is the digest of a read that changes nothing more. */
const encode = (whole: string | undefined, { blockDays, settled }: Kept): string =>
  [
    format,
    whole ?? notWhole,
    blockDays,
    ...[...settled].toSorted(([a], [b]) => a - b).map(([block, digest]) => `${block}:${digest}`)
  ].join(" ")

/** Whether the blocks are the same. A source that shows its rows in another order each time is not written down anew. */
const isKept = (kept: string | undefined, text: string): boolean => {
  if (kept === undefined || kept === text) return kept === text
  const behindWhole = (one: string) => one.indexOf(" ", format.length + 1)
  return (
    kept.startsWith(`${format} `) &&
    !kept.startsWith(`${format} ${notWhole}`) &&
    kept.slice(behindWhole(kept)) === text.slice(behindWhole(text))
  )
}

/** `undefined` for what another release has written. */
const decode = (text: string): Kept | undefined => {
  const [written, , blockDays, ...entries] = text.split(" ")
  if (written !== format) return undefined
  const settled = new Map<number, string>()
  for (const entry of entries) {
    const at = entry.indexOf(":")
    settled.set(Number(entry.slice(0, at)), entry.slice(at + 1))
  }
  return { blockDays: Number(blockDays), settled }
}

/** Blocks of other days than rows come in now have to be twice as long, or half, before all is looked at once more. */
const stillFits = (blockDays: number, wanted: number): boolean => blockDays <= wanted * 2 && wanted <= blockDays * 2

/** Compares the days of one read with the digests that are kept, and makes those to keep once the read is written. */
export class DayDigests {
  /** Nothing else than what the last read showed, and nothing more to come of it. The rows need not be at hand then. */
  readonly isUnchanged: boolean
  #observations: ReadonlyArray<Observation> = []
  readonly #historyFrom: CalendarDate.CalendarDate | undefined
  readonly #oldest: CalendarDate.CalendarDate | undefined
  readonly #contentHash: (text: string) => string
  readonly #shown: number
  #whole: string | undefined
  readonly #kept: string | undefined
  readonly #live = new Map<string, Live>()
  #digests: ReadonlyMap<number, string> | undefined
  #before: Kept | undefined
  #blockDays = 1
  #divided: Divided | undefined
  #isDivided = false
  /** Whether what was kept holds no longer. */
  #isWritten = false

  /** `kept` is the text of an earlier read, if it still holds. */
  constructor(kept: string | undefined, shown: ShownRows, says: ReadSays, contentHash: (text: string) => string) {
    this.#historyFrom = says.historyFrom
    this.#oldest = shown.oldest
    this.#shown = shown.count
    this.#contentHash = contentHash
    this.#kept = kept
    this.#whole = shown.digest(says, contentHash)
    this.isUnchanged = kept?.startsWith(`${format} ${this.#whole} `) === true
  }

  /** The rows of the read, before anything is asked of them. */
  show(observations: ReadonlyArray<Observation>): void {
    this.#observations = observations
    // The digest is of the pages, which showed some of them twice or took some back.
    if (observations.length !== this.#shown) this.#whole = undefined
    const wanted = daysFor(observations)
    const before = this.#kept === undefined ? undefined : decode(this.#kept)
    this.#before = before !== undefined && stillFits(before.blockDays, wanted) ? before : undefined
    this.#blockDays = this.#before?.blockDays ?? wanted
  }

  get #digestsOfRead(): ReadonlyMap<number, string> {
    return (this.#digests ??= digestsOf(this.#observations, this.#blockDays, this.#contentHash))
  }

  /** Divides the read, with these days open as well; `undefined` where nothing is known. The last division counts. */
  divide(also: ReadonlyArray<Days> = []): Divided | undefined {
    if (this.#before !== undefined) {
      const { blockDays, settled } = this.#before
      this.#divided = divide(settled, blockDays, this.#digestsOfRead, this.#observations, also)
    }
    return this.#divided
  }

  /** What the read was matched with, as it was divided or as a whole, and what came of it. */
  follow(isDivided: boolean, held: ReadonlyArray<IndexEntry>, { missed, seenAgain }: MatchResult): void {
    this.#isDivided = isDivided
    for (const entry of held) if (entry.state === "live") this.#live.set(entry.id, entry)
    for (const entry of seenAgain) this.#live.set(entry.id, { ...entry, missed: 0 })
    for (const { entry, missed: count } of missed) this.#live.set(entry.id, { ...entry, missed: count })
  }

  /** What a transaction writes of it. */
  write(
    renames: ReadonlyArray<{ readonly id: string; readonly providerId: string }>,
    writes: ReadonlyArray<RecordWrite>
  ): void {
    this.#isWritten = true
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

  /** What to keep once all is written, or `undefined` where that is kept already. */
  get text(): string | undefined {
    const digests = this.#digestsOfRead
    const before = this.#isDivided ? { settled: this.#before!.settled, blocks: this.#divided!.blocks } : undefined
    const blockDays = this.#blockDays
    const observations = this.#isDivided ? this.#divided!.open : this.#observations
    const bounds = { historyFrom: this.#historyFrom, oldest: this.#oldest }
    const mayMiss = (date: CalendarDate.CalendarDate | null) => isProvenDay(date, bounds) || date === bounds.oldest
    const { isQuiet, settled } = settledAfter(before, blockDays, digests, observations, this.#live.values(), mayMiss)
    const text = encode(isQuiet ? this.#whole : undefined, { blockDays, settled })
    return this.#isWritten || !isKept(this.#kept, text) ? text : undefined
  }
}
