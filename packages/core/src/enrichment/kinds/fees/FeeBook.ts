/** What months teach about the fees of an institution: a function of the records of an account and month alone (enrichments C9). */
import * as Schema from "effect/Schema"
import type { FeeItem } from "./FeeItem.ts"
import { isWorded } from "./FeeItem.ts"
import type { FeeLessons } from "./FeeScore.ts"

export const FeeBook = Schema.Struct({
  /** Shares of purchases that debits with the whole phrase of a currency fee could be, in hundredths of a percent. */
  ratios: Schema.Array(Schema.Int),
  /** Amounts of debits with any of the words, with their currency. */
  amounts: Schema.Array(Schema.String)
})
export type FeeBook = typeof FeeBook.Type

export const emptyBook: FeeBook = { ratios: [], amounts: [] }

export const isEmptyBook = ({ amounts, ratios }: FeeBook): boolean => amounts.length + ratios.length === 0

/** Of each account and month. */
const mostKept = 50
/** Purchases beside one fee that could be meant. */
const mostBeside = 5
const [leastShare, mostShare] = [10, 600]

export const bookOf = (own: ReadonlyArray<FeeItem>, near: (item: FeeItem) => ReadonlyArray<FeeItem>): FeeBook => {
  const debits = own.filter((item) => item.debit && isWorded(item))
  const ratios = debits
    .filter(({ phrases }) => phrases.has("fx"))
    .flatMap((fee) =>
      near(fee)
        .filter((other) => other.debit && !isWorded(other) && other.size > fee.size)
        .map((other) => Math.round((fee.size / other.size) * 10_000))
        .filter((share) => share >= leastShare && share <= mostShare)
        .slice(0, mostBeside)
    )
  return {
    ratios: ratios.toSorted((a, b) => a - b).slice(0, mostKept),
    amounts: [...new Set(debits.map(({ amount, currency }) => `${amount} ${currency}`))].toSorted().slice(0, mostKept)
  }
}

const leastSeen = 3

/** `year`: the books of all accounts of the institution; `before`: those of the account in the two months before. */
export const lessonsOf = (year: ReadonlyArray<FeeBook>, before: ReadonlyArray<FeeBook>): FeeLessons => {
  const seen = new Map<number, number>()
  for (const { ratios } of year) for (const ratio of ratios) seen.set(ratio, (seen.get(ratio) ?? 0) + 1)
  const [first, ...others] = before.map(({ amounts }) => new Set(amounts))
  return {
    ratios: [...seen]
      .filter(([, count]) => count >= leastSeen)
      .map(([ratio]) => ratio / 10_000)
      .toSorted((a, b) => a - b),
    monthly: others.reduce((both, amounts) => both.intersection(amounts), first ?? new Set<string>())
  }
}
