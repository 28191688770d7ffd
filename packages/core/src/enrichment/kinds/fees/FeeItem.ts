/** A transaction as the search for fees sees it (enrichments C9). */
import * as CalendarDate from "../../../shared/CalendarDate.ts"
import * as Currency from "../../../shared/Currency.ts"
import * as Decimal from "../../../shared/Decimal.ts"
import { type Phrases, plainWords } from "../../../text/Phrases.ts"
import type { SetAccount, SetRecord } from "../SetKind.ts"
import type { FeeKind, FeeWord } from "./FeeWords.ts"
import { feeKinds } from "./FeeWords.ts"

export const feeFields = [
  "date",
  "amount",
  "currency",
  "description",
  "originalDescription",
  "category",
  "type",
  "pending",
  "transfer.role",
  "transfer.state",
  "transfer.fee",
  "transfer.rate",
  "transfer.counterpartAccountId"
] as const

export interface FeeItem {
  readonly recordId: string
  readonly date: CalendarDate.CalendarDate
  readonly day: number
  /** Without sign. */
  readonly amount: Decimal.Decimal
  /** The same as a number, for ratios. */
  readonly size: number
  readonly debit: boolean
  readonly currency: Currency.Currency
  /** Half of the smallest unit. */
  readonly halfUnit: number
  /** The whole phrase of a kind, by kind. */
  readonly phrases: ReadonlyMap<FeeKind, string>
  /** A word that may mean a fee. */
  readonly weak: string | undefined
  readonly never: string | undefined
  /** Nothing but a whole phrase stands in it, numbers apart. */
  readonly alone: boolean
  readonly cash: boolean
  readonly wired: boolean
  readonly returned: boolean
  /** In another currency than its account's, or with a text that names one. */
  readonly foreign: boolean
  /** What the provider makes of it. */
  readonly label: boolean
  /** A purchase as far as the provider says. */
  readonly record: SetRecord
}

const isKind = (word: FeeWord): word is FeeKind => feeKinds.some((kind) => kind === word)

/** Any of the words that a fee could be told by. */
export const isWorded = ({ label, phrases, weak }: FeeItem): boolean => label || phrases.size > 0 || weak !== undefined

interface Said extends Pick<FeeItem, "phrases" | "weak" | "never" | "alone" | "cash" | "wired" | "returned"> {
  readonly currencies: ReadonlySet<string>
}

const foreignCodes: ReadonlySet<string> = new Set(
  "usd eur gbp chf jpy aud cad nzd sek nok dkk pln czk huf ron try brl mxn zar inr thb sgd hkd cny".split(" ")
)

const noPhrases: ReadonlyMap<FeeKind, string> = new Map()
const noCurrencies: ReadonlySet<string> = new Set()

/** Of a text without any of the words. */
const nothing: Said = {
  phrases: noPhrases,
  weak: undefined,
  never: undefined,
  alone: false,
  cash: false,
  wired: false,
  returned: false,
  currencies: noCurrencies
}

const currenciesIn = (plain: ReadonlyArray<string>): ReadonlySet<string> =>
  plain.some((word) => foreignCodes.has(word)) ? new Set(plain.filter((word) => foreignCodes.has(word))) : noCurrencies

const said = (plain: ReadonlyArray<string>, words: Phrases<FeeWord>): Said => {
  const hits = words.find(plain)
  const currencies = currenciesIn(plain)
  if (hits.length === 0) return currencies === noCurrencies ? nothing : { ...nothing, currencies }
  const phrases = new Map<FeeKind, string>()
  const others = new Map<FeeWord, string>()
  let rest = plain.filter((word) => lettered.test(word)).length
  for (const { at, phrase, value, words: count } of hits) {
    rest -= plain.slice(at, at + count).filter((word) => lettered.test(word)).length
    if (isKind(value)) {
      if (!phrases.has(value)) phrases.set(value, phrase)
    } else if (!others.has(value)) others.set(value, phrase)
  }
  return {
    phrases,
    weak: others.get("weak"),
    never: others.get("never"),
    alone: phrases.size > 0 && rest === 0,
    cash: others.has("cash"),
    wired: others.has("wired"),
    returned: others.has("returned"),
    currencies
  }
}

const lettered = /\p{L}{2,}/u

const textOf = ({ fields }: SetRecord): string => {
  const [original, shown] = [fields["originalDescription"], fields["description"]]
  const first = typeof shown === "string" ? shown : ""
  return typeof original === "string" && original !== first ? `${first} ${original}` : first
}

/** `undefined` for what is no money, has no day, or is not booked yet. */
export const feeItem = (
  record: SetRecord,
  account: Pick<SetAccount, "currency"> | undefined,
  words: Phrases<FeeWord>
): FeeItem | undefined => {
  const { fields, recordId } = record
  const { amount: sent, currency: told, date: on } = fields
  if (typeof on !== "string" || typeof sent !== "string" || fields["pending"] === true) return undefined
  const date = CalendarDate.parse(on)
  const signed = Decimal.parse(sent)
  if (date === undefined || signed === undefined || signed === "0") return undefined
  const currency = (typeof told === "string" ? Currency.parse(told) : undefined) ?? account?.currency
  if (currency === undefined) return undefined
  const amount = Decimal.abs(signed)
  const { alone, cash, currencies, never, phrases, returned, weak, wired } = said(plainWords(textOf(record)), words)
  const own = account?.currency ?? currency
  return {
    recordId,
    date,
    day: CalendarDate.epochDayOf(date),
    amount,
    size: Number(amount),
    debit: Decimal.isNegative(signed),
    currency,
    halfUnit: 10 ** -Currency.minorDigits(currency) / 2,
    phrases,
    weak,
    never,
    alone,
    cash: cash || fields["type"] === "ATM",
    wired,
    returned,
    foreign: currency !== own || (currencies.size > 0 && [...currencies].some((code) => code !== own.toLowerCase())),
    label: fields["type"] === "FEE" || fields["category"] === "BANK_FEES",
    record
  }
}
