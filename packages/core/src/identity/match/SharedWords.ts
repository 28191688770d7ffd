/** Which texts of one source mean which of another: learnt from the rows of one read, and kept for nothing else. */
import { likeness, type MatchRow } from "./MatchRow.ts"

/** Pairs of two texts after which they mean one merchant, and how many of all their pairs that have to be. */
const lessons = 2
const mostlyShare = 0.8
const learntLikeness = 0.6

interface Worded {
  readonly row: MatchRow
  readonly text: string
}

type WordPair = readonly [seen: Worded, held: Worded]

/** A text of the other source, and how often it was found with one of this source. */
interface Lesson {
  readonly row: MatchRow
  count: number
}

/** Which texts of the one source mean which of the other, by the pairs that were found. */
export class SharedWords {
  /** By the text that is seen, then by the one that is held. */
  readonly #pairs = new Map<string, Map<string, Lesson>>()
  readonly #seen = new Map<string, number>()
  readonly #held = new Map<string, number>()

  add([seen, held]: WordPair): void {
    this.#seen.set(seen.text, (this.#seen.get(seen.text) ?? 0) + 1)
    this.#held.set(held.text, (this.#held.get(held.text) ?? 0) + 1)
    let found = this.#pairs.get(seen.text)
    if (found === undefined) this.#pairs.set(seen.text, (found = new Map()))
    const lesson = found.get(held.text)
    if (lesson === undefined) found.set(held.text, { row: held.row, count: 1 })
    else lesson.count++
  }

  /** Both texts were found together, or the one with what is like the other, and hardly ever with others. */
  isLearnt(pair: WordPair): boolean {
    const { found, held, seen } = this.#of(pair)
    return found >= lessons && found >= mostlyShare * Math.max(seen, held)
  }

  /** Both texts are known to mean something else. */
  isRefuted(pair: WordPair): boolean {
    const { found, held, seen } = this.#of(pair)
    const least = Math.min(seen, held)
    return least > lessons && found <= (1 - mostlyShare) * least
  }

  #of([seen, held]: WordPair): { readonly found: number; readonly seen: number; readonly held: number } {
    let found = 0
    for (const [text, { count, row }] of this.#pairs.get(seen.text) ?? []) {
      if (text === held.text || likeness(row, held.row) >= learntLikeness) found += count
    }
    return { found, seen: this.#seen.get(seen.text) ?? 0, held: this.#held.get(held.text) ?? 0 }
  }
}
