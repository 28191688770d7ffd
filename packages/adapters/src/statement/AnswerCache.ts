/** Answers that are found once for every text: cells repeat. */

import { ownText } from "./Wording.ts"

const maxDistinct = 10_000
const maxLength = 500

/** `read`, with its answers kept by text, as far as there is room. */
export const cached = <A>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const hit = known.get(text)
    if (hit !== undefined) return hit
    const value = read(text)
    // A text of its own: it is kept longer than what it stands in.
    if (known.size < maxDistinct && text.length <= maxLength) known.set(ownText(text), value)
    return value
  }
}
