/** Builds the accounts of a CSV file from its movements. */
import { type CalendarDate, Currency, Decimal } from "@millrace/core"
import { type RefusedRow, type StatementAccount, StatementFault } from "@millrace/core/upload"
import { groupedAmount, isBlankAmount, plainAmount } from "./AmountText.ts"
import { cached } from "./AnswerCache.ts"
import { type CsvAccountDraft, finish, newDraft } from "./CsvAccount.ts"
import { columnName, type CsvLayout } from "./CsvLayout.ts"
import { ownName } from "./CsvParties.ts"
import type { CsvReading } from "./CsvReading.ts"
import { locateAmount } from "./CsvSelection.ts"
import { isPending, kindOf } from "./CsvWords.ts"
import { StatedRow } from "./StatedRow.ts"
import { maxAccounts } from "./StatementLimits.ts"
import { joinDistinct, meaningful, ownText, tidy } from "./Wording.ts"

const otherKind = kindOf("")

/** Amounts of this many digits before the point are refused (decisions 1.3). */
const maxWhole = 13

/** More than what amounts may be. */
const isTooLarge = (amount: Decimal.Decimal): boolean => {
  if (amount.length <= maxWhole) return false
  const point = amount.indexOf(".")
  const from = amount.charCodeAt(0) === 45 ? 1 : 0
  return (point < 0 ? amount.length : point) - from > maxWhole
}

const tooLarge = "is too large: amounts are below 10,000,000,000,000"

/** An id that repeats is none, it groups rows. */
const withoutId = (row: StatedRow): void => {
  if (row.reference === "") row.reference = row.providerId
  row.providerId = ""
}

/** Makes ids that repeat references, and says so. */
const settleIds = (drafts: Iterable<CsvAccountDraft>, layout: CsvLayout): string => {
  for (const { rows } of drafts) for (const row of rows) withoutId(row)
  return `${columnName(layout, layout.single.id)} repeats: it is kept as reference, not as id`
}

/** The accounts of a file, made of the rows that can be read. */
export interface CsvAccounts {
  readonly accounts: ReadonlyArray<StatementAccount>
  readonly drafts: ReadonlyArray<CsvAccountDraft>
  /** Rows that cannot be read, in the order of the file. */
  readonly refused: ReadonlyArray<RefusedRow>
  readonly warnings: ReadonlyArray<string>
}

/** Where rows go that nobody keeps, and whether their ids repeat: that is known before the first of them is read. */
export interface TakenRows {
  readonly take: (draft: CsvAccountDraft, row: StatedRow) => void
  readonly doIdsRepeat: boolean
}

