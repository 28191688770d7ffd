/** Reading what a server wrote, with nothing of what wrote it: exact sums and comma-separated text. */

/** Digits behind the point that sums are kept with; no amount here has more. */
const digits = 12

const unitsOf = (text: string): bigint => {
  const match = /^(-?)(\d+)(?:\.(\d{1,12}))?$/.exec(text)
  if (match === null) throw new RangeError(`not a plain decimal: ${text}`)
  const [, minus, whole, fraction = ""] = match
  const units = BigInt(`${whole}${fraction.padEnd(digits, "0")}`)
  return minus === "-" ? -units : units
}

/** The exact sum, as canonical text. */
export const sumOf = (texts: Iterable<string>): string => {
  let units = 0n
  for (const text of texts) units += unitsOf(text)
  const all = String(units < 0n ? -units : units).padStart(digits + 1, "0")
  const fraction = all.slice(-digits).replace(/0+$/, "")
  return `${units < 0n ? "-" : ""}${all.slice(0, -digits)}${fraction === "" ? "" : `.${fraction}`}`
}

/** Rows and cells, as RFC 4180 has them; a last line without its end, or an open quote, is refused. */
export const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y
  let row: Array<string> = []
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex
    const match = cell.exec(text)
    if (match === null || match[3] === "") throw new RangeError(`not a whole line at ${at}: ${text.slice(at, at + 80)}`)
    row.push(match[1] === undefined ? (match[2] ?? "") : match[1].replaceAll('""', '"'))
    if (match[3] === ",") continue
    rows.push(row)
    row = []
  }
  return rows
}

/** Records by the names of the first line. */
export const recordsOf = (text: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  const [header = [], ...rows] = cellsOf(text)
  return rows.map((row) => {
    if (row.length !== header.length) throw new RangeError(`${row.length} cells under ${header.length} names`)
    return Object.fromEntries(row.map((value, at) => [header[at] ?? "", value]))
  })
}

/** Every number of that name in JSON text, with the digits it was sent with. */
export const numbersIn = (json: string, name: string): ReadonlyArray<string> =>
  [...json.matchAll(new RegExp(`"${name}":(-?[0-9.]+)[,}]`, "g"))].map((match) => match[1] ?? "")
