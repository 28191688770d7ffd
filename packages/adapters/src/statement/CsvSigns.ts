/**
 * Which amounts leave the account, where the numbers alone do not say it or where something contradicts them. The
 * balance column counts most, then words for sides, then known layouts, then words about kinds; what is left to a
 * guess is said with the line it concerns.
 */
import type { AccountType } from "@millrace/core/account/AccountType"
import * as Decimal from "@millrace/core/shared/Decimal"
import type { CsvOptions } from "@millrace/core/upload/Statement"
import { groupedAmount } from "./AmountText.ts"
import { type Chain, chainOf, follows } from "./CsvChain.ts"
import { columnName, type CsvLayout } from "./CsvColumns.ts"
import type { CsvProfile } from "./CsvProfiles.ts"
import type { CsvTable } from "./CsvScanner.ts"
import { type CsvSelection, locateAmount } from "./CsvSelection.ts"
import { directionOf, kindDirectionOf, signOf } from "./CsvWords.ts"

export interface SignPlan {
  /** Turns every amount round, after what `rows` says. */
  readonly negate: boolean
  /** The balance column counts what is owed. */
  readonly negateBalance: boolean
  /** Sign of each movement in the order of the selection, 0 where the printed one holds; absent = all printed. */
  readonly rows: Int8Array | undefined
  /** A minus in the debit column is a sign of its own: money that comes back. */
  readonly printedDebit: boolean
  /** No minus in the credit column means anything. */
  readonly plainCredit: boolean
  readonly assumed: Readonly<Record<string, string>>
  readonly warnings: ReadonlyArray<string>
}

export interface SignInput {
  readonly table: CsvTable
  readonly layout: CsvLayout
  readonly selection: CsvSelection
  /** Code of the decimal separator. */
  readonly decimal: number
  readonly options: CsvOptions
  readonly profile: CsvProfile | undefined
  /** What the preamble, the profile or the name of the account says. */
  readonly accountType: AccountType
}

const override = "set sourceConfig.csv.negate to override"
const overrideWords = 'set sourceConfig.csv.columns.sign to the column of words, or to "" for the signs, to override'
const overrideBalance = "set sourceConfig.csv.negateBalance to override"
const overrideSides = "set sourceConfig.csv.sideSigns to override"
const sampleSize = 80

interface Mutable {
  negate: boolean
  negateBalance: boolean
  rows: Int8Array | undefined
  printedDebit: boolean
  plainCredit: boolean
  readonly assumed: Record<string, string>
  readonly warnings: Array<string>
}

/** The cell as an amount; `undefined` when it is blank or none. */
const valueAt = ({ decimal, table }: SignInput, row: number, column: number): Decimal.Decimal | undefined =>
  column >= 0 && locateAmount(table, row, column)
    ? groupedAmount(table.text, table.from, table.to, decimal, true)
    : undefined

const amountOf = (input: SignInput, row: number): Decimal.Decimal | undefined => {
  const { layout } = input
  const own = valueAt(input, row, layout.single.amount)
  if (own !== undefined) return own
  for (const column of layout.alternates) {
    const other = valueAt(input, row, column)
    if (other !== undefined) return other
  }
  return undefined
}

/** The amount of a side, whatever its own sign; as it stands where the side is not known. */
const withSign = (side: number, value: Decimal.Decimal | undefined): Decimal.Decimal | undefined =>
  value === undefined || side === 0 ? value : side < 0 ? Decimal.negate(Decimal.abs(value)) : Decimal.abs(value)

/** Rows of the sample: those of one account, in the order of the file. */
const sample = ({ layout, selection, table }: SignInput): ReadonlyArray<number> => {
  const { account } = layout.single
  const rows = selection.rows.slice(0, sampleSize)
  if (account < 0 || rows.length === 0) return rows
  const first = table.cell(rows[0]!, account)
  return rows.filter((row) => table.cell(row, account) === first)
}

/** Where the rows of the sample stand in the selection. */
const placesOf = ({ selection }: SignInput): ReadonlyMap<number, number> =>
  new Map(selection.rows.slice(0, sampleSize).map((row, at) => [row, at] as const))

