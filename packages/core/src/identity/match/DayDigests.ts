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

/** What is kept of a read. */
interface Kept {
  readonly blockDays: number
  readonly settled: Settled
  /** Digests of blocks together, of those groups of which all are settled. */
  readonly groups: ReadonlyMap<number, string>
}

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

/** Blocks that have a digest of their own together: where that is the same, nobody works out those of the blocks. */
const blocksTogether = 8

const groupOf = (block: number): number => Math.floor(block / blocksTogether)

/** Digests of what a read shows of each block, worked out when they are asked for. */
class ShownBlocks {
  /** Blocks that cannot be settled. */
  readonly open = new Set<number>()
  readonly #texts = new Map<number, string>()
  readonly #digests = new Map<number, string>()
  readonly #groups = new Map<number, Array<number>>()
  readonly #ofGroups = new Map<number, string>()
  readonly #contentHash: (text: string) => string

  /** `each`: the digests of all are wanted. They are worked out at once, so that no text is held for longer than it takes. */
  constructor(
    observations: ReadonlyArray<Observation>,
    days: number,
    contentHash: (text: string) => string,
    each: boolean
  ) {
    this.#contentHash = contentHash
    const blockOf = makeBlockOf(days)
    const lastOf = new Map<number, number>()
    if (each) for (let at = 0; at < observations.length; at++) lastOf.set(groupOf(blockOf(observations[at]!)), at)
    for (let at = 0; at < observations.length;) {
      const block = blockOf(observations[at]!)
      let text = this.#texts.get(block) ?? ""
      for (; at < observations.length && blockOf(observations[at]!) === block; at++) {
        const observation = observations[at]!
        text += matchedText(observation)
        if (!canSettle(observation)) this.open.add(block)
      }
      this.#show(block, text)
      if (lastOf.get(groupOf(block)) === at - 1) this.#close(groupOf(block))
    }
  }

  #show(block: number, text: string): void {
    if (!this.#texts.has(block)) {
      const group = this.#groups.get(groupOf(block))
      if (group === undefined) this.#groups.set(groupOf(block), [block])
      else group.push(block)
    }
    this.#texts.set(block, text)
  }

  /** Nothing more of it is shown. */
  #close(group: number): void {
    const blocks = this.#groups.get(group)!
    for (const block of blocks) this.digest(block)
    this.digestOfGroup(group)
    for (const block of blocks) this.#texts.delete(block)
  }

  /** `undefined` where nothing of it is shown, `""` where it cannot be settled. */
  digest(block: number): string | undefined {
    const known = this.#digests.get(block)
    const text = this.#texts.get(block)
    if (known !== undefined || text === undefined) return known
    const digest = this.open.has(block) ? "" : this.#contentHash(text)
    this.#digests.set(block, digest)
    return digest
  }

  get groups(): ReadonlyMap<number, ReadonlyArray<number>> {
    return this.#groups
  }

  /** Of all blocks of a group of which anything is shown. */
  digestOfGroup(group: number): string {
    let digest = this.#ofGroups.get(group)
    if (digest !== undefined) return digest
    let text = ""
    for (const block of this.#groups.get(group)!.toSorted((a, b) => a - b)) {
      const shown = this.#texts.get(block)!
      text += `${block} ${shown.length} ${shown}`
    }
    this.#ofGroups.set(group, (digest = this.#contentHash(text)))
    return digest
  }
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
  { blockDays, groups, settled: before }: Kept,
  shown: ShownBlocks,
  observations: ReadonlyArray<Observation>,
  also: ReadonlyArray<Days>
): Divided => {
  const blocks = new Set<number>()
  for (const { from, to } of also) {
    const last = Math.floor(numberOf(to) / blockDays)
    for (let block = Math.floor(numberOf(from) / blockDays); block <= last; block++)
      if (before.has(block)) blocks.add(block)
  }
  const same = new Set<number>()
  for (const [group, some] of shown.groups) {
    if (groups.get(group) === shown.digestOfGroup(group)) {
      same.add(group)
      continue
    }
    for (const block of some) {
      const digest = shown.digest(block)
      if (digest === "" || before.get(block) !== digest) blocks.add(block)
    }
  }
  for (const [block, digest] of before) {
    if (digest === "" || (!same.has(groupOf(block)) && shown.digest(block) === undefined)) blocks.add(block)
  }
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
  shownBlocks: ShownBlocks,
  observations: ReadonlyArray<Observation>,
  live: Iterable<Live>,
  mayMiss: (date: CalendarDate.CalendarDate | null) => boolean
): Pick<Kept, "settled" | "groups"> & { readonly isQuiet: boolean } => {
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
    after.set(block, shownBlocks.digest(block) ?? "")
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
  if (shownBlocks.open.size > 0) isQuiet = false
  const unsettled = new Set(Array.from(open, groupOf))
  for (const [block, digest] of after) if (digest === "") unsettled.add(groupOf(block))
  const groups = new Map<number, string>()
  for (const block of after.keys()) {
    const group = groupOf(block)
    if (!unsettled.has(group) && !groups.has(group)) groups.set(group, shownBlocks.digestOfGroup(group))
  }
  return { settled: after, groups, isQuiet }
}

const format = "4"
const notWhole = "-"
const ofBlock = ":"
const ofGroup = "*"

const inOrder = (digests: ReadonlyMap<number, string>, sign: string): ReadonlyArray<string> =>
  [...digests].toSorted(([a], [b]) => a - b).map(([number, digest]) => `${number}${sign}${digest}`)

/** In the order of the days, so that equal ones are equal as text. `whole` is the digest of a read that changes nothing more. */
const encode = (whole: string | undefined, { blockDays, groups, settled }: Kept): string =>
  [format, whole ?? notWhole, blockDays, ...inOrder(settled, ofBlock), ...inOrder(groups, ofGroup)].join(" ")

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
  const groups = new Map<number, string>()
  for (const entry of entries) {
    const at = entry.indexOf(ofBlock)
    if (at >= 0) settled.set(Number(entry.slice(0, at)), entry.slice(at + 1))
    else {
      const sign = entry.indexOf(ofGroup)
      groups.set(Number(entry.slice(0, sign)), entry.slice(sign + 1))
    }
  }
  return { blockDays: Number(blockDays), settled, groups }
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
  #blocks: ShownBlocks | undefined
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

  get #shownBlocks(): ShownBlocks {
    return (this.#blocks ??= new ShownBlocks(
      this.#observations,
      this.#blockDays,
      this.#contentHash,
      this.#before === undefined
    ))
  }

  /** Divides the read, with these days open as well; `undefined` where nothing is known. The last division counts. */
  divide(also: ReadonlyArray<Days> = []): Divided | undefined {
    if (this.#before !== undefined) {
      this.#divided = divide(this.#before, this.#shownBlocks, this.#observations, also)
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
    const before = this.#isDivided ? { settled: this.#before!.settled, blocks: this.#divided!.blocks } : undefined
    const blockDays = this.#blockDays
    const observations = this.#isDivided ? this.#divided!.open : this.#observations
    const bounds = { historyFrom: this.#historyFrom, oldest: this.#oldest }
    const mayMiss = (date: CalendarDate.CalendarDate | null) => isProvenDay(date, bounds) || date === bounds.oldest
    const live = this.#live.values()
    const after = settledAfter(before, blockDays, this.#shownBlocks, observations, live, mayMiss)
    const text = encode(after.isQuiet ? this.#whole : undefined, { ...after, blockDays })
    return this.#isWritten || !isKept(this.#kept, text) ? text : undefined
  }
}
