/** Which column of a table holds what: by the reader's overrides, by header names, and by content. */
import * as Currency from "@millrace/core/shared/Currency"
import type * as Decimal from "@millrace/core/shared/Decimal"
import { csvFields, type CsvField, type CsvOptions, StatementFault } from "@millrace/core/upload/Statement"
import { groupedAmount } from "./AmountText.ts"
import { chainOf, follows } from "./CsvChain.ts"
import {
  type ColumnContent,
  holdsDates,
  holdsMoney,
  holdsNumbers,
  holdsSides,
  holdsText,
  readContents,
  sampleOf
} from "./CsvContent.ts"
import { DecimalEvidence } from "./CsvDecimals.ts"
import { findHeader } from "./CsvHeaderLine.ts"
import { fieldsOf, isKnownName, normaliseHeader, splitUnit, weakRank } from "./CsvHeaders.ts"
import { findParties } from "./CsvParties.ts"
import type { CsvTable } from "./CsvScanner.ts"

/** Columns by field, from 0; -1 where there is none. */
export interface CsvLayout {
  /** Row of the header, -1 when the file has none. */
  readonly header: number
  readonly headers: ReadonlyArray<string>
  readonly single: Readonly<Record<CsvField, number>>
  /** Description columns in file order. */
  readonly descriptions: ReadonlyArray<number>
  /** Reference columns, best first. */
  readonly references: ReadonlyArray<number>
  /** Amount columns of other currencies beside `single.amount`: a row has one of them. */
  readonly alternates: ReadonlyArray<number>
  /** Currencies that the names of amount columns state. */
  readonly units: ReadonlyMap<number, Currency.Currency>
  /** A debit column beside a signed amount: it says which amounts leave, -1 when there is none. */
  readonly marker: number
  /** Who sent the money, where `single.payee` is who got it; -1 when one column names the other side. */
  readonly payer: number
  /** The other side's account, -1 when there is none. */
  readonly counterparty: number
  readonly contents: ReadonlyArray<ColumnContent>
  /** What had to be guessed. */
  readonly warnings: ReadonlyArray<string>
}

// A literal: the layout of one is known to compiled code as long as this file is.
const emptyColumns = (): Record<CsvField, number> => ({
  date: -1,
  authorizedDate: -1,
  valueDate: -1,
  amount: -1,
  debit: -1,
  credit: -1,
  sign: -1,
  type: -1,
  description: -1,
  originalDescription: -1,
  payee: -1,
  reference: -1,
  id: -1,
  category: -1,
  balance: -1,
  currency: -1,
  account: -1,
  accountName: -1,
  status: -1,
  note: -1
})

/** Currencies of what was paid elsewhere, before it was exchanged. */
const otherCurrency = /orig|foreign|fremd|ausland|[eé]trang|extranj|original|fee|source|target|instructed/i

const maxNamed = 40

/** The columns of a file as people would name them, for messages. */
const seenColumns = (table: CsvTable, headers: ReadonlyArray<string>): string => {
  const row = table.rowCount === 0 ? [] : table.row(0)
  const names =
    headers.length > 0
      ? headers.map((name, column) => (name === "" ? `column ${column + 1}` : `"${name.slice(0, 60)}"`))
      : row.map((cell, column) => `${column + 1} ("${cell.slice(0, 20)}")`)
  const rest = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ""
  return `The columns seen are ${names.slice(0, maxNamed).join(", ")}${rest}`
}

/** Name of a column for messages: its header, or its number. */
export const columnName = (layout: { readonly headers: ReadonlyArray<string> }, column: number): string => {
  const header = layout.headers[column]
  return header === undefined || header === "" ? `column ${column + 1}` : header
}

class LayoutFinder {
  readonly columns = emptyColumns()
  readonly warnings: Array<string> = []
  readonly used = new Set<number>()
  readonly descriptions: Array<number> = []
  readonly references: Array<number> = []
  readonly table: CsvTable
  readonly header: number
  readonly headers: ReadonlyArray<string>
  readonly contents: ReadonlyArray<ColumnContent>
  readonly candidates: ReadonlyArray<ReadonlyArray<readonly [CsvField, number]>>
  readonly given = new Set<CsvField>()
  readonly alternates: Array<number> = []
  marker = -1

  constructor(table: CsvTable, header: number) {
    this.table = table
    this.header = header
    this.headers = header < 0 ? [] : table.row(header)
    this.contents = readContents(table, header)
    this.candidates = this.headers.map((name) => fieldsOf(name))
  }

  get line(): number {
    return this.header < 0 ? 1 : this.table.line(this.header)
  }

