/**
 * A digest for each block of days, as text: those of neighbouring blocks stand together, and where these are the same in two
 * reads nobody takes them apart.
 */

/** Blocks that stand together. */
const together = 8

/** In place of the digest of a block that is not settled. */
export const unsettled = ""

const unsettledSign = "."
const absent = ""
const blockEnd = ","
const numberEnd = "="

const partOf = (block: number): number => Math.floor(block / together)

export class BlockDigests {
  readonly #texts: Map<number, string>
  /** Parts that were taken apart: what their texts say counts no more. */
  readonly #parts = new Map<number, Array<string>>()

  private constructor(texts: Map<number, string>) {
    this.#texts = texts
  }

  static readonly none = (): BlockDigests => new BlockDigests(new Map())

  /** As `texts` gives them. */
  static readonly from = (texts: ReadonlyArray<string>): BlockDigests => {
    const all = new Map<number, string>()
    for (const text of texts) {
      const at = text.indexOf(numberEnd)
      all.set(Number(text.slice(0, at)), text.slice(at + 1))
    }
    return new BlockDigests(all)
  }

  /** The same, to be changed by itself. */
  get copy(): BlockDigests {
    const copied = new BlockDigests(new Map(this.#texts))
    for (const [number, part] of this.#parts) copied.#parts.set(number, [...part])
    return copied
  }

  get #numbers(): ReadonlySet<number> {
    return new Set([...this.#texts.keys(), ...this.#parts.keys()])
  }

  #part(number: number): Array<string> | undefined {
    let part = this.#parts.get(number)
    if (part !== undefined) return part
    const text = this.#texts.get(number)
    if (text === undefined) return undefined
    this.#parts.set(number, (part = text.split(blockEnd)))
    return part
  }

  /** Nothing stands behind the last block. */
  #text(number: number): string {
    const part = this.#parts.get(number)
    if (part === undefined) return this.#texts.get(number) ?? absent
    while (part.at(-1) === absent) part.pop()
    return part.join(blockEnd)
  }

  /** `unsettled` where the block is not settled, `undefined` where there is none. */
  get(block: number): string | undefined {
    const number = partOf(block)
    const said = this.#part(number)?.[block - number * together]
    return said === undefined || said === absent ? undefined : said === unsettledSign ? unsettled : said
  }

  #put(block: number, said: string): void {
    const number = partOf(block)
    let part = this.#part(number)
    if (part === undefined) this.#parts.set(number, (part = []))
    for (let at = part.length; at < block - number * together; at++) part.push(absent)
    part[block - number * together] = said
  }

  set(block: number, digest: string): void {
    this.#put(block, digest === unsettled ? unsettledSign : digest)
  }

  delete(block: number): void {
    if (this.get(block) !== undefined) this.#put(block, absent)
  }

  /** Blocks that are not settled. */
  get unsettled(): ReadonlyArray<number> {
    const found: Array<number> = []
    for (const number of this.#numbers) {
      if (!this.#text(number).includes(unsettledSign)) continue
      this.#part(number)!.forEach((said, at) => {
        if (said === unsettledSign) found.push(number * together + at)
      })
    }
    return found
  }

  /** Blocks about which the two do not say the same, or which are not settled. */
  apart(other: BlockDigests): Array<number> {
    const found: Array<number> = []
    for (const number of new Set([...this.#numbers, ...other.#numbers])) {
      const text = this.#text(number)
      if (text === other.#text(number) && !text.includes(unsettledSign)) continue
      const [one, two] = [this.#part(number), other.#part(number)]
      for (let at = 0; at < together; at++) {
        const [a, b] = [one?.[at] ?? absent, two?.[at] ?? absent]
        if (a !== b || a === unsettledSign) found.push(number * together + at)
      }
    }
    return found
  }

  /** In the order of the days, so that equal ones are equal as text. */
  get texts(): ReadonlyArray<string> {
    return [...this.#numbers]
      .toSorted((a, b) => a - b)
      .flatMap((number) => {
        const text = this.#text(number)
        return text === absent ? [] : [`${number}${numberEnd}${text}`]
      })
  }
}
