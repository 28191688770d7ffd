/** Builds the rows of a plain table, a chunk of them at a time: what `CsvSelection` and `CsvStatement` do for any table. */
import { type CalendarDate, Currency, Decimal } from "@millrace/core"
import { groupedAmount, plainAmount } from "./AmountText.ts"
import { cached } from "./AnswerCache.ts"
import { type CsvAccountDraft, newDraft } from "./CsvAccount.ts"
import { DateEvidence, DateReader } from "./CsvDates.ts"
import { DecimalEvidence, point } from "./CsvDecimals.ts"
import type { CsvReading } from "./CsvReading.ts"
import { isTooLarge } from "./CsvStatement.ts"
import { kindOf } from "./CsvWords.ts"
import { plainShape, shapes } from "./PlainAmount.ts"
import { flags, type PlainChunk } from "./PlainChunk.ts"
import { noColumns, type PlainColumns } from "./PlainColumns.ts"
import { StatedRow } from "./StatedRow.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import { joinDistinct, meaningful, tidy } from "./Wording.ts"

const otherKind = kindOf("")

export class PlainRows {
  /** Compiled code knows the layout of these objects only while one lives: it stays valid between files. */
  static readonly exemplar = new PlainRows(
    { decimal: point, dates: DateReader.exemplar, currency: "" } as unknown as CsvReading,
    noColumns
  )
  readonly dates = new DateEvidence()
  readonly decimals = new DecimalEvidence()
  readonly drafts = new Map<string, CsvAccountDraft>()
  /** Where each row begins in the file, and on which line. */
  starts = new Int32Array(4_096)
  lines = new Int32Array(4_096)
  count = 0
  areIdsUnique: boolean
  isCurrencyMissing = false

  private readonly reading: CsvReading
  private readonly decimal: number
  private readonly days: DateReader
  private readonly fileCurrency: Currency.Currency
  // Where the cells of a row are noted.
  private readonly stride: number
  private readonly dateSlot: number
  private readonly amountSlot: number
  private readonly balanceSlot: number
  private readonly currencySlot: number
  private readonly payeeSlot: number
  private readonly originalSlot: number
  private readonly idSlot: number
  private readonly typeSlot: number
  private readonly categorySlot: number
  private readonly accountSlot: number
  private readonly accountNameSlot: number
  private readonly authorizedSlot: number
  private readonly descriptionSlots: ReadonlyArray<number>
  private readonly referenceSlots: ReadonlyArray<number>
  private readonly isJoined: boolean
  private readonly isNamed: boolean
  private readonly ids = new Set<string>()
  private readonly kind = cached(kindOf)
  private readonly currencyOf = cached((code) => Currency.parse(code) ?? "")
  private lastKey: string | undefined
  private draft: CsvAccountDraft | undefined
  // Cells of the row before: dates and currencies seldom change from row to row.
  private date: CalendarDate.CalendarDate | undefined
  private dateFrom = 0
  private dateTo = 0
  private currency: Currency.Currency | undefined
  private currencyFrom = 0
  private currencyTo = 0
  // The chunk that is read.
  private text = ""
  private codes = new Uint8Array(0)
  private bounds = new Int32Array(0)

  constructor(reading: CsvReading, columns: PlainColumns) {
    this.reading = reading
    this.decimal = reading.decimal
    this.days = reading.dates
    this.fileCurrency = reading.currency
    this.stride = columns.stride
    this.dateSlot = columns.date
    this.amountSlot = columns.amount
    this.balanceSlot = columns.balance
    this.currencySlot = columns.currency
    this.payeeSlot = columns.payee
    this.originalSlot = columns.original
    this.idSlot = columns.id
    this.typeSlot = columns.type
    this.categorySlot = columns.category
    this.accountSlot = columns.account
    this.accountNameSlot = columns.accountName
    this.authorizedSlot = columns.authorizedDate
    this.descriptionSlots = columns.descriptions
    this.referenceSlots = columns.references
    this.isJoined = columns.texts.length > 0
    this.isNamed = columns.payeeText >= 0
    this.areIdsUnique = columns.id >= 0
  }