  fault(message: string, field: CsvField, how = `name it in sourceConfig.csv.columns.${field}`): StatementFault {
    const hint = `${how}, by its header or its number from 1`
    return new StatementFault({
      message: `${message}. ${seenColumns(this.table, this.headers)}; ${hint}`,
      line: this.line,
      element: field
    })
  }

  name(column: number): string {
    return columnName(this, column)
  }

  take(field: CsvField, column: number): void {
    this.columns[field] = column
    this.used.add(column)
  }

  guessed(field: CsvField, column: number): void {
    this.take(field, column)
    const what = field === "description" ? "the descriptions" : `the ${field}`
    this.warnings.push(
      `no header names ${what}: ${this.name(column)} read, set sourceConfig.csv.columns.${field} to override`
    )
  }

  override(options: CsvOptions): StatementFault | undefined {
    for (const [key, value] of Object.entries(options.columns ?? {})) {
      const field = key as CsvField
      if (!csvFields.includes(field)) {
        return new StatementFault({
          message: `columns.${key}: not a field; known are ${csvFields.join(", ")}`,
          line: this.line,
          element: key
        })
      }
      this.given.add(field)
      const found: Array<number> = []
      for (const wanted of typeof value === "string" ? [value] : value) {
        if (wanted.trim() === "") continue
        const column = this.columnOf(wanted.trim())
        if (column < 0) {
          return this.fault(
            `columns.${field}: the file has no column "${wanted}"`,
            field,
            `correct sourceConfig.csv.columns.${field}`
          )
        }
        found.push(column)
        this.used.add(column)
      }
      this.columns[field] = found[0] ?? -1
      if (field === "description") this.descriptions.push(...found)
      if (field === "reference") this.references.push(...found)
    }
    return undefined
  }

  private columnOf(wanted: string): number {
    const exact = this.headers.indexOf(wanted)
    if (exact >= 0) return exact
    const plain = normaliseHeader(wanted)
    const loose = plain === "" ? -1 : this.headers.findIndex((header) => normaliseHeader(header) === plain)
    if (loose >= 0) return loose
    if (!/^\d{1,3}$/.test(wanted)) return -1
    const number = Number(wanted) - 1
    return number >= 0 && number < Math.max(this.headers.length, this.contents.length) ? number : -1
  }

  /** Does what the column holds agree with its name? A name of other words needs proof, a known one only no contradiction. */
  private agrees(field: CsvField, column: number, rank: number): boolean {
    const content = this.contents[column]
    const weak = rank >= weakRank
    if (content === undefined || content.filled === 0) return !weak && field !== "date" && field !== "amount"
    switch (field) {
      case "date":
      case "valueDate":
      case "authorizedDate":
        return holdsDates(content)
      case "amount":
        return weak ? holdsMoney(content) || holdsNumbers(content) : content.amounts * 2 >= content.filled
      case "balance":
        return weak ? holdsNumbers(content) : content.amounts > 0
      case "currency":
        return content.currencies > 0
      case "payee":
        return !weak || holdsText(content)
      case "description":
        return holdsText(content) && !(weak && content.dates > 0)
      case "account":
        return content.money === 0 || content.money * 2 < content.filled
      default:
        return true
    }
  }

  private best(field: CsvField): number {
    let column = -1
    let rank = Number.POSITIVE_INFINITY
    for (const [index, fields] of this.candidates.entries()) {
      if (this.used.has(index)) continue
      for (const [candidate, own] of fields) {
        if (candidate !== field || own >= rank || !this.agrees(field, index, own)) continue
        // "Valuta" is a currency in one language, a day in another.
        if (field === "valueDate" && !holdsDates(this.contents[index]) && this.contents[index]!.filled > 0) continue
        column = index
        rank = own
      }
    }
    return column
  }

  assignNames(): void {
    for (const field of csvFields) {
      if (this.given.has(field) || field === "description" || field === "reference" || field === "account") continue
      const column = this.best(field)
      if (column >= 0) this.take(field, column)
    }
    if (this.given.has("amount")) this.dropSides()
    else this.settleSides()
  }

  private dropSides(): void {
    if (this.columns.amount < 0) return
    for (const side of ["debit", "credit"] as const) if (!this.given.has(side)) this.release(side)
  }

  private release(field: CsvField): void {
    this.used.delete(this.columns[field])
    this.columns[field] = -1
  }