type Reading = (row: number) => Decimal.Decimal | undefined

const chainFor = (input: SignInput, rows: ReadonlyArray<number>, read: Reading): Chain =>
  chainOf(
    rows.map(read),
    rows.map((row) => valueAt(input, row, input.layout.single.balance))
  )

/** A word for a side in this row: of the column of sides, of the type, or that a debit column holds something. */
const wordReader = (input: SignInput): { readonly column: number; readonly of: (row: number) => number } => {
  const { layout, table } = input
  const { marker } = layout
  const { sign, type } = layout.single
  // `columns.sign: ""`: no words count.
  if (input.options.columns?.["sign"] !== undefined && sign < 0) return { column: -1, of: () => 0 }
  const known = new Map<string, number>()
  const cached = (text: string, find: (text: string) => number): number => {
    let side = known.get(text)
    if (side === undefined) {
      side = find(text)
      if (known.size < 5_000) known.set(text, side)
    }
    return side
  }
  if (sign >= 0) return { column: sign, of: (row) => cached(table.cell(row, sign), signOf) }
  if (type >= 0) return { column: type, of: (row) => cached(table.cell(row, type), directionOf) }
  return { column: marker, of: (row) => (marker >= 0 && locateAmount(table, row, marker) ? -1 : 0) }
}

interface Tally {
  /** Rows in which word and sign agree, and in which they do not. */
  agree: number
  contradict: number
  /** Rows with a word. */
  worded: number
  negative: number
  /** Of the rows whose word says that money leaves: written with a minus, and without. */
  outNegative: number
  outPositive: number
  firstContradiction: number
  firstWordless: number
}

/** The rule by rule decision for a single amount column. */
const planSingle = (input: SignInput, plan: Mutable): void => {
  const { layout, options, profile, selection, table } = input
  const { rows } = selection
  const words = wordReader(input)
  const sides = new Int8Array(rows.length)
  const tally: Tally = {
    agree: 0,
    contradict: 0,
    worded: 0,
    negative: 0,
    outNegative: 0,
    outPositive: 0,
    firstContradiction: -1,
    firstWordless: -1
  }
  const hasBalance = layout.single.balance >= 0
  // Without words it is enough to know that some amount has a minus.
  for (let at = 0; words.column >= 0 && at < rows.length; at++) {
    const row = rows[at]!
    const side = words.of(row)
    sides[at] = side
    const sign = selection.decimals.signed ? printedSign(input, row) : 1
    if (sign < 0) tally.negative++
    if (side === 0) {
      if (tally.firstWordless < 0) tally.firstWordless = row
      continue
    }
    tally.worded++
    if (sign === 0) continue
    if (side < 0 && sign < 0) tally.outNegative++
    else if (side < 0) tally.outPositive++
    if (sign === side) tally.agree++
    else {
      tally.contradict++
      if (tally.firstContradiction < 0) tally.firstContradiction = row
    }
  }
  const unsigned = words.column < 0 ? !selection.decimals.signed : tally.negative === 0
  const line = (row: number) => `line ${table.line(row)}`
  const takeWords = () => {
    plan.rows = sides
    plan.assumed["sign"] = columnName(layout, words.column)
  }
  const overridden = options.columns?.["sign"] !== undefined

  if (unsigned && rows.length > 0) {
    if (tally.worded === rows.length) return takeWords()
    if (options.negate !== undefined) {
      plan.negate = options.negate
      return
    }
    // A marker, or a column of sides with one word only: what has none is the other side.
    const oneSided =
      tally.worded > 0 &&
      (layout.single.sign >= 0 || layout.marker >= 0) &&
      (sides.every((side) => side <= 0) || sides.every((side) => side >= 0))
    if (hasBalance && input.accountType === "credit_card") {
      relateBalance(input, plan, true)
      if (plan.negate || plan.negateBalance) return
    }
    if (hasBalance && byBalance(input, plan)) return
    if (oneSided) {
      const other = sides.some((side) => side < 0) ? 1 : -1
      for (let at = 0; at < sides.length; at++) if (sides[at] === 0) sides[at] = other
      takeWords()
      plan.warnings.push(
        `${line(tally.firstWordless)}: ${columnName(layout, words.column)} is blank, read as money that ${other > 0 ? "comes in" : "leaves"}: ${overrideWords}`
      )
      return
    }
    if (profile !== undefined) return byProfile(plan, profile)
    if (tally.worded > 0) {
      takeWords()
      plan.warnings.push(
        `${line(tally.firstWordless)}: neither a sign nor a word in ${columnName(layout, words.column)} says whether money leaves, read as money that comes in: name such a column in sourceConfig.csv.columns.sign`
      )
      return
    }
    return byKinds(input, plan, true)
  }

  if (options.negate !== undefined) {
    plan.negate = options.negate
    if (overridden) takeWords()
    return
  }
  if (overridden && tally.worded > 0) return takeWords()
  if (tally.contradict > 0) return settleContradiction(input, plan, tally, sides, words.column)
  if (tally.worded > 0) {
    relateBalance(input, plan, false)
    return
  }
  if (profile !== undefined) {
    byProfile(plan, profile)
    return
  }
  if (hasBalance && relateBalance(input, plan, true)) return
  byKinds(input, plan, false)
}

