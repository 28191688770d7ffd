/** The name that somebody may have meant. */

/** Steps from one text to the other: letters that are added, taken away, replaced, or that change places with the next one. */
const distanceOf = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, n) => n)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const step = from[i - 1] === to[j - 1] ? 0 : 1
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + step)
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        least = Math.min(least, beforeLast[j - 2]! + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[to.length]!
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** Of names that differ in a letter of four at most, case and separators aside, the nearest; of equals the first. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  const given = plain(name)
  let found: { readonly name: string; readonly steps: number } | undefined
  for (const one of known) {
    const other = plain(one)
    const most = Math.floor(Math.max(given.length, other.length) / 4)
    if (Math.abs(given.length - other.length) > most) continue
    const steps = distanceOf(given, other)
    if (steps <= most && (found === undefined || steps < found.steps)) found = { name: one, steps }
  }
  return found?.name
}
