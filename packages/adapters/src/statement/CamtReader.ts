/** CAMT.052, CAMT.053 and CAMT.054 messages (ISO 20022), in every version, with and without a namespace. */
import { Buffer } from "node:buffer"
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import type { TakeRow } from "./AccountStatements.ts"
import { camtPaths } from "./CamtPaths.ts"
import { CamtStatement } from "./CamtStatement.ts"
import { fileEncoding } from "./LineSource.ts"
import { ReaderNotes } from "./ReaderNotes.ts"
import { decoderOf } from "./TextDecoders.ts"
import { encodingLabel, headText } from "./TextDecoding.ts"
import { XmlScanner } from "./XmlScanner.ts"

const headLength = 1_024

/** Bytes of another encoding that are decoded together. */
const pieceLength = 16_384

const declaration = /^[^<]{0,10}<\?xml[^>]{0,200}\sencoding\s*=\s*["']([^"'>]{1,40})["']/i

/** The label of the Encoding standard that the file declares. */
const declaredEncoding = (bytes: Uint8Array): string | undefined => {
  const declared = declaration.exec(headText(bytes, headLength))?.[1]
  return declared === undefined ? undefined : encodingLabel(declared)
}

function* utf8Pieces(bytes: Uint8Array, encoding: string): Generator<Uint8Array> {
  const decoder = decoderOf(encoding)
  for (let from = 0; from < bytes.length; from += pieceLength) {
    const to = Math.min(from + pieceLength, bytes.length)
    yield Buffer.from(decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length }), "utf8")
  }
}

/**
 * Hands on the rows of messages that come in parts, of UTF-8, as they are read: nothing is kept of them, so the memory that
 * is needed does not grow with the file, and their number has no limit. Returns what `readCamt` would say of the whole beside its rows.
 */
export const scanCamt = (
  parts: Iterable<Uint8Array>,
  options: StatementOptions,
  take?: TakeRow
): StatementFault | { readonly statement: CamtStatement; readonly notes: ReaderNotes } => {
  const notes = new ReaderNotes()
  const statement: CamtStatement = new CamtStatement(
    notes,
    options.baseCurrency,
    (name) => scanner.attribute(name),
    take
  )
  const scanner: XmlScanner = new XmlScanner(camtPaths, statement)
  return scanner.scan(parts) ?? { statement, notes }
}

/** Reads a whole file, or says what is wrong first and on which line. */
export const readCamt = (bytes: Uint8Array, options: StatementOptions): Result.Result<Statement, StatementFault> => {
  const told = fileEncoding(bytes, options.csv?.encoding)
  // What is valid UTF-8 is UTF-8, whatever the declaration says.
  const encoding = told.guessed ? (declaredEncoding(bytes) ?? told.encoding) : told.encoding
  const scanned = scanCamt(encoding === "utf-8" ? [bytes] : utf8Pieces(bytes, encoding), options)
  if (scanned instanceof StatementFault) return Result.fail(scanned)
  const { notes, statement } = scanned
  if (statement.drafts.length === 0) {
    const message =
      statement.messages === 0
        ? "the file is an XML document, not a bank statement: CAMT.052, CAMT.053 or CAMT.054 is read"
        : "the message holds no statement: a Stmt, Rpt or Ntfctn is expected beside GrpHdr"
    return Result.fail(new StatementFault({ message, line: 1, element: "Document" }))
  }
  if (told.guessed) notes.assumed["encoding"] = encoding
  const accounts = statement.accounts()
  if (accounts instanceof StatementFault) return Result.fail(accounts)
  return Result.succeed({
    format: "camt",
    accounts,
    ...(notes.refused.length === 0 ? {} : { refused: notes.refused }),
    assumed: notes.assumed,
    warnings: notes.warnings()
  })
}