/** -1 for an amount with a minus, parentheses or `DR`, 0 for zero. */
const printedSign = (input: SignInput, row: number): -1 | 0 | 1 => {
  const value = amountOf(input, row)
  return value === undefined || value === "0" ? 0 : Decimal.isNegative(value) ? -1 : 1
}

const byProfile = (plan: Mutable, profile: CsvProfile): void => {
  plan.negate = profile.negate
  plan.assumed["negate"] = `${profile.negate} (${profile.name})`
}

/** Unsigned amounts get the sign of the step between two balances. */
const byBalance = (input: SignInput, plan: Mutable): boolean => {
  const { selection, table } = input
  const chain = chainFor(input, sample(input), (row) => amountOf(input, row))
  if (!follows(chain, chain.size)) return false
  const { rows } = selection
  const signs = new Int8Array(rows.length)
  const accountOf = (row: number) =>
    input.layout.single.account < 0 ? "" : table.cell(row, input.layout.single.account)
  const unknown: Array<number> = []
  const balances = rows.map((row) => valueAt(input, row, input.layout.single.balance))
  const opening = selection.opening === undefined ? undefined : parse(selection.opening, input.decimal)
  for (let at = 0; at < rows.length; at++) {
    const beside = chain.falling ? at + 1 : at - 1
    const joined = beside >= 0 && beside < rows.length && accountOf(rows[beside]!) === accountOf(rows[at]!)
    const before = joined ? balances[beside] : opening
    const after = balances[at]
    const amount = amountOf(input, rows[at]!)
    if (before === undefined || after === undefined || amount === undefined) {
      unknown.push(at)
      continue
    }
    const step = Decimal.subtract(after, before)
    if (step === amount) signs[at] = 1
    else if (step === Decimal.negate(amount)) signs[at] = -1
    else unknown.push(at)
  }
  // The first row has no balance before it: what it is called may tell.
  const open: Array<number> = []
  for (const at of unknown) {
    const side = kindSide(input, rows[at]!)
    if (side === 0) open.push(at)
    signs[at] = side === 0 ? 1 : side
  }
  plan.rows = signs
  plan.assumed["sign"] = columnName(input.layout, input.layout.single.balance)
  if (open.length > 0) {
    plan.warnings.push(
      `line ${table.line(rows[open[0]!]!)}: no balance before it says whether money leaves, read as money that comes in${open.length > 1 ? `, as in ${open.length - 1} more rows` : ""}: name a column of words in sourceConfig.csv.columns.sign`
    )
  }
  plan.warnings.push(`the amounts have no sign: the balances say which leave, ${override}`)
  return true
}

