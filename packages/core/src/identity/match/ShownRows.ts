/**
 * What a read shows of an account, in its order, as a digest: read off row by row, so that nobody has to hold the rows to
 * tell whether they are those of the read before.
 */
import type * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"
import { isOfFile } from "./Coverage.ts"
import { makeDayOf } from "./EpochDays.ts"
import { endsBefore, type Stretch } from "./Stretches.ts"

/** All that matching by ids asks of a row. What is at hand: another form of it is no other row, and looked at again. */
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
   * and it is reported cheaply.
   */
  areOrdered = true
  #lastId = ""
  #isRising = true
  readonly #contentHash: (text: string) => string
  readonly #dayOf = makeDayOf()
  readonly #stretches: Array<Stretch> = []
  /** Of the stretch that is not at its end yet. */
  #text = ""
  #inText = 0
  #first = 0
  #last = 0
  #lastDay = 0

  constructor(contentHash: (text: string) => string) {
    this.#contentHash = contentHash
  }

  add(row: Observation): void {
    const day = this.#dayOf(row)
    if (this.#inText > 0 && endsBefore(day, this.#lastDay, this.#inText)) this.#end()
    this.#text += matchedText(row)
    const { date, pending, pendingProviderId, providerId } = row
    if (pendingProviderId !== "") this.#text += `>${pendingProviderId.length} ${pendingProviderId} `
    if (isOfFile(row)) this.hasFileRows = true
    if (!pending && date !== null && (this.oldest === undefined || date < this.oldest)) this.oldest = date
    if (this.areOrdered) this.#order(providerId)
    if (this.#inText === 0) this.#first = this.#last = day
    else if (day < this.#first) this.#first = day
    else if (day > this.#last) this.#last = day
    this.#lastDay = day
    this.#inText++
    this.count++
  }

  #order(id: string): void {
    if (this.count === 1) this.#isRising = id > this.#lastId
    if (this.count > 0 && (this.#isRising ? id <= this.#lastId : id >= this.#lastId)) this.areOrdered = false
    this.#lastId = id
  }

  #end(): void {
    this.#stretches.push({ digest: this.#contentHash(this.#text), first: this.#first, last: this.#last })
    this.#text = ""
    this.#inText = 0
  }

  /** All of them. To be asked for once the last row is there. */
  get stretches(): ReadonlyArray<Stretch> {
    if (this.#inText > 0) this.#end()
    return this.#stretches
  }

  /** Equal where two reads show the same. */
  digest({ historyFrom, removed }: ReadSays, contentHash: (text: string) => string): string {
    let text = historyFrom === undefined ? "" : `from ${historyFrom} `
    for (const id of removed) text += `-${id.length} ${id} `
    text += this.count
    for (const { digest } of this.stretches) text += ` ${digest}`
    return contentHash(text)
  }
}