/** Reads the rows that were selected, and puts them into accounts, unless they are taken. */
export const buildAccounts = (reading: CsvReading, taken?: TakenRows): CsvAccounts | StatementFault => {
  const { layout, decimal, dates } = reading
  const { movements } = reading.selection
  // The rows may stand in several tables that follow each other.
  let table = movements.table
  let { text } = table
  const columns = layout.single
  const { amount: amountColumn, debit, credit, balance: balanceColumn } = columns
  const [description0 = -1, ...moreDescriptions] = layout.descriptions
  const splitAccounts =
    reading.options.accountNumber === undefined && (columns.account >= 0 || columns.accountName >= 0)
  const drafts = new Map<string, CsvAccountDraft>()
  const kind = cached(kindOf)
  const pending = cached(isPending)
  const currencyOf = cached((code) => Currency.parse(code) ?? "")
  const ids = new Set<string>()
  let idsUnique = columns.id >= 0 && taken === undefined
  let lastKey: string | undefined
  // Cells of the row before: dates and currencies seldom change from row to row.
  let date: CalendarDate.CalendarDate | undefined
  let dateFrom = 0
  let dateTo = 0
  let ownCurrency: Currency.Currency | undefined
  let currencyFrom = 0
  let currencyTo = 0
  let draft: CsvAccountDraft | undefined
  let unreadBalances = 0
  let unreadDates = 0

  const refused: Array<RefusedRow> = []
  const { signs } = reading
  const { alternates, payer: payerColumn } = layout
  const holder = payerColumn < 0 ? undefined : ownName(movements, payerColumn, columns.payee)
  const standIns = [columns.note, columns.type, columns.sign].filter((column) => column >= 0)
  const units = layout.units.size === 0 ? undefined : layout.units

  const refuseAt = (row: number, column: number, message: string): void => {
    refused.push({ line: table.line(row), element: columnName(layout, column), message: ownText(message) })
  }
  const quoted = (row: number, column: number): string => `"${table.cell(row, column).slice(0, 40)}"`
  /** The amount that `locate` found. */
  const readAmount = (): Decimal.Decimal | undefined =>
    (decimal === 46 ? plainAmount(text, table.from, table.to) : undefined) ??
    groupedAmount(text, table.from, table.to, decimal, true)

  /** Who the other side is, where one column names who paid and one who was paid. */
  const otherSide = (row: number, amount: Decimal.Decimal): string => {
    const [paid, got] = [table.cell(row, payerColumn), table.cell(row, columns.payee)]
    if (holder !== undefined && paid === holder) return got
    if (holder !== undefined && got === holder) return paid
    const likely = Decimal.isNegative(amount) ? got : paid
    return likely === "" ? (likely === got ? paid : got) : likely
  }

  // A function of its own: it is optimized long before a loop around it would be.
  const addRow = (row: number, at: number, below: ReadonlyArray<string>): StatementFault | undefined => {
    table.locate(row, columns.date)
    if (date === undefined || !table.repeats(dateFrom, dateTo)) {
      date = dates.read(text, table.from, table.to)
      dateFrom = table.from
      dateTo = table.to
    }
    if (date === undefined) {
      refuseAt(row, columns.date, `${quoted(row, columns.date)} is not a date`)
      return undefined
    }

    let amount: Decimal.Decimal | undefined
    let amountText = ""
    let from = amountColumn
    let found = amountColumn >= 0 && locateAmount(table, row, amountColumn)
    for (let other = 0; !found && other < alternates.length; other++) {
      from = alternates[other]!
      found = locateAmount(table, row, from)
    }
    if (found) {
      amountText = text.slice(table.from, table.to)
      amount = readAmount()
    } else {
      if (credit >= 0 && locateAmount(table, row, credit)) {
        from = credit
        amountText = text.slice(table.from, table.to)
        amount = readAmount()
        if (amount === undefined) {
          refuseAt(row, credit, `${quoted(row, credit)} is not an amount`)
          return undefined
        }
        if (signs.plainCredit) amount = Decimal.abs(amount)
      }
      if (debit >= 0 && locateAmount(table, row, debit)) {
        const debitText = text.slice(table.from, table.to)
        const side = readAmount()
        if (side === undefined) {
          refuseAt(row, debit, `${quoted(row, debit)} is not an amount`)
          return undefined
        }
        // The debit column takes money out, whatever sign is printed in it.
        const out = Decimal.negate(signs.printedDebit ? side : Decimal.abs(side))
        if (amount === undefined || amount === "0") {
          from = debit
          amountText = debitText
          amount = out
        } else if (out !== "0") {
          amountText = `${amountText} / ${debitText}`
          amount = Decimal.add(amount, out)
        }
      }
    }
    if (amount === undefined) {
      refuseAt(row, from, `${quoted(row, from)} is not an amount`)
      return undefined
    }
    if (isTooLarge(amount)) {
      refuseAt(row, from, `"${amountText.slice(0, 40)}" ${tooLarge}`)
      return undefined
    }
    const sign = signs.rows === undefined ? 0 : signs.rows[at]!
    if (sign !== 0) amount = sign < 0 ? Decimal.negate(Decimal.abs(amount)) : Decimal.abs(amount)
    if (signs.negate) amount = Decimal.negate(amount)

    let currency = units === undefined ? reading.currency : (units.get(from) ?? reading.currency)
    if (columns.currency >= 0 && table.locate(row, columns.currency)) {
      if (ownCurrency === undefined || !table.repeats(currencyFrom, currencyTo)) {
        const code = text.slice(table.from, table.to)
        const own = currencyOf(code)
        if (own === "") {
          refuseAt(row, columns.currency, `"${code.slice(0, 40)}" is not a currency`)
          return undefined
        }
        ownCurrency = own as Currency.Currency
        currencyFrom = table.from
        currencyTo = table.to
      }
      currency = ownCurrency
    }

    let body = description0 < 0 ? "" : table.cell(row, description0)
    let even = description0 < 0 || !table.hasBlankRun(row, description0)
    for (let index = 0; index < moreDescriptions.length; index++) {
      const column = moreDescriptions[index]!
      if (!table.locate(row, column)) continue
      body = joinDistinct(body, table.cell(row, column))
      if (even) even = !table.hasBlankRun(row, column)
    }
    for (let index = 0; index < below.length; index++) {
      body = joinDistinct(body, below[index]!)
      even = false
    }
    const payee = columns.payee < 0 ? "" : payerColumn < 0 ? table.cell(row, columns.payee) : otherSide(row, amount)
    const own = columns.originalDescription < 0 ? "" : table.cell(row, columns.originalDescription)
    // A row without a text is one all the same: a note, or what the bank calls its kind, stands in for it.
    if (body === "" && payee === "" && own === "") {
      for (const column of standIns) {
        body = table.cell(row, column)
        if (body !== "") break
      }
      even = false
    }
    const original = own === "" ? joinDistinct(payee, body) : own
    let reference = ""
    for (const column of layout.references) {
      if (!table.locate(row, column)) continue
      reference = meaningful(table.cell(row, column))
      if (reference !== "") break
    }
    const providerId = columns.id < 0 ? "" : table.cell(row, columns.id)
    if (idsUnique && providerId !== "") {
      if (ids.has(providerId)) idsUnique = false
      ids.add(providerId)
    }
    const typeText = columns.type < 0 ? "" : table.cell(row, columns.type)
    const pair = typeText === "" ? otherKind : kind(typeText)

    const accountText =
      splitAccounts && columns.account >= 0 ? table.cell(row, columns.account).replaceAll('"', "") : ""
    const nameText = splitAccounts && columns.accountName >= 0 ? table.cell(row, columns.accountName) : ""
    const key = nameText === "" ? accountText : `${accountText}\n${nameText}`
    if (draft === undefined || key !== lastKey) {
      draft = drafts.get(key)
      if (draft === undefined) {
        if (drafts.size >= maxAccounts) {
          return new StatementFault({ message: `more than ${maxAccounts} accounts in one file`, line: table.line(row) })
        }
        draft = newDraft(reading, accountText, nameText, taken === undefined && drafts.size === 0 ? movements.count : 0)
        drafts.set(ownText(key), draft)
      }
      lastKey = key
    }
    if (draft.currency === undefined) draft.currency = currency
    else if (draft.currency !== currency) draft.mixed = true

    const built = new StatedRow(
      table.line(row),
      providerId,
      date,
      amount,
      amountText,
      currency,
      // Joining even texts with one blank leaves nothing to tidy, and no need to lay the parts out again.
      body === "" ? tidy(payee === "" ? own : payee) : even ? body : tidy(body),
      original,
      Decimal.isNegative(amount) ? pair[1] : pair[0],
      reference,
      columns.status >= 0 && table.locate(row, columns.status) && pending(text.slice(table.from, table.to)),
      tidy(payee),
      columns.category < 0 ? "" : table.cell(row, columns.category)
    )
    if (
      columns.authorizedDate >= 0 &&
      columns.authorizedDate !== columns.date &&
      table.locate(row, columns.authorizedDate)
    ) {
      const authorized = dates.read(text, table.from, table.to)
      // The row stands without it.
      if (authorized === undefined) unreadDates++
      else built.authorizedDate = authorized
    }
    if (taken === undefined) draft.add(built)
    else {
      if (taken.doIdsRepeat) withoutId(built)
      taken.take(draft, built)
    }
    if (balanceColumn < 0) return undefined
    const isStated = table.locate(row, balanceColumn)
    const balance = isStated ? readAmount() : undefined
    // The row stands without it.
    if (isStated && balance === undefined && !isBlankAmount(table.cell(row, balanceColumn))) unreadBalances++
    if (balance !== undefined) draft.hasBalance = true
    if (taken === undefined) {
      draft.balances.push(balance !== undefined && signs.negateBalance ? Decimal.negate(balance) : balance)
    }
    return undefined
  }

  let fault: StatementFault | undefined
  movements.each((own, row, at, below) => {
    if (own !== table) {
      table = own
      text = own.text
      date = undefined
      ownCurrency = undefined
    }
    fault = addRow(row, at, below)
    return fault === undefined
  })
  if (fault !== undefined) return fault
  for (const each of drafts.values()) each.close()

  const warnings: Array<string> = []
  if (unreadBalances > 0) {
    warnings.push(`${columnName(layout, balanceColumn)}: ${unreadBalances} balances cannot be read and are left out`)
  }
  if (unreadDates > 0) {
    warnings.push(`${columnName(layout, columns.authorizedDate)}: ${unreadDates} dates cannot be read and are left out`)
  }
  if (taken === undefined ? columns.id >= 0 && !idsUnique : taken.doIdsRepeat) {
    warnings.push(settleIds(drafts.values(), layout))
  }
  if (taken !== undefined) return { refused, accounts: [], drafts: [...drafts.values()], warnings }
  return {
    refused,
    drafts: [...drafts.values()],
    accounts: Array.from(drafts.values(), (each) => finish(each, reading, drafts.size === 1, warnings)),
    warnings
  }
}
