/** MT940 and MT942 messages: in SWIFT blocks or plain, several in one file, in the dialects of banks. */
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import type { TakeRow } from "./AccountStatements.ts"
import { fileEncoding, LineSource } from "./LineSource.ts"
import { Mt940Statement } from "./Mt940Statement.ts"
import { ReaderNotes } from "./ReaderNotes.ts"

/** Only these begin a field: a time such as `:26:37` at the beginning of a line is text. */
const tag = /^:(20|21|25P?|28C?|34F|13D?|60[FM]?|61|86|62[FM]?|64|65|90[DC]|NS|940|942):(.*)$/s

/** Lines of one field; a bank writes up to six. */
const maxLines = 100

// Control characters that some banks put around a message.
const isControl = (code: number): boolean => code < 32 && code !== 9

const withoutControls = (line: string): string => {
  let from = 0
  let to = line.length
  while (from < to && isControl(line.charCodeAt(from))) from++
  while (to > from && isControl(line.charCodeAt(to - 1))) to--
  return to - from === line.length ? line : line.slice(from, to)
}

/** Headers of SWIFT blocks in front of a line: `{1:F01...}{2:O940...}{4:`. */
const blocks = /^(?:\{[1-5S]:(?:[^{}]|\{[^{}]*\})*\}?)+/

/** Tells the statement of every field; gives the first fault. */
const takeLines = (source: LineSource, statement: Mt940Statement, notes: ReaderNotes): StatementFault | undefined => {
  let field: { readonly tag: string; readonly lines: Array<string>; readonly line: number } | undefined
  const close = (): void => {
    if (field !== undefined) statement.take(field)
    field = undefined
  }
  for (let raw = source.next(); raw !== undefined; raw = source.next()) {
    if (raw.includes("\u0000")) {
      return new StatementFault({
        message: "the file holds binary data: get it from the bank again",
        line: source.line
      })
    }
    let line = withoutControls(raw)
    if (line.startsWith("{")) {
      close()
      statement.endMessage()
      line = line.length > 1_000 ? "" : line.replace(blocks, "")
      if (line === "") continue
    }
    const found = line.charCodeAt(0) === 58 ? tag.exec(line) : null
    if (found !== null) {
      close()
      field = { tag: found[1]!, lines: [found[2]!], line: source.line }
    } else if (line === "-" || line.startsWith("-}")) {
      close()
      statement.endMessage()
    } else if (field !== undefined && field.lines.length < maxLines) field.lines.push(line)
    if (notes.fault !== undefined) return notes.fault
  }
  if (source.isTooLong) {
    return new StatementFault({ message: "the line is longer than any of MT940 can be", line: source.line })
  }
  close()
  statement.endMessage()
  if (notes.fault !== undefined) return notes.fault
  const isStatement = statement.drafts.some(({ count, number, refused }) => number !== "" || count + refused > 0)
  if (!isStatement) {
    const message =
      "the file holds no statement: one begins with :20: and :25:, the account, and has its movements in :61:"
    return new StatementFault({ message, line: 1, element: ":25:" })
  }
  return undefined
}

/**
 * Hands on the rows of a file that comes in parts, in the encoding that the options name, else in UTF-8, as they are read:
 * nothing is kept of them, so the memory that is needed does not grow with the file, and their number has no limit. Returns
 * what `readMt940` would say of the whole beside its rows.
 */
export const scanMt940 = (
  parts: Iterable<Uint8Array>,
  options: StatementOptions,
  take?: TakeRow
): StatementFault | { readonly statement: Mt940Statement; readonly notes: ReaderNotes } => {
  const notes = new ReaderNotes()
  const statement = new Mt940Statement(notes, options.baseCurrency, take)
  const source = new LineSource(parts, options.csv?.encoding ?? "utf-8")
  try {
    return takeLines(source, statement, notes) ?? { statement, notes }
  } finally {
    source.close()
  }
}

/** Reads a whole file, or says what is wrong first and on which line. */
export const readMt940 = (bytes: Uint8Array, options: StatementOptions): Result.Result<Statement, StatementFault> => {
  const { encoding, guessed } = fileEncoding(bytes, options.csv?.encoding)
  const scanned = scanMt940([bytes], { ...options, csv: { ...options.csv, encoding } })
  if (scanned instanceof StatementFault) return Result.fail(scanned)
  const { notes, statement } = scanned
  if (guessed) {
    notes.assumed["encoding"] = encoding
    notes.say(`encoding guessed: ${encoding}, set sourceConfig.csv.encoding to override`)
  }
  for (const { count, line, number } of statement.drafts) {
    if (number === "" && count > 0) notes.warn(line, "the statement does not say whose account it is (:25:)")
  }
  const accounts = statement.accounts()
  if (accounts instanceof StatementFault) return Result.fail(accounts)
  return Result.succeed({
    format: "mt940",
    accounts,
    ...(notes.refused.length === 0 ? {} : { refused: notes.refused }),
    assumed: notes.assumed,
    warnings: notes.warnings()
  })
}
