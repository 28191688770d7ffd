/** The elements of XML messages that a reader wants, by their paths: a table that tells what each tag leads to. */

/** Below these everything is looked for again: messages stand in envelopes of any kind. */
const outside = 0
/** An element that nobody asked for, and all that stands in it. */
const ignored = 1

export interface XmlPaths {
  /** What is wanted of an element: 0 for nothing. By state. */
  readonly wants: Uint8Array
  /** Names the state of an element in an element. */
  readonly next: (state: number, tag: number) => number
  /** Number of a local name by its hash and length, 0 for one that no path has. */
  readonly tagOf: (hash: number, length: number) => number
}

export const nextHash = (hash: number, code: number): number => (Math.imul(hash, 31) + code) | 0

/** Of a name without its prefix. */
const hashOf = (name: string): number => {
  let hash = 0
  for (let at = 0; at < name.length; at++) hash = nextHash(hash, name.charCodeAt(at))
  return hash
}

const tableSize = 2048

/**
 * Compiles `wanted`: each path of local names between slashes, with alternatives such as `BIC|BICFI`, and the number
 * under which its element is reported, from 1. Paths begin anywhere outside of another path.
 */
export const compilePaths = (wanted: ReadonlyArray<readonly [path: string, number: number]>): XmlPaths => {
  const names = [...new Set(wanted.flatMap(([path]) => path.split(/[/|]/)))]
  const tags = new Map(names.map((name, index) => [name, index + 1]))
  const width = names.length + 1
  const children: Array<Map<number, number>> = [new Map(), new Map()]
  const wants: Array<number> = [0, 0]
  for (const [path, number] of wanted) {
    let states = [outside]
    for (const step of path.split("/")) {
      const reached = new Set<number>()
      for (const state of states) {
        const options = step.split("|").map((name) => tags.get(name)!)
        // Alternatives share one state, unless another path has told them apart before.
        let shared = options.map((tag) => children[state]!.get(tag)).find((child) => child !== undefined)
        for (const tag of options) {
          let child = children[state]!.get(tag)
          if (child === undefined) {
            child = shared ?? children.length
            if (child === children.length) {
              children.push(new Map())
              wants.push(0)
            }
            children[state]!.set(tag, child)
            shared = child
          }
          reached.add(child)
        }
      }
      states = [...reached]
    }
    for (const state of states) wants[state] = number
  }
  const next = new Uint16Array(children.length * width).fill(ignored)
  next.fill(outside, 0, width)
  for (const [state, own] of children.entries()) {
    for (const [tag, child] of own) next[state * width + tag] = child
  }
  const hashes = new Int32Array(tableSize)
  const found = new Uint16Array(tableSize)
  const lengths = new Uint8Array(tableSize)
  const slotOf = (hash: number): number => (hash ^ (hash >>> 11) ^ (hash >>> 22)) & (tableSize - 1)
  for (const [name, tag] of tags) {
    let slot = slotOf(hashOf(name))
    while (found[slot] !== 0) slot = (slot + 1) & (tableSize - 1)
    hashes[slot] = hashOf(name)
    found[slot] = tag
    lengths[slot] = name.length
  }
  return {
    wants: Uint8Array.from(wants),
    next: (state, tag) => next[state * width + tag]!,
    tagOf: (hash, length) => {
      let slot = slotOf(hash)
      while (true) {
        const tag = found[slot]!
        if (tag === 0) return 0
        if (hashes[slot] === hash && lengths[slot] === length) return tag
        slot = (slot + 1) & (tableSize - 1)
      }
    }
  }
}
