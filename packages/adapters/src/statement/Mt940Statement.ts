/** Builds the accounts of MT940 and MT942 messages from their fields. */
import { Currency, Decimal } from "@millrace/core"
import { type StatementAccount, StatementFault } from "@millrace/core/upload"
import { accountsOf, StatementDraft, type TakeRow } from "./AccountStatements.ts"
import { typeOfCode } from "./BankCodes.ts"
import { mtDetails } from "./Mt940Details.ts"
import { type MtEntry, mtEntry } from "./Mt940Entry.ts"
import { mtAccount, mtAmount, mtBalance } from "./Mt940Fields.ts"
import type { ReaderNotes } from "./ReaderNotes.ts"
import { StatedRow } from "./StatedRow.ts"
import { maxAccounts, maxRows } from "./StatementLimits.ts"
import { joinDistinct, ownText, tidy } from "./Wording.ts"

/** A tag, the lines that follow, and the line of the file that it stands on. */
export interface MtField {
  readonly tag: string
  readonly lines: ReadonlyArray<string>
  readonly line: number
}

/** A movement that still waits for what the bank says of it. */
interface OpenEntry {
  readonly entry: MtEntry
  readonly line: number
  /** What stands in field 61 below the first line. */
  readonly supplement: string
}

const addedAtOnce = 1_024

/** The movements of one side of a message: fields 90D and 90C state them. */
class MtSide {
  count = 0
  private amounts: Array<Decimal.Decimal> = []

  add(amount: Decimal.Decimal): void {
    this.count++
    this.amounts.push(amount)
    // Few messages state a sum, and one by one amounts are added slowly.
    if (this.amounts.length === addedAtOnce) this.amounts = [this.sum()]
  }

  sum(): Decimal.Decimal {
    return Decimal.sum(this.amounts)
  }
}

const sums = /^(\d{1,9})([A-Z]{3})([\d,.]{1,40})$/

export class Mt940Statement {
  private readonly notes: ReaderNotes
  private readonly base: Currency.Currency
  private readonly takeRow: TakeRow | undefined
  readonly drafts: Array<StatementDraft> = []
  private draft: StatementDraft | undefined
  // Of the draft that is open: those before it need them no more.
  private debits = new MtSide()
  private credits = new MtSide()
  private open: OpenEntry | undefined
  private rowCount = 0

  /** The rows stay with their statement, unless `takeRow` is given. */
  constructor(notes: ReaderNotes, base: Currency.Currency, takeRow?: TakeRow) {
    this.notes = notes
    this.base = base
    this.takeRow = takeRow
  }

  /** The message is over: what follows belongs to another one. */
  endMessage(): void {
    this.endEntry([])
    this.draft = undefined
  }

  take(field: MtField): void {
    const { line, lines, tag } = field
    const first = lines[0]!.trim()
    if (tag === "86") {
      // Behind the last movement it is about the statement as a whole.
      if (this.open !== undefined) this.endEntry(lines)
      return
    }
    // What banks of one country add stands between a movement and what is said of it.
    if (tag === "NS") return
    this.endEntry([])
    switch (tag) {
      case "20":
        this.draft = undefined
        return
      case "25":
      case "25P": {
        const { bankId, currency, number } = mtAccount(first)
        const draft = this.begin(line, true)
        draft.bankId = ownText(bankId)
        draft.number = ownText(number)
        draft.currency = currency
        return
      }
      case "60F":
      case "60M":
      case "60": {
        const balance = mtBalance(first)
        if (balance === undefined) return this.leftOut(field, "a balance")
        const draft = this.begin(line, false)
        draft.currency = balance.currency
        draft.opening = balance.amount
        draft.openingDate = balance.date
        return
      }
      case "61":
        return this.entry(field)
      case "62F":
      case "62M":
      case "62": {
        const balance = mtBalance(first)
        if (balance === undefined) return this.leftOut(field, "a balance")
        const draft = this.begin(line, false)
        draft.currency ??= balance.currency
        draft.closing = balance.amount
        draft.closingDate = balance.date
        return
      }
      case "64": {
        const balance = mtBalance(first)
        if (balance === undefined) return this.leftOut(field, "a balance")
        this.begin(line, false).available = balance.amount
        return
      }
      case "34F": {
        const currency = Currency.parse(first.slice(0, 3))
        if (currency !== undefined) this.begin(line, false).currency ??= currency
        return
      }
      case "90D":
      case "90C":
        this.checkSum(field)
    }
  }

