/** What identity compares of a row of a statement, read out of its fields once. */
import type { Fields } from "../../record/FieldValue.ts"
import * as CalendarDate from "../../shared/CalendarDate.ts"
import { parse as parseCurrency } from "../../shared/Currency.ts"
import * as Decimal from "../../shared/Decimal.ts"
import { bookedTexts, type LearntText } from "./LearntTexts.ts"
import { similarity, wordsOf, type Words } from "../../text/Similarity.ts"
import { textKey } from "../../text/TextKey.ts"

export interface MatchRow {
  /** Days since 1970-01-01; `undefined` for a row without a day. */
  readonly day: number | undefined
  readonly pending: boolean
  readonly amount: Decimal.Decimal
  /** `Decimal.safeUnits` of the amount. */
  readonly units: number
  readonly currency: string
  /** Its texts, from the one the bank wrote to the most processed one. */
  readonly texts: ReadonlyArray<string>
  readonly words: ReadonlyArray<Words>
  /** Of a pending row: texts under which such rows are booked, as the account has shown. */
  readonly bookedAs?: ReadonlySet<string> | undefined
  /** Its text tells of an amount in another currency. */
  readonly foreign: boolean
}

const textFields = ["originalDescription", "description", "merchantName"] as const

/** An amount beside the code of a currency, in either order. */
const moneyInText = /(?<![\p{L}\p{N}])(?:([A-Z]{3}) ?\d[\d.,]*|\d[\d.,]* ?([A-Z]{3}))(?![\p{L}\p{N}])/gu
const longestScan = 500

const tellsForeign = (text: string, currency: string): boolean => {
  for (const [, before, behind] of text.slice(0, longestScan).matchAll(moneyInText)) {
    const code = before ?? behind!
    if (code !== currency && parseCurrency(code) !== undefined) return true
  }
  return false
}

/** The text that a row is known by. */
export const nameOf = ({ texts }: Pick<MatchRow, "texts">): string => texts.find((text) => text !== "") ?? ""

/** Reads rows; texts that repeat are read once. */
export class RowReader {
  readonly #keys = new Map<string, string>()
  readonly #words = new Map<string, Words>()
  readonly #bookedTexts: ReadonlyMap<string, ReadonlySet<string>>

  constructor(learnt: ReadonlyArray<LearntText> = []) {
    this.#bookedTexts = bookedTexts(learnt)
  }

  /** `undefined` for a row without an amount: it cannot be compared. */
  read(fields: Fields, date: CalendarDate.CalendarDate | null, pending: boolean): MatchRow | undefined {
    const { amount, currency } = fields
    if (!Decimal.is(amount)) return undefined
    const own = typeof currency === "string" ? currency : ""
    const texts = textFields.map((name) => this.#key(fields[name]))
    const original = fields["originalDescription"]
    return {
      day: date === null ? undefined : CalendarDate.toEpochDay(date),
      pending,
      amount,
      units: Decimal.safeUnits(amount),
      currency: own,
      texts,
      words: texts.map((text) => this.#wordsOf(text)),
      bookedAs: pending ? this.#bookedTexts.get(nameOf({ texts })) : undefined,
      foreign: typeof original === "string" && tellsForeign(original, own)
    }
  }

  #key(text: Fields[string] | undefined): string {
    if (typeof text !== "string" || text === "") return ""
    let key = this.#keys.get(text)
    if (key === undefined) this.#keys.set(text, (key = textKey(text)))
    return key
  }

  #wordsOf(key: string): Words {
    let words = this.#words.get(key)
    if (words === undefined) this.#words.set(key, (words = wordsOf(key)))
    return words
  }
}

/** What texts that cannot be compared count. */
const unknownLikeness = 0.5

/** How alike the texts of two rows are, 0 to 1: the best of the forms that both have. */
export const likeness = (a: MatchRow, b: MatchRow): number => {
  if (a.bookedAs !== undefined && !b.pending && a.bookedAs.has(nameOf(b))) return 1
  if (b.bookedAs !== undefined && !a.pending && b.bookedAs.has(nameOf(a))) return 1
  let best: number | undefined
  for (let i = 0; i < a.words.length; i++) {
    if (i > 0 && a.words[i] === a.words[i - 1] && b.words[i] === b.words[i - 1]) continue
    const found = similarity(a.words[i]!, b.words[i]!)
    if (found !== undefined && (best === undefined || found > best)) best = found
  }
  return best ?? unknownLikeness
}