const parse = (text: string, decimal: number): Decimal.Decimal | undefined =>
  groupedAmount(text, 0, text.length, decimal, true)

/** What the type and the description of a row say about its side. */
const kindSide = ({ layout, table }: SignInput, row: number): -1 | 0 | 1 => {
  const { payee, type } = layout.single
  const texts = [type, payee, ...layout.descriptions.slice(0, 3)].filter((column) => column >= 0)
  return kindDirectionOf(texts.map((column) => table.cell(row, column)).join(" "))
}

/**
 * Amounts that the balances contradict as a whole are turned round, or the balances are. False when the balances
 * say nothing.
 */
const relateBalance = (input: SignInput, plan: Mutable, mayFlip: boolean): boolean => {
  const { layout, table } = input
  if (layout.single.balance < 0) return false
  const rows = sample(input)
  const places = plan.rows === undefined ? undefined : placesOf(input)
  const read: Reading = (row) => withSign(plan.rows?.[places?.get(row) ?? 0] ?? 0, amountOf(input, row))
  const chain = chainFor(input, rows, read)
  if (!follows(chain, Math.max(chain.same, chain.opposite)) || chain.same === chain.opposite) return false
  const values = rows.map(read)
  const negatives = values.filter((value) => value !== undefined && Decimal.isNegative(value)).length
  const first = rows[0]!
  if (chain.same > chain.opposite) {
    if (!mayFlip || input.accountType !== "credit_card" || negatives * 2 >= rows.length) return true
    // Charges raise what is owed: both are written from the bank's side.
    const owed = rows.some((row) => {
      const balance = valueAt(input, row, layout.single.balance)
      return balance !== undefined && !Decimal.isNegative(balance) && balance !== "0"
    })
    if (!owed) return true
    plan.negate = true
    plan.negateBalance = true
    plan.warnings.push(
      `line ${table.line(first)}: a card whose charges raise the balance: positive amounts are read as money that leaves, ${override}`
    )
    return true
  }
  if (mayFlip && negatives * 2 < rows.length) {
    plan.negate = true
    plan.assumed["negate"] = `true (${columnName(layout, layout.single.balance)})`
    plan.warnings.push(
      `line ${table.line(first)}: the balance falls where the amount is positive: positive amounts are read as money that leaves, ${override}`
    )
    return true
  }
  plan.negateBalance = true
  plan.warnings.push(
    `line ${table.line(first)}: the balance rises where money leaves: it is read as what is owed, ${overrideBalance}`
  )
  return true
}

/** Words and signs disagree in some row. */
const settleContradiction = (input: SignInput, plan: Mutable, tally: Tally, sides: Int8Array, column: number): void => {
  const { layout, table } = input
  const name = columnName(layout, column)
  const at = `line ${table.line(tally.firstContradiction)}`
  const more = tally.contradict > 1 ? ` (and in ${tally.contradict - 1} more rows)` : ""
  const byWord = sides
  const rows = sample(input)
  const places = placesOf(input)
  const sideOfRow = (row: number): number => sides[places.get(row)!]!
  const readings: ReadonlyArray<readonly [name: "printed" | "words" | "reversed", read: Reading]> = [
    ["printed", (row) => amountOf(input, row)],
    ["words", (row) => withSign(sideOfRow(row), amountOf(input, row))],
    [
      "reversed",
      (row) => {
        const stated = amountOf(input, row)
        return stated !== undefined && sideOfRow(row) < 0 ? Decimal.negate(stated) : stated
      }
    ]
  ]
  if (layout.single.balance >= 0) {
    const tied = readings.map(([kind, read]) => [kind, chainFor(input, rows, read)] as const)
    const best = tied.toSorted((a, b) => b[1].same - a[1].same)[0]!
    const rivals = tied.filter(([, chain]) => chain.same === best[1].same)
    if (follows(best[1], best[1].same) && (rivals.length === 1 || best[0] === "printed")) {
      plan.warnings.push(
        `${at}: ${name} and the sign of the amount contradict each other${more}: the balances agree with the ${best[0] === "printed" ? "sign" : "words"}`
      )
      return best[0] === "printed" ? undefined : apply(best[0])
    }
  }
  // A word in a few rows says nothing about the others.
  const covered = tally.worded * 2 >= input.selection.rows.length
  if (covered && tally.agree === 0) {
    plan.negate = true
    plan.assumed["negate"] = `true (${name})`
    plan.warnings.push(
      `${at}: ${name} and the sign of every amount contradict each other: the words are followed, ${overrideWords}`
    )
    return
  }
  const wordsRule = covered && tally.outPositive > tally.outNegative
  if (wordsRule) apply("words")
  plan.warnings.push(
    `${at}: ${name} and the sign of the amount contradict each other${more}: the ${wordsRule ? "words are" : "sign is"} followed, ${overrideWords}`
  )

  function apply(kind: "printed" | "words" | "reversed"): void {
    plan.assumed["sign"] = name
    if (kind === "words") {
      plan.rows = byWord
      return
    }
    // A minus beside "debit" gives money back.
    const signs = new Int8Array(input.selection.rows.length)
    for (const [index, row] of input.selection.rows.entries()) {
      const sign = printedSign(input, row)
      signs[index] = byWord[index]! < 0 ? -sign : sign
    }
    plan.rows = signs
  }
}

