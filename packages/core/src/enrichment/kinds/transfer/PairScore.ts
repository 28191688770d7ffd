/** How much supports two legs being one transfer, part by part, in centibits (enrichments D2.2). */
import * as Schema from "effect/Schema"
import type { CalendarDate } from "../../../shared/CalendarDate.ts"

/** A side of a pair, as it is reported. */
const Side = Schema.Struct({
  recordId: Schema.String,
  accountId: Schema.String,
  date: Schema.String,
  /** As booked, without sign. */
  amount: Schema.String,
  currency: Schema.String
})
export type Side = typeof Side.Type

/** All in centibits. */
const Parts = Schema.Struct({
  prior: Schema.Int,
  amount: Schema.Int,
  lag: Schema.Int,
  text: Schema.Int,
  reference: Schema.Int,
  provider: Schema.Int,
  pair: Schema.Int
})
export type Parts = typeof Parts.Type

export const Band = Schema.Literals(["exact", "fee", "fx", "group"])
export type Band = typeof Band.Type

/** Everything that the parts were computed of. */
const Counts = Schema.Struct({
  /** Inflows that could be meant, this one too. */
  rivals: Schema.Int,
  strangers: Schema.Int,
  agreeing: Schema.Int,
  /** One in how many amounts of strangers would agree by chance, before any were seen. */
  chance: Schema.Int,
  /** Taken off for what is missing or over, in centibits. */
  penalty: Schema.Int,
  businessDays: Schema.Int,
  textOut: Schema.Int,
  textIn: Schema.Int,
  accepted: Schema.Int,
  rejected: Schema.Int,
  /** How many were to be accepted by what was stated of them, in hundredths. */
  expected: Schema.Int,
  /** What patterns that were rejected take off, in centibits. */
  pattern: Schema.Int
})
export type Counts = typeof Counts.Type

export const ScoredPair = Schema.Struct({
  out: Side,
  in: Side,
  band: Band,
  parts: Parts,
  counts: Counts,
  /** The sum of the parts. */
  score: Schema.Int,
  /** Of the band `fx`: what one unit of the first currency was worth in the other. */
  rate: Schema.optionalKey(Schema.String),
  /** One of the accounts is a mirror: it can only be suggested. */
  mirror: Schema.optionalKey(Schema.Literal(true)),
  /** Of the band `group`: the second record of the side that has two. */
  second: Schema.optionalKey(Schema.Struct({ role: Schema.Literals(["out", "in"]), ...Side.fields }))
})
export type ScoredPair = typeof ScoredPair.Type

export const centibits = (bits: number): number => Math.round(bits * 100)

/** k rivals: one of five outflows with so many candidates is a transfer to one of them. */
export const priorPart = (rivals: number): number => centibits(-Math.log2(5 * Math.max(1, rivals)))

const likely = { exact: 0.75, fee: 0.3, fx: 0.9, group: 0.3 } as const

/** `chance`: one in so many. */
export const amountPart = (
  band: Band,
  { agreeing, chance, penalty, strangers }: Pick<Counts, "agreeing" | "chance" | "penalty" | "strangers">
): number => centibits(Math.log2(likely[band] / ((agreeing + 10 / chance) / (strangers + 10)))) - penalty

/** One in how many amounts of strangers is as round as this one, in ten-thousandths. */
export const roundness = (units: number): number =>
  units % 1_000_000 === 0 ? 40 : units % 100_000 === 0 ? 60 : units % 10_000 === 0 ? 120 : 400

export const feeChance = 20
export const fxChance = 12

const lags = new Map([
  [0, 219],
  [1, 181],
  [2, 86],
  [3, 23],
  [4, -62],
  [5, -94],
  [6, -236],
  [7, -294],
  [-1, -136],
  [-2, -394]
])

export const lagPart = (businessDays: number): number => lags.get(businessDays) ?? -468

export const textPart = (out: number, into: number): number => Math.min(900, out + into)

export const referencePoints = 600
const hintPoints = { agrees: 200, denies: -300 }

const pointsOf = (hint: number): number => (hint === 1 ? hintPoints.agrees : hint === -1 ? hintPoints.denies : 0)

/** Hints: 1 for a transfer, -1 for something else, 0 for nothing. */
export const providerPart = (out: number, into: number): number => pointsOf(out) + pointsOf(into)

/**
 * What decisions about two accounts say of the next pair of theirs: only as far as they came out otherwise than was stated. That
 * people accept what was likely anyway is no news, and counted as such it would make everything certain.
 */
export const pairPart = ({
  accepted,
  expected,
  pattern,
  rejected
}: Pick<Counts, "accepted" | "rejected" | "expected" | "pattern">): number => {
  const due = expected / 100
  const odds = (accepted + 1) / (rejected + 1)
  const stated = (due + 1) / (accepted + rejected - due + 1)
  return Math.min(300, Math.max(-400, centibits(Math.log2(odds / stated)))) + pattern
}

export const partsSum = ({ amount, lag, pair, prior, provider, reference, text }: Parts): number =>
  prior + amount + lag + text + reference + provider + pair

/** Whether anything besides amount and day supports it. */
export const hasOtherEvidence = ({ counts, parts }: Pick<ScoredPair, "counts" | "parts">): boolean =>
  parts.text > 0 ||
  parts.reference > 0 ||
  parts.provider > 0 ||
  // People have linked these accounts, which says that they belong together even where it was expected.
  (counts.accepted > counts.rejected && counts.pattern === 0)

/** The first of two in the order of pairs: by day, then by id. */
export const comparePairs = (a: ScoredPair, b: ScoredPair): number =>
  compareText(a.out.date, b.out.date) ||
  compareText(a.out.recordId, b.out.recordId) ||
  compareText(a.in.date, b.in.date) ||
  compareText(a.in.recordId, b.in.recordId)

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const monthOf = (date: CalendarDate | string): string => date.slice(0, 7)
