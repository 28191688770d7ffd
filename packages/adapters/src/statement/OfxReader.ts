/** OFX and QFX files, 1.x (SGML) and 2.x (XML), of bank, card and brokerage accounts. */
import { Buffer, isUtf8 } from "node:buffer"
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { guessEncoding } from "./EncodingGuess.ts"
import type { TakeOfxRow } from "./OfxAccount.ts"
import { OfxSeenEnds } from "./OfxEndTags.ts"
import { OfxNotes } from "./OfxNotes.ts"
import { outlineOf } from "./OfxOutline.ts"
import { OfxScanner } from "./OfxScanner.ts"
import { OfxStatement } from "./OfxStatement.ts"
import { OfxWindows } from "./OfxWindows.ts"
import { decodeText, encodingLabel, headText, markedEncoding } from "./TextDecoding.ts"
import { TextLines } from "./TextLines.ts"
import { TextPieces } from "./TextPieces.ts"

const headLength = 4_096

/** The charset that the header of the file names, as written. */
const declaredCharset = (head: string): string | undefined => {
  const xml = /<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]{1,40})["']/i.exec(head)
  if (xml !== null) return xml[1]
  const encoding = /(?:^|[\s])ENCODING\s*:\s*([\w-]{1,40})/i.exec(head)?.[1]
  if (encoding !== undefined && /^(?:utf-?8|unicode)$/i.test(encoding)) return "utf-8"
  const charset = /(?:^|[\s])CHARSET\s*:\s*([\w-]{1,40})/i.exec(head)?.[1]
  return charset === undefined || /^none$/i.test(charset) ? encoding : charset
}

/** Without what some programs fill the last block of a file with: NUL, blanks, and the end mark of old systems. */
const withoutPadding = (text: string): string => {
  let end = text.length
  while (end > 0 && text.charCodeAt(end - 1) <= 32) end--
  return end === text.length ? text : text.slice(0, end)
}

/** The label of the Encoding standard that the head of a file declares. */
const declaredLabel = (bytes: Uint8Array): string | undefined => {
  const declared = declaredCharset(headText(bytes, headLength))
  return declared === undefined ? undefined : encodingLabel(declared)
}

const guessed = (encoding: string): string => `encoding guessed: ${encoding}, set sourceConfig.csv.encoding to override`

export interface ScannedOfx {
  readonly statement: OfxStatement
  readonly notes: OfxNotes
}

/**
 * Hands on the rows of a file that comes in parts, as they are read: nothing is kept of them, so the memory that is needed
 * does not grow with the file, and their number has no limit. Whether the file is UTF-8, where it ends and which unknown
 * elements end somewhere is known by all of it, so the parts are asked for twice, and again where it is no UTF-8. A row has
 * no currency where its statement names it later or not at all, and names of securities follow at the end. Returns what
 * `readOfx` would say of the whole beside its rows. `least`: characters that are read together.
 */
export const scanOfx = (
  parts: () => Iterable<Uint8Array>,
  options: StatementOptions,
  take?: TakeOfxRow,
  least?: number
): StatementFault | ScannedOfx => {
  const outline = outlineOf(parts, { given: options.csv?.encoding, declared: declaredLabel }, least)
  if (outline instanceof StatementFault) return outline
  const pieces = new TextPieces(parts(), outline.encoding, least)
  try {
    const windows = new OfxWindows(pieces, outline.length, least)
    const lines = windows.first(outline.terminator)
    const notes = new OfxNotes(lines)
    const statement = new OfxStatement(notes, options.baseCurrency, take)
    const fault = new OfxScanner(lines, statement, new OfxSeenEnds(outline.endTags), windows).scan()
    if (fault !== undefined) return fault
    if (outline.isAssumed) notes.assumed["encoding"] = outline.encoding
    if (outline.isGuessed) notes.say(guessed(outline.encoding))
    return { statement, notes }
  } finally {
    pieces.close()
  }
}

/** A file that is held as a whole, in one pass: what `scanOfx` says of its parts, with the rows. */
export const scanWholeOfx = (bytes: Uint8Array, options: StatementOptions): StatementFault | ScannedOfx => {
  const given = options.csv?.encoding
  const label = given ?? declaredLabel(bytes)
  const isGuessed = (label === undefined || label === "utf-8") && markedEncoding(bytes) === undefined && !isUtf8(bytes)
  const decoded = isGuessed
    ? decodeText(bytes, guessEncoding(bytes), true)
    : decodeText(bytes, label, given !== undefined)
  const text = withoutPadding(decoded.text)
  // What was cut off stands in the codes still, but for what ends them.
  if (decoded.codes !== undefined) decoded.codes[text.length] = 10
  const lines = new TextLines(text, decoded.codes)
  // Bytes are looked through faster than characters.
  const mayBeBinary = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(0)
  const binary = mayBeBinary ? text.indexOf("\u0000") : -1
  if (binary >= 0) {
    const place = { line: lines.at(binary), column: lines.column(binary) }
    return new StatementFault({ message: "the file holds binary data: get it from the bank again", ...place })
  }
  const notes = new OfxNotes(lines)
  const statement = new OfxStatement(notes, options.baseCurrency)
  const fault = new OfxScanner(lines, statement).scan()
  if (fault !== undefined) return fault
  if (decoded.encoding !== (label ?? "utf-8")) notes.assumed["encoding"] = decoded.encoding
  if (isGuessed) notes.say(guessed(decoded.encoding))
  return { statement, notes }
}

/** Reads a whole OFX file, or says what is wrong first and on which line. */
export const readOfx = (bytes: Uint8Array, options: StatementOptions): Result.Result<Statement, StatementFault> => {
  const scanned = scanWholeOfx(bytes, options)
  if (scanned instanceof StatementFault) return Result.fail(scanned)
  const { notes, statement } = scanned
  const accounts = statement.accounts()
  if (accounts instanceof StatementFault) return Result.fail(accounts)
  return Result.succeed({
    format: "ofx",
    accounts,
    ...(notes.refused.length === 0 ? {} : { refused: notes.refused }),
    assumed: notes.assumed,
    warnings: notes.warnings()
  })
}
