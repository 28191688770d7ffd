/** Whether the ids of a file repeat, where its rows are not kept: they are references then. */
import type { CsvReading } from "./CsvReading.ts"
import { buildAccounts } from "./CsvStatement.ts"
import { maxRows } from "./StatementLimits.ts"
import { ownText } from "./Wording.ts"

/** Two numbers that texts seldom share both of. */
const hashes = (text: string): readonly [number, number] => {
  let first = 0
  let second = 0x9e3779b9 | 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    first = (Math.imul(first, 31) + code) | 0
    second = Math.imul(second ^ code, 0x01000193)
  }
  return [first, second]
}

/** Texts that were seen, by their hashes: eight bytes for each, of as many as a file has that is held as a whole. */
class SeenHashes {
  private room = 1_024
  private pairs = new Int32Array(this.room * 2)
  private count = 0

  /** Whether a text of these hashes was seen before; it is from now on. */
  add(first: number, second: number): boolean {
    if (this.count * 2 >= this.room) this.grow()
    return this.put(first, second)
  }

  private put(first: number, second: number): boolean {
    // Nothing is where both are 0.
    const other = second === 0 ? 1 : second
    let place = (first ^ (first >>> 15) ^ other) & (this.room - 1)
    while (this.pairs[place * 2 + 1] !== 0) {
      if (this.pairs[place * 2] === first && this.pairs[place * 2 + 1] === other) return true
      place = (place + 1) & (this.room - 1)
    }
    if (this.count >= maxRows) return false
    this.count++
    this.pairs[place * 2] = first
    this.pairs[place * 2 + 1] = other
    return false
  }

  private grow(): void {
    const { pairs } = this
    this.room *= 2
    this.pairs = new Int32Array(this.room * 2)
    this.count = 0
    for (let at = 0; at < pairs.length; at += 2) if (pairs[at + 1] !== 0) this.put(pairs[at]!, pairs[at + 1]!)
  }
}

/** Texts that may repeat and are looked for again. */
const maxDoubted = 100

/**
 * Looks at the rows that can be read. Of files with more rows than are kept of one, ids are compared with the first
 * 200,000 alone.
 */
export const doIdsRepeat = (reading: CsvReading): boolean => {
  if (reading.layout.single.id < 0) return false
  const seen = new SeenHashes()
  const doubted = new Set<string>()
  const look = (visit: (id: string) => void): void => {
    buildAccounts(reading, {
      take: (_, { providerId }) => {
        if (providerId !== "") visit(providerId)
      },
      doIdsRepeat: false
    })
  }
  look((id) => {
    if (doubted.size >= maxDoubted || !seen.add(...hashes(id))) return
    doubted.add(ownText(id))
  })
  if (doubted.size === 0 || doubted.size >= maxDoubted) return doubted.size > 0
  // The texts themselves tell: others may share their hashes.
  const once = new Set<string>()
  let isRepeated = false
  look((id) => {
    if (!doubted.has(id)) return
    if (once.has(id)) isRepeated = true
    else once.add(ownText(id))
  })
  return isRepeated
}