/** No column tells: kinds of movements, the kind of account, else a warning. */
const byKinds = (input: SignInput, plan: Mutable, unsigned: boolean): void => {
  const { accountType, selection, table } = input
  const { rows } = selection
  if (rows.length === 0) return
  let agree = 0
  let contradict = 0
  let first = -1
  let positive = 0
  let firstPositive = -1
  const step = Math.max(1, Math.floor(rows.length / 2_000))
  let seen = 0
  for (let at = 0; at < rows.length; at += step) {
    const row = rows[at]!
    seen++
    const sign = unsigned ? 1 : printedSign(input, row)
    if (sign > 0) {
      positive++
      if (firstPositive < 0) firstPositive = row
    }
    const side = kindSide(input, row)
    if (side === 0 || sign === 0) continue
    if (side === sign) agree++
    else {
      contradict++
      if (first < 0) first = row
    }
  }
  const mostlyPositive = positive * 2 > seen
  const turned = "positive amounts are read as money that leaves"
  if (mostlyPositive && contradict > 0 && agree === 0) {
    plan.negate = true
    plan.warnings.push(`line ${table.line(first)}: its text says the other side than its sign: ${turned}, ${override}`)
    return
  }
  if (mostlyPositive && accountType === "credit_card" && agree <= contradict) {
    plan.negate = true
    plan.warnings.push(
      `line ${table.line(firstPositive)}: a card with charges as positive numbers: ${turned}, ${override}`
    )
    return
  }
  if (unsigned) {
    plan.warnings.push(
      `line ${table.line(first < 0 ? firstPositive : first)}: every amount is positive and read as money that comes in: set sourceConfig.csv.negate if the file writes money that leaves as a positive number`
    )
    return
  }
  if (contradict > agree || (mostlyPositive && positive * 4 >= seen * 3 && agree === 0 && seen >= 4)) {
    plan.warnings.push(
      `line ${table.line(first < 0 ? firstPositive : first)}: a positive amount is read as money that comes in: set sourceConfig.csv.negate if the file writes it the other way round`
    )
  }
}

