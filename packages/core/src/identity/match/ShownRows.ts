/**
 * A hash for each day of what a read shows of an account, computed row by row: the ledger tells without holding the rows
 * whether a read shows the same as the one before.
 */
import type * as CalendarDate from "../../shared/CalendarDate.ts"
import type { DayHash } from "../../record/DayHashes.ts"
import type { Observation } from "../../record/Observation.ts"
import { isOfFile } from "./Coverage.ts"
import { makeDayOf } from "./EpochDays.ts"

/** All that matching by ids asks of a row. Content is preferred to its hash, which costs more to compute. */
const matchedText = (row: Observation): string => {
  const { content, pending, providerId } = row
  const said = content === undefined ? row.hash : `${content.length} ${content}`
  return `${said} ${pending ? "p" : "b"} ${providerId.length} ${providerId} `
}

/** A row without an id of its own is matched by its content, and one that is linked to another may take its place. */
const canSettle = ({ date, pendingProviderId, providerId }: Observation): boolean =>
  date !== null && providerId !== "" && pendingProviderId === ""

/** Bounds the text that is held of a day with many rows. */
const mostRowsOfText = 512

export class ShownRows {
  count = 0
  /** Whether rows of files are among them. */
  hasFileRows = false
  /** Day of the oldest posted row among them. */
  oldest: CalendarDate.CalendarDate | undefined
  /**
   * Whether each id is above the one before it, or each below, so that no two are the same: sources that count show them so,
   * and the check is cheap.
   */
  areOrdered = true
  #lastId = ""
  #isRising = true
  readonly #contentHash: (text: string) => string
  readonly #dayOf = makeDayOf()
  readonly #hashes = new Map<number, DayHash>()
  /** Days with a row that cannot be settled. */
  readonly #open = new Set<number>()
  /** Rows of one day that follow each other and are not in its hash yet. */
  #text = ""
  #rowsInText = 0
  #day = 0

  constructor(contentHash: (text: string) => string) {
    this.#contentHash = contentHash
  }

  add(row: Observation): void {
    const day = this.#dayOf(row)
    if (this.#rowsInText > 0 && (day !== this.#day || this.#rowsInText >= mostRowsOfText)) this.#endText()
    this.#day = day
    this.#text += matchedText(row)
    this.#rowsInText++
    if (!canSettle(row)) this.#open.add(day)
    const { date, pending, providerId } = row
    if (isOfFile(row)) this.hasFileRows = true
    if (!pending && date !== null && (this.oldest === undefined || date < this.oldest)) this.oldest = date
    if (this.areOrdered) this.#order(providerId)
    this.count++
  }

  #order(id: string): void {
    if (this.count === 1) this.#isRising = id > this.#lastId
    if (this.count > 0 && (this.#isRising ? id <= this.#lastId : id >= this.#lastId)) this.areOrdered = false
    this.#lastId = id
  }

  #endText(): void {
    const hash = this.#contentHash(this.#text)
    const before = this.#hashes.get(this.#day)
    this.#hashes.set(this.#day, typeof before === "string" ? this.#contentHash(`${before} ${hash}`) : hash)
    this.#text = ""
    this.#rowsInText = 0
  }

  /** By the number of the day (`EpochDays`). To be asked for once the last row is there. */
  get hashes(): ReadonlyMap<number, DayHash> {
    if (this.#rowsInText > 0) this.#endText()
    for (const day of this.#open) this.#hashes.set(day, null)
    return this.#hashes
  }
}