  /** Beside an amount column, Debit and Credit count only as a pair of amounts; a single one tells the sign. */
  private settleSides(): void {
    const { amount, credit, debit } = this.columns
    if (debit < 0 && credit < 0) return
    const overridden = this.given.has("debit") || this.given.has("credit")
    const holds = (column: number) => column >= 0 && this.contents[column]!.amounts > 0
    const pair = debit >= 0 && credit >= 0 && (holds(debit) || holds(credit))
    if (amount < 0) {
      // Columns of words are no sides.
      if (!overridden && !holds(debit) && !holds(credit) && this.contents.some((content) => content.filled > 0)) {
        if (this.contents[debit]?.filled || this.contents[credit]?.filled) {
          if (debit >= 0) this.release("debit")
          if (credit >= 0) this.release("credit")
        }
      }
      return
    }
    if (pair || overridden) {
      this.release("amount")
      return
    }
    if (debit >= 0) {
      if (this.contents[debit]!.filled > 0) this.marker = debit
      this.columns.debit = -1
    }
    if (credit >= 0) this.release("credit")
  }

  dateByName(): void {
    const { columns } = this
    if (columns.date >= 0 || this.given.has("date")) return
    columns.date = columns.valueDate >= 0 ? columns.valueDate : columns.authorizedDate
  }

  /** A column of one name although nothing in it agrees: the rows say what is wrong with it. */
  private named(field: CsvField): number {
    return this.candidates.findIndex(
      (fields, column) =>
        !this.used.has(column) && fields.some(([candidate, rank]) => candidate === field && rank < weakRank)
    )
  }

  findDate(): StatementFault | undefined {
    const { columns } = this
    if (columns.date >= 0) return undefined
    const dated = this.free((content) => content.dates > 0 && content.dates * 5 >= content.filled * 4)
    if (dated.length > 0 && !this.given.has("date")) {
      if (this.headers.length > 0 || dated.length > 1) this.guessed("date", dated[0]!)
      else this.take("date", dated[0]!)
      return undefined
    }
    const named = this.named("date")
    if (named >= 0) {
      this.take("date", named)
      return undefined
    }
    return this.fault(
      this.headers.length === 0 ? "no header row, and no column holds dates" : "no column holds a date",
      "date"
    )
  }

  private free(test: (content: ColumnContent) => boolean): Array<number> {
    return this.contents.flatMap((content, column) => (!this.used.has(column) && test(content) ? [column] : []))
  }

  private hasAmount(): boolean {
    const { amount, credit, debit } = this.columns
    return amount >= 0 || debit >= 0 || credit >= 0
  }

  /** The amounts of a column in the rows of the sample. */
  private values(column: number, rows: ReadonlyArray<number>, decimal: number): Array<Decimal.Decimal | undefined> {
    return rows.map((row) => {
      const cell = this.table.cell(row, column)
      return cell === "" ? undefined : groupedAmount(cell, 0, cell.length, decimal, true)
    })
  }

  /** Of several columns the one whose amounts lead from balance to balance, and that balance. */
  private byChain(amounts: ReadonlyArray<number>, balances: ReadonlyArray<number>) {
    const evidence = new DecimalEvidence()
    const rows = sampleOf(this.table, this.header, (row) => amounts.some((column) => this.table.locate(row, column)))
    for (const row of rows) {
      for (const column of new Set([...amounts, ...balances])) {
        if (this.table.locate(row, column)) evidence.add(this.table.codes, this.table.from, this.table.to)
      }
    }
    const { decimal } = evidence.decide(false)
    const found: Array<readonly [amount: number, balance: number]> = []
    for (const balance of balances) {
      const after = this.values(balance, rows, decimal)
      for (const amount of amounts) {
        if (amount === balance) continue
        const chain = chainOf(this.values(amount, rows, decimal), after)
        if (follows(chain, chain.size) && chain.size > 0) found.push([amount, balance])
      }
    }
    return found.length === 1 ? found[0] : undefined
  }

  /** Several columns that names allow: fees and gross stand beside what moved the balance. */
  chooseAmount(): void {
    const { columns } = this
    if (columns.amount < 0 || this.given.has("amount") || columns.balance < 0) return
    const named = this.candidates.flatMap((fields, column) =>
      (column === columns.amount || !this.used.has(column)) &&
      fields.some(([field]) => field === "amount") &&
      this.contents[column]!.money > 0
        ? [column]
        : []
    )
    if (named.length < 2) return
    const chain = this.byChain(named, [columns.balance])
    if (chain === undefined || chain[0] === columns.amount) return
    this.release("amount")
    this.take("amount", chain[0])
    this.warnings.push(`several columns name an amount: ${this.name(chain[0])} read, since it moves the balance`)
  }