/** Debit and Credit columns: a minus printed in them is a habit, or money that goes back. */
const planPair = (input: SignInput, plan: Mutable): void => {
  const { layout, options, selection, table } = input
  const { credit, debit } = layout.single
  plan.negate = options.negate ?? false
  const count = { debitNegative: -1, debitPositive: -1, creditNegative: -1, creditPositive: -1, both: -1 }
  if (selection.decimals.signed) {
    for (const row of selection.rows) {
      const [out, into] = [valueAt(input, row, debit), valueAt(input, row, credit)]
      if (out !== undefined && out !== "0") {
        const key = Decimal.isNegative(out) ? "debitNegative" : "debitPositive"
        if (count[key] < 0) count[key] = row
      }
      if (into !== undefined && into !== "0") {
        const key = Decimal.isNegative(into) ? "creditNegative" : "creditPositive"
        if (count[key] < 0) count[key] = row
      }
    }
  }
  const debitMixed = count.debitNegative >= 0 && count.debitPositive >= 0
  const hasNegativeCredit = count.creditNegative >= 0
  const creditMixed = hasNegativeCredit && count.creditPositive >= 0
  const value = (row: number, printedDebit: boolean, plainCredit: boolean): Decimal.Decimal | undefined => {
    const [out, into] = [valueAt(input, row, debit), valueAt(input, row, credit)]
    if (out === undefined && into === undefined) return undefined
    const left = out === undefined ? Decimal.zero : Decimal.negate(printedDebit ? out : Decimal.abs(out))
    const came = into === undefined ? Decimal.zero : plainCredit ? Decimal.abs(into) : into
    return Decimal.add(left, came)
  }
  plan.plainCredit = hasNegativeCredit && !creditMixed
  if (options.sideSigns !== undefined) {
    plan.printedDebit = options.sideSigns === "keep"
    plan.plainCredit = options.sideSigns === "ignore"
    return
  }
  const ways: Array<readonly [printedDebit: boolean, plainCredit: boolean]> = [[false, plan.plainCredit]]
  if (debitMixed) ways.push([true, plan.plainCredit])
  if (hasNegativeCredit) ways.push([false, !plan.plainCredit])
  if (debitMixed && hasNegativeCredit) ways.push([true, !plan.plainCredit])
  const rows = sample(input)
  const chains = layout.single.balance < 0 ? [] : ways.map(([a, b]) => chainFor(input, rows, (row) => value(row, a, b)))
  const scores = chains.map((chain) => Math.max(chain.same, chain.opposite))
  const best = scores.indexOf(Math.max(...scores))
  const tied = best >= 0 && follows(chains[best]!, scores[best]!)
  if (tied) {
    plan.printedDebit = ways[best]![0]
    plan.plainCredit = ways[best]![1]
    const chain = chains[best]!
    if (chain.opposite > chain.same) {
      plan.negateBalance = true
      plan.warnings.push(
        `line ${table.line(rows[0]!)}: the balance rises where money leaves: it is read as what is owed, ${overrideBalance}`
      )
    }
  }
  const decided = tied && scores.filter((score) => score === scores[best]).length === 1
  const say = (row: number, column: number, what: string) =>
    plan.warnings.push(`line ${table.line(row)}: ${columnName(layout, column)} holds a negative amount: ${what}`)
  const byBalances = decided ? ", as the balances say" : `: ${overrideSides}`
  if (debitMixed) {
    say(count.debitNegative, debit, `read as money that ${plan.printedDebit ? "comes back" : "leaves"}${byBalances}`)
  }
  if (hasNegativeCredit) {
    say(count.creditNegative, credit, `read as money that ${plan.plainCredit ? "comes in" : "leaves"}${byBalances}`)
  }
}

/** How the signs of this file are read. */
export const planSigns = (input: SignInput): SignPlan => {
  const plan: Mutable = {
    negate: false,
    negateBalance: false,
    rows: undefined,
    printedDebit: false,
    plainCredit: false,
    assumed: {},
    warnings: []
  }
  if (input.selection.rows.length === 0) return plan
  if (input.layout.single.amount < 0) planPair(input, plan)
  else {
    planSingle(input, plan)
    if (plan.rows !== undefined && input.options.negate !== undefined) plan.negate = input.options.negate
    // Words made the signs: the balances may still count what is owed.
    if (plan.rows !== undefined && input.options.negate === undefined && plan.assumed["sign"] !== undefined) {
      if (plan.assumed["sign"] !== columnName(input.layout, input.layout.single.balance))
        relateBalance(input, plan, false)
    }
  }
  if (input.options.negateBalance !== undefined) plan.negateBalance = input.options.negateBalance
  return plan
}
