/** Tables for people: aligned columns for lists, a line per field for one record. */
import { displayWidth } from "effect/cli/CliOutput"
import { cellOf } from "./Cell.ts"
import { clean } from "./Clean.ts"
import { isArray, isNumber, isObject, type Json, type JsonObject } from "./ExactJson.ts"
import { flatten, valueOf } from "./Fields.ts"

export interface TableStyle {
  /** Characters of a line; `undefined`: as many as it takes. */
  readonly width: number | undefined
  readonly colors: boolean
}

const gap = "  "
/** Columns are not narrowed below this. */
const leastWidth = 16

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
  /** Half an id, a time or an amount is worth nothing, so only other text is shortened. */
  readonly whole: boolean
  width: number
}

const fullTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/

/** Times as people read them; the other formats have every digit. */
const timeOf = (cell: string): string => cell.replace(fullTime, "$1 $2Z")

/** The last part of each name, where no other name ends alike. */
const briefly = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const last = names.map((name) => name.slice(name.lastIndexOf(".") + 1))
  return last.map((part, index) => (last.indexOf(part) === last.lastIndexOf(part) ? part : names[index]!))
}

const isId = (name: string): boolean => /(?:^|[.a-z])id$/i.test(name)

const columnOf = (records: ReadonlyArray<JsonObject>, name: string, heading: string): Column => {
  const values = records.map((record): Json | undefined => valueOf(record, name))
  const known = values.filter((value) => value !== undefined && value !== null)
  const cells = values.map((value) => timeOf(cellOf(value)))
  const right = known.length > 0 && known.every(isNumber)
  const isTime = known.length > 0 && known.every((value) => typeof value === "string" && fullTime.test(value))
  const width = cells.reduce((widest, cell) => Math.max(widest, displayWidth(cell)), displayWidth(heading))
  return { heading, cells, right, whole: right || isTime || isId(name), width }
}

const sizeOf = (columns: ReadonlyArray<Column>, width: (column: Column) => number): number =>
  columns.reduce((sum, column) => sum + width(column), gap.length * (columns.length - 1))

/** Those from the front that a line has room for, however narrow they get. */
const roomFor = (columns: ReadonlyArray<Column>, width: number | undefined): ReadonlyArray<Column> => {
  if (width === undefined) return columns
  const narrow = (column: Column): number => (column.whole ? column.width : Math.min(column.width, leastWidth))
  let count = columns.length
  while (count > 1 && sizeOf(columns.slice(0, count), narrow) > width) count -= 1
  return columns.slice(0, count)
}

/** Narrows the widest column step by step until a line fits, as far as that goes. */
const fit = (columns: ReadonlyArray<Column>, width: number | undefined): void => {
  if (width === undefined) return
  for (let over = sizeOf(columns, (column) => column.width) - width; over > 0; over--) {
    const widest = columns
      .filter((column) => !column.whole && column.width > leastWidth)
      .reduce<Column | undefined>(
        (most, column) => (most === undefined || column.width > most.width ? column : most),
        undefined
      )
    if (widest === undefined) return
    widest.width -= 1
  }
}

const write = (columns: ReadonlyArray<Column>, count: number, style: TableStyle): string => {
  fit(columns, style.width)
  const line = (cellIn: (column: Column) => string): string =>
    columns
      .map((column) => pad(shorten(cellIn(column), column.width), column.width, column.right))
      .join(gap)
      .trimEnd()
  const lines = Array.from({ length: count }, (_, row) => line(({ cells }) => cells[row]!))
  return [
    bold(
      line(({ heading }) => heading),
      style
    ),
    ...lines
  ]
    .map((text) => `${text}\n`)
    .join("")
}

/** A heading and a line per record, with all these fields under their full names. */
export const list = (records: ReadonlyArray<JsonObject>, names: ReadonlyArray<string>, style: TableStyle): string =>
  write(
    names.map((name) => columnOf(records, name, clean(name))),
    records.length,
    style
  )

/** As many of these fields as a line has room for under short names, and the number of those left out. */
export const overview = (
  records: ReadonlyArray<JsonObject>,
  names: ReadonlyArray<string>,
  style: TableStyle
): { readonly text: string; readonly leftOut: number } => {
  const headings = briefly(names).map(clean)
  const all = names.map((name, index) => columnOf(records, name, headings[index]!))
  const columns = roomFor(all, style.width)
  return { text: write(columns, records.length, style), leftOut: all.length - columns.length }
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

/** A list of objects as a line for each, everything else as one line. */
const linesOf = (value: Json | undefined): ReadonlyArray<string> =>
  isArray(value) && value.length > 0 && value.every(isObject)
    ? value.map((item) =>
        flatten(item)
          .map(([name, inner]) => `${clean(name)}: ${cellOf(inner)}`)
          .join(", ")
      )
    : [cellOf(value)]

/** `name  value`, a line per field. Fields without a value are left out. */
export const record = (value: JsonObject, names: ReadonlyArray<string> | undefined, style: TableStyle): string => {
  const fields = (names === undefined ? flatten(value) : names.map((name) => [name, valueOf(value, name)] as const))
    .map(([name, field]) => [clean(name), linesOf(field)] as const)
    .filter(([, lines]) => names !== undefined || lines.join("") !== "")
  const width = fields.reduce((widest, [name]) => Math.max(widest, displayWidth(name)), 0)
  const room = style.width === undefined ? Infinity : Math.max(leastWidth, style.width - width - gap.length)
  return fields
    .map(([name, lines]) => {
      const [first = "", ...rest] = lines.flatMap((text) => wrap(text, room))
      return [
        `${bold(pad(name, width, false), style)}${gap}${first}`.trimEnd(),
        ...rest.map((line) => " ".repeat(width + gap.length) + line)
      ]
        .map((line) => `${line}\n`)
        .join("")
    })
    .join("")
}
