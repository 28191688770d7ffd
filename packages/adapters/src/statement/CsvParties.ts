/** Whose account and whose name a column holds: the holder's own, or the other side's. */
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { type ColumnContent, holdsIbans, sampleOf } from "./CsvContent.ts"
import { normaliseHeader, weakRank } from "./CsvHeaders.ts"
import { readPreamble } from "./CsvPreamble.ts"
import type { CsvMovements } from "./CsvMovements.ts"

/** Names of accounts that are the holder's own, whatever is next to them. */
const ownNames =
  /auftragskonto|ownaccount|myaccount|youraccount|eigeneskonto|kliendikonto|klientakonts|cardno|cardnumber|kartennummer|produit|produkt|accountname|accounttype/

/** Words of a name that make an account, an id or a name the other side's. */
const otherNames =
  /partner|counter|gegen|tegen|payee|benef|recipient|empf|beg(?:u|ue)nst|pflichtig|beteiligt|tiers|contre|contrapart|controparte|ordenant|ordinante|destinat|creditor|debtor|remitter|sender|protiuct|protistran|kontrahent|nadawc|odbiorc|saaja|sanemej|gavej|motpart|modtager|mottaker|получател|контрагент|thirdparty|otheraccount|otherside/

const payerNames =
  /^(?:payer|payername|sender|sendername|from|fromname|debtor|debtorname|remitter|auftraggeber(?:in)?|zahlungspflichtiger?|donneurdordre|emetteur|ordenante|ordinante|opdrachtgever|nadawca|avsandare|afsender|platce|platitelj|maksaja|moketojas|maksatajs)$/
const receiverNames =
  /^(?:payee|payeename|recipient|recipientname|receiver|to|toname|beneficiary|beneficiaryname|creditor|creditorname|empfanger(?:in)?|zahlungsempfanger(?:in)?|begunstigter|beguenstigter|beneficiaire|destinataire|beneficiario|destinatario|begunstigde|ontvanger|odbiorca|mottagare|modtager|prijemce|primatelj|saaja|gavejas|sanemejs)$/

/** Rows of the sample that hold something in `column`. */
const rowsWith = ({ header, table }: ColumnClaims, column: number): ReadonlyArray<number> =>
  sampleOf(table, header, (row) => table.locate(row, column))

/** Has each account one name beside it, and each name one account, in rows of which some say so twice? */
const goesWith = (input: ColumnClaims, account: number, name: number): boolean => {
  const accountOf = new Map<string, string>()
  const nameOf = new Map<string, string>()
  let isRepeated = false
  for (const row of rowsWith(input, account)) {
    const who = input.table.cell(row, name)
    if (who === "") continue
    const number = digitsOf(input.table.cell(row, account))
    if ((accountOf.get(who) ?? number) !== number || (nameOf.get(number) ?? who) !== who) return false
    if (accountOf.has(who)) isRepeated = true
    accountOf.set(who, number)
    nameOf.set(number, who)
  }
  return accountOf.size > 1 && isRepeated
}

const digitsOf = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, "")

/** May both be the number of one account? Statements shorten IBANs to the number, and mask numbers. */
const sameNumber = (a: string, b: string): boolean => {
  const [one, other] = [digitsOf(a), digitsOf(b)]
  return one !== "" && other !== "" && (one.endsWith(other) || other.endsWith(one))
}

/** Is it a known name of an account, and not of an IBAN alone, which other sides have as well? */
const isOwnName = (input: ColumnClaims, column: number): boolean =>
  input.candidates[column]!.some(([field, rank]) => field === "account" && rank < weakRank) &&
  !/iban/.test(normaliseHeader(input.headers[column] ?? ""))

interface Verdict {
  readonly own: boolean
  /** Nothing but the shape of the table says so. */
  readonly guess: boolean
}

const judge = (input: ColumnClaims, column: number, rivals: ReadonlyArray<number>, preamble: string): Verdict => {
  const { columns, contents, table } = input
  const header = normaliseHeader(input.headers[column] ?? "")
  if (ownNames.test(header)) return { own: true, guess: false }
  if (otherNames.test(header)) return { own: false, guess: false }
  const content = contents[column]!
  const stated = [...content.distinct]
  // A cell that lost a quote names the same account.
  const distinct = new Set(stated.map(digitsOf)).size
  if (preamble !== "" && distinct > 0) return { own: stated.every((cell) => sameNumber(cell, preamble)), guess: false }
  const isNumber = stated.some((cell) => /\d{3}/.test(cell))
  // Names of accounts (Checking, Savings) are never the other side's.
  if (!isNumber) return { own: true, guess: false }
  const settled = rivals.some(
    (other) => ownNames.test(normaliseHeader(input.headers[other] ?? "")) && contents[other]!.filled > 0
  )
  if (settled) return { own: false, guess: false }
  const constant = rivals.find((other) => contents[other]!.distinct.size === 1 && contents[other]!.filled > 1)
  if (constant !== undefined && distinct > 1) return { own: false, guess: false }
  const dated = sampleOf(table, input.header, (row) => table.locate(row, columns.date))
  const rows = dated.length
  const { payee } = columns
  // A code of the bank may stand between the name and the account.
  const beside = payee >= 0 && Math.abs(payee - column) <= 2 && column > columns.date
  // A row that was torn may lack it.
  const everywhere = content.filled >= rows - Math.floor(rows / 5)
  if (distinct === 1 && everywhere && rows > 1) {
    // Of movements alone: totals below the table hold words as well.
    const varied = payee < 0 || new Set(dated.map((row) => table.cell(row, payee))).size > 1
    return { own: varied || !beside, guess: false }
  }
  if (everywhere && column < columns.date && isOwnName(input, column)) return { own: true, guess: distinct > 1 }
  if (beside) return { own: false, guess: distinct <= 1 }
  if (payee >= 0 && distinct > 1 && goesWith(input, column, payee)) return { own: false, guess: true }
  if (!everywhere && content.filled > 0) return { own: false, guess: true }
  if (distinct > 3 && distinct === rows) return { own: false, guess: true }
  return { own: true, guess: distinct > 1 && column > columns.date && columns.accountName < 0 }
}

