/** How alike the words of one text and of many names are, in numbers where that is enough (enrichments A12.2). */
import { prefixLetters, prefixPoints, similarity, similarityOf, type Words, wordsOf } from "../text/Similarity.ts"

/** Two words with the same beginning have the same number; so may others, which are then looked at. */
const headOf = (word: string): number => {
  if (word.length < prefixLetters) return 0
  let head = 0
  for (let at = 0; at < prefixLetters; at++) head = (Math.imul(head, 31) + word.charCodeAt(at)) | 0
  return head
}

export class NameWords {
  private readonly names: ReadonlyArray<string>
  private readonly byWord = new Map<string, number>()
  /** Words of all names one behind the other, and where those of each begin. */
  private readonly starts: Int32Array
  private readonly ids: Int32Array
  private readonly heads: Int32Array
  /** Of the text. Of each word: its number, -1 for one that no name has, and that of its beginning, 0 for a short one. */
  private words: Words = new Set()
  private readonly textIds: Array<number> = []
  private readonly textHeads: Array<number> = []

  constructor(names: ReadonlyArray<string>) {
    this.names = names
    this.starts = new Int32Array(names.length + 1)
    const [ids, heads]: [Array<number>, Array<number>] = [[], []]
    for (const [at, name] of names.entries()) {
      for (const word of wordsOf(name)) {
        let id = this.byWord.get(word)
        if (id === undefined) this.byWord.set(word, (id = this.byWord.size))
        ids.push(id)
        heads.push(headOf(word))
      }
      this.starts[at + 1] = ids.length
    }
    this.ids = Int32Array.from(ids)
    this.heads = Int32Array.from(heads)
  }

  /** The text that is compared from now on. */
  prepare(text: string): void {
    this.words = wordsOf(text)
    this.textIds.length = 0
    this.textHeads.length = 0
    for (const word of this.words) {
      this.textIds.push(this.byWord.get(word) ?? -1)
      this.textHeads.push(headOf(word))
    }
  }

  /** `similarity` to a name; 0 where no word is shared, or one word alone inside of several, and where it is `least` at most. */
  likeness(name: number, least: number): number {
    const [start, end] = [this.starts[name]!, this.starts[name + 1]!]
    const { heads, ids, textHeads, textIds } = this
    const [own, others] = [textIds.length, end - start]
    // One word inside of several is too little: an orchard is no maker of telephones.
    if (own !== others && Math.min(own, others) <= 1) return 0
    let equal = 0
    let mayBegin = false
    for (let word = 0; word < own; word++) {
      const [id, head] = [textIds[word]!, textHeads[word]!]
      let begins = false
      let isShared = false
      for (let at = start; at < end; at++) {
        if (ids[at] === id) isShared = true
        else if (head !== 0 && heads[at] === head) begins = true
      }
      if (isShared) equal++
      else if (begins) mayBegin = true
    }
    if (equal === 0) return 0
    // What is left of the one begins with nothing that is left of the other: shared words alone count.
    if (!mayBegin) return similarityOf(equal, own, others)
    if (similarityOf(equal + prefixPoints * (Math.min(own, others) - equal), own, others) <= least) return 0
    return similarity(this.words, wordsOf(this.names[name]!)) ?? 0
  }
}
