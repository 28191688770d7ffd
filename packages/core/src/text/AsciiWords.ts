/** Words of texts in which nothing is to be composed, without the expressions that other alphabets need. */

const apostrophe = 0x27

/**
 * The words of a text of ASCII alone, of letters, digits and `&`; `undefined` for any other. `withApostrophes`: these are part
 * of a word as well.
 */
export const asciiWords = (text: string, withApostrophes = false): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  let from = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) return undefined
    const isPart =
      (code >= 97 && code <= 122) ||
      (code >= 48 && code <= 57) ||
      (code >= 65 && code <= 90) ||
      code === 38 ||
      (withApostrophes && code === apostrophe)
    if (isPart) {
      if (from < 0) from = at
    } else if (from >= 0) {
      words.push(text.slice(from, at))
      from = -1
    }
  }
  if (from >= 0) words.push(text.slice(from))
  return words
}
