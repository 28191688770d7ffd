/**
 * What a read shows of an account, in its order, as a digest: read off row by row, so that nobody has to hold the rows to
 * tell whether they are those of the read before.
 */
import type * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"
import { isOfFile } from "./Coverage.ts"

/**
 * Rows that are digested together: their texts are held until then, of each account that is being read. It is part of what
 * is kept: another number is another format.
 */
const together = 64

/** All that matching by ids asks of a row. What is at hand: another form of it is no other row, and looked at once more. */
export const matchedText = (row: Observation): string => {
  const { content, pending, providerId } = row
  const said = content === undefined ? row.hash : `${content.length} ${content}`
  return `${said} ${pending ? "p" : "b"} ${providerId.length} ${providerId} `
}

/** What a read says besides its rows. */
export interface ReadSays {
  readonly historyFrom?: CalendarDate.CalendarDate | undefined
  /** Upstream ids that it lists as gone. */
  readonly removed: ReadonlySet<string>
}

export class ShownRows {
  count = 0
  /** Whether rows of files are among them. */
  hasFileRows = false
  /** Day of the oldest posted row among them. */
  oldest: CalendarDate.CalendarDate | undefined
  /**
   * Whether each id is above the one before it, or each below, so that no two are the same: sources that count show them so,
   * and it is told cheaply.
   */
  areOrdered = true
  #lastId = ""
  #isRising = true
  readonly #contentHash: (text: string) => string
  #digests = ""
  #text = ""
  #inText = 0

  constructor(contentHash: (text: string) => string) {
    this.#contentHash = contentHash
  }

  add(row: Observation): void {
    this.#text += matchedText(row)
    const { date, pending, pendingProviderId, providerId } = row
    if (pendingProviderId !== "") this.#text += `>${pendingProviderId.length} ${pendingProviderId} `
    if (isOfFile(row)) this.hasFileRows = true
    if (!pending && date !== null && (this.oldest === undefined || date < this.oldest)) this.oldest = date
    if (this.areOrdered) this.#order(providerId)
    this.count++
    if (++this.#inText < together) return
    this.#digests += `${this.#contentHash(this.#text)} `
    this.#text = ""
    this.#inText = 0
  }

  #order(id: string): void {
    if (this.count === 1) this.#isRising = id > this.#lastId
    if (this.count > 0 && (this.#isRising ? id <= this.#lastId : id >= this.#lastId)) this.areOrdered = false
    this.#lastId = id
  }

  /** Equal where two reads show the same. */
  digest({ historyFrom, removed }: ReadSays, contentHash: (text: string) => string): string {
    let text = historyFrom === undefined ? "" : `from ${historyFrom} `
    for (const id of removed) text += `-${id.length} ${id} `
    return contentHash(`${text}${this.count} ${this.#digests}${this.#text}`)
  }
}
