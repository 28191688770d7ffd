/** Patterns made to be slow, by family, and texts made to make them slow. */
import type { Seeded } from "@millrace/testing/model"

const letters = ["a", "b", "x", "1", "é", "日", "😀"]
const atoms = [
  "a",
  "[ab]",
  ".",
  "\\w",
  "\\d",
  "\\pL",
  "[^b]",
  "(?i:k)",
  "(?i:ǆ)",
  "[a-z0-9_]",
  "(?i)[à-ÿ]",
  "\\P{Greek}"
]
const ends = ["", "!", "$", "z", "\\b", "\\z", "(?:!|$)"]
const starts = ["", "^", "\\b", "(?m)^", "(?i)", "(?s)", "(?U)", "x*"]
const loops = ["*", "+", "*?", "{0,3}", "{2,}", "{1,20}"]
const counts = [2, 5, 9, 16, 25, 40, 60, 90, 130, 200, 400, 1_000]

type Family = (random: Seeded) => string

const times = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("")

/** Every one of them takes exponential or quadratic time on some engine, or explodes some automaton. */
export const families: Readonly<Record<string, Family>> = {
  "repetition of a repetition": (random) =>
    `(${random.list(1, 4, () => random.pick(atoms) + random.pick(loops)).join("")})${random.pick(loops)}`,
  "repetition of an overlapping choice": (random) =>
    `(?:${random.list(2, 12, () => random.list(1, 3, () => random.pick(atoms)).join("")).join("|")})${random.pick(loops)}`,
  "repetition of something empty": (random) =>
    `(${random.pick(["", "|", "()", "\\b", "x?", "(?:a*)*"])}|${random.pick(atoms)}*)${random.pick(["*", "+", "{1,30}"])}`,
  "optional parts before the same parts": (random) => {
    const [atom, count] = [random.pick(atoms), random.pick(counts)]
    return `(?:${atom}?){${count}}${atom}{${count}}`
  },
  "many gaps": (random) => {
    const gap = random.pick([".*", ".*?", ".+", "[^,]*", "\\w*", "\\s*.*", "(.*)", "(?:.|\\n)*"])
    return times(random.pick(counts) % 90, () => gap + (random.once(3) ? random.pick(letters) : ""))
  },
  "a choice far from the end": (random) => `(?:a|b)*a(?:a|b){${random.pick(counts)}}`,
  "two choices far from the end": (random) =>
    `[ab]*a.{${random.pick(counts) % 100}}[ab]*b.{${random.pick(counts) % 100}}`,
  "counts in counts": (random) =>
    `((?:${random.pick(atoms)}{1,${random.pick(counts)}}){1,${random.pick(counts)}}){0,${random.pick([1, 3, 10, 40])}}`,
  "many alternatives": (random) =>
    `${random.pick(["", ".*", "x*"])}(?:${random.list(10, 80, () => random.list(2, 6, () => random.pick(letters)).join("")).join("|")})*`,
  "many groups": (random) =>
    times(random.pick(counts) % 120, () => random.pick(["()", "(a*)", "(.)?", "(a|b)*", "(?:(x))*"])),
  "large classes": (random) =>
    times(
      2 + random.below(60),
      () => random.pick(["\\pL", "\\P{Lu}", "[\\pN\\pL]", "(?i)[À-ʯ]", "[^\\p{Han}]", "[\\W\\pP]"]) + random.pick(loops)
    ),
  "large classes by count": (random) =>
    `(?:${random.pick(["\\pL", "(?i)[À-ʯ]", "(?i)\\p{Greek}", "[^\\pM]"])}|${random.pick(atoms)}){1,${random.pick(counts)}}`,
  "case of one letter": (random) =>
    `(?i)(?:${random.pick(["k", "ſ", "ǆ", "σ", "ΐ", "ᾳ", "İ"])}${random.pick(["", "?", "*", "+"])}){1,${random.pick(counts)}}`,
  lines: (random) => `(?m)(?:^.*$\\n?)${random.pick(loops)}(?:^${random.pick(atoms)}+$\\n)*`,
  boundaries: (random) => `(?:\\b${random.pick(atoms)}*\\b|\\B.)${random.pick(loops)}`,
  "what RE2 has not": (random) =>
    random.pick([
      "(?=a+)+",
      "(?!x)",
      "(?<=a*)b",
      "(?<!a)b",
      "(a+)\\1+",
      "(?P=n)",
      "(?>a+)+",
      "(?R)",
      "\\k<n>",
      "(?(1)a)",
      "a*+",
      "\\Ga"
    ]),
  random: (random) => {
    const part = (depth: number): string =>
      random
        .list(1, 4, () =>
          depth > 0 && random.once(2)
            ? `${random.pick(["(", "(?:"])}${random.list(1, 3, () => part(depth - 1)).join("|")})${random.pick(["", ...loops])}`
            : random.pick(atoms) + random.pick(["", ...loops])
        )
        .join("")
    return part(3)
  }
}

/** A pattern of the family, at times with something in front or behind that keeps it from matching early. */
export const hostile = (family: Family, random: Seeded): string =>
  `${random.pick(starts)}${family(random)}${random.pick(ends)}`

/** Long runs of what a pattern may be made of, with something in the way. */
export const adversaries = (size: number, random: Seeded): ReadonlyArray<string> => [
  ...["a", "ab", "x", "aab1 ", "éſK", "日", "ǆσ"].map(
    (unit) => `${unit.repeat(Math.ceil(size / unit.length)).slice(0, size - 1)}~`
  ),
  Array.from({ length: size }, () => random.pick(["a", "b"])).join(""),
  Array.from({ length: size }, () => random.pick(["a", "b", "x", "1", " ", "\n", "k", "é", "Ω"])).join("")
]
