/** The similarity of Jaro and Winkler: for names that were typed or cut differently. */

/** Characters of a common beginning that count, and what each adds. */
const longestHead = 4
const headWeight = 0.1

const jaro = (a: string, b: string): number => {
  const reach = Math.max(0, Math.floor(Math.max(a.length, b.length) / 2) - 1)
  const usedA = new Uint8Array(a.length)
  const usedB = new Uint8Array(b.length)
  let matches = 0
  for (let i = 0; i < a.length; i++) {
    const end = Math.min(b.length - 1, i + reach)
    for (let j = Math.max(0, i - reach); j <= end; j++) {
      if (usedB[j] === 1 || a.charCodeAt(i) !== b.charCodeAt(j)) continue
      usedA[i] = 1
      usedB[j] = 1
      matches++
      break
    }
  }
  if (matches === 0) return 0
  let swapped = 0
  for (let i = 0, j = 0; i < a.length; i++) {
    if (usedA[i] === 0) continue
    while (usedB[j] === 0) j++
    if (a.charCodeAt(i) !== b.charCodeAt(j)) swapped++
    j++
  }
  return (matches / a.length + matches / b.length + (matches - swapped / 2) / matches) / 3
}

/** 0 to 1, of UTF-16 code units; 1 for equal texts. Symmetric but for ties of letters that occur several times. */
export const jaroWinkler = (a: string, b: string): number => {
  if (a === b) return 1
  if (a === "" || b === "") return 0
  const base = a < b ? jaro(a, b) : jaro(b, a)
  let head = 0
  while (head < longestHead && head < a.length && head < b.length && a.charCodeAt(head) === b.charCodeAt(head)) head++
  return base + head * headWeight * (1 - base)
}