  /** Columns that are named by nothing but their currency: `CAD$` and `USD$`. */
  findAlternates(): void {
    const { amount } = this.columns
    if (amount < 0 || splitUnit(this.headers[amount] ?? "")[1] === undefined) return
    const bare = (column: number) => splitUnit(this.headers[column] ?? "")[0].trim() === ""
    if (!bare(amount)) return
    for (const [column, content] of this.contents.entries()) {
      if (this.used.has(column) || content.amounts === 0 || !bare(column)) continue
      this.alternates.push(column)
      this.used.add(column)
    }
  }

  findAmount(): StatementFault | undefined {
    if (this.hasAmount()) return this.findOtherSide()
    if (this.given.has("amount")) return this.fault("no column holds an amount", "amount")
    const money = this.free(holdsMoney)
    const whole = this.free((content) => holdsNumbers(content) && content.money === 0)
    const candidates = money.length > 0 ? money : whole
    const { balance } = this.columns
    if (candidates.length > 1) {
      const chain = this.byChain(candidates, balance >= 0 ? [balance] : candidates)
      if (chain !== undefined) {
        if (balance < 0) this.take("balance", chain[1])
        this.guessed("amount", chain[0])
        return undefined
      }
      const pair = this.sidePair(candidates)
      if (pair !== undefined) return pair
      return this.fault(
        `${this.headers.length === 0 ? "no header row, and several" : "several"} columns could be the amount: ${candidates.map((column) => `"${this.name(column)}"`).join(", ")}`,
        "amount"
      )
    }
    const [only] = candidates
    if (only !== undefined) {
      if (this.headers.length > 0) this.guessed("amount", only)
      else this.take("amount", only)
      return undefined
    }
    const named = this.named("amount")
    if (named >= 0) {
      this.take("amount", named)
      return undefined
    }
    return this.fault(
      this.headers.length === 0 ? "no header row, and no column holds amounts" : "no column holds an amount",
      "amount",
      "name it in sourceConfig.csv.columns.amount, or columns.debit and columns.credit"
    )
  }

  /** Two columns of which each row fills one are sides, but nothing says which is which. */
  private sidePair(candidates: ReadonlyArray<number>): StatementFault | undefined {
    if (candidates.length !== 2) return undefined
    const [a, b] = [candidates[0]!, candidates[1]!]
    const rows = sampleOf(this.table, this.header, () => true)
    const both = rows.some((row) => this.table.locate(row, a) && this.table.locate(row, b))
    if (both) return undefined
    return this.fault(
      `"${this.name(a)}" and "${this.name(b)}" seem to be money out and money in, and nothing says which is which`,
      "debit",
      "name them in sourceConfig.csv.columns.debit and columns.credit"
    )
  }

  /** One side is named: a column of amounts that is filled where it is blank is the other. */
  private findOtherSide(): undefined {
    const { amount, credit, debit } = this.columns
    if (amount >= 0 || (debit >= 0 && credit >= 0)) return undefined
    const [have, missing] = debit >= 0 ? ([debit, "credit"] as const) : ([credit, "debit"] as const)
    if (this.given.has(missing)) return undefined
    const rows = sampleOf(this.table, this.header, (row) => this.table.locate(row, this.columns.date))
    const other = this.free((content) => content.amounts > 0 && content.amounts === content.filled).filter(
      (column) =>
        rows.some((row) => this.table.locate(row, column)) &&
        rows.every((row) => this.table.locate(row, column) !== this.table.locate(row, have))
    )
    if (other.length === 1) this.guessed(missing, other[0]!)
    return undefined
  }

  /** A column of words for sides, of currencies: what content alone shows. */
  findSides(): void {
    const { columns } = this
    if (columns.sign < 0 && !this.given.has("sign") && columns.amount >= 0 && columns.type < 0) {
      const [side] = this.free(holdsSides)
      if (side !== undefined) this.take("sign", side)
    }
    const named = splitUnit(this.headers[columns.amount] ?? "")[1] !== undefined
    if (columns.currency < 0 && !this.given.has("currency") && columns.amount >= 0 && !named) {
      const rows = this.contents[columns.date]!.filled
      const currency = this.free(
        (content) => content.currencies > 0 && content.currencies === content.filled && content.filled >= rows
      ).find((column) => !otherCurrency.test(this.headers[column] ?? "") && !isKnownName(this.headers[column] ?? ""))
      if (currency !== undefined) this.take("currency", currency)
    }
  }

