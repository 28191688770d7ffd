/** Edits between two texts (enrichments C3). */

/** Letters that are compared at most. */
const comparedLetters = 256

/** Two rows of the table of distances, used again and again. */
let above = new Uint16Array(comparedLetters + 1)
let below = new Uint16Array(comparedLetters + 1)

/** Insertions, deletions and replacements between two texts; more than `most` is `most + 1`. */
export const editDistance = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  // What both begin and end with costs nothing.
  let from = 0
  let aEnd = Math.min(a.length, comparedLetters)
  let bEnd = Math.min(b.length, comparedLetters)
  while (from < aEnd && from < bEnd && a.charCodeAt(from) === b.charCodeAt(from)) from++
  while (aEnd > from && bEnd > from && a.charCodeAt(aEnd - 1) === b.charCodeAt(bEnd - 1)) {
    aEnd--
    bEnd--
  }
  const width = bEnd - from
  for (let j = 0; j <= width; j++) above[j] = j
  for (let i = from; i < aEnd; i++) {
    const letter = a.charCodeAt(i)
    // Further from the diagonal than `most` nothing can come back.
    const row = i - from
    const first = Math.max(0, row - most)
    const last = Math.min(width, row + most + 1)
    let left = first === 0 ? row + 1 : most + 1
    let least = left
    below[first] = left
    for (let j = first; j < last; j++) {
      const replaced = above[j]! + (letter === b.charCodeAt(from + j) ? 0 : 1)
      const removed = j > row + most - 1 ? most + 1 : above[j + 1]! + 1
      left = Math.min(replaced, removed, left + 1)
      below[j + 1] = left
      if (left < least) least = left
    }
    if (least > most) return most + 1
    ;[above, below] = [below, above]
  }
  return Math.min(above[width]!, most + 1)
}
