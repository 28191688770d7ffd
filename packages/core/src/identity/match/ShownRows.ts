/**
 * What a read shows of an account, in its order, as a digest: read off row by row, so that nobody has to hold the rows to
 * tell whether they are those of the read before.
 */
import type * as CalendarDate from "../../shared/CalendarDate.ts"
import type { Observation } from "../../record/Observation.ts"
import { isOfFile } from "./Coverage.ts"
import { oldestPosted } from "./Proof.ts"

/** Rows that are digested together. It is part of what is kept: another number is another format. */
const together = 512

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
  readonly #contentHash: (text: string) => string
  #digests = ""
  #text = ""
  #inText = 0

  constructor(contentHash: (text: string) => string) {
    this.#contentHash = contentHash
  }

  add(rows: ReadonlyArray<Observation>): void {
    for (const row of rows) {
      this.#text += matchedText(row)
      const { pendingProviderId } = row
      if (pendingProviderId !== "") this.#text += `>${pendingProviderId.length} ${pendingProviderId} `
      if (isOfFile(row)) this.hasFileRows = true
      if (++this.#inText < together) continue
      this.#digests += `${this.#contentHash(this.#text)} `
      this.#text = ""
      this.#inText = 0
    }
    this.count += rows.length
    const oldest = oldestPosted(rows)
    if (oldest !== undefined && (this.oldest === undefined || oldest < this.oldest)) this.oldest = oldest
  }

  /** Equal where two reads show the same. */
  digest({ historyFrom, removed }: ReadSays, contentHash: (text: string) => string): string {
    let text = historyFrom === undefined ? "" : `from ${historyFrom} `
    for (const id of removed) text += `-${id.length} ${id} `
    return contentHash(`${text}${this.count} ${this.#digests}${this.#text}`)
  }
}
