/** The first bytes of a file that comes in parts, and all of its parts. */
export interface FileHead {
  readonly head: Uint8Array
  /** To be asked for once. */
  readonly parts: Iterable<Uint8Array>
}

/** Asks for as many parts as `length` bytes need. */
export const headOf = (parts: Iterable<Uint8Array>, length: number): FileHead => {
  const iterator = parts[Symbol.iterator]()
  const first: Array<Uint8Array> = []
  let held = 0
  let isOver = false
  while (held < length) {
    const { done, value } = iterator.next()
    if (done === true) {
      isOver = true
      break
    }
    first.push(value)
    held += value.length
  }
  const head = new Uint8Array(Math.min(held, length))
  let at = 0
  for (const part of first) {
    const some = part.subarray(0, head.length - at)
    head.set(some, at)
    at += some.length
  }
  return {
    head,
    parts: (function* () {
      try {
        // Not held longer than until they are read.
        for (let part = first.shift(); part !== undefined; part = first.shift()) yield part
        while (!isOver) {
          const { done, value } = iterator.next()
          if (done === true) isOver = true
          else yield value
        }
      } finally {
        if (!isOver) iterator.return?.()
      }
    })()
  }
}
