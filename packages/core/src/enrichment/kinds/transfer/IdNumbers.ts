/** Ids as numbers from 0 on, equal for equal ids: for many that are each met once or a few times. */
export class IdNumbers {
  private readonly ids: Array<string> = []
  private readonly mask: number
  /** One more than the number of the id at a place; 0 for none. */
  private readonly numbers: Int32Array
  /** The hash of the id at a place, so that few ids have to be looked at. */
  private readonly hashes: Int32Array

  /** `most`: as many ids as there can be. */
  constructor(most: number) {
    const size = 1 << (32 - Math.clz32(Math.max(4, most * 2 - 1)))
    this.mask = size - 1
    this.numbers = new Int32Array(size)
    this.hashes = new Int32Array(size)
  }

  of(id: string): number {
    const { hashes, ids, mask, numbers } = this
    let hash = 0
    for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
    hash ^= hash >>> 15
    for (let at = hash & mask; ; at = (at + 1) & mask) {
      const known = numbers[at]!
      if (known === 0) {
        hashes[at] = hash
        return (numbers[at] = ids.push(id)) - 1
      }
      if (hashes[at] === hash && ids[known - 1] === id) return known - 1
    }
  }
}
