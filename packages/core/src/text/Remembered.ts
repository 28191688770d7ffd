/** Texts of records come again and again: what was read out of the last ones is kept. */

/** Longer ones are as good as never the same. */
const longest = 256
const most = 8_192

/** The same function; `read` follows from the text alone. */
export const remembered = <A>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    const made = read(text)
    if (text.length > longest) return made
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}
