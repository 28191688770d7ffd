/** Tables for people: aligned columns for lists, a line per field for one record. */
import { displayWidth } from "effect/cli/CliOutput"
import { cellOf } from "./Cell.ts"
import { clean } from "./Clean.ts"
import { isNumber, type Json, type JsonObject } from "./ExactJson.ts"
import { flatten, valueOf } from "./Fields.ts"

export interface TableStyle {
  /** Characters of a line; `undefined`: as many as it takes. */
  readonly width: number | undefined
  readonly colors: boolean
}

const gap = "  "
/** Columns are not narrowed below this. */
const leastWidth = 10

const segmenter = new Intl.Segmenter()

const bold = (text: string, { colors }: TableStyle): string => (colors ? `\u001b[1m${text}\u001b[0m` : text)

const pad = (text: string, width: number, right: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

/** The beginning of a text that fits, with a mark where some is left out. */
const shorten = (text: string, width: number): string => {
  if (displayWidth(text) <= width) return text
  let kept = ""
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const size = displayWidth(segment)
    if (used + size > width - 1) break
    kept += segment
    used += size
  }
  return `${kept}…`
}

interface Column {
  readonly heading: string
  readonly cells: ReadonlyArray<string>
  readonly right: boolean
  /** Half an id or half an amount is worth nothing, so only other text is shortened. */
  readonly whole: boolean
  width: number
}

const fullTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/

/** Times as people read them; the other formats have every digit. */
const timeOf = (cell: string): string => cell.replace(fullTime, "$1 $2Z")

/** The last part of each name, where no other name ends alike. */
export const briefly = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = names.map((name) => name.slice(name.lastIndexOf(".") + 1))
  return last.map((part, index) => (last.indexOf(part) === last.lastIndexOf(part) ? part : names[index]!))
}

const isId = (name: string): boolean => /(?:^|[.a-z])id$/i.test(name)

const columnOf = (records: ReadonlyArray<JsonObject>, name: string, heading: string): Column => {
  const values = records.map((record): Json | undefined => valueOf(record, name))
  const known = values.filter((value) => value !== undefined && value !== null)
  const cells = values.map((value) => timeOf(cellOf(value)))
  const right = known.length > 0 && known.every(isNumber)
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(heading))
  return { heading, cells, right, whole: right || isId(name), width }
}

/** Narrows the widest column step by step until a line fits, as far as that goes. */
const fit = (columns: ReadonlyArray<Column>, width: number | undefined): void => {
  if (width === undefined) return
  let over = columns.reduce((sum, column) => sum + column.width, gap.length * (columns.length - 1)) - width
  while (over > 0) {
    const widest = columns
      .filter((column) => !column.whole && column.width > leastWidth)
      .reduce<Column | undefined>(
        (most, column) => (most === undefined || column.width > most.width ? column : most),
        undefined
      )
    if (widest === undefined) return
    widest.width -= 1
    over -= 1
  }
}

/** A heading and a line per record. */
export const list = (
  records: ReadonlyArray<JsonObject>,
  names: ReadonlyArray<string>,
  style: TableStyle,
  headingsOf: (names: ReadonlyArray<string>) => ReadonlyArray<string> = (given) => given
): string => {
  const headings = headingsOf(names).map(clean)
  const columns = names.map((name, index) => columnOf(records, name, headings[index]!))
  fit(columns, style.width)
  const line = (cells: ReadonlyArray<string>): string =>
    cells
      .map((cell, index) => {
        const { right, width } = columns[index]!
        return pad(shorten(cell, width), width, right)
      })
      .join(gap)
      .trimEnd()
  const heading = bold(line(headings), style)
  return [heading, ...records.map((_, row) => line(columns.map(({ cells }) => cells[row]!)))].join("\n") + "\n"
}

/** Breaks at spaces, so that long lists of words stay readable. */
const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return [...lines, line]
}

/** `name  value`, a line per field. Fields without a value are left out. */
export const record = (value: JsonObject, names: ReadonlyArray<string> | undefined, style: TableStyle): string => {
  const fields = (names === undefined ? flatten(value) : names.map((name) => [name, valueOf(value, name)] as const))
    .map(([name, field]) => [cellOf(name), cellOf(field)] as const)
    .filter(([, text]) => names !== undefined || text !== "")
  const width = fields.reduce((widest, [name]) => Math.max(widest, displayWidth(name)), 0)
  const room = style.width === undefined ? Infinity : Math.max(leastWidth, style.width - width - gap.length)
  return fields
    .map(([name, text]) => {
      const [first = "", ...rest] = wrap(text, room)
      return [
        `${bold(pad(name, width, false), style)}${gap}${first}`.trimEnd(),
        ...rest.map((line) => " ".repeat(width + gap.length) + line)
      ]
        .map((line) => `${line}\n`)
        .join("")
    })
    .join("")
}
