/** Text that is broken between words to a width, as a terminal shows it. */
import { stripVTControlCharacters } from "node:util"

const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length

/**
 * The lines of a text, each at most `width` characters wide where a blank allows it. A word that is wider, such as an
 * address, stays whole on a line of its own. Colours count nothing and go on over a break.
 */
export const wrapped = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line: string | undefined
  for (const word of text.split(" ")) {
    if (line === undefined) line = word
    else if (widthOf(line) + 1 + widthOf(word) <= width) line += ` ${word}`
    else {
      lines.push(line)
      line = word
    }
  }
  return [...lines, line ?? ""]
}
