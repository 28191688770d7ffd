/** Answers that are found once for every text: cells repeat. */

const maxDistinct = 10_000

/** `read`, with its answers kept by text, as far as there is room. */
export const cached = <A>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const hit = known.get(text)
    if (hit !== undefined) return hit
    const value = read(text)
    if (known.size < maxDistinct) known.set(text, value)
    return value
  }
}
