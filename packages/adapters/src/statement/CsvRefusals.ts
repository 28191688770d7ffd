/** Tables that are no statement of an account, told by their columns. */
import { StatementFault } from "@millrace/core/upload"
import type { ColumnClaims } from "./CsvColumnClaims.ts"
import { sampleOf } from "./CsvContent.ts"
import { foldName } from "./CsvHeaders.ts"

/** What is owned and what it is worth. */
const worthWords =
  /market ?value|current ?value|cost ?basis|cost ?(?:\/|per) ?share|gain ?\/ ?loss|unreali[sz]ed|holding ?period|average ?cost|marktwert|kurswert|einstands(?:wert|kurs|preis)|gewinn ?\/ ?verlust|valeur (?:de marche|actuelle)|prix de revient|[+] ?\/ ?- ?value|plus.?value|valor (?:de mercado|actual)|coste? medio|valore di mercato|prezzo medio|marktwaarde|aankoopwaarde|wartosc rynkowa|trzni hodnota/
const unitWords =
  /\b(?:quantity|qty|shares|units|symbol|ticker|isin|wkn|cusip|price|stuck|stuckzahl|anzahl|kurs|quantite|cours|cantidad|titulos|quantita|prezzo|aantal|koers|ilosc|mnozstvi)\b/

/** What was given and what was got for it. */
const sentWords =
  /\b(?:sent|sell|sold|from|out|outgoing|pay|paid|given|verkauf|gesendet|vendu|envoye|vendido|enviado)\b/
const gotWords = /\b(?:received|receive|buy|bought|to|in|incoming|got|kauf|erhalten|achete|recu|comprado|recibido)\b/
const sizeWords = /\b(?:amount|quantity|qty|volume|value|menge|betrag|montant|quantite|cantidad|importe)\b/
const assetWords = /\b(?:currency|cur|asset|coin|token|wahrung|devise|moneda)\b/

/** Names of coins, which are no currencies of an account. */
const coins = new Set(
  "BTC XBT ETH LTC XRP BCH ADA SOL DOT DOGE BNB XLM XMR DASH ETC ATOM MATIC AVAX TRX USDT USDC DAI SHIB".split(" ")
)

const words = (header: string): string => foldName(header.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).replaceAll("_", " ")

const found = (names: ReadonlyArray<string>, ...patterns: ReadonlyArray<RegExp>): number =>
  names.findIndex((name) => patterns.every((pattern) => pattern.test(name)))

/** Lots and positions: what they are worth is no money that moved. */
const holdings = (claims: ColumnClaims, names: ReadonlyArray<string>): string | undefined => {
  const worth = found(names, worthWords)
  if (worth < 0 || found(names, unitWords) < 0) return undefined
  // Movements of a broker say what each of them came to.
  const moved = claims.candidates.some(
    (fields, column) =>
      !worthWords.test(names[column]!) &&
      fields.some(([field]) => field === "amount" || field === "debit" || field === "credit") &&
      claims.contents[column]!.amounts > 0 &&
      !unitWords.test(names[column]!)
  )
  return moved ? undefined : `the table lists holdings ("${claims.headers[worth]}"), not movements of an account`
}

/** Two amounts with a currency each: one asset is exchanged for another. */
const exchanges = (claims: ColumnClaims, names: ReadonlyArray<string>): string | undefined => {
  const sent = found(names, sentWords, sizeWords)
  const got = found(names, gotWords, sizeWords)
  if (sent < 0 || got < 0 || sent === got) return undefined
  if (found(names, sentWords, assetWords) < 0 || found(names, gotWords, assetWords) < 0) return undefined
  return `each row exchanges one asset for another ("${claims.headers[sent]}", "${claims.headers[got]}"), which is no movement of one account`
}

/** Amounts of coins, where no column names the currency of the account. */
const coinAmounts = (claims: ColumnClaims, names: ReadonlyArray<string>): string | undefined => {
  const column = claims.contents.findIndex(({ distinct }, at) => {
    const named = [...distinct].filter((cell) => coins.has(cell.toUpperCase()))
    return at !== claims.columns.currency && assetWords.test(names[at] ?? "") && named.length * 2 > distinct.size
  })
  return column < 0
    ? undefined
    : `"${claims.headers[column]}" names coins, and no account in a currency is made of those`
}

/** One amount for each category on one day. */
const categorySums = (claims: ColumnClaims): string | undefined => {
  const { category, date, payee, type } = claims.columns
  if (category < 0 || payee >= 0 || type >= 0 || claims.descriptions.length > 0) return undefined
  const [categories, days] = [claims.contents[category]!, claims.contents[date]!]
  return categories.filled > 1 && categories.distinct.size === categories.filled && days.distinct.size === 1
    ? `each row is the sum of a category ("${claims.name(category)}"), not a movement`
    : undefined
}

/** Money in and money out in one row after the other and no text: sums of days or months. */
const sums = (claims: ColumnClaims): string | undefined => {
  const { credit, date, debit, payee, type } = claims.columns
  if (debit < 0 || credit < 0 || payee >= 0 || type >= 0 || claims.descriptions.length > 0) return undefined
  const isMoney = (row: number, column: number): boolean => /[1-9]/.test(claims.table.cell(row, column))
  const rows = sampleOf(claims.table, claims.header, (row) => claims.table.locate(row, date))
  const both = rows.filter((row) => isMoney(row, debit) && isMoney(row, credit))
  return rows.length > 0 && both.length * 2 > rows.length
    ? `each row has money in ("${claims.name(credit)}") and money out ("${claims.name(debit)}") and no text: sums of a period, not movements`
    : undefined
}

const isGiven = ({ given }: ColumnClaims): boolean => given.has("amount") || given.has("debit") || given.has("credit")

const refusal = (claims: ColumnClaims, why: string | undefined): StatementFault | undefined =>
  why === undefined || isGiven(claims)
    ? undefined
    : new StatementFault({
        message: `${why}: upload the list of transactions, or name the column of what moved in sourceConfig.csv.columns.amount`,
        line: claims.line,
        element: "amount"
      })

/** Why a table of these columns is no statement, unless the reader says which column the amount is. */
export const refuseColumns = (claims: ColumnClaims): StatementFault | undefined => {
  const names = claims.headers.map(words)
  return refusal(claims, holdings(claims, names) ?? exchanges(claims, names) ?? coinAmounts(claims, names))
}

/** As `refuseColumns`, of a table whose columns have been taken. */
export const refuseSums = (claims: ColumnClaims): StatementFault | undefined =>
  refusal(claims, sums(claims) ?? categorySums(claims))
