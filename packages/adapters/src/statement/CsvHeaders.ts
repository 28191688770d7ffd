/** Column names of bank exports -> what the column may hold, and the language that they are in. */
import { type CsvField, csvFields } from "@millrace/core/feed"
import { Currency } from "@millrace/core"
import { type Language, languages, vocabulary } from "./CsvVocabulary.ts"

const ranks = new Map<string, Array<readonly [CsvField, number]>>()
const languagesOfName = new Map<string, Set<Language>>()
for (const language of languages) {
  for (const field of csvFields) {
    for (const [rank, name] of (vocabulary[language][field] ?? "").split(" ").entries()) {
      if (name === "") continue
      const known = ranks.get(name) ?? []
      ranks.set(name, known)
      const at = known.findIndex(([other]) => other === field)
      if (at < 0) known.push([field, rank])
      else if (known[at]![1] > rank) known[at] = [field, rank]
      const speakers = languagesOfName.get(name) ?? new Set()
      languagesOfName.set(name, speakers.add(language))
    }
  }
}

/** Small letters without accents. */
export const foldName = (text: string): string =>
  text
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("ł", "l")
    .replaceAll("ø", "o")
    .replaceAll("æ", "ae")
    .replaceAll("ı", "i")
    .replaceAll("đ", "d")
    .replace(/\p{M}/gu, "")

/** Longer cells name no column. */
const maxHeaderLength = 200

/** Names are compared without case, accents, blanks and punctuation. */
export const normaliseHeader = (text: string): string =>
  text.length > maxHeaderLength ? "" : foldName(text).replace(/[^\p{L}\p{N}]/gu, "")

/** Longer texts are no column names. */
const maxName = 80

const signs: ReadonlyMap<string, string | undefined> = new Map([
  ["€", "EUR"],
  ["euro", "EUR"],
  ["euros", "EUR"],
  ["£", "GBP"],
  ["zł", "PLN"],
  ["kč", "CZK"],
  ["us$", "USD"],
  ["c$", "CAD"],
  ["ca$", "CAD"],
  ["a$", "AUD"],
  ["au$", "AUD"],
  ["nz$", "NZD"],
  ["s$", "SGD"],
  ["hk$", "HKD"],
  ["r$", "BRL"],
  ["¥", undefined],
  ["kr", undefined],
  ["$", undefined]
])

const unit =
  /(?:[([]\s*|\b(?:in|en|em|w|v)?\s*|\s)(?:([A-Z]{3})\$?|(€|euros?|(?:US|CA?|AU?|NZ|S|HK|R)?\$|£|zł|Kč|kr\.?|¥))\s*[)\]]?\s*$/i

/** A column name without a currency behind it, and that currency: `Amount (EUR)`, `Betrag in EUR`, `CAD$`. */
export const splitUnit = (header: string): readonly [name: string, currency: string | undefined] => {
  if (header.length > maxName) return [header, undefined]
  const match = unit.exec(header)
  if (match === null) return [header, undefined]
  const code = match[1]
  // Only capitals are a code: the end of "Amount out" is none.
  if (code !== undefined && (code !== code.toUpperCase() || Currency.parse(code) === undefined)) {
    return [header, undefined]
  }
  return [header.slice(0, match.index), code ?? signs.get(match[2]!.toLowerCase().replace(".", ""))]
}

/** Names that only contain a word of a field count after all others, and when the content agrees. */
export const weakRank = 1_000

