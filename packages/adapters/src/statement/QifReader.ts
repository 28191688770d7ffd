/** QIF files (Quicken Interchange Format): bank, cash, card, asset, liability and brokerage accounts. */
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { accountsOf, type TakeRow } from "./AccountStatements.ts"
import { orderOfPattern } from "./CsvDates.ts"
import { comma, point } from "./CsvDecimals.ts"
import { type FileEncoding, fileEncoding, LineSource } from "./LineSource.ts"
import { qifRecords } from "./QifRecords.ts"
import { QifStatement } from "./QifStatement.ts"
import { QifEvidence, QifValues } from "./QifValues.ts"
import { ReaderNotes } from "./ReaderNotes.ts"

const fail = (message: string, line: number, element: string): StatementFault =>
  new StatementFault({ message, line, element })

/** Where an ambiguous day is month first: the programs that write QIF follow the country. */
const monthFirstCurrencies = new Set(["USD", "PHP"])

/** Looks at every day and amount of the file, and whether it is text. */
const lookAt = (parts: Iterable<Uint8Array>, encoding: string): QifEvidence | StatementFault => {
  const evidence = new QifEvidence()
  const mayHaveZeros = encoding.startsWith("utf-16")
  let isBinary = false
  const watched = (function* () {
    for (const part of parts) {
      isBinary ||= !mayHaveZeros && part.includes(0)
      if (isBinary) return
      yield part
    }
  })()
  const source = new LineSource(watched, encoding)
  for (const { fields, section } of qifRecords(source)) {
    if (section.kind !== "movements" && section.kind !== "investments") continue
    const date = fields.get("D")
    if (date !== undefined) evidence.addDate(date.text, date.line)
    const amount = fields.get("U") ?? fields.get("T")
    if (amount !== undefined) evidence.addAmount(amount.text)
  }
  // A line that is too long ends the reading: what is behind it tells whether the file is text at all.
  for (const _ of watched) continue
  if (isBinary) {
    return fail("the file holds binary data: export it again, or set sourceConfig.csv.encoding", 1, "encoding")
  }
  return source.isTooLong
    ? new StatementFault({ message: "the line is longer than any of QIF can be", line: source.line })
    : evidence
}

/**
 * Hands on the rows of a file that comes in parts, in the encoding that is reported, as they are read: nothing is kept of
 * them, so the memory that is needed does not grow with the file, and their number has no limit. All days and amounts
 * together tell how each is read, so the parts are asked for twice. Returns what `readQif` would say of the whole beside its
 * rows.
 */
export const scanQif = (
  parts: () => Iterable<Uint8Array>,
  options: StatementOptions,
  take?: TakeRow,
  told: FileEncoding = { encoding: options.csv?.encoding ?? "utf-8", guessed: false }
): StatementFault | { readonly statement: QifStatement; readonly notes: ReaderNotes } => {
  const csv = options.csv ?? {}
  const notes = new ReaderNotes()
  if (told.guessed) {
    notes.assumed["encoding"] = told.encoding
    notes.say(`encoding guessed: ${told.encoding}, set sourceConfig.csv.encoding to override`)
  }
  const evidence = lookAt(parts(), told.encoding)
  if (evidence instanceof StatementFault) return evidence
  const decided = evidence.decimals.decide(false)
  const decimal = csv.decimal === undefined ? decided.decimal : csv.decimal === "," ? comma : point
  if (csv.decimal === undefined) {
    notes.assumed["decimal"] = decimal === comma ? "," : "."
    if (decided.ambiguous || evidence.decimals.conflicts) {
      notes.say(`decimal ambiguous: "${notes.assumed["decimal"]}" assumed, set sourceConfig.csv.decimal to override`)
    }
  }
  const currency = csv.currency === undefined ? options.baseCurrency : (csv.currency as typeof options.baseCurrency)
  const given = csv.dateFormat === undefined ? undefined : orderOfPattern(csv.dateFormat)
  if (csv.dateFormat !== undefined && given === undefined) {
    return fail(
      `dateFormat "${csv.dateFormat}" names no day, month and year in an order that is known`,
      1,
      "dateFormat"
    )
  }
  if (given === undefined && evidence.conflict > 0) {
    return fail(
      "some days can only be read day first and some only month first: set sourceConfig.csv.dateFormat",
      evidence.conflict,
      "D"
    )
  }
  const order = evidence.dates.decide(monthFirstCurrencies.has(currency) && decimal === point)
  if (given === undefined) {
    notes.assumed["dateFormat"] = evidence.dates.pattern(order.order)
    if (order.ambiguous) {
      const format = notes.assumed["dateFormat"]
      notes.say(`dateFormat ambiguous: read as ${format}, set sourceConfig.csv.dateFormat to override`)
    }
  }
  const statement = new QifStatement(notes, new QifValues(given ?? order.order, decimal), currency, csv, take)
  const source = new LineSource(parts(), told.encoding)
  for (const record of qifRecords(source)) {
    statement.take(record)
    if (notes.fault !== undefined) break
  }
  source.close()
  if (notes.fault !== undefined) return notes.fault
  statement.end()
  if (statement.drafts.length === 0) {
    // Nothing was there to tell it by.
    delete notes.assumed["dateFormat"]
    delete notes.assumed["decimal"]
    notes.say("the file holds no account with movements")
  } else if (csv.currency === undefined) {
    notes.assumed["currency"] = currency
    notes.say(`no currency is named: ${currency} assumed, set sourceConfig.csv.currency to override`)
  }
  const [refused] = notes.refused
  // Where as many rows fail as succeed, the file is not understood: nothing of it is believed.
  if (refused !== undefined && notes.refused.length >= statement.read) {
    const all = notes.refused.length + statement.read
    const rows = all === 1 ? "" : ` (${notes.refused.length} of ${all} rows cannot be read)`
    return new StatementFault({
      ...refused,
      message: `${refused.message}${rows}. If this is not the file's fault, set sourceConfig.csv.dateFormat and decimal`
    })
  }
  for (const draft of statement.drafts) {
    // A balance of an earlier day than the rows says nothing about them.
    if (draft.closingDate === undefined || draft.closingDate < draft.latest) {
      draft.closing = undefined
      draft.closingDate = undefined
    }
  }
  return { statement, notes }
}

/** Reads a whole QIF file, or says what is wrong, on which line, and what to set. */
export const readQif = (bytes: Uint8Array, options: StatementOptions): Result.Result<Statement, StatementFault> => {
  const scanned = scanQif(() => [bytes], options, undefined, fileEncoding(bytes, options.csv?.encoding))
  if (scanned instanceof StatementFault) return Result.fail(scanned)
  const { notes, statement } = scanned
  const accounts = accountsOf(statement.drafts, statement.currency, notes)
  if (accounts instanceof StatementFault) return Result.fail(accounts)
  return Result.succeed({
    format: "qif",
    accounts,
    ...(notes.refused.length === 0 ? {} : { refused: notes.refused }),
    assumed: notes.assumed,
    warnings: notes.warnings()
  })
}
