/** A reader of RFC 4180 that shares nothing with the writer: it goes by the grammar and refuses all else. */
export const parse = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const records: Array<Array<string>> = []
  let at = 0
  while (at < text.length) {
    const record: Array<string> = []
    for (;;) {
      let cell = ""
      if (text[at] === '"') {
        at++
        for (;;) {
          if (at >= text.length) throw new RangeError("the text ends inside a quoted cell")
          if (text[at] === '"' && text[at + 1] === '"') {
            cell += '"'
            at += 2
          } else if (text[at] === '"') break
          else cell += text[at++]!
        }
        at++
      } else {
        while (at < text.length && !',\r\n"'.includes(text[at]!)) cell += text[at++]!
      }
      record.push(cell)
      if (text[at] !== ",") break
      at++
    }
    if (text[at] !== "\r" || text[at + 1] !== "\n") throw new RangeError(`no line end after a cell, at ${at}`)
    at += 2
    records.push(record)
  }
  return records
}