  private begin(line: number, isNew: boolean): StatementDraft {
    if (this.draft !== undefined && !(isNew && this.draft.number !== "")) return this.draft
    const draft = new StatementDraft(line)
    if (this.drafts.length >= maxRows) {
      this.notes.fail({ line, element: ":20:" }, `more than ${maxRows} statements in one file: split it by period`)
    }
    this.drafts.push(draft)
    this.draft = draft
    this.debits = new MtSide()
    this.credits = new MtSide()
    return draft
  }

  private leftOut({ line, lines, tag }: MtField, what: string): void {
    this.notes.warn(line, `:${tag}: "${lines[0]!.slice(0, 40)}" is not ${what}: left out`)
  }

  private entry({ line, lines }: MtField): void {
    if (++this.rowCount > maxRows && this.takeRow === undefined) {
      this.notes.fail({ line, element: ":61:" }, `more than ${maxRows} rows in one file: split it by period`)
      return
    }
    const draft = this.begin(line, false)
    const entry = mtEntry(lines[0]!)
    if ("problem" in entry) {
      draft.refused++
      this.notes.refuse({ line, element: ":61:" }, entry.problem)
      return
    }
    const supplement = lines.slice(1).join(" ").trim()
    this.open = { entry, line, supplement }
  }

  private endEntry(lines: ReadonlyArray<string>): void {
    const { draft, open } = this
    this.open = undefined
    if (open === undefined || draft === undefined) return
    const { entry, line, supplement } = open
    const details = mtDetails(lines)
    const { name } = details
    const negative = Decimal.isNegative(entry.amount)
    const fallback = details.posting !== "" ? details.posting : supplement !== "" ? supplement : entry.reference
    const body = details.purpose === "" ? (name === "" ? fallback : "") : details.purpose
    const kind = typeOfCode(details.code, negative) ?? typeOfCode(entry.code, negative) ?? "OTHER"
    const side = negative ? this.debits : this.credits
    side.add(entry.amount)
    draft.add(
      new StatedRow(
        line,
        entry.bankReference,
        entry.date,
        entry.amount,
        entry.amountText,
        draft.currency ?? ("" as Currency.Currency),
        tidy(body === "" ? name : body),
        joinDistinct(name, body),
        kind,
        details.reference === "" ? entry.reference : details.reference,
        entry.isExpected,
        name,
        ""
      ),
      this.takeRow
    )
  }

  /** Fields 90D and 90C of MT942: how many movements there are on a side, and their sum. */
  private checkSum(field: MtField): void {
    const found = sums.exec(field.lines[0]!.trim())
    const sum = found === null ? undefined : mtAmount(found[3]!)
    if (found === null || sum === undefined) return this.leftOut(field, "a count and a sum")
    const draft = this.begin(field.line, false)
    draft.currency ??= Currency.parse(found[2]!)
    const own = field.tag === "90D" ? this.debits : this.credits
    const read = Decimal.abs(own.sum())
    if (own.count !== Number(found[1]) || read !== sum) {
      const stated = `${Number(found[1])} rows of ${sum}`
      this.notes.warn(field.line, `:${field.tag}: states ${stated}, the message has ${own.count} of ${read}`)
    }
  }

  /** The accounts, once all fields were taken. */
  accounts(): ReadonlyArray<StatementAccount> | StatementFault {
    const accounts = accountsOf(this.drafts, this.base, this.notes)
    if (accounts instanceof StatementFault) return accounts
    if (accounts.length > maxAccounts) {
      this.notes.fail({ line: 1, element: ":25:" }, `more than ${maxAccounts} accounts in one file`)
      return this.notes.fault!
    }
    return accounts
  }
}
