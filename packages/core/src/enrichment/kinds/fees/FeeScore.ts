/** How much supports a debit being a fee, and of what kind, in centibits (enrichments C9). */
import * as Schema from "effect/Schema"
import type { FeeItem } from "./FeeItem.ts"
import { type FeeKind, feeKinds } from "./FeeWords.ts"

export const Parts = Schema.Struct({
  prior: Schema.Int,
  label: Schema.Int,
  words: Schema.Int,
  never: Schema.Int,
  structure: Schema.Int
})
export type Parts = typeof Parts.Type

export const points = { prior: -400, label: 500, phrase: 500, weak: 250, never: -500, mostStructure: 400 } as const
const structurePoints = { wire: 200, atm: 200, ratio: 300, monthly: 150, returned: 200, alone: 150 } as const

/** Percentages that banks charge for purchases abroad. */
const usualRatios = [0.01, 0.015, 0.02, 0.025, 0.0275, 0.03, 0.035] as const

export const scoreOf = ({ label, never, prior, structure, words }: Parts): number =>
  prior + label + words + never + structure

/** In ten-thousandths. */
export const probabilityOf = (centibits: number): number => Math.round(10_000 / (1 + 2 ** (-centibits / 100)))

/** What is known besides the records around. */
export interface FeeLessons {
  /** Shares that fees of the institution have had at least three times in the year before the month, as of one. */
  readonly ratios: ReadonlyArray<number>
  /** Amounts of its worded debits in each of the two months before. */
  readonly monthly: ReadonlySet<string>
}

export interface ScoredFee {
  readonly item: FeeItem
  readonly kind: FeeKind
  readonly parts: Parts
  readonly phrase: string | undefined
  /** What it could have been charged for, each with a cost in thousandths: days, and how far the share is off. */
  readonly causes: ReadonlyArray<{ readonly item: FeeItem; readonly cost: number; readonly ratio: number | undefined }>
}

/** Costs of staying without a cause, in thousandths. */
const aloneCost = 4_000

/** The share that the fee has of a purchase, where banks charge such a share. */
const shareOf = (fee: FeeItem, purchase: FeeItem, { ratios }: FeeLessons): number | undefined => {
  for (const ratio of usualRatios) {
    if (Math.abs(fee.size - purchase.size * ratio) <= fee.halfUnit + 1e-9) return ratio
  }
  for (const ratio of ratios) {
    if (Math.abs(fee.size - purchase.size * ratio) <= fee.halfUnit + purchase.size * 0.00005) return ratio
  }
  return undefined
}

const largestAtmFee = 10

type Cause = { readonly points: number; readonly error: number; readonly ratio: number | undefined }

const plain = (given: number): Cause => ({ points: given, error: 0, ratio: undefined })

/** Whether the fee may be one for that record, by kind. */
const causeOf = (kind: FeeKind, fee: FeeItem, other: FeeItem, lessons: FeeLessons): Cause | undefined => {
  if (other.recordId === fee.recordId || other.size <= fee.size) return undefined
  const worded = other.phrases.size > 0 || other.label
  switch (kind) {
    case "wire":
      return other.wired && !worded ? plain(structurePoints.wire) : undefined
    case "atm":
      return other.debit && other.cash && !worded && other.size % 5 === 0 && fee.size <= largestAtmFee
        ? plain(structurePoints.atm)
        : undefined
    case "fx": {
      if (!other.debit || worded) return undefined
      const ratio = shareOf(fee, other, lessons)
      if (ratio === undefined) return undefined
      // Of two with the same share, one abroad is meant.
      const error = Math.abs(fee.size / other.size - ratio) * 100 + (other.foreign ? 0 : 0.1)
      return { points: structurePoints.ratio, error, ratio }
    }
    case "overdraft":
      return other.debit && !worded && other.day <= fee.day ? plain(0) : undefined
    case "nsf":
      return other.returned && !worded ? plain(structurePoints.returned) : undefined
    default:
      return undefined
  }
}

/** `near`: booked records of the account in the window around it, the fee too. `undefined` where it is none. */
export const scoreFee = (
  fee: FeeItem,
  near: ReadonlyArray<FeeItem>,
  kinds: ReadonlySet<FeeKind>,
  lessons: FeeLessons,
  least: number
): ScoredFee | undefined => {
  if (!fee.debit) return undefined
  let best: ScoredFee | undefined
  for (const kind of feeKinds) {
    if (!kinds.has(kind)) continue
    const phrase = fee.phrases.get(kind)
    // A weak word says of no kind that it is meant: what stands around does.
    const words =
      phrase !== undefined ? points.phrase : fee.weak !== undefined && fee.phrases.size === 0 ? points.weak : 0
    if (words === 0 && !(fee.label && fee.phrases.size === 0)) continue
    const causes = near.flatMap((item) => {
      const cause = causeOf(kind, fee, item, lessons)
      return cause === undefined
        ? []
        : [{ item, ...cause, cost: Math.round((Math.abs(item.day - fee.day) + 10 * cause.error) * 1_000) }]
    })
    const around = Math.max(0, ...causes.map((cause) => cause.points))
    const isMonthly = kind === "maintenance" && lessons.monthly.has(`${fee.amount} ${fee.currency}`)
    const repeated = around + (isMonthly ? structurePoints.monthly : 0)
    const alone = phrase !== undefined && fee.alone ? structurePoints.alone : 0
    const structure = Math.min(points.mostStructure, Math.max(repeated, alone))
    // Without a phrase only what stands around tells a kind from the others.
    if (phrase === undefined && structure === 0 && kind !== "other") continue
    const parts: Parts = {
      prior: points.prior,
      label: fee.label ? points.label : 0,
      words,
      never: fee.never === undefined ? 0 : points.never,
      structure
    }
    const found = {
      item: fee,
      kind,
      parts,
      phrase: phrase ?? fee.weak,
      causes: causes.filter(({ cost }) => cost < aloneCost)
    }
    if (best === undefined || scoreOf(parts) > scoreOf(best.parts)) best = found
  }
  return best !== undefined && scoreOf(best.parts) >= least ? best : undefined
}
