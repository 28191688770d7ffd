/**
 * Refuses turns of phrase that readers stumble over, in comments, messages and documents.
 *
 * `node scripts/words.ts` checks the sources of the packages and the documents, prints a line for each turn that it finds, with what
 * to say instead, and ends with 1 if it found one.
 */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** A turn of phrase, and what to say instead. */
export interface Turn {
  /** Words with one blank between them; they may also stand on two lines of a comment. */
  readonly turn: string
  readonly say: string
}

/** Add one when no source uses it any more. */
export const turns: ReadonlyArray<Turn> = [
  { turn: "is told", say: 'say who learns it, or "is reported"' },
  { turn: "are told", say: 'say who learns it, or "are reported"' },
  { turn: "told apart", say: '"distinguished"' },
  { turn: "tells apart", say: '"distinguishes"' },
  { turn: "tell apart", say: '"distinguish"' },
  { turn: "whoever", say: 'name who: the caller, the reader, the operator; or "anyone who"' },
  { turn: "anew", say: '"again"; of a bank: "reconnect"' },
  { turn: "of which it", say: '"whose", "with", or "about which"' },
  { turn: "of which the", say: '"whose", "with", or "about which"' },
  { turn: "of which nothing", say: '"whose", "with", or "about which"' },
  { turn: "of which something", say: '"whose", "with", or "about which"' },
  { turn: "of which anything", say: '"whose", "with", or "about which"' },
  { turn: "of which nobody", say: '"whose", "with", or "about which"' },
  { turn: "of which no", say: '"whose", "with", or "about which"' },
  { turn: "of which there", say: '"whose", "with", or "about which"' },
  { turn: "comes to", say: '"equals", "reaches" or the noun' },
  { turn: "stands beside", say: '"is next to"; of a record: its annotations' },
  { turn: "stand beside", say: '"are next to"; of a record: its annotations' },
  { turn: "stood beside", say: '"was next to"' },
  { turn: "stands round", say: '"wraps"' },
  { turn: "says nothing of", say: '"says nothing about"' },
  { turn: "say nothing of", say: '"say nothing about"' },
  { turn: "let go of", say: '"released"' },
  { turn: "lets go of", say: '"releases"' },
  { turn: "patiently", say: '"with retries"' },
  { turn: "that which", say: "the noun" },
  { turn: "what is told of", say: '"what is reported about"' },
  { turn: "nobody's business", say: '"private" or "internal"' },
  { turn: "turned round", say: 'of the sign of amounts: "flipped"' },
  { turn: "whose word", say: '"whose value"' },
  { turn: "by itself says", say: '"alone says"' },
  { turn: "is at home", say: '"belongs"' },
  { turn: "of one's own", say: '"own" before the noun' },
  { turn: "becomes of", say: '"happens to"' },
  { turn: "is there already", say: '"exists already"' },
  { turn: "may as well", say: '"could also"' },
  { turn: "of no use", say: '"useless"' },
  { turn: "goes by", say: '"uses" or "opens"' },
  { turn: "once more", say: '"again"' },
  { turn: "for good", say: '"permanently"' },
  { turn: "speaks for", say: '"supports"' },
  { turn: "speak for", say: '"support"' },
  { turn: "brings along", say: '"ships with"' },
  { turn: "unless said otherwise", say: '"unless set otherwise"' },
  { turn: "thereby", say: "leave it out" },
  { turn: "albeit", say: '"although"' },
  { turn: "whomever", say: "name who" }
]

export interface File {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** Between two words: a blank, or the end of a line and what begins the next line of a comment or a quote. */
const gap = String.raw`(?: |[ \t]*\n[ \t]*(?:\*|//|>)?[ \t]*)`

const patterns = turns.map(({ say, turn }) => ({
  pattern: new RegExp(String.raw`(?<![\w-])${turn.split(" ").join(gap)}(?![\w-])`, "gi"),
  say,
  turn
}))

/** The turns in a file, a line for each. */
export const wordsIn = ({ path, text }: File): ReadonlyArray<string> =>
  patterns
    .flatMap(({ pattern, say, turn }) =>
      [...text.matchAll(pattern)].map(({ index }) => ({ line: text.slice(0, index).split("\n").length, say, turn }))
    )
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, say, turn }) => `${path}:${line}: "${turn}": ${say}`)

/** Generated from the sources. */
const generated = "docs/reference/"

/** What is checked. */
export const filesOf = (root: string): ReadonlyArray<File> =>
  globSync(["packages/*/src/**/*.{ts,sql}", "docs/**/*.md", "{README,CONTRIBUTING,SECURITY,AGENTS}.md"], { cwd: root })
    .filter((path) => !path.startsWith(generated))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

if (import.meta.main) {
  const faults = filesOf(fileURLToPath(new URL("..", import.meta.url))).flatMap(wordsIn)
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
