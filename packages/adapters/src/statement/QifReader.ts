/** QIF files (Quicken Interchange Format): bank, cash, card, asset, liability and brokerage accounts. */
import { type Statement, StatementFault, type StatementOptions } from "@millrace/core/upload"
import * as Result from "effect/Result"
import { accountsOf } from "./AccountStatements.ts"
import { orderOfPattern } from "./CsvDates.ts"
import { comma, point } from "./CsvDecimals.ts"
import { type FileEncoding, fileEncoding, LineSource } from "./LineSource.ts"
import { qifRecords } from "./QifRecords.ts"
import { QifStatement } from "./QifStatement.ts"
import { QifEvidence, QifValues } from "./QifValues.ts"
import { ReaderNotes } from "./ReaderNotes.ts"

type Reading = Result.Result<Statement, StatementFault>

const fail = (message: string, line: number, element?: string): Result.Result<never, StatementFault> =>
  Result.fail(new StatementFault({ message, line, ...(element === undefined ? {} : { element }) }))

/** Where an ambiguous day is month first: the programs that write QIF follow the country. */
const monthFirstCurrencies = new Set(["USD", "PHP"])

/** Looks at every day and amount of the file. */
const lookAt = (bytes: Uint8Array, { encoding }: FileEncoding): QifEvidence | StatementFault => {
  const evidence = new QifEvidence()
  const source = new LineSource(bytes, encoding)
  for (const { fields, section } of qifRecords(source)) {
    if (section.kind !== "movements" && section.kind !== "investments") continue
    const date = fields.get("D")
    if (date !== undefined) evidence.addDate(date.text, date.line)
    const amount = fields.get("U") ?? fields.get("T")
    if (amount !== undefined) evidence.addAmount(amount.text)
  }
  return source.isTooLong
    ? new StatementFault({ message: "the line is longer than any of QIF can be", line: source.line })
    : evidence
}

/** Reads a whole QIF file, or says what is wrong, on which line, and what to set. */
export const readQif = (bytes: Uint8Array, options: StatementOptions): Reading => {
  const csv = options.csv ?? {}
  const notes = new ReaderNotes()
  const zero = bytes.indexOf(0)
  const told = fileEncoding(bytes, csv.encoding)
  if (zero >= 0 && !told.encoding.startsWith("utf-16")) {
    return fail("the file holds binary data: export it anew, or set sourceConfig.csv.encoding", 1, "encoding")
  }
  if (told.guessed) {
    notes.assumed["encoding"] = told.encoding
    notes.say(`encoding guessed: ${told.encoding}, set sourceConfig.csv.encoding to override`)
  }
  const evidence = lookAt(bytes, told)
  if (evidence instanceof StatementFault) return Result.fail(evidence)
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
  const statement = new QifStatement(notes, new QifValues(given ?? order.order, decimal), currency, csv)
  for (const record of qifRecords(new LineSource(bytes, told.encoding))) {
    statement.take(record)
    if (notes.fault !== undefined) return Result.fail(notes.fault)
  }
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
    return Result.fail(
      new StatementFault({
        ...refused,
        message: `${refused.message}${rows}. If this is not the file's fault, set sourceConfig.csv.dateFormat and decimal`
      })
    )
  }
  for (const draft of statement.drafts) {
    // A balance of an earlier day than the rows says nothing of them.
    const last = draft.rows.reduce((latest, row) => (row.date > latest ? row.date : latest), "")
    if (draft.closingDate === undefined || draft.closingDate < last) {
      draft.closing = undefined
      draft.closingDate = undefined
    }
  }
  const accounts = accountsOf(statement.drafts, currency, notes)
  if (accounts instanceof StatementFault) return Result.fail(accounts)
  return Result.succeed({
    format: "qif",
    accounts,
    ...(notes.refused.length === 0 ? {} : { refused: notes.refused }),
    assumed: notes.assumed,
    warnings: notes.warnings()
  })
}