/** Words that make a longer column name speak of a field, the surest first. */
const fieldWords: ReadonlyArray<readonly [field: CsvField, words: RegExp]> = [
  [
    "date",
    /(?:^| )(?:date|dates|datum|dated|fecha|data|dato|tag|dag|day|kuupaev|paiva|pvm|datums|datuma|tarih|tarihi|дата|datetime|timestamp)(?: |$)/u
  ],
  ["balance", /(?:^| )(?:balance|saldo|kontostand|solde|zustatek|egyenleg|likutis|sold|bakiye|остаток)(?: |$)/u],
  [
    "amount",
    /(?:^| )(?:amount|amounts|amt|total|net|gross|value|betrag|umsatz|summe|montant|somme|importe|monto|importo|bedrag|valor|kwota|castka|suma|summa|osszeg|belopp|belob|belop|iznos|tutar|сумма)(?: |$)/u
  ],
  [
    "payee",
    /(?:^| )(?:payee|merchant|counterparty|beneficiary|recipient|partner|auftraggeber\p{L}*|empfanger\p{L}*|beg(?:u|ue)nstigt\p{L}*|zahlungspflichtig\p{L}*|tegenpartij|tiers|beneficiaire|beneficiario|contraparte|controparte|kontrahent\p{L}*|odbiorc\p{L}*|nadawc\p{L}*|protistran\p{L}*|mottagare|modtager|saaja|gavej\p{L}*|sanem\p{L}*|контрагент)(?: |$)/u
  ],
  [
    "description",
    /(?:^| )(?:description|descr|details?|narrative|text|memo|verwendungszweck|buchungstext|libelle|concepto|descripcion|descrizione|causale|omschrijving|mededeling|mededelingen|descricao|opis|popis|tekst|beskrivelse|beskrivning|selite|selgitus|описание|назначение)(?: |$)/u
  ]
]

/** Such a column holds something else beside the thing: fees, taxes, rates, what was meant in another currency. */
const besideWords =
  /(?:^| )(?:fee|fees|tax|vat|rate|original|refunded|commission|gebuhr|gebuehr|frais|charge|charges|limit|points|cashback|hold|shipping|count|quantity|price|kurs|cours)(?: |$)/u

/** What is reported about the other side besides its name. */
const besideName =
  /(?:^| )(?:iban|bic|swift|blz|konto\p{L}*|account|acct|rekening\p{L}*|compte|cuenta|conto|rachun\p{L}*|ucet|uctu|number|numero|no|nr|id|mail|email|address|adresse|adres|street|city|country|land|bank|banka|code|kod|category|type)(?: |$)/u

const known = new Map<string, ReadonlyArray<readonly [CsvField, number]>>()
const maxKnown = 5_000

/** What a column name may stand for, with the rank of the name in each field (lower is better). */
export const fieldsOf = (header: string): ReadonlyArray<readonly [CsvField, number]> => {
  if (header.length > maxName) return []
  let fields = known.get(header)
  if (fields === undefined) {
    fields = findFields(header)
    if (known.size < maxKnown) known.set(header, fields)
  }
  return fields
}

const findFields = (header: string): ReadonlyArray<readonly [CsvField, number]> => {
  const whole = normaliseHeader(header)
  if (whole === "") return header.trim() === "$" ? [["amount", weakRank]] : []
  const exact = ranks.get(whole)
  if (exact !== undefined) return exact
  const numbered = /^(.*?)\d{1,2}$/.exec(whole)
  if (numbered !== null) {
    const base = ranks.get(numbered[1]!)?.filter(([field]) => field === "description")
    if (base !== undefined && base.length > 0) return base
  }
  const [name, currency] = splitUnit(header)
  if (name !== header) {
    const without = normaliseHeader(name)
    const fields = without === "" ? undefined : ranks.get(without)
    if (fields !== undefined) return fields
    if (without === "" && currency !== undefined) return [["amount", weakRank]]
  }
  const words = foldName(name)
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
  const joined = ranks.get(words.replaceAll(" ", ""))
  if (joined !== undefined) return joined
  // The words of "transaction_amount" and "transactionAmount" are the same.
  const spaced = foldName(name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).replace(/[^\p{L}\p{N}]+/gu, " ")
  if (besideWords.test(spaced)) return []
  const found = fieldWords.find(([, pattern]) => pattern.test(spaced))
  if (found === undefined || (found[0] === "payee" && besideName.test(spaced))) return []
  return [[found[0], weakRank]]
}

/** Is it one of the names that banks use, not merely one that holds such a word? */
export const isKnownName = (header: string): boolean => fieldsOf(header).some(([, rank]) => rank < weakRank)

/** The language that most of the names are in; English where several are equally likely. */
export const languageOf = (headers: ReadonlyArray<string>): Language | undefined => {
  const votes = new Map<Language, number>()
  for (const header of headers) {
    if (header.length > maxName) continue
    for (const language of languagesOfName.get(normaliseHeader(splitUnit(header)[0])) ?? []) {
      votes.set(language, (votes.get(language) ?? 0) + 1)
    }
  }
  let best: Language | undefined
  for (const language of languages) {
    if ((votes.get(language) ?? 0) > (best === undefined ? 0 : votes.get(best)!)) best = language
  }
  return best
}
