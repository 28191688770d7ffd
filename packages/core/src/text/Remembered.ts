/** Texts of records come again and again: what was read out of the last ones is kept. */

/** Longer ones are as good as never the same. */
const longest = 256
/** As many as were read last are known for certain: more than a run looks at before it comes back to the same ones. */
const most = 8_192

/** The same function; `read` follows from the text alone. */
export const remembered = <A>(read: (text: string) => A): ((text: string) => A) => {
  // Those of before go all at once, and only when as many others were read: who reads the same ones again finds them.
  let before = new Map<string, A>()
  let known = new Map<string, A>()
  return (text) => {
    let found = known.get(text)
    if (found !== undefined) return found
    found = before.get(text) ?? read(text)
    if (text.length > longest) return found
    if (known.size >= most) {
      before = known
      known = new Map()
    }
    known.set(text, found)
    return found
  }
}