const findAccount = (input: ColumnClaims): number => {
  const { candidates, columns, contents } = input
  if (input.given.has("account")) return -1
  const preamble = input.header > 0 ? readPreamble(input.table, input.header).number : ""
  const ranked = candidates
    .flatMap((fields, column) => {
      const rank = fields.find(([field]) => field === "account")?.[1]
      const ibans = rank === undefined && !input.used.has(column) && holdsIbans(contents[column])
      return (rank === undefined && !ibans) || input.used.has(column) ? [] : [[column, rank ?? 500] as const]
    })
    .filter(([column]) => contents[column]!.money * 2 <= contents[column]!.filled)
    .toSorted((a, b) => a[1] - b[1])
    .map(([column]) => column)
  let counterparty = -1
  let own = -1
  let guess = false
  for (const column of ranked) {
    const rivals = ranked.filter((other) => other !== column)
    const verdict = judge(input, column, rivals, preamble)
    if (!verdict.own) {
      counterparty = counterparty < 0 ? column : counterparty
      if (verdict.guess) {
        input.warnings.push(
          `${input.name(column)} is read as the other side's account: set sourceConfig.csv.columns.account if it is the own one`
        )
      }
      input.used.add(column)
    } else if (own < 0 || narrower(contents, column, own)) {
      own = column
      guess = verdict.guess
    }
  }
  if (own >= 0) input.take("account", own)
  if (guess && columns.account >= 0) {
    input.warnings.push(
      `${input.name(own)} is read as the own accounts, one for each number: set sourceConfig.csv.columns.account to "" if it is the other side's`
    )
  }
  return counterparty
}

/** Of two own accounts the one that is always there and says a number. */
const narrower = (contents: ReadonlyArray<ColumnContent>, column: number, held: number): boolean => {
  const numbered = (at: number) => [...contents[at]!.distinct].some((cell) => /\d{3}/.test(cell))
  return !numbered(held) && numbered(column) && contents[column]!.filled >= contents[held]!.filled
}

/** Two columns of names, of who sent and who got the money: the other side is in one or the other. */
const findNames = (input: ColumnClaims): number => {
  const { columns, contents, headers } = input
  if (input.given.has("payee")) return -1
  const names = headers.map(normaliseHeader)
  const of = (pattern: RegExp) =>
    names.findIndex((name, column) => pattern.test(name) && (contents[column]?.words ?? 0) > 0)
  const [payer, receiver] = [of(payerNames), of(receiverNames)]
  if (payer >= 0 && receiver >= 0) {
    input.used.add(payer)
    input.take("payee", receiver)
    return payer
  }
  const { payee } = columns
  if (payee < 0 || contents[payee]!.distinct.size !== 1 || contents[payee]!.filled < 3) return -1
  // One name in every row beside texts that differ is the holder's own.
  const varied = contents.some(
    (content, column) => column !== payee && content.words >= content.filled * 0.8 && content.distinct.size > 2
  )
  if (!varied) return -1
  input.warnings.push(
    `${input.name(payee)} holds one name in every row: it is not read as the merchant, set sourceConfig.csv.columns.payee to override`
  )
  columns.payee = -1
  const another = input.candidates.findIndex(
    (fields, column) => column !== payee && !input.used.has(column) && fields.some(([field]) => field === "payee")
  )
  if (another >= 0) input.take("payee", another)
  return -1
}

/** Finds the own account and the columns of the other side. */
export const findParties = (input: ColumnClaims): { readonly payer: number; readonly counterparty: number } => {
  const counterparty = findAccount(input)
  return { payer: findNames(input), counterparty }
}

/** The name that the holder of the account has in a file with both sides: it is in every row, on one side or the other. */
export const ownName = (movements: CsvMovements, payer: number, receiver: number): string | undefined => {
  const counts = new Map<string, number>()
  let seen = 0
  movements.each((table, row) => {
    const names = new Set([table.cell(row, payer), table.cell(row, receiver)])
    names.delete("")
    if (names.size === 0) return
    if (++seen > 200) return false
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  })
  for (const [name, count] of counts) if (seen >= 2 && count >= seen * 0.9) return name
  return undefined
}
