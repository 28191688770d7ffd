/**
 * Lines on standard output, those of one turn of the process in one write: each write is a call into the system, and
 * wakes the readers. A process that ends by itself has written all of them.
 */

const { stdout } = process

/** Characters that are kept at most before they are written. */
const most = 65_536

let lines = ""
let waits = false

const flush = (): void => {
  waits = false
  const text = lines
  lines = ""
  if (text !== "") stdout.write(text)
}

process.once("exit", flush)

/** Writes the line soon. */
export const writeSoon = (line: string): void => {
  lines += `${line}\n`
  if (lines.length >= most) flush()
  else if (!waits) {
    waits = true
    setImmediate(flush)
  }
}
