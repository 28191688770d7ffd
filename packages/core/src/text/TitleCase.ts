/** Upper, lower and title case by the default mappings of Unicode (enrichments E5). */

export type CaseMode = "upper" | "lower" | "title"

/** Runs of letters, marks and digits with single apostrophes inside. */
const words = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*/gu

/** Digraphs that have a title-case form of their own: DŽ, LJ, NJ, DZ. */
const digraphs: ReadonlyMap<string, string> = new Map(
  [
    [0x1c4, 0x1c5, 0x1c6],
    [0x1c7, 0x1c8, 0x1c9],
    [0x1ca, 0x1cb, 0x1cc],
    [0x1f1, 0x1f2, 0x1f3]
  ].flatMap((forms) => forms.map((form) => [String.fromCodePoint(form), String.fromCodePoint(forms[1]!)] as const))
)

const capital = (point: string): string => {
  const digraph = digraphs.get(point)
  if (digraph !== undefined) return digraph
  const upper = [...point.toUpperCase()]
  // Letters such as ß become several: only the first of them stays a capital.
  return upper[0]! + upper.slice(1).join("").toLowerCase()
}

const titleWord = (word: string): string => {
  const lower = [...word.toLowerCase()]
  const first = lower[0]!
  // O'NEILL, but not JOE'S: the apostrophe stands behind a single letter.
  const second =
    lower.length > 2 && (lower[1] === "'" || lower[1] === "’") && /^\p{L}$/u.test(first) ? lower[2]! : undefined
  return second === undefined
    ? capital(first) + lower.slice(1).join("")
    : capital(first) + lower[1]! + capital(second) + lower.slice(3).join("")
}

export const titleCase = (text: string): string => text.replace(words, titleWord)

export const changeCase = (mode: CaseMode, text: string): string =>
  mode === "upper" ? text.toUpperCase() : mode === "lower" ? text.toLowerCase() : titleCase(text)