  /** Adds the rows of a chunk. False where one of them is nothing plain. */
  add(chunk: PlainChunk): boolean {
    const { rowCount } = chunk
    if (this.count + rowCount > maxRows) return false
    this.text = chunk.text()
    this.codes = chunk.codes
    this.bounds = chunk.bounds
    this.date = undefined
    this.currency = undefined
    const { stride } = this
    while (this.count + rowCount > this.starts.length) this.grow()
    this.starts.set(chunk.rowStarts.subarray(0, rowCount), this.count)
    this.lines.set(chunk.lines.subarray(0, rowCount), this.count)
    const { lines, marks } = chunk
    for (let row = 0; row < rowCount; row++) {
      if (!this.addRow(row * stride, lines[row]!, marks[row]!)) return false
    }
    this.count += rowCount
    return true
  }

  private grow(): void {
    const starts = new Int32Array(this.starts.length * 2)
    starts.set(this.starts)
    this.starts = starts
    const lines = new Int32Array(starts.length)
    lines.set(this.lines)
    this.lines = lines
  }

  private cell(first: number, slot: number): string {
    if (slot < 0) return ""
    const from = this.bounds[first + slot]!
    const to = this.bounds[first + slot + 1]!
    return from === to ? "" : this.text.slice(from, to)
  }

  /** Is the text from `a` on the one from `b` on? */
  private isSame(a: number, aEnd: number, b: number, bEnd: number): boolean {
    const length = aEnd - a
    if (length !== bEnd - b) return false
    const { codes } = this
    for (let offset = length - 1; offset >= 0; offset--) if (codes[a + offset] !== codes[b + offset]) return false
    return true
  }