  findTexts(): void {
    const { columns } = this
    if (!this.given.has("description")) this.descriptions.push(...this.ofField("description"))
    if (!this.given.has("reference")) this.references.push(...this.ofField("reference"))
    if (this.descriptions.length > 0 || this.given.has("description")) {
      for (const column of this.descriptions) this.used.add(column)
      return
    }
    if (columns.note >= 0 && holdsText(this.contents[columns.note])) {
      this.descriptions.push(columns.note)
      return
    }
    // Nothing is named: the text column that says most.
    const says = (column: number) => this.contents[column]!.letters * Math.min(20, this.contents[column]!.distinct.size)
    // One text in every row says nothing. Beside a name only sentences are missed.
    const texts = this.free(
      (content) =>
        holdsText(content) &&
        content.currencies < content.filled &&
        (content.distinct.size > 1 || content.filled === 1) &&
        (columns.payee < 0 || content.phrases * 5 >= content.filled)
    ).filter((column) => !this.isNamedElse(column))
    const most = texts.toSorted((a, b) => says(b) - says(a))[0]
    if (most !== undefined) {
      this.descriptions.push(most)
      if (this.headers.length === 0) this.used.add(most)
      else this.guessed("description", most)
      columns.description = -1
    }
  }

  /** Known under a name that is no text: an account, an id. */
  private isNamedElse(column: number): boolean {
    return (this.candidates[column] ?? []).some(
      ([field, rank]) => rank < weakRank && (field === "account" || field === "id" || field === "reference")
    )
  }

  private ofField(field: CsvField): ReadonlyArray<number> {
    const found: Array<readonly [column: number, rank: number]> = []
    for (const [column, fields] of this.candidates.entries()) {
      const rank = fields.find(([candidate]) => candidate === field)?.[1]
      if (rank === undefined || this.used.has(column)) continue
      const content = this.contents[column]
      // A header of an empty column is as good as none; one letter describes nothing.
      if (field === "description" && content !== undefined && content.filled > 0 && !this.describes(column, rank))
        continue
      found.push([column, rank])
    }
    if (field === "reference") return found.toSorted((a, b) => a[1] - b[1]).map(([column]) => column)
    const strong = found.filter(([, rank]) => rank < weakRank)
    const best = strong.some(([column]) => this.contents[column]!.filled > 0) ? strong : found
    const named = best.map(([column]) => column)
    // Words for sides are no text where there is one.
    const texts = named.filter((column) => !holdsSides(this.contents[column]))
    const columns = texts.length > 0 ? texts : named
    if (!columns.some((column) => this.contents[column]!.filled > 0) && this.rowsAreThere()) return []
    // Beside "Description 1", "Description 2" a bare "Description" names the account or product.
    const numbered = new Set(
      columns
        .map((column) => /^(.*?)\d{1,2}$/.exec(normaliseHeader(this.headers[column]!))?.[1])
        .filter((name) => name !== undefined)
    )
    return columns.filter((column) => !numbered.has(normaliseHeader(this.headers[column]!)))
  }

  private rowsAreThere(): boolean {
    return this.contents.some((content) => content.filled > 0)
  }

  /** Letters alone, days and words for sides say nothing; a text may be short or a number where its name is sure. */
  private describes(column: number, rank: number): boolean {
    const content = this.contents[column]!
    if (rank >= weakRank) return holdsText(content)
    if (holdsSides(content) && content.filled > 1 && content.distinct.size < content.filled) return false
    if (content.words > 0) return true
    const single = [...content.distinct].every((cell) => /^\p{L}$/u.test(cell))
    return !(single && content.distinct.size < content.filled)
  }
}

/** The layout of a table, or a fault that says which override would help. */
export const findLayout = (table: CsvTable, options: CsvOptions): CsvLayout | StatementFault => {
  const header = findHeader(table, options)
  if (header instanceof StatementFault) return header
  const finder = new LayoutFinder(table, header)
  const wrong = finder.override(options)
  if (wrong !== undefined) return wrong
  finder.assignNames()
  finder.dateByName()
  const fault = finder.findDate() ?? finder.findAmount()
  if (fault !== undefined) return fault
  finder.chooseAmount()
  finder.findAlternates()
  const parties = findParties(finder)
  finder.findSides()
  finder.findTexts()
  const { columns } = finder
  const units = new Map<number, Currency.Currency>()
  for (const column of [columns.amount, columns.debit, columns.credit, ...finder.alternates]) {
    const stated = splitUnit(finder.headers[column] ?? "")[1]
    const unit = stated === undefined ? undefined : Currency.parse(stated)
    if (unit !== undefined) units.set(column, unit)
  }
  return {
    header,
    headers: finder.headers,
    single: columns,
    descriptions: finder.descriptions,
    references: finder.references,
    alternates: finder.alternates,
    units,
    marker: finder.marker,
    payer: parties.payer,
    counterparty: parties.counterparty,
    contents: finder.contents,
    warnings: finder.warnings
  }
}
