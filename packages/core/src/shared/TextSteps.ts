/** Steps from one text to the other: letters that are added, taken away, replaced, or that change places with the next one. */
export const stepsBetween = (from: string, to: string): number => {
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