  private addRow(first: number, line: number, mark: number): boolean {
    const { bounds, codes, decimal, text } = this

    let from = bounds[first + this.dateSlot]!
    let to = bounds[first + this.dateSlot + 1]!
    if (this.date !== undefined && this.isSame(this.dateFrom, this.dateTo, from, to)) this.dates.addAgain()
    else {
      if (from === to || !this.dates.add(text, from, to) || this.dates.conflicts) return false
      this.date = this.days.read(text, from, to)
      if (this.date === undefined) return false
    }
    this.dateFrom = from
    this.dateTo = to

    from = bounds[first + this.amountSlot]!
    to = bounds[first + this.amountSlot + 1]!
    if (from === to) return false
    const amountText = text.slice(from, to)
    let amount: Decimal.Decimal | undefined
    const shape = plainShape(codes, from, to, decimal)
    if (shape === shapes.none) {
      this.decimals.add(codes, from, to)
      amount = this.amountOf(from, to)
      if (amount === undefined || isTooLarge(amount)) return false
    } else {
      this.decimals.addPlain(decimal, (shape & shapes.fraction) !== 0, (shape & shapes.negative) !== 0)
      amount = (shape & shapes.canonical) === 0 ? this.amountOf(from, to) : (amountText as Decimal.Decimal)
      if (amount === undefined) return false
    }

    let currency = this.fileCurrency
    if (this.currencySlot >= 0) {
      from = bounds[first + this.currencySlot]!
      to = bounds[first + this.currencySlot + 1]!
      if (from === to) this.isCurrencyMissing = true
      else {
        if (this.currency === undefined || !this.isSame(this.currencyFrom, this.currencyTo, from, to)) {
          const own = this.currencyOf(text.slice(from, to))
          if (own === "") return false
          this.currency = own as Currency.Currency
        }
        this.currencyFrom = from
        this.currencyTo = to
        currency = this.currency
      }
    }

    let body: string
    let original: string
    const payee = this.payeeSlot < 0 ? "" : this.cell(first, this.payeeSlot)
    const own = this.originalSlot < 0 ? "" : this.cell(first, this.originalSlot)
    if (this.isJoined && (mark & flags.apart) === 0) {
      const texts = first + this.stride - 4
      from = bounds[texts]!
      to = bounds[texts + 1]!
      body = from === to ? "" : text.slice(from, to)
      if (own !== "") original = own
      else if (this.isNamed) {
        const start = bounds[texts + 2]!
        const end = bounds[texts + 3]!
        original = start === from && end === to ? body : start === end ? "" : text.slice(start, end)
      } else original = payee === "" ? body : joinDistinct(payee, body)
    } else {
      body = ""
      for (let index = 0; index < this.descriptionSlots.length; index++) {
        body = joinDistinct(body, this.cell(first, this.descriptionSlots[index]!))
      }
      original = own === "" ? joinDistinct(payee, body) : own
    }
    const hasRuns = (mark & flags.runs) !== 0
    const merchant = hasRuns ? tidy(payee) : payee
    let description = body === "" ? (payee === "" ? own : payee) : body
    if (hasRuns) description = tidy(description)

    let reference = ""
    for (let index = 0; reference === "" && index < this.referenceSlots.length; index++) {
      const slot = first + this.referenceSlots[index]!
      from = bounds[slot]!
      if (from === bounds[slot + 1]!) continue
      reference = text.slice(from, bounds[slot + 1]!)
      if (codes[from]! <= 48) reference = meaningful(reference)
    }
    const providerId = this.idSlot < 0 ? "" : this.cell(first, this.idSlot)
    if (this.areIdsUnique && providerId !== "") {
      if (this.ids.has(providerId)) this.areIdsUnique = false
      this.ids.add(providerId)
    }
    const typeText = this.typeSlot < 0 ? "" : this.cell(first, this.typeSlot)
    const pair = typeText === "" ? otherKind : this.kind(typeText)

    const draft =
      this.accountSlot < 0 && this.accountNameSlot < 0 ? (this.draft ?? this.open("", "")) : this.draftOf(first)
    if (draft === undefined) return false
    if (draft.currency === undefined) draft.currency = currency
    else if (draft.currency !== currency) draft.mixed = true

    const built = new StatedRow(
      line,
      providerId,
      this.date!,
      amount,
      amountText,
      currency,
      description,
      original,
      amount.charCodeAt(0) === 45 ? pair[1] : pair[0],
      reference,
      false,
      merchant,
      this.categorySlot < 0 ? "" : this.cell(first, this.categorySlot)
    )
    if (this.authorizedSlot >= 0) {
      from = bounds[first + this.authorizedSlot]!
      to = bounds[first + this.authorizedSlot + 1]!
      if (from < to) {
        const authorized = this.days.read(text, from, to)
        if (authorized === undefined) return false
        built.authorizedDate = authorized
      }
    }
    draft.rows.push(built)
    return this.balanceSlot < 0 || this.addBalance(draft, first)
  }

  private amountOf(from: number, to: number): Decimal.Decimal | undefined {
    const { text } = this
    const { decimal } = this
    return (decimal === point ? plainAmount(text, from, to) : undefined) ?? groupedAmount(text, from, to, decimal, true)
  }

  private addBalance(draft: CsvAccountDraft, first: number): boolean {
    const from = this.bounds[first + this.balanceSlot]!
    const to = this.bounds[first + this.balanceSlot + 1]!
    if (from === to) {
      draft.balances.push(undefined)
      return true
    }
    this.decimals.add(this.codes, from, to, false)
    const balance = this.amountOf(from, to)
    draft.balances.push(balance)
    draft.hasBalance = true
    return balance !== undefined
  }

  private draftOf(first: number): CsvAccountDraft | undefined {
    const account = this.cell(first, this.accountSlot)
    const name = this.cell(first, this.accountNameSlot)
    const key = name === "" ? account : `${account}\n${name}`
    if (this.draft !== undefined && key === this.lastKey) return this.draft
    this.lastKey = key
    const held = this.drafts.get(key)
    if (held === undefined) return this.open(account, name)
    this.draft = held
    return held
  }

  private open(account: string, name: string): CsvAccountDraft | undefined {
    if (this.drafts.size >= maxAccounts) return undefined
    const draft = newDraft(this.reading, account, name)
    this.drafts.set(name === "" ? account : `${account}\n${name}`, draft)
    this.draft = draft
    return draft
  }
}
